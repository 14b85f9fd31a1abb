// The functions of `verger/tools`. Each entry point starts the module and exports them.

import * as native from "../native/tools.js";
import {
  agentOf,
  crawlerOf,
  dialectIn,
  dialectOf,
  listOf,
  notUrl,
  oneLine,
  optionsOf,
  quoted,
} from "./arguments.js";
import { Memory, notStarted, plain, plainUrl, typeName } from "./memory.js";
import { starter } from "./start.js";

export { DIALECTS } from "./arguments.js";

const MODULE = "verger/tools";

const memory = new Memory(MODULE);

export const { isStarted, start } = starter(MODULE, memory, native);

export function lint(robotsTxt, options) {
  const settings = settingsOf(options);
  const lintBytes = (robotsTxt, read) => {
    const report = native.lint(...written({ robotsTxt, options: settings }));
    try {
      return read(report);
    } finally {
      report.free();
    }
  };
  try {
    return lintBytes(plain(robotsTxt, "robotsTxt"), (report) => {
      const bytes = report.text();
      // Worked out when they are read: the file is linted again after each round of fixes.
      const fixed = (unsafely) => lintBytes(bytes, (report) => report.fixed(unsafely) ?? null);
      return withLazy(
        { ...JSON.parse(report.findings()), bytes },
        { fixed: () => fixed(false), fixedUnsafely: () => fixed(true) },
      );
    });
  } catch (error) {
    throw typeof error === "string" ? new RangeError(error) : error;
  }
}

/** Adds properties that are worked out when they are read first. */
function withLazy(object, properties) {
  for (const [name, read] of Object.entries(properties)) {
    const get = () => {
      const value = read();
      Object.defineProperty(object, name, { value, writable: true });
      return value;
    };
    Object.defineProperty(object, name, { get, enumerable: true, configurable: true });
  }
  return object;
}

export function lintRules() {
  started();
  return JSON.parse(native.lint_rules());
}

export function format(robotsTxt) {
  const formatted = new native.NativeFormatted(
    ...written({ robotsTxt: plain(robotsTxt, "robotsTxt") }),
  );
  try {
    return { bytes: formatted.text(), skipped: JSON.parse(formatted.skipped()) };
  } finally {
    formatted.free();
  }
}

export function diffFiles(before, after, options) {
  const given = optionsOf(options, ["dialect", "dialectAfter", "agents"]);
  const dialect = dialectOf(given.dialect);
  const dialectAfter = dialectOf(given.dialectAfter ?? given.dialect, "dialectAfter");
  const agents = Array.from(listOf(given.agents ?? [], "agents"), (agent) => {
    if (agent === "") throw new TypeError("agents: expected names, but found an empty text");
    notUrl(oneLine(agent, "agents"));
    return agent;
  });
  const lengths = written({
    before: plain(before, "before"),
    after: plain(after, "after"),
    agents: agents.join("\n"),
  });
  return JSON.parse(native.diff_files(dialect, dialectAfter, ...lengths));
}

export function diagnostics(robotsTxt, options) {
  const dialect = dialectIn(options);
  return JSON.parse(
    native.diagnostics(dialect, ...written({ robotsTxt: plain(robotsTxt, "robotsTxt") })),
  );
}

export function contentSignals(robotsTxt, agent, url, options) {
  return asked(native.content_signals, robotsTxt, agent, options, { url: plainUrl(url) });
}

export function contentUsage(robotsTxt, agent, url, options) {
  return asked(native.content_usage, robotsTxt, agent, options, { url: plainUrl(url) });
}

export function cleanUrl(robotsTxt, url, options) {
  const dialect = dialectIn(options);
  const text = plainUrl(url);
  const lengths = written({ robotsTxt: plain(robotsTxt, "robotsTxt"), url: text });
  return native.clean_url(dialect, ...lengths) ?? text;
}

export function deadRules(robotsTxt, agent, options) {
  return asked(native.dead_rules, robotsTxt, agent, options);
}

export function redundantRules(robotsTxt, agent, options) {
  return asked(native.redundant_rules, robotsTxt, agent, options);
}

