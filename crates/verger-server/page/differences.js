// The differences between two versions, with a URL that shows each.

import { announce, fill, foreign, make, sentence } from "./dom.js";
import { CHANGES } from "./limits.js";
import { answerNodes } from "./record.js";
import { count } from "./text.js";

/** Relations of the texts, if they have the same meaning or not. */
const TEXTS = {
  same: "The texts are the same.",
  prepended: "Lines were added before the earlier text.",
  appended: "Lines were added after the earlier text.",
  changed: "Lines were changed.",
  other: "The texts are different.",
};

const SWITCHES = {
  to_own_groups: "now obeys groups for its name instead of those for *",
  to_star: "now obeys the groups for * instead of its own",
};

export class Differences {
  #body;
  #chosen;

  /**
   * @param {HTMLElement} section
   * @param {(crawler: string, url: string) => void} chosen
   */
  constructor(section, chosen) {
    this.#chosen = chosen;
    this.total = make("p", { class: "size" });
    this.#body = make("div", { class: "differences" });
    const title = make("h2", { id: "differences-title" }, "Differences");
    const head = make("div", { class: "panel-head" }, make("div", {}, title, this.total));
    fill(section, head, this.#body);
  }

  pending() {
    this.total.textContent = "";
    fill(this.#body, make("p", { class: "hint" }, "Comparing …"));
  }

  fail(message) {
    fill(this.#body, make("p", { class: "hint" }, `The comparison stopped: ${message}`));
    announce("The comparison stopped.");
  }

  set({ text, differences, unchanged, notCompared, records }, isFirst) {
    const changes = differences.flatMap((each) => each.changes);
    const opened = changes.filter(({ direction }) => direction === "opened").length;
    const total =
      changes.length === 0
        ? "No URL has another answer"
        : `${opened} opened · ${changes.length - opened} closed`;
    this.total.textContent = total;
    announce(`Comparison: ${total.replace("·", "and")}.`);
    const isUndecided = differences.some((each) => each.undecided !== null) || notCompared > 0;
    fill(
      this.#body,
      isFirst &&
        make(
          "p",
          { class: "hint" },
          "Paste the earlier version. Without it, this is a comparison with no file, which allows everything.",
        ),
      changes.length === 0 &&
        make(
          "p",
          { class: "sentence" },
          isUndecided
            ? "No difference was found. "
            : "For the compared crawlers, both versions give the same answer for every URL. ",
          TEXTS[text],
        ),
      differences.map((each) => this.#crawler(each)),
      recordList("For all crawlers", records),
      unchanged.length > 0 &&
        make("p", { class: "hint" }, "Proved to be the same for ", names(unchanged), "."),
      notCompared > 0 &&
        make("p", { class: "hint" }, `${count(notCompared, "crawler")} not compared.`),
    );
  }

  #crawler({ crawlers, changes, undecided, switch: turn, records }) {
    return make(
      "article",
      {},
      make("h3", {}, names(crawlers)),
      turn && make("p", { class: "turn" }, sentence(SWITCHES[turn].replaceAll(" *", " `*`"))),
      make(
        "ul",
        { class: "changes" },
        changes.slice(0, CHANGES).map((change) => this.#change(crawlers[0], change)),
      ),
      changes.length > CHANGES &&
        make("p", { class: "hint" }, count(changes.length - CHANGES, "more change")),
      undecided && make("p", { class: "hint" }, "Changes may be missing: ", sentence(undecided)),
      recordList(null, records),
    );
  }

  #change(crawler, { direction, url, target, shortest, before, after }) {
    const click = ({ currentTarget }) => {
      for (const other of this.#body.querySelectorAll("[aria-pressed=true]")) {
        other.setAttribute("aria-pressed", "false");
      }
      currentTarget.setAttribute("aria-pressed", "true");
      this.#chosen(crawler, url);
    };
    const isOpened = direction === "opened";
    const then = (name, allowed, decider) =>
      make(
        "span",
        { class: "then" },
        make("b", {}, `${name} `),
        answerNodes({ ...decider, allowed }),
      );
    return make(
      "li",
      {},
      make(
        "button",
        { type: "button", class: "change", "aria-pressed": "false", click },
        make(
          "span",
          { class: `badge ${isOpened ? "allowed" : "disallowed"}` },
          isOpened ? "✓ opened" : "✕ closed",
        ),
        foreign(target, { class: "what" }),
        then("Before", !isOpened, before),
        then("Now", isOpened, after),
        !shortest && make("span", { class: "then" }, "A shorter URL may show the same."),
      ),
    );
  }
}

// In some dialects, a group is also for crawlers whose names contain one of its names.
function names(crawlers) {
  return crawlers.flatMap((name, index) => [
    index > 0 && ", ",
    name === "*" ? "crawlers that no group matches" : make("code", {}, foreign(name)),
  ]);
}

function recordList(title, records) {
  if (records.length === 0) return null;
  return make(
    "div",
    { class: "records" },
    title && make("h3", {}, title),
    make(
      "ul",
      {},
      records.map(({ change, record }) =>
        make(
          "li",
          { class: change },
          change === "added" ? "added " : "removed ",
          make("code", {}, foreign(`${record.key}: ${record.value}`)),
          ` (line ${record.line})`,
        ),
      ),
    ),
  );
}
