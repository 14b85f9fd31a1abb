// The interface of robots-parser 3 with the answers of Verger. As there, a name of a crawler is its
// literal token.

import { parse } from "verger";

/** The base of relative URLs. Nothing resolves it. */
const RELATIVE = "http://relative.invalid/";

export default function robotsParser(url, contents) {
  return new Robots(url, contents);
}

class Robots {
  #origin;
  /** The text of the file as parsed, from the first added rule on. */
  #bytes;
  /** Lines that methods have added, and for each of them the number that the caller gave it. */
  #added = "";
  #addedLines = new Map();
  #delays = new Map();
  #sitemaps = [];
  #host;
  #robots;

  constructor(url, contents) {
    this.#origin = originOf(located(url));
    this.#robots = parse(contents || "");
  }

  isAllowed(url, ua) {
    const target = this.#located(url);
    return target === undefined ? undefined : this.#robots.isAllowed(agentOf(ua), target);
  }

  isDisallowed(url, ua) {
    return !this.isAllowed(url, ua);
  }

  getMatchingLineNumber(url, ua) {
    const target = this.#located(url);
    const line = target === undefined ? null : this.#robots.decidingLine(agentOf(ua), target);
    if (line === null) return -1;
    return this.#addedLines.has(line) ? this.#addedLines.get(line) : line;
  }

  getCrawlDelay(ua) {
    const agent = ua || "*";
    return this.#delays.get(nameOf(agent)) ?? this.#robots.crawlDelay(agentOf(ua)) ?? undefined;
  }

  getSitemaps() {
    return [...this.#robots.sitemaps, ...this.#sitemaps];
  }

  getPreferredHost() {
    // The peer takes the last line, Verger the first (REP-EXT-22).
    const lines = this.#robots.records.filter((record) => record.kind === "Host");
    return this.#host ?? lines.at(-1)?.value.toLowerCase() ?? null;
  }

  addRule(userAgents, pattern, allow, lineNumber) {
    const agents = userAgents.map((agent) => `User-agent: ${inLine(agent)}\n`).join("");
    // The empty rule ends a list of agents above it, and has no other effect.
    const group = `Allow:\n${agents}`;
    const rule = `${allow ? "Allow" : "Disallow"}: ${inLine(pattern ?? "")}\n`;
    this.#bytes ??= this.#robots.bytes;
    if (this.#added === "") this.#added = "\n";
    const text = this.#added + group;
    const changed = parse(join(this.#bytes, text + rule));
    if (changed.truncated) {
      changed.free();
      throw new RangeError("addRule: the file and the added rules are longer than 500 KiB");
    }
    // The last line of the file is the first of the added text.
    const line = count(new TextDecoder("latin1").decode(this.#bytes)) + count(text) - 1;
    this.#addedLines.set(line, lineNumber);
    this.#added = text + rule;
    this.#robots.free();
    this.#robots = changed;
  }

  setCrawlDelay(userAgents, delayStr) {
    const delay = Number(delayStr);
    if (Number.isNaN(delay)) return;
    for (const agent of userAgents) this.#delays.set(nameOf(agent), delay);
  }

  addSitemap(url) {
    this.#sitemaps.push(url);
  }

  setPreferredHost(url) {
    this.#host = url;
  }

  /** A URL of this site, as a client requests it. */
  #located(url) {
    const found = located(url);
    // Two opaque origins, such as those of `data:` URLs, are never the same.
    if (originOf(found) !== this.#origin || found?.origin === "null") return undefined;
    // Neither the site nor the question is a URL. Verger disallows such text.
    return found === null ? "" : found.href;
  }
}

/** The agent for Verger, which refuses URLs. White space in front of one does not change its name. */
function agentOf(ua) {
  const agent = ua || "*";
  return /^(?:[a-z][a-z0-9+.-]*:\/)?\//i.test(agent) ? ` ${agent}` : agent;
}

/** The URL of a text; `null` if the text is not a URL. */
function located(url) {
  try {
    return new URL(url, RELATIVE);
  } catch {
    return null;
  }
}

/** Scheme, host and port, in a form to compare. */
function originOf(url) {
  if (url === null) return undefined;
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return `${url.protocol}//${url.hostname}:${port}`;
}

/** The name of an agent by which delays are stored, as the peer does. */
function nameOf(agent) {
  return agent.toLowerCase().split("/")[0].trim();
}

/** A text that stays on its line: line ends and comments are escaped. */
function inLine(text) {
  return String(text).replace(/[\r\n#]/g, (char) => encodeURIComponent(char));
}

/** The number of lines of a text, counting an empty last one. */
function count(text) {
  return text.split(/\r\n|\r|\n/).length;
}

/** The bytes of a file and a text after it. */
function join(file, added) {
  const tail = new TextEncoder().encode(added);
  const bytes = new Uint8Array(file.length + tail.length);
  bytes.set(file);
  bytes.set(tail, file.length);
  return bytes;
}
