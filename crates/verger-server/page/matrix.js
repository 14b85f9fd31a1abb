// The verdicts of crawlers about URLs, as a grid.

import { announce, breakable, button, byId, fill, hidden, isTouch, make, notify } from "./dom.js";
import { CRAWLERS, ENTRY_LENGTH, URLS } from "./limits.js";
import { isUrl, meantUrls, originsOf } from "./own.js";
import { count, visible } from "./text.js";

export class Matrix {
  #crawlers = [];
  #urls = [];
  #selected = null;
  /** The focused cell: row 0 has the crawlers, column 0 the URLs. */
  #focus = { row: 1, column: 1 };
  #events;
  #answers = [];

  /**
   * @param {HTMLElement} section
   * @param {object} events
   * @param {(crawlers: string[], urls: string[]) => void} events.changed
   * @param {(cell: [number, number]) => void} events.chosen
   * @param {() => void} events.browse opens the list of known crawlers
   * @param {(purposes: string[] | null, label: string) => void} events.preset replaces the crawlers
   */
  constructor(section, events) {
    this.#events = events;
    this.total = make("p", { class: "size" });
    this.table = make("table", {
      role: "grid",
      "aria-labelledby": "verdicts-title",
      "aria-describedby": "verdicts-hint",
      keydown: (event) => this.#key(event),
      click: (event) => this.#click(event),
      focusin: (event) => this.#focused(event),
    });
    this.origins = make("p", { class: "hint" });
    const known = button("Known crawlers…", events.browse, { id: "browse", class: "quiet" });
    const preset = (purposes, label) =>
      button(label, () => events.preset(purposes, label), {
        class: "quiet",
        title: "Replaces the crawlers of the table",
      });
    fill(
      section,
      make(
        "div",
        { class: "panel-head" },
        make("div", {}, make("h2", { id: "verdicts-title" }, "Verdicts"), this.total),
        make(
          "div",
          { class: "tools" },
          preset(["training", "control-token"], "AI training"),
          preset(null, "Named in the file"),
          known,
        ),
      ),
      make("div", { class: "grid" }, this.table),
      make(
        "p",
        { class: "hint", id: "verdicts-hint" },
        isTouch
          ? "Tap a verdict for its explanation."
          : "Arrow keys move, Enter explains. Delete on a heading removes a crawler or a URL.",
      ),
      this.origins,
      make(
        "div",
        { class: "adders" },
        this.#adder("crawler", "Add a crawler", "ExampleBot"),
        this.#adder("url", "Add a URL or path", "/cart?add=7"),
      ),
    );
  }

  /** Displays crawlers and URLs without verdicts. */
  set(crawlers, urls, selected) {
    this.#crawlers = crawlers;
    this.#urls = urls;
    this.#selected = selected;
    this.#answers = [];
    this.total.textContent = "";
    const origins = originsOf(urls);
    this.origins.hidden = origins.length < 2;
    this.origins.textContent = `A robots.txt applies to one origin, but these URLs are of ${origins.length}: each has its own file.`;
    this.#render();
  }

  /** Displays verdicts of one URL. */
  setRow(row, cells) {
    this.#answers[row] = cells;
    for (const [index, answer] of cells.entries()) {
      this.#fillCell(this.#cell(row + 1, index + 1), answer);
      if (answer.note) this.#setNote(index, answer.note);
    }
  }

