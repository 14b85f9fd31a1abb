// One line of a robots.txt, with marks and findings.

import { hidden, make, sentence, shown } from "./dom.js";
import { FINDINGS, LINE_LENGTH } from "./limits.js";
import { count, indexOfByte } from "./text.js";

/** Labels of marks. */
const LABELS = {
  allows: "allows",
  disallows: "disallows",
  shorter: "overruled: shorter",
  later: "overruled: later",
  loses_tie: "overruled: Allow wins a tie",
  repeats: "repeats the deciding rule",
  agent: "obeyed group",
};

/**
 * @typedef {object} Mark
 * @property {keyof LABELS} kind
 * @property {number} [column] of the pattern, in bytes from 1
 * @property {number} [length] of the pattern, in bytes
 */

/**
 * @param {number} number of the line, from 1
 * @param {string} text decoded, without its end
 * @param {Mark[]} marks
 * @param {object[]} findings of the linter
 * @param {boolean} isCut whether the line is beyond the size limit
 */
export function lineElement(number, text, marks, findings, isCut) {
  const worst = ["error", "warning", "note"].find((severity) =>
    findings.some((finding) => finding.severity === severity),
  );
  const classes = ["line", ...marks.map(classOf), worst && `has-${worst}`, isCut && "cut"];
  const labels = marks.map((mark) => make("span", { class: "label" }, LABELS[mark.kind]));
  if (isCut) labels.push(make("span", { class: "label" }, "beyond the size limit"));
  return make(
    "li",
    { class: classes.filter(Boolean).join(" "), "data-line": number, value: number, tabindex: -1 },
    make(
      "div",
      { class: "row" },
      make("span", { class: "number", "aria-hidden": "true" }, String(number)),
      make("code", { dir: "ltr" }, codeOf(text, marks, findings)),
      labels,
    ),
    findings.slice(0, FINDINGS).map(findingElement),
    findings.length > FINDINGS &&
      make("p", { class: "finding note" }, count(findings.length - FINDINGS, "more finding")),
  );
}

function classOf({ kind }) {
  if (kind === "allows" || kind === "disallows") return `decides ${kind}`;
  return kind === "agent" ? "agent" : "overruled";
}

/** The text with its syntax, patterns of marks and places of findings. */
function codeOf(text, marks, findings) {
  const cut = text.slice(0, LINE_LENGTH);
  const ranges = syntaxOf(cut);
  for (const { column, length } of marks) {
    if (column !== undefined) ranges.push(rangeOf(cut, column, length, "pattern"));
  }
  for (const { column, span, severity } of findings) {
    ranges.push(rangeOf(cut, column, span[1] - span[0], `place ${severity}`));
  }
  const ends = new Set([0, cut.length, ...ranges.flatMap(({ from, to }) => [from, to])]);
  const places = [...ends].sort((first, second) => first - second);
  const nodes = places.slice(0, -1).map((from, index) => {
    const piece = shown(cut.slice(from, places[index + 1]));
    const names = ranges.filter((range) => range.from <= from && from < range.to);
    if (names.length === 0) return piece;
    return make("span", { class: [...new Set(names.map(({ name }) => name))].join(" ") }, piece);
  });
  if (text.length > cut.length) {
    const rest = `… ${count(text.length - cut.length, "more character")}`;
    nodes.push(make("span", { class: "rest" }, rest));
  }
  return nodes;
}

function rangeOf(text, column, length, name) {
  const from = indexOfByte(text, column - 1);
  const to = from + indexOfByte(text.slice(from), length);
  return { from, to, name };
}

/** Keys and comments, for colours only. */
function syntaxOf(text) {
  const ranges = [];
  const comment = text.indexOf("#");
  const end = comment < 0 ? text.length : comment;
  const colon = text.slice(0, end).indexOf(":");
  if (colon > 0) ranges.push({ from: 0, to: colon, name: "key" });
  if (comment >= 0) ranges.push({ from: comment, to: text.length, name: "comment" });
  return ranges;
}

/** Findings whose details are displayed. A line is rendered again with each mark. */
const opened = new WeakSet();

function findingElement(finding) {
  const { severity, message, code, url, help, fix, labels } = finding;
  const lines = [...new Set(labels.map((label) => label.line))];
  const about = labels[0]?.text;
  const places = lines.length > 0 && [
    ` (line${lines.length > 1 ? "s" : ""} ${lines.join(", ")}: `,
    sentence(about),
    ")",
  ];
  const head = [
    make("strong", {}, severity),
    " ",
    sentence(message),
    places,
    " ",
    make("span", { class: "code" }, code),
  ];
  const more = [
    url && make("p", {}, "Example: ", make("code", {}, shown(url))),
    help && make("p", {}, "Help: ", sentence(help)),
    fix && make("p", {}, "Fix: ", sentence(fix.title), fix.safe ? " (safe)" : " (changes answers)"),
  ];
  const properties = { class: `finding ${severity}` };
  if (!more.some(Boolean)) return make("div", properties, make("p", {}, head), hidden("."));
  const toggle = ({ target }) => (target.open ? opened.add(finding) : opened.delete(finding));
  return make(
    "details",
    { ...properties, open: opened.has(finding), toggle },
    make("summary", {}, head),
    more,
  );
}
