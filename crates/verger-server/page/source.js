// A robots.txt: its lines with findings and marks, or its text in an editor.

import { button, fill, hidden, isTouch, make, notify } from "./dom.js";
import { FILE_BYTES, PAGE_LINES } from "./limits.js";
import { lineElement } from "./line.js";
import { isAddress } from "./own.js";
import { tooLarge } from "./state.js";
import { count, hasEscapes } from "./text.js";

/** Delay between a keystroke and the next answers. */
const PAUSE = 200;

const HINT = isTouch
  ? "Paste takes a file from the clipboard."
  : "Ctrl+V pastes a file. It can also be dropped here.";

/** Severities, and the findings that a choice displays. */
const SEVERITIES = ["error", "warning", "note"];
const SHOWN = {
  "All findings": SEVERITIES,
  "Warnings and errors": ["error", "warning"],
  "Errors only": ["error"],
  "Hide findings": [],
};

const encoder = new TextEncoder();

export class Source {
  bytes = new Uint8Array(0);
  #lines = [""];
  #cut = null;
  #report = null;
  #problem = null;
  /** Marks by line number. */
  #marks = new Map();
  /** Severities of the displayed findings. */
  #shown = SEVERITIES;
  /** The line to which a badge has led last. */
  #visited = 0;
  #page = 0;
  #view = "read";
  #isShown = true;
  #events;
  /** Whether the next change of the editor replaces its whole text. */
  #isWhole = false;
  /** Whether the editor has newer text than `bytes`. */
  #isTyping = false;
  #timer;