export function coverage(robotsTxt, agent, urls, options) {
  const lines = Array.from(listOf(urls, "urls"), lineOf).join("\n");
  return asked(native.coverage, robotsTxt, agent, options, { urls: lines });
}

/** The answer of a function about a file and an agent, with further plain arguments. */
function asked(call, robotsTxt, agent, options, others = {}) {
  const dialect = dialectIn(options);
  const file = plain(robotsTxt, "robotsTxt");
  const { kind, text } = agentOf(agent);
  return JSON.parse(call(dialect, kind, ...written({ robotsTxt: file, agent: text, ...others })));
}

/** Writes plain arguments one after another, and returns their lengths. */
function written(values) {
  let offset = 0;
  return Object.entries(values).map(([name, value]) => {
    const length = memory.write(value, offset, name);
    offset += length;
    return length;
  });
}

export function knownCrawlers() {
  started();
  const { date, crawlers } = JSON.parse(native.known_crawlers());
  return { date, crawlers: crawlers.map(knownOf) };
}

export function crawlerFor(agent, options) {
  const dialect = dialectIn(options);
  const { text } = agentOf(plain(agent, "agent"));
  const found = JSON.parse(native.crawler_for(dialect, ...written({ agent: text })));
  return Object.freeze({ ...crawlerOf(found), note: found.note });
}

export function identifyCrawlers(userAgent) {
  const lengths = written({ userAgent: plain(userAgent, "userAgent") });
  return JSON.parse(native.identify(...lengths)).map(knownOf);
}

function knownOf(known) {
  return { ...known, crawler: crawlerOf(known.crawler) };
}

function started() {
  if (!isStarted()) throw notStarted(MODULE);
}

/** A URL as a line. Line ends are removed, as a URL parser does. */
function lineOf(url) {
  const text = plainUrl(url, "urls");
  if (typeof text === "string") return text.replace(/[\r\n]/g, "");
  throw new TypeError(`urls: expected strings, but found ${typeName(url)}`);
}

const SEVERITIES = ["note", "warning", "error"];

const SETTINGS = ["profile", "select", "ignore", "severity", "portable", "origin", "now"];

/** Settings as lines of a key and a value. */
function settingsOf(options) {
  const { profile, select, ignore, severity, portable, origin, now } = optionsOf(options, SETTINGS);
  const lines = profile === undefined ? [] : [`profile ${oneLine(profile, "profile")}`];
  for (const [key, list] of Object.entries({ select, ignore, portable })) {
    for (const name of listOf(list ?? [], key)) lines.push(`${key} ${oneLine(name, key)}`);
  }
  if (
    severity !== undefined &&
    (typeof severity !== "object" || severity === null || Array.isArray(severity))
  ) {
    throw new TypeError(`severity: expected an object, but found ${typeName(severity)}`);
  }
  for (const [code, name] of Object.entries(severity ?? {})) {
    if (!SEVERITIES.includes(name)) {
      throw new RangeError(
        `severity: expected one of ${SEVERITIES.join(", ")}, but found ${quoted(name)}`,
      );
    }
    lines.push(`severity ${name} ${oneLine(code, "severity")}`);
  }
  if (origin !== undefined) lines.push(`origin ${originOf(origin)}`);
  if (now !== undefined) lines.push(`now ${secondsOf(now)}`);
  return lines.join("\n");
}

/** The origin of a URL of a site. Others have none, such as `data:`, and `origin` is "null". */
function originOf(url) {
  const text = plainUrl(url, "origin");
  const origin = URL.canParse(text) ? new URL(text).origin : "null";
  if (origin !== "null") return origin;
  throw new RangeError(
    `origin: expected a URL such as https://shop.example/, but found ${quoted(text)}`,
  );
}

/** Whole seconds since 1970. */
function secondsOf(date) {
  if (!(date instanceof Date))
    throw new TypeError(`now: expected a Date, but found ${typeName(date)}`);
  const seconds = Math.floor(date.getTime() / 1000);
  if (seconds >= 0) return seconds;
  throw new RangeError("now: expected a valid date from 1970 on");
}
