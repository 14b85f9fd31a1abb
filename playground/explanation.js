// The explanation of one verdict.

import { button, fill, foreign, make, ruleText, sentence } from "./dom.js";
import { reasonText, recordFacts } from "./record.js";
import { count } from "./text.js";

/** The marks of an explanation in the source, by line. */
export function marksOf({ verdict, contenders, groups }) {
  const marks = new Map();
  const add = (line, mark) => marks.set(line, [...(marks.get(line) ?? []), mark]);
  for (const line of groups.flatMap(({ agents }) => agents)) add(line, { kind: "agent" });
  const deciding = verdict.allowed ? "allows" : "disallows";
  for (const { rule, standing } of contenders) {
    const { line, column, span } = rule;
    const kind = standing === "decides" ? deciding : standing;
    add(line, { kind, column, length: span[1] - span[0] });
  }
  return marks;
}

/** In place of a verdict: the engine disallows such text, but nobody can request it. */
const NOT_URL = ["the text is neither an absolute URL nor a path"];

export class Explanation {
  #section;
  #goTo;

  /**
   * @param {HTMLElement} section
   * @param {(line: number) => void} goTo
   */
  constructor(section, goTo) {
    this.#goTo = goTo;
    this.#section = make("div", { class: "why", "aria-live": "polite", "aria-atomic": "true" });
    this.rules = make("div", { class: "rules" });
    const title = make("h2", { id: "explanation-title" }, "Why");
    fill(section, make("div", { class: "panel-head" }, title), this.#section, this.rules);
    this.clear();
  }

  clear() {
    fill(
      this.#section,
      make("p", { class: "hint" }, "Choose a verdict to see the line that decides it."),
    );
    fill(this.rules);
  }

  set(crawler, url, explanation) {
    const { verdict, target, contenders, groups, tokens, isUnion, ignoresStar } = explanation;
    const { omittedContenders, omittedGroups } = explanation;
    const isAnswer = verdict.reason !== "not_a_url";
    const name = !isAnswer ? "none" : verdict.allowed ? "allowed" : "disallowed";
    const text = isAnswer ? sentence(verdict.text) : NOT_URL;
    this.#head(crawler, url, name, isAnswer ? null : "not a URL", text);
    const facts = [];
    if (target !== null) facts.push(fact("Compared text", make("code", {}, foreign(target))));
    if (isAnswer && groups.length > 0) {
      const lines = groups.map(({ line }) => this.#lineButton(line, verdict.allowed));
      if (omittedGroups > 0) lines.push(` and ${count(omittedGroups, "more group")}`);
      facts.push(fact(groups.length === 1 ? "Group" : "Groups", lines));
    }
    const star = make("code", {}, "*");
    if (crawler === "*") {
      facts.push(fact("Obeys groups for", [star, " only, as a crawler that no group names"]));
    } else if (tokens.length === 0) {
      facts.push(fact("Obeys groups for", [star, " only: the crawler has no product token"]));
    } else {
      const names = tokens.flatMap((token, index) => [
        index > 0 && (isUnion ? " and " : ", else "),
        make("code", {}, foreign(token)),
      ]);
      facts.push(fact("Obeys groups for", [names, ignoresStar ? ", never " : ", else ", star]));
    }
    if (crawler.includes(","))
      facts.push(fact("Comma", "One entry is one crawler. Add several one by one."));
    fill(
      this.rules,
      facts.length > 0 && make("dl", {}, facts),
      contenders.length > 0 &&
        make("h3", {}, contenders.length === 1 ? "Matching rule" : "Matching rules"),
      contenders.length > 0 &&
        make(
          "ul",
          {},
          contenders.map((each) => this.#rule(each, name)),
        ),
      omittedContenders > 0 &&
        make("p", { class: "hint" }, `… and ${count(omittedContenders, "more rule")}`),
    );
  }

  /** Shows a verdict of the service, with the evidence for it. */
  setServed(crawler, url, { allowed, reason, answer, message }) {
    const isAnswer = answer !== undefined || reason === "crawler_ignores_robots";
    const name = !isAnswer ? "none" : allowed ? "allowed" : "disallowed";
    const { rule } = answer ?? {};
    const text =
      reason === "not_a_url"
        ? NOT_URL
        : !isAnswer
          ? ["the service gives no answer: ", foreign(message)]
          : rule === undefined
            ? [`${name}: ${reasonText({ allowed, reason })}`]
            : [`${name} by `, make("code", {}, foreign(ruleText(rule))), ` on line ${rule.line}`];
    this.#head(crawler, url, name, isAnswer ? null : "no answer", text);
    const decision = answer?.decision;
    fill(this.rules, decision && make("dl", { class: "facts" }, recordFacts(answer, null)));
  }

  #head(crawler, url, name, label, text) {
    const verdict = name === "allowed" ? "✓ allowed" : "✕ disallowed";
    fill(
      this.#section,
      make(
        "p",
        { class: "question" },
        make("span", { class: `badge ${name}` }, label ?? verdict),
        " ",
        foreign(crawler, { class: "who" }),
        " → ",
        foreign(url, { class: "what" }),
      ),
      make("p", { class: "sentence" }, capitalized(text), "."),
    );
  }

  #rule({ rule, standing, text }, name) {
    const isDeciding = standing === "decides";
    return make(
      "li",
      { class: isDeciding ? `decides ${name}` : "overruled" },
      this.#lineButton(rule.line),
      make("span", {}, sentence(text)),
    );
  }

  #lineButton(line) {
    return button(`line ${line}`, () => this.#goTo(line), { class: "to-line" });
  }
}

function fact(name, value) {
  return [make("dt", {}, name), make("dd", {}, value)];
}

function capitalized([first, ...rest]) {
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest];
}