  /**
   * @param {HTMLElement} section
   * @param {object} events
   * @param {(bytes: Uint8Array) => void} events.edited
   * @param {(bytes: Uint8Array, done: string) => void} events.replaced with another file
   * @param {(isSafe: boolean) => void} events.fix applies the fixes of the linter
   * @param {(text: string) => void} events.addressed an address was pasted instead of a file
   */
  constructor(section, events) {
    this.#events = events;
    const { id } = section;
    this.title = make("h2", { id: `${id}-title` }, "robots.txt");
    this.size = make("p", { class: "size" });
    const view = (value, label) =>
      make(
        "label",
        {},
        make("input", {
          type: "radio",
          name: `${id}-view`,
          value,
          checked: value === this.#view,
          change: () => this.#show(value),
        }),
        make("span", {}, label),
      );
    const legend = make("legend", { class: "hidden" }, "View");
    this.views = make(
      "fieldset",
      { class: "segments small" },
      legend,
      view("read", "Annotated"),
      view("edit", "Edit"),
    );
    const chooser = make("input", {
      type: "file",
      class: "hidden",
      tabindex: -1,
      "aria-hidden": "true",
      change: () => {
        this.#open(chooser.files);
        chooser.value = "";
      },
    });
    const pasteButton = button("Paste", () => this.#pasteText(), {
      class: "quiet",
      title: isTouch ? null : "Ctrl+V",
    });
    const openButton = button("Open file…", () => chooser.click(), { class: "quiet" });
    const copyButton = button("Copy", () => this.#copy(), { class: "quiet" });
    const saveButton = button("Download", () => this.#download(), { class: "quiet" });
    this.findings = make("div", { class: "summary" });
    this.filter = make(
      "select",
      { "aria-label": "Displayed findings", change: ({ target }) => this.#filter(target.value) },
      Object.keys(SHOWN).map((name) => make("option", {}, name)),
    );
    this.list = make("ol", { class: "lines" });
    this.prompt = make(
      "p",
      { class: "prompt" },
      id === "earlier" ? "Paste the earlier version" : "Paste a robots.txt",
    );
    this.pager = make("nav", { class: "pager", "aria-label": "Lines" });
    this.reader = make(
      "div",
      { class: "reader", role: "group", tabindex: 0, "aria-labelledby": `${id}-title` },
      this.list,
      this.prompt,
    );
    this.editor = make("textarea", {
      "aria-labelledby": `${id}-title`,
      "aria-describedby": `${id}-hint`,
      wrap: "off",
      spellcheck: "false",
      autocapitalize: "off",
      autocomplete: "off",
      hidden: true,
      input: () => this.#edited(),
    });
    this.hint = make("p", { class: "hint", id: `${id}-hint` }, HINT);
    const head = make("div", { class: "panel-head" }, make("div", {}, this.title, this.size));
    head.append(
      make(
        "div",
        { class: "tools" },
        this.views,
        pasteButton,
        openButton,
        chooser,
        copyButton,
        saveButton,
      ),
    );
    fill(section, head, this.findings, this.reader, this.pager, this.editor, this.hint);
    this.section = section;
    for (const name of ["dragenter", "dragover"]) {
      section.addEventListener(name, (event) => {
        event.preventDefault();
        section.classList.add("drop");
      });
    }
    section.addEventListener("dragleave", ({ relatedTarget }) => {
      if (!section.contains(relatedTarget)) section.classList.remove("drop");
    });
    section.addEventListener("drop", (event) => {
      event.preventDefault();
      section.classList.remove("drop");
      this.#open(event.dataTransfer.files);
    });
  }

  /** Replaces the file. The answers follow. */
  set(bytes) {
    clearTimeout(this.#timer);
    this.bytes = bytes;
    this.#page = 0;
    this.#isWhole = false;
    this.#isTyping = false;
    this.clear();
  }

  /** Forgets answers about the file: a report and its fixes belong to the bytes that were linted. */
  clear() {
    this.#report = null;
    this.#problem = null;
    this.#visited = 0;
    this.#marks = new Map();
    this.#summarize();
  }

  /** Displays the lines of the file. */
  setLines({ text, cut }) {
    this.#lines = text.split("\n");
    if (this.#lines.at(-1) === "") this.#lines.pop();
    this.#cut = cut;
    const escapes = hasEscapes(text.replace(/[\t\n]/g, ""))
      ? " · invisible characters shown as escapes"
      : "";
    this.size.textContent = `${count(this.#lines.length, "line")} · ${count(this.bytes.length, "byte")}${escapes}`;
    if (this.editor.hidden || document.activeElement !== this.editor) this.#fillEditor(text);
    this.#render();
  }

  /** Displays the findings of the linter in these bytes; `null` without an answer, which can have a reason. */
  setReport(bytes, report, problem = null) {
    if (this.#isTyping || bytes !== this.bytes) return;
    this.#report = report;
    this.#problem = problem;
    this.#summarize();
    this.#render();
  }

  /** Marks lines. The view scrolls to one of them. */
  setMarks(marks, line = null) {
    this.#marks = marks;
    if (line !== null) this.#page = Math.floor((line - 1) / PAGE_LINES);
    this.#render();
    if (line !== null) this.#scrollTo(line);
  }

  /** Scrolls the page to a line, or to the panel without one. The focus stays. */
  reveal(line) {
    this.#show("read");
    if (line !== null) this.#scrollTo(line);
    const element = line === null ? null : this.#element(line);
    (element ?? this.section).scrollIntoView({ block: element === null ? "nearest" : "center" });
  }

  /** Shows the annotated lines and focuses one. */
  focus(line) {
    this.#show("read");
    this.#page = Math.floor((line - 1) / PAGE_LINES);
    this.#render();
    this.#scrollTo(line);
    this.#element(line)?.focus();
  }

  /** Renders lines only while the panel is visible. */
  setShown(isShown) {
    this.#isShown = isShown;
    this.#render();
  }

  #show(view) {
    this.#view = view;
    for (const input of this.views.querySelectorAll("input")) input.checked = input.value === view;
    this.editor.hidden = view !== "edit";
    this.reader.hidden = view === "edit";
    this.hint.textContent = view === "edit" ? "Answers follow while you type." : HINT;
    this.#render();
  }

  #render() {
    if (!this.#isShown) return;
    const isReading = this.#view === "read";
    const pages = Math.max(1, Math.ceil(this.#lines.length / PAGE_LINES));
    this.prompt.hidden = this.#lines.length > 0;
    this.#page = Math.min(this.#page, pages - 1);
    this.pager.hidden = pages === 1 || !isReading;
    if (!isReading) return;
    const first = this.#page * PAGE_LINES;
    const shown = this.#findings().filter(({ severity }) => this.#shown.includes(severity));
    const byLine = Map.groupBy(shown, ({ line }) => line);
    const isCut = (line) => this.#cut !== null && line > this.#cut;
    const lines = this.#lines.slice(first, first + PAGE_LINES).map((text, index) => {
      const line = first + index + 1;
      const findings = byLine.get(line) ?? [];
      return lineElement(line, text, this.#marks.get(line) ?? [], findings, isCut(line));
    });
    fill(this.list, lines);
    this.list.setAttribute("start", first + 1);
    if (pages > 1) this.#renderPager(first, pages);
  }

  #renderPager(first, pages) {
    const to = (page) => () => {
      this.#page = page;
      this.#render();
      this.reader.scrollTop = 0;
      this.reader.focus();
    };
    const last = Math.min(first + PAGE_LINES, this.#lines.length);
    const range = `Lines ${(first + 1).toLocaleString("en")} to ${last.toLocaleString("en")} of ${this.#lines.length.toLocaleString("en")}`;
    fill(
      this.pager,
      button("Previous", to(this.#page - 1), { disabled: this.#page === 0 }),
      make("span", {}, range),
      button("Next", to(this.#page + 1), { disabled: this.#page === pages - 1 }),
    );
  }

  #summarize() {
    if (this.#problem !== null) {
      fill(this.findings, make("span", { class: "note" }, `The linter stopped: ${this.#problem}`));
      return;
    }
    if (this.#report === null || this.bytes.length === 0) {
      fill(this.findings);
      return;
    }
    const { findings, omitted } = this.#report;
    const parts = SEVERITIES.flatMap((severity) => {
      const lines = findings.filter((finding) => finding.severity === severity);
      return lines.length === 0
        ? []
        : [
            button(count(lines.length, severity), () => this.#visit(lines), {
              class: `chip ${severity}`,
              title: `Go to the next ${severity}`,
            }),
          ];
    });
    if (parts.length === 0) parts.push(make("span", { class: "chip good" }, "No findings"));
    else parts.push(this.filter);
    const left = omitted.reduce((sum, { count }) => sum + count, 0);
    if (left > 0)
      parts.push(
        make("span", { class: "chip note" }, `${left.toLocaleString("en")} more not listed`),
      );
    const apply = (isSafe, label) =>
      findings.some(({ fix }) => fix && fix.safe === isSafe) &&
      button(label, () => this.#events.fix(isSafe), { class: "small" });
    fill(
      this.findings,
      hidden("Linter: "),
      parts,
      apply(true, "Apply safe fixes (same answers)"),
      apply(false, "Apply all fixes (changes answers)"),
    );
  }

  #findings() {
    return this.#report?.findings ?? [];
  }

  /** Displays the findings of some severities. */
  #filter(name) {
    this.filter.value = name;
    this.#shown = SHOWN[name];
    this.#render();
  }

  /** Leads to the next of these findings. */
  #visit(findings) {
    const { line, severity } = findings.find(({ line }) => line > this.#visited) ?? findings[0];
    this.#visited = line;
    if (!this.#shown.includes(severity)) this.#filter("All findings");
    this.focus(line);
  }

  #element(line) {
    return this.list.querySelector(`[data-line="${line}"]`);
  }

  #scrollTo(line) {
    const element = this.#element(line);
    if (element === null || this.#view !== "read") return;
    const { clientHeight, scrollTop } = this.reader;
    const top = element.offsetTop - this.list.offsetTop;
    const isVisible = top >= scrollTop && top + element.offsetHeight <= scrollTop + clientHeight;
    if (!isVisible) this.reader.scrollTop = Math.max(0, top - clientHeight / 2);
  }

  #fillEditor(text) {
    // Bytes that are not UTF-8 cannot be edited.
    const value = text.toWellFormed();
    if (this.editor.value !== value) this.editor.value = value;
  }

  #edited() {
    clearTimeout(this.#timer);
    // At once: a fix of the file before this keystroke would replace the text.
    this.clear();
    this.#isTyping = true;
    this.#timer = setTimeout(() => {
      this.#isTyping = false;
      const bytes = encoder.encode(this.editor.value);
      const isWhole = this.#isWhole;
      this.#isWhole = false;
      if (bytes.length > FILE_BYTES) notify(tooLarge(bytes.length), "error");
      else if (isWhole) this.#events.replaced(bytes, "Pasted");
      else this.#events.edited(bytes);
    }, PAUSE);
  }

  #replace(bytes, done) {
    if (bytes.length > FILE_BYTES) {
      notify(tooLarge(bytes.length), "error");
      return;
    }
    this.#events.replaced(bytes, done);
  }

  /** Takes a file from the clipboard. In the editor, text is inserted as usual. */
  paste(event) {
    const { editor } = this;
    const { files } = event.clipboardData;
    if (files.length > 0) {
      event.preventDefault();
      this.#open(files);
      return;
    }
    const text = event.clipboardData.getData("text/plain");
    if (text === "") return;
    const { value, selectionStart, selectionEnd } = editor;
    const isInserted = event.target === editor;
    const isWhole = !isInserted || (selectionStart === 0 && selectionEnd === value.length);
    if (isWhole && isAddress(text)) {
      event.preventDefault();
      this.#events.addressed(text);
      return;
    }
    if (isInserted) {
      this.#isWhole ||= isWhole;
      return;
    }
    event.preventDefault();
    this.#replace(encoder.encode(text), "Pasted");
  }

  async #copy() {
    let text;
    try {
      text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.bytes);
    } catch {
      notify("The file is not UTF-8, and a copy would change it: download it instead.", "error");
      return;
    }
    try {
      await navigator.clipboard.writeText(text);
      notify(`Copied (${count(this.bytes.length, "byte")}).`);
    } catch {
      notify("The browser refuses to write the clipboard: download the file instead.", "error");
    }
  }

  #download() {
    const href = URL.createObjectURL(new Blob([this.bytes], { type: "text/plain" }));
    make("a", { href, download: "robots.txt" }).click();
    setTimeout(() => URL.revokeObjectURL(href), PAUSE);
  }

  async #pasteText() {
    let text = "";
    try {
      text = await navigator.clipboard.readText();
    } catch {
      notify(
        `The browser refuses to read the clipboard: ${isTouch ? "" : "press Ctrl+V, or "}choose Edit and paste there.`,
        "error",
      );
      return;
    }
    if (text === "") notify("The clipboard has no text.", "error");
    else if (isAddress(text)) this.#events.addressed(text);
    else this.#replace(encoder.encode(text), "Pasted");
  }

  async #open(files) {
    if (files.length === 0) return;
    const [file] = files;
    if (file.size > FILE_BYTES) {
      notify(tooLarge(file.size), "error");
      return;
    }
    try {
      this.#replace(new Uint8Array(await file.arrayBuffer()), "Opened");
    } catch (error) {
      notify(`The file cannot be read: ${error.message}`, "error");
    }
  }
}
