// The classes and functions of `verger`. Each entry point starts the module and exports them.

import * as native from "../native/engine.js";
import { agentOf, crawlerOf, DIALECTS, dialectIn, listOf, notUrl, quoted } from "./arguments.js";
import { disposable, Memory, open, plain, plainUrl } from "./memory.js";
import { starter } from "./start.js";

export { DIALECTS } from "./arguments.js";

const memory = new Memory("verger");

export const { isStarted, start } = starter("verger", memory, native);

export function parse(robotsTxt, options) {
  return new Robots(robotsTxt, options);
}

export function isAllowed(robotsTxt, agent, url, options) {
  const dialect = dialectIn(options);
  const [file, target] = [plain(robotsTxt, "robotsTxt"), plainUrl(url)];
  const { kind, text } = agentOf(agent);
  const fileLength = memory.write(file, 0, "robotsTxt");
  const nameLength = memory.write(text, fileLength, "agent");
  const urlLength = memory.write(target, fileLength + nameLength, "url");
  return native.is_allowed(dialect, kind, fileLength, nameLength, urlLength);
}

export function compilePolicy(robotsTxt, agent, options) {
  const dialect = dialectIn(options);
  const file = plain(robotsTxt, "robotsTxt");
  const { kind, text } = agentOf(agent);
  const fileLength = memory.write(file, 0, "robotsTxt");
  const nameLength = memory.write(text, fileLength, "agent");
  return wrap(new native.NativePolicy(dialect, kind, fileLength, nameLength));
}

export function robotsUrl(url) {
  const { protocol, host, href } = urlFrom(url);
  if (host !== "" && protocol !== "file:") return `${protocol}//${host}/robots.txt`;
  throw new TypeError(
    `url: expected the URL of a site such as https://shop.example/, but found ${quoted(href)}`,
  );
}

