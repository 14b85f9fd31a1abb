// The explanation of one verdict.

import { button, fill, foreign, make, ruleText, sentence } from "./dom.js";
import { answerNodes, recordFacts } from "./record.js";
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

/** The relation of a matching rule to the deciding one. */
const STANDINGS = {
  decides: "decides",
  later: "matches later, and the first match decides",
  shorter: "is shorter",
  loses_tie: "is as long, and a tie allows",
  repeats: "is as long and says the same again",
};

/** In place of a verdict: the engine disallows such text, but nobody can request it. */
const NOT_URL = ["the text is neither an absolute URL nor a path"];

/** The term of a note on a crawler. */
const ABOUT = "About the crawler";

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
    const { omittedContenders, omittedGroups, note, uses = [] } = explanation;
    if (["not_a_url", "refused"].includes(verdict.reason)) {
      this.setServed(crawler, url, verdict);
      return;
    }
    const name = verdict.allowed ? "allowed" : "disallowed";
    this.#head(crawler, url, name, null, sentence(verdict.text));
    const facts = [];
    if (target !== null) facts.push(fact("Compared text", make("code", {}, foreign(target))));
    if (groups.length > 0) {
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
    if (uses.length > 0) facts.push(fact("Use of the content", make("code", {}, uses.join(", "))));
    if (note) facts.push(fact(ABOUT, note));
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
    const isUrl = reason !== "not_a_url";
    const text = !isUrl
      ? NOT_URL
      : isAnswer
        ? answerNodes({ ...answer, allowed, reason })
        : [
            "the service gives no answer: ",
            foreign(message ?? "it does not read this crawler or URL"),
          ];
    this.#head(crawler, url, name, isAnswer ? null : isUrl ? "no answer" : "not a URL", text);
    if (!answer?.decision) {
      fill(this.rules);
      return;
    }
    const note = answer.note && make("div", {}, fact(ABOUT, answer.note));
    fill(this.rules, make("dl", { class: "facts" }, note, recordFacts(answer, null)));
  }

  /** Scrolls the page to the verdict: on a phone, it is below the table. */
  reveal() {
    this.#section.scrollIntoView({ block: "nearest" });
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

  #rule({ rule, standing }, name) {
    const isDeciding = standing === "decides";
    return make(
      "li",
      { class: isDeciding ? `decides ${name}` : "overruled" },
      this.#lineButton(rule.line),
      make("span", {}, make("code", {}, foreign(ruleText(rule))), ` ${STANDINGS[standing]}`),
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
