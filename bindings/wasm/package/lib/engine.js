// The classes and functions of `verger`. Each entry point starts the module and exports them.

import * as native from "../native/engine.js";
import { crawlerOf, dialectOf, kindOf, listOf, textOf } from "./arguments.js";
import { Memory, disposable, freed, urlOf } from "./memory.js";

export { DIALECTS } from "./arguments.js";

const memory = new Memory();

/** Starts the module: its bytes, or a compiled module. */
export function start(module) {
  const { memory: bytes } = native.initSync({ module });
  memory.start(bytes, native.input);
}

/** Whether the module is started. */
export function isStarted() {
  return memory.isStarted;
}

export function parse(robotsTxt, options) {
  return new Robots(robotsTxt, options);
}

export function isAllowed(robotsTxt, agent, url, options) {
  const dialect = dialectOf(options?.dialect);
  const kind = kindOf(agent);
  // Before the first argument is written: other calls could overwrite it.
  const [agentText, urlText] = [textOf(agent), urlOf(url)];
  const text = memory.write(robotsTxt, 0, "robotsTxt");
  const name = memory.write(agentText, text, "agent");
  const target = memory.write(urlText, text + name, "url");
  return native.is_allowed(dialect, kind, text, name, target);
}

export function compilePolicy(robotsTxt, agent, options) {
  const dialect = dialectOf(options?.dialect);
  const kind = kindOf(agent);
  // Before the first argument is written: other calls could overwrite it.
  const agentText = textOf(agent);
  const text = memory.write(robotsTxt, 0, "robotsTxt");
  const name = memory.write(agentText, text, "agent");
  return wrap(new native.NativePolicy(dialect, kind, text, name));
}

export function robotsUrl(url) {
  const { protocol, host } = new URL(url);
  if (host === "") throw new TypeError(`no robots.txt for: ${url}`);
  return `${protocol}//${host}/robots.txt`;
}

export class Crawler {
  constructor(agent) {
    const length = memory.write(agent, 0, "agent");
    Object.assign(this, crawlerOf(checked(native.crawler(length))));
    Object.freeze(this);
  }

  static named(name) {
    const length = memory.write(name, 0, "name");
    return make(crawlerOf(checked(native.known_crawler(length))));
  }

  static chain(tokens) {
    return of({ tokens: Object.freeze([...listOf(tokens, "tokens")]) });
  }

  static union(tokens) {
    return of({ tokens: Object.freeze([...listOf(tokens, "tokens")]), isUnion: true });
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
function of(fields) {
  const crawler = make(fields);
  const length = memory.write(textOf(crawler), 0, "tokens");
  const problem = native.token_error(kindOf(crawler), length);
  if (problem !== undefined) throw new RangeError(problem);
  return crawler;
}

export class Robots {
  #native;
  /** The agent that the native object knows. */
  #agent = "";
  #dialect;

  constructor(robotsTxt, options) {
    const dialect = options?.dialect ?? "rfc9309";
    const index = dialectOf(dialect);
    const length = memory.write(robotsTxt, 0, "robotsTxt");
    this.#native = new native.NativeRobots(index, length);
    this.#dialect = dialect;
  }

  isAllowed(agent, url) {
    const robots = this.#for(agent);
    const target = typeof url === "string" ? url : urlOf(url);
    return robots.is_allowed(memory.write(target, 0, "url"));
  }

  decidingLine(agent, url) {
    const robots = this.#for(agent);
    return robots.line(memory.write(urlOf(url), 0, "url")) || null;
  }

  check(agent, url) {
    const robots = this.#for(agent);
    return JSON.parse(robots.check(memory.write(urlOf(url), 0, "url")));
  }

  explain(agent, url) {
    const robots = this.#for(agent);
    return JSON.parse(robots.explain(memory.write(urlOf(url), 0, "url")));
  }

  areAllowed(agent, urls) {
    // An iterator may ask about another agent meanwhile.
    return Array.from(listOf(urls, "urls"), (url) => this.isAllowed(agent, url));
  }

  areLinesAllowed(agent, lines) {
    return this.#for(agent).are_lines_allowed(memory.write(lines, 0, "lines"));
  }

  policy(agent) {
    return wrap(this.#for(agent).compile());
  }

  groupsFor(agent) {
    return JSON.parse(this.#for(agent).groups_for());
  }

  recordsFor(agent) {
    return JSON.parse(this.#for(agent).records_for());
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
    return JSON.parse(this.#open().site()).sitemaps;
  }

  get agentmaps() {
    return JSON.parse(this.#open().site()).agentmaps;
  }

  get schemamaps() {
    return JSON.parse(this.#open().site()).schemamaps;
  }

  get host() {
    return JSON.parse(this.#open().site()).host;
  }

  get groups() {
    return JSON.parse(this.#open().groups());
  }

  get records() {
    return JSON.parse(this.#open().records());
  }

  get bytes() {
    return this.#open().text();
  }

  get dialect() {
    return this.#dialect;
  }

  get truncated() {
    return this.#open().is_truncated();
  }

  free() {
    this.#native?.free();
    this.#native = null;
  }

  #open() {
    return this.#native ?? freed();
  }

  /** The native object, about this agent. */
  #for(agent) {
    const robots = this.#native ?? freed();
    if (agent !== this.#agent) {
      const kind = kindOf(agent);
      robots.select(kind, memory.write(textOf(agent), 0, "agent"));
      // Others may change until the next call, also in a frozen object.
      this.#agent = kind === 0 ? agent : undefined;
    }
    return robots;
  }

  #statements(agent) {
    return JSON.parse(this.#for(agent).statements());
  }
}

export class Policy {
  #native;

  constructor(bytes) {
    if (adopted !== undefined) {
      this.#native = adopted;
      return;
    }
    const length = memory.write(bytes, 0, "bytes");
    this.#native = native.NativePolicy.read(length);
    if (this.#native === undefined) throw new RangeError(native.policy_error(length));
  }

  isAllowed(url) {
    const policy = this.#native ?? freed();
    const target = typeof url === "string" ? url : urlOf(url);
    return policy.is_allowed(memory.write(target, 0, "url"));
  }

  check(url) {
    return JSON.parse(this.#open().check(memory.write(urlOf(url), 0, "url")));
  }

  areAllowed(urls) {
    return Array.from(listOf(urls, "urls"), (url) => this.isAllowed(url));
  }

  areLinesAllowed(lines) {
    return this.#open().are_lines_allowed(memory.write(lines, 0, "lines"));
  }

  withoutExplanation() {
    return wrap(this.#open().without_explanation());
  }

  get bytes() {
    return this.#open().bytes();
  }

  free() {
    this.#native?.free();
    this.#native = null;
  }

  #open() {
    return this.#native ?? freed();
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