function urlFrom(url) {
  const text = plainUrl(url);
  if (URL.canParse(text)) {
    const parsed = new URL(text);
    // REP-AMB-62: `URL` also finds a host in `http:/shop.example`.
    if (parsed.host === "" || /^[a-z][a-z0-9+.-]*:\/\/[^/?#\\\s]/i.test(text)) return parsed;
  }
  throw new TypeError(`url: expected an absolute URL, but found ${quoted(text)}`);
}

export class Crawler {
  constructor(agent) {
    if (typeof agent === "string") notUrl(agent);
    const length = memory.write(plain(agent, "agent"), 0, "agent");
    Object.assign(this, crawlerOf(checked(native.crawler(length))));
    Object.freeze(this);
  }

  static chain(tokens) {
    return of({ tokens });
  }

  static union(tokens) {
    return of({ tokens, isUnion: true });
  }

  withoutStar() {
    return make({ ...this, ignoresStar: true });
  }
}

/** A crawler without reading a header. */
function make(fields) {
  const crawler = Object.create(Crawler.prototype);
  const { tokens, isUnion = false, ignoresStar = false, ignoresRobots = false } = fields;
  return Object.freeze(Object.assign(crawler, { tokens, isUnion, ignoresStar, ignoresRobots }));
}

/** A crawler of tokens that groups can name. */
function of({ tokens: given, isUnion }) {
  const tokens = Object.freeze([...listOf(given, "tokens")]);
  const wrong = tokens.findIndex((token) => typeof token !== "string");
  if (wrong >= 0)
    throw new TypeError(`tokens: expected strings, but found ${quoted(tokens[wrong])}`);
  const crawler = make({ tokens, isUnion });
  const { kind, text } = agentOf(crawler);
  const problem = native.token_error(kind, memory.write(text, 0, "tokens"));
  if (problem !== undefined) throw new RangeError(problem);
  return crawler;
}

/** In place of an agent that is read again by the next call. */
const UNKNOWN = Symbol("unknown");

/** Agents whose compiled rules are kept for each file: as many as questions alternate between. */
const KEPT_AGENTS = 8;

/** Verdicts that are kept for each agent. A verdict takes half a kilobyte; most files have few. */
const KEPT_VERDICTS = 1_000;

/** Verdicts of one agent by the numbers of the module: few differ, so each is read as JSON once. */
class Verdicts {
  #byNumber = new Map();

  /** The verdict of a number, in a new object; `read` returns its JSON. */
  of(number, read) {
    let verdict = this.#byNumber.get(number);
    if (verdict === undefined) {
      verdict = JSON.parse(read());
      if (this.#byNumber.size === KEPT_VERDICTS) this.#byNumber.clear();
      this.#byNumber.set(number, verdict);
    }
    const { rule, group } = verdict;
    return {
      ...verdict,
      rule: rule && { ...rule, span: [...rule.span] },
      group: group && { ...group },
    };
  }
}

export class Robots {
  #native;
  #dialect;
  /** The agents that the native object knows, the oldest first: slots and verdicts by kind and text. */
  #agents = new Map();
  /** The last agent, if it is text, and its entry. */
  #agent = UNKNOWN;
  #selected;

  constructor(robotsTxt, options) {
    const index = dialectIn(options);
    const length = memory.write(plain(robotsTxt, "robotsTxt"), 0, "robotsTxt");
    this.#native = new native.NativeRobots(index, length);
    this.#dialect = DIALECTS[index];
  }

  isAllowed(agent, url) {
    const target = typeof url === "string" ? url : plainUrl(url);
    const robots = this.#for(agent);
    return robots.is_allowed(this.#selected.slot, memory.write(target, 0, "url"));
  }

  decidingLine(agent, url) {
    const target = plainUrl(url);
    const robots = this.#for(agent);
    const number = robots.verdict(this.#selected.slot, memory.write(target, 0, "url"));
    return number > 0 ? number : null;
  }

  check(agent, url) {
    const target = plainUrl(url);
    const robots = this.#for(agent);
    const { slot, verdicts } = this.#selected;
    const length = memory.write(target, 0, "url");
    return verdicts.of(robots.verdict(slot, length), () => robots.check(slot, length));
  }

  explain(agent, url) {
    const target = plainUrl(url);
    const robots = this.#for(agent);
    return JSON.parse(robots.explain(this.#selected.slot, memory.write(target, 0, "url")));
  }

  areAllowed(agent, urls) {
    // An iterator may ask about another agent meanwhile.
    return Array.from(listOf(urls, "urls"), (url) => this.isAllowed(agent, url));
  }

  areLinesAllowed(agent, lines) {
    const text = plain(lines, "lines");
    const robots = this.#for(agent);
    return robots.are_lines_allowed(this.#selected.slot, memory.write(text, 0, "lines"));
  }

  policy(agent) {
    return wrap(this.#for(agent).compile(this.#selected.slot));
  }

  groupsFor(agent) {
    return JSON.parse(this.#for(agent).groups_for(this.#selected.slot));
  }

  recordsFor(agent) {
    return JSON.parse(this.#for(agent).records_for(this.#selected.slot));
  }

  crawlDelay(agent) {
    return this.#statements(agent).crawlDelay;
  }

  requestRates(agent) {
    return this.#statements(agent).requestRates;
  }

  visitTimes(agent) {
    return this.#statements(agent).visitTimes;
  }

  licenses(agent) {
    return this.#statements(agent).licenses;
  }

  sitemapUrls(url) {
    const root = robotsUrl(url);
    return this.sitemaps.flatMap((sitemap) => {
      try {
        const found = new URL(sitemap, root);
        return found.protocol === "http:" || found.protocol === "https:" ? [found.href] : [];
      } catch {
        return [];
      }
    });
  }

  get sitemaps() {
    return JSON.parse(open(this.#native).site()).sitemaps;
  }

  get agentmaps() {
    return JSON.parse(open(this.#native).site()).agentmaps;
  }

  get schemamaps() {
    return JSON.parse(open(this.#native).site()).schemamaps;
  }

  get host() {
    return JSON.parse(open(this.#native).site()).host;
  }

  get groups() {
    return JSON.parse(open(this.#native).groups());
  }

  get records() {
    return JSON.parse(open(this.#native).records());
  }

  get bytes() {
    return open(this.#native).text();
  }

  get dialect() {
    return this.#dialect;
  }

  get truncated() {
    return open(this.#native).is_truncated();
  }

  free() {
    const old = this.#native;
    this.#native = null;
    old?.free();
  }

  /** The native object; `#selected` is the entry of this agent. */
  #for(agent) {
    if (agent === this.#agent) return open(this.#native);
    // Reads the agent first: its getters can use this object, or free it.
    const { kind, text } = agentOf(agent);
    const robots = open(this.#native);
    const key = `${kind} ${text}`;
    this.#selected = this.#agents.get(key) ?? this.#select(robots, key, kind, text);
    // Others may change until the next call, also in a frozen object.
    this.#agent = kind === 0 ? agent : UNKNOWN;
    return robots;
  }

  /** Selects an agent in a free slot, or in that of the oldest agent. */
  #select(robots, key, kind, text) {
    const length = memory.write(text, 0, "agent");
    let slot = this.#agents.size;
    if (slot === KEPT_AGENTS) {
      const [oldest, entry] = this.#agents.entries().next().value;
      this.#agents.delete(oldest);
      slot = entry.slot;
    }
    this.#agent = UNKNOWN;
    robots.select(slot, kind, length);
    const selected = { slot, verdicts: new Verdicts() };
    this.#agents.set(key, selected);
    return selected;
  }

  #statements(agent) {
    return JSON.parse(this.#for(agent).statements(this.#selected.slot));
  }
}

export class Policy {
  #native;
  #verdicts = new Verdicts();

  constructor(bytes) {
    if (adopted !== undefined) {
      this.#native = adopted;
      return;
    }
    const length = memory.write(plain(bytes, "bytes"), 0, "bytes");
    this.#native = native.NativePolicy.read(length);
    if (this.#native === undefined) throw new RangeError(native.policy_error(length));
  }

  isAllowed(url) {
    const target = typeof url === "string" ? url : plainUrl(url);
    return open(this.#native).is_allowed(memory.write(target, 0, "url"));
  }

  check(url) {
    const target = plainUrl(url);
    const policy = open(this.#native);
    const length = memory.write(target, 0, "url");
    return this.#verdicts.of(policy.verdict(length), () => policy.check(length));
  }

  areAllowed(urls) {
    return Array.from(listOf(urls, "urls"), (url) => this.isAllowed(url));
  }

  areLinesAllowed(lines) {
    const text = plain(lines, "lines");
    return open(this.#native).are_lines_allowed(memory.write(text, 0, "lines"));
  }

  withoutExplanation() {
    return wrap(open(this.#native).without_explanation());
  }

  get bytes() {
    return open(this.#native).bytes();
  }

  free() {
    const old = this.#native;
    this.#native = null;
    old?.free();
  }
}

disposable(Robots);
disposable(Policy);

/** The native object of the policy that is being constructed. */
let adopted;

/** A policy of a native object. */
function wrap(policy) {
  adopted = policy;
  try {
    return new Policy();
  } finally {
    adopted = undefined;
  }
}

/** The value of a JSON text; an object with an error is thrown. */
function checked(json) {
  const value = JSON.parse(json);
  if (value.error !== undefined) throw new RangeError(value.error);
  return value;
}
