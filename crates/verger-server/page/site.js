// The panel of a site: its robots.txt by the service, with the record of the fetch and the versions
// of the file.

import { button, fill, foreign, make, notify } from "./dom.js";
import { VERSIONS } from "./limits.js";
import { accessOf, recordFacts, timeElement } from "./record.js";
import { bytesOf, ServiceError } from "./service.js";
import { count } from "./text.js";

/** The crawler of the question that makes the service fetch; the answer is the same for all. */
const ANY = { agent: "any-other-crawler" };

export class Site {
  /** The current origin: its record, its file, and the service's answer about `/`. */
  current = null;
  #service;
  #events;
  #turn = 0;

  /**
   * @param {HTMLElement} section
   * @param {object} service
   * @param {object} events
   * @param {(current: object, path: string) => void} events.fetched a robots.txt was fetched
   * @param {(bytes: Uint8Array, name: string) => void} events.shown an earlier version
   * @param {(earlier: Uint8Array, later: Uint8Array, names: string) => void} events.compared
   */
  constructor(section, service, events) {
    this.#service = service;
    this.#events = events;
    this.input = make("input", {
      type: "text",
      inputmode: "url",
      id: "site-url",
      placeholder: "https://shop.example",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
    });
    const submit = (event) => {
      event.preventDefault();
      this.fetch(this.input.value);
    };
    this.again = button("Fetch again", () => this.#fetchAgain(), { class: "quiet", hidden: true });
    this.form = make(
      "form",
      { class: "site-form", submit },
      make("label", { for: "site-url" }, "Site"),
      this.input,
      make("button", { type: "submit", class: "primary" }, "Fetch robots.txt"),
      this.again,
    );
    /** What the record means; screen readers announce it. */
    this.summary = make("div", { class: "record-summary", role: "status" });
    this.body = make("div", { class: "record" });
    this.relation = make("p", { class: "hint", role: "status" });
    const title = make("h2", { id: "site-title" }, "Record of the service");
    fill(section, make("div", { class: "panel-head" }, title, this.form), this.summary, this.body);
    section.hidden = false;
    this.#show(null);
  }

  /** Fetches the robots.txt of a site: an origin, a host, or any URL of it. */
  async fetch(text) {
    const url = urlOf(text);
    if (url === null) {
      notify("Expected a site such as https://shop.example, but found another text.", "error");
      return;
    }
    this.input.value = url.origin;
    await this.#load(url.origin, async (current) => {
      const path = url.pathname + url.search;
      this.#events.fetched(current, ["/", "/robots.txt"].includes(path) ? null : path);
    });
  }

  /** Loads the record of an origin that a link names. The file of the link stays. */
  async open(origin) {
    this.input.value = origin;
    await this.#load(origin, async () => {});
  }

  /** Whether the file of the page decides for the current origin. */
  hasRules() {
    return this.current?.access === "rules";
  }

  /** Displays whether the file of the page is that of the record. */
  setOfFile(isOfFile) {
    if (this.current === null) return;
    const text = !isOfFile
      ? "The text below is not the file of this record."
      : this.hasRules()
        ? ""
        : "The verdicts below are those of the service: no file is in force.";
    // A change is announced.
    if (this.relation.textContent !== text) this.relation.textContent = text;
  }

  /** Displays a record; `null` without one. */
  #show(current) {
    this.current = current;
    this.again.hidden = current === null;
    if (current === null) {
      this.#say(
        "The service fetches the robots.txt of a site and shows how: redirects, times, status and earlier versions.",
      );
      return;
    }
    const { answer, record, origin } = current;
    const { name, label, sentence } = accessOf(answer);
    fill(
      this.summary,
      make(
        "p",
        { class: "question" },
        make("span", { class: `badge ${name}` }, label),
        " ",
        foreign(origin, { class: "what" }),
      ),
      make("p", { class: "sentence" }, sentence),
    );
    fill(
      this.body,
      this.relation,
      make("dl", { class: "facts" }, recordFacts(answer, record)),
      this.#versions(current),
    );
  }

  /** Displays a text without a record. */
  #say(text) {
    fill(this.summary, make("p", { class: "hint" }, text));
    fill(this.body);
  }

  #versions({ origin, record }) {
    const versions = (record?.versions ?? []).slice(0, VERSIONS);
    if (versions.length === 0) return null;
    const now = record.sha256;
    const items = versions.map(({ sha256, from, until, bytes }) =>
      make(
        "li",
        {},
        make("span", {}, timeElement(from), " to ", timeElement(until)),
        make("span", {}, count(bytes, "byte")),
        make("code", { title: `SHA-256 ${sha256}` }, sha256.slice(0, 12)),
        button("Show", () => this.#showVersion(origin, sha256, from), {
          class: "small",
          "aria-label": `Show the version of ${timeElement(from).textContent}`,
        }),
        sha256 === now && make("span", { class: "chip note" }, "of the record"),
      ),
    );
    return make(
      "details",
      { class: "versions", open: versions.length > 1 },
      make("summary", {}, count(versions.length, "version"), " of the file"),
      make("ol", {}, items),
      versions.length > 1 && this.#comparison(origin, versions),
    );
  }

  #comparison(origin, versions) {
    const ordered = versions.toSorted((first, second) => first.from - second.from);
    const select = (id, chosen) =>
      make(
        "select",
        { id },
        ordered.map(({ sha256, from }, at) =>
          make(
            "option",
            { value: at, selected: at === chosen },
            `${timeElement(from).textContent} · ${sha256.slice(0, 12)}`,
          ),
        ),
      );
    const earlier = select("version-earlier", ordered.length - 2);
    const later = select("version-later", ordered.length - 1);
    const submit = async (event) => {
      event.preventDefault();
      const [first, second] = [ordered[Number(earlier.value)], ordered[Number(later.value)]];
      await this.#attempt(async () => {
        const files = await Promise.all(
          [first, second].map(({ sha256 }) => this.#service.version(origin, sha256)),
        );
        const names = [first, second].map(({ from }) => timeElement(from).textContent);
        this.#events.compared(...files, names.join(" and "));
      });
    };
    return make(
      "form",
      { class: "compare-form", submit },
      make("label", { for: "version-earlier" }, "Compare"),
      earlier,
      make("label", { for: "version-later" }, "with"),
      later,
      make("button", { type: "submit" }, "Compare versions"),
    );
  }

  async #showVersion(origin, sha256, from) {
    await this.#attempt(async () => {
      const bytes = await this.#service.version(origin, sha256);
      this.#events.shown(bytes, `The version of ${timeElement(from).textContent}`);
    });
  }

  async #fetchAgain() {
    const { origin } = this.current;
    // After a refusal the record is current, and its reason stays displayed.
    if (await this.#attempt(() => this.#service.refresh(origin))) await this.fetch(origin);
  }

  async #load(origin, done) {
    this.#turn += 1;
    const turn = this.#turn;
    const isCurrent = () => turn === this.#turn;
    this.form.setAttribute("aria-busy", "true");
    this.#say("The service fetches robots.txt …");
    try {
      const answer = await this.#answer(origin);
      const record = await this.#service.record(origin);
      if (!isCurrent()) return;
      const access = answer.decision?.access ?? "unknown";
      const bytes = record === null ? new Uint8Array(0) : bytesOf(record, "body");
      this.#show({ origin, access, answer, record, bytes });
      await done(this.current);
    } catch (error) {
      if (!isCurrent()) return;
      this.#show(null);
      if (!(error instanceof ServiceError)) throw error;
      notify(`No record of ${origin}: ${error.message}.`, "error");
    } finally {
      if (isCurrent()) this.form.removeAttribute("aria-busy");
    }
  }

  /** The service's answer about an origin, which fetches robots.txt if that is due. */
  async #answer(origin) {
    const [answer] = await this.#service.check(ANY, [`${origin}/`]);
    return answer;
  }

  /** Reports a problem of the service; whether there was none. */
  async #attempt(act) {
    try {
      await act();
      return true;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      notify(`The service reports: ${error.message}.`, "error");
      return false;
    }
  }
}

/** The URL of a text such as `shop.example`; `null` for another text. */
function urlOf(text) {
  const trimmed = text.trim();
  if (trimmed === "" || /\s/.test(trimmed)) return null;
  try {
    const url = new URL(/^[a-z][a-z\d+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`);
    return ["http:", "https:"].includes(url.protocol) ? url : null;
  } catch {
    return null;
  }
}