  /** Displays a note on a crawler below its name. */
  #setNote(index, note) {
    const header = this.#cell(0, index + 1);
    if (header === null || header.querySelector(".note") !== null) return;
    header.append(make("small", { class: "note", title: note }, note));
  }

  /** Displays the numbers of verdicts, after the last row. */
  finish() {
    const all = this.#answers.flat();
    const cells = all.filter(isAnswer);
    const allowed = cells.filter((cell) => cell.allowed).length;
    const others =
      all.length === cells.length
        ? ""
        : ` · ${count(all.length - cells.length, "cell")} without ${all.some(isRefused) ? "an answer" : "a URL"}`;
    const reserved = cells.filter((cell) => cell.allowed && isReserved(cell)).length;
    const uses = reserved > 0 ? ` · ${reserved.toLocaleString("en")} with reserved uses` : "";
    const text = `${allowed.toLocaleString("en")} allowed · ${(cells.length - allowed).toLocaleString("en")} disallowed${uses}${others}`;
    this.total.textContent = text;
    announce(`${count(cells.length, "verdict")}: ${text.replace("·", "and")}.`);
  }

  select(cell) {
    this.#selected = cell;
    for (const element of this.table.querySelectorAll("[role=gridcell]")) {
      element.setAttribute("aria-selected", String(this.#isSelected(element)));
    }
  }

  /** Adds crawlers, and reports those that are too many. */
  addCrawlers(names) {
    this.#add("crawler", names);
  }

  #render() {
    const head = make(
      "tr",
      { role: "row" },
      make("td", { class: "corner" }, hidden("URL")),
      this.#crawlers.map((name, index) => this.#header("columnheader", name, 0, index + 1)),
    );
    const rows = this.#urls.map((url, row) =>
      make(
        "tr",
        { role: "row" },
        this.#header("rowheader", url, row + 1, 0),
        this.#crawlers.map((_, column) => {
          const place = { role: "gridcell", "data-row": row + 1, "data-column": column + 1 };
          const cell = make("td", { ...place, tabindex: -1 });
          cell.setAttribute("aria-selected", String(this.#isSelected(cell)));
          this.#fillCell(cell, this.#answers[row]?.[column]);
          return cell;
        }),
      ),
    );
    fill(
      this.table,
      make("thead", { role: "rowgroup" }, head),
      make("tbody", { role: "rowgroup" }, rows),
    );
    this.#clampFocus();
  }

  #header(role, text, row, column) {
    const noun = role === "columnheader" ? "crawler" : "URL";
    const label = `Remove ${noun} ${visible(text, 80)}`;
    const remove = make(
      "button",
      { type: "button", class: "remove", tabindex: -1, "aria-label": label, title: label },
      "×",
    );
    const shownText = breakable(text.length > 300 ? `${text.slice(0, 300)}…` : text);
    const place = {
      role,
      scope: role === "columnheader" ? "col" : "row",
      "data-row": row,
      "data-column": column,
    };
    return make("th", { ...place, tabindex: -1 }, make("div", {}, shownText, remove));
  }

  #fillCell(cell, answer) {
    if (cell === null) return;
    const verdict =
      answer === undefined
        ? ""
        : !isAnswer(answer)
          ? "none"
          : answer.allowed
            ? "allowed"
            : "disallowed";
    cell.className = verdict;
    if (answer === undefined) {
      fill(cell, make("span", { class: "pending" }, "…"));
      return;
    }
    const { allowed, line, reason, uses = [] } = answer;
    const place = line === null ? (WITHOUT_LINE[reason] ?? "") : `line ${line}`;
    if (!isAnswer(answer)) {
      fill(
        cell,
        make("span", { class: "answer" }, "no answer"),
        " ",
        make("span", { class: "where" }, place),
      );
      return;
    }
    fill(
      cell,
      make("span", { class: "icon", "aria-hidden": "true" }, allowed ? "✓" : "✕"),
      make("span", { class: "answer" }, verdict),
      " ",
      make("span", { class: "where" }, place),
      uses.length > 0 && [
        " ",
        make("span", { class: isReserved(answer) ? "uses reserved" : "uses" }, uses.join(",\n")),
      ],
    );
  }

  #isSelected({ dataset }) {
    const selected = this.#selected;
    return (
      selected !== null && selected[0] === dataset.column - 1 && selected[1] === dataset.row - 1
    );
  }

  #cell(row, column) {
    return this.table.querySelector(`[data-row="${row}"][data-column="${column}"]`);
  }

  #clampFocus() {
    const { row, column } = this.#focus;
    this.#moveTo(row, column, false);
  }

  /** Makes a cell the one that Tab reaches. */
  #moveTo(row, column, isFocused = true) {
    let next = {
      row: Math.max(0, Math.min(row, this.#urls.length)),
      column: Math.max(0, Math.min(column, this.#crawlers.length)),
    };
    // The corner is empty.
    if (next.row === 0 && next.column === 0) {
      next = this.#crawlers.length > 0 ? { row: 0, column: 1 } : { row: 1, column: 0 };
    }
    for (const old of this.table.querySelectorAll('[tabindex="0"]')) old.tabIndex = -1;
    const cell = this.#cell(next.row, next.column);
    if (cell === null) return;
    this.#focus = next;
    cell.tabIndex = 0;
    if (isFocused) cell.focus();
  }

  #key(event) {
    const { row, column } = this.#focus;
    const isFar = event.ctrlKey || event.metaKey;
    const moves = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: [isFar ? 1 : row, isFar || row > 0 ? 0 : 1],
      End: [isFar ? Infinity : row, Infinity],
    };
    if (moves[event.key] !== undefined) {
      event.preventDefault();
      const [nextRow, nextColumn] = moves[event.key];
      if (nextRow === 0 && nextColumn === 0) return;
      this.#moveTo(nextRow, nextColumn);
    } else if ((event.key === "Enter" || event.key === " ") && event.target.role === "gridcell") {
      event.preventDefault();
      this.#events.chosen([column - 1, row - 1]);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      if (row === 0 || column === 0) this.#remove(row, column);
    }
  }

  #click({ target }) {
    const cell = target.closest("[data-row]");
    if (cell === null) return;
    const [row, column] = [Number(cell.dataset.row), Number(cell.dataset.column)];
    if (target.closest(".remove") !== null) {
      this.#remove(row, column);
      return;
    }
    this.#moveTo(row, column);
    if (cell.getAttribute("role") === "gridcell") this.#events.chosen([column - 1, row - 1]);
  }

  #focused({ target }) {
    const cell = target.closest("[data-row]");
    if (cell !== null) this.#moveTo(Number(cell.dataset.row), Number(cell.dataset.column), false);
  }

  #remove(row, column) {
    const isCrawler = row === 0;
    const removed = isCrawler ? this.#crawlers[column - 1] : this.#urls[row - 1];
    const without = (items) => items.filter((item) => item !== removed);
    this.#events.changed(
      isCrawler ? without(this.#crawlers) : this.#crawlers,
      isCrawler ? this.#urls : without(this.#urls),
    );
    announce(`Removed ${visible(removed, 80)}.`);
    this.#moveTo(row, column);
    if (!this.table.contains(document.activeElement))
      byId(isCrawler ? "add-crawler" : "add-url").focus();
  }

  #adder(kind, label, example) {
    const input = make("input", {
      id: `add-${kind}`,
      type: "text",
      placeholder: example,
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      maxlength: ENTRY_LENGTH,
      paste: (event) => {
        const text = event.clipboardData.getData("text/plain");
        if (!/[\r\n]/.test(text.trim())) return;
        event.preventDefault();
        this.#add(kind, text.split(/[\r\n]+/));
      },
    });
    const submit = (event) => {
      event.preventDefault();
      if (this.#add(kind, [input.value])) input.value = "";
    };
    return make(
      "form",
      { class: "adder", submit },
      make("label", { for: `add-${kind}` }, label),
      make("div", {}, input, make("button", { type: "submit" }, "Add")),
    );
  }

  /** Adds entries, and returns whether all of them are fit for it. */
  #add(kind, texts) {
    const [items, limit, noun] =
      kind === "crawler" ? [this.#crawlers, CRAWLERS, "crawler"] : [this.#urls, URLS, "URL"];
    const entries = texts.map((text) => text.trim()).filter((text) => text !== "");
    const given = entries.filter((text) => kind === "crawler" || isUrl(text));
    const wrong = entries.find((text) => !given.includes(text));
    const short = given.filter((text) => text.length <= ENTRY_LENGTH);
    const all = [...new Set([...items, ...short])];
    const kept = all.slice(0, limit);
    if (short.length < given.length)
      notify(`A ${noun} has at most ${count(ENTRY_LENGTH, "character")}.`, "error");
    if (kept.length < all.length) {
      notify(
        `The table has room for ${count(limit, noun)}; ${all.length - kept.length} left out.`,
        "error",
      );
    }
    if (wrong !== undefined) {
      const meant = meantUrls(wrong).map((url) => visible(url, 80));
      const hint = meant.length > 0 ? ` Did you mean ${meant.join(" or ")}?` : "";
      notify(
        `Expected a URL that begins with / or https://, but found ${visible(wrong, 80)}.${hint}`,
        "error",
      );
    }
    if (kept.length === items.length) return wrong === undefined;
    announce(`Added ${count(kept.length - items.length, noun)}.`);
    if (kind === "crawler") this.#events.changed(kept, this.#urls);
    else this.#events.changed(this.#crawlers, kept);
    return wrong === undefined;
  }
}

/** Whether a verdict is about a URL. */
function isAnswer(cell) {
  return cell.reason !== "not_a_url" && !isRefused(cell);
}

/** Whether the file reserves a use of the content. */
function isReserved({ uses = [] }) {
  return uses.some((use) => /=no?$/.test(use));
}

/** Whether the service has refused the question. */
function isRefused({ reason }) {
  return reason === "refused";
}

/** Reasons of verdicts without a deciding line, in short. */
const WITHOUT_LINE = {
  no_rule_matches: "no rule",
  no_group: "no group",
  robots_txt_itself: "robots.txt",
  unavailable: "unavailable",
  unreachable: "unreachable",
  redirect_limit: "redirects",
  pending: "pending",
  busy: "busy",
  refused: "service",
  no_robots_for_scheme: "scheme",
  crawler_ignores_robots: "ignores it",
  not_a_url: "not a URL",
};
