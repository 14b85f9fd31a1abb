// The list of known crawlers, by purpose.

import { button, fill, foreign, make } from "./dom.js";
import { count } from "./text.js";

const PURPOSES = {
  search: "Search",
  training: "Training of AI models",
  "user-triggered": "On behalf of a user",
  dataset: "Data sets",
  "control-token": "Names for control only",
  advertising: "Advertising",
  seo: "Search engine optimisation",
  preview: "Previews of links",
  monitoring: "Monitoring",
  archive: "Archives",
  other: "Other",
};

export class Picker {
  #dialog;
  #added;

  /**
   * @param {HTMLDialogElement} dialog
   * @param {(names: string[]) => void} added
   */
  constructor(dialog, added) {
    this.#dialog = dialog;
    this.#added = added;
    // A click on the backdrop closes it.
    dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  }

  /** Shows the list. Crawlers that are in the table already are marked. */
  show({ date, crawlers }, present) {
    const chosen = new Set();
    const add = make("button", { type: "submit", class: "primary", disabled: true }, "Add");
    const found = make("p", { class: "size", role: "status" });
    const update = () => {
      add.disabled = chosen.size === 0;
      add.textContent = chosen.size === 0 ? "Add" : `Add ${count(chosen.size, "crawler")}`;
    };
    const groups = Map.groupBy(crawlers, ({ purpose }) => purpose);
    const order = [...new Set([...Object.keys(PURPOSES), ...groups.keys()])];
    const sections = order
      .filter((purpose) => groups.has(purpose))
      .map((purpose) => {
        const items = groups
          .get(purpose)
          .map((crawler) => this.#item(crawler, present, chosen, update));
        const box = make("fieldset", {}, make("legend", {}, PURPOSES[purpose] ?? purpose), items);
        return { box, items };
      });
    const filter = () => {
      const words = search.value.toLowerCase().split(/\s+/);
      let number = 0;
      for (const { box, items } of sections) {
        const visible = items.filter((item) =>
          words.every((word) => item.dataset.text.includes(word)),
        );
        number += visible.length;
        for (const item of items) item.hidden = !visible.includes(item);
        box.hidden = visible.length === 0;
      }
      const compared = date === null ? "" : `, compared with their sources on ${date}`;
      found.textContent = count(number, "crawler") + compared;
    };
    const search = make("input", {
      type: "search",
      id: "crawler-search",
      placeholder: "GPTBot, Google, training …",
      autocomplete: "off",
      input: filter,
    });
    const submit = (event) => {
      event.preventDefault();
      this.#dialog.close();
      if (chosen.size > 0) this.#added([...chosen]);
    };
    fill(
      this.#dialog,
      make(
        "form",
        { submit },
        make(
          "div",
          { class: "dialog-head" },
          make("h2", { id: "crawlers-title" }, "Known crawlers"),
          make("label", { for: "crawler-search" }, "Search by name, operator or purpose"),
          search,
          found,
        ),
        make(
          "div",
          { class: "purposes", tabindex: 0, role: "region", "aria-label": "Crawlers" },
          sections.map(({ box }) => box),
        ),
        make(
          "div",
          { class: "dialog-foot" },
          button("Cancel", () => this.#dialog.close(), { class: "quiet" }),
          add,
        ),
      ),
    );
    filter();
    this.#dialog.showModal();
    search.focus();
  }

  #item(crawler, present, chosen, update) {
    const { token, operator, purpose, retired, obeysRobotsTxt } = crawler;
    const isPresent = present.includes(token);
    const remarks = [
      operator,
      retired && "retired",
      obeysRobotsTxt === false && "does not obey robots.txt",
      isPresent && "in the table",
    ].filter(Boolean);
    const change = ({ target }) => {
      if (target.checked) chosen.add(token);
      else chosen.delete(token);
      update();
    };
    const text = [token, operator, PURPOSES[purpose] ?? purpose, ...crawler.aliases]
      .join(" ")
      .toLowerCase();
    return make(
      "label",
      { class: "known", "data-text": text },
      make("input", { type: "checkbox", disabled: isPresent, checked: isPresent, change }),
      make(
        "span",
        {},
        foreign(token),
        remarks.length > 0 && make("small", {}, foreign(remarks.join(" · "))),
      ),
    );
  }
}
