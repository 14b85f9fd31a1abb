// The functions of `verger/tools`. Each entry point starts the module and exports them.

import * as native from "../native/tools.js";
import { crawlerOf, dialectIn, dialectOf, kindOf, listOf, notUrl, oneLine, optionsOf, textOf } from "./arguments.js";
import { Memory, notStarted, typeName, urlOf } from "./memory.js";

export { DIALECTS } from "./arguments.js";

const MODULE = "verger/tools";

const memory = new Memory(MODULE);

/** Starts the module: its bytes, or a compiled module. */
export function start(module) {
  const { memory: bytes } = native.initSync({ module });
  memory.start(bytes, native.input);
}

/** Whether the module is started. */
export function isStarted() {
  return memory.isStarted;
}

export function lint(robotsTxt, options) {
  const settingsText = settingsOf(options);
  const text = memory.write(robotsTxt, 0, "robotsTxt");
  const settings = memory.write(settingsText, text, "options");
  let report;
  try {
    report = native.lint(text, settings);
  } catch (error) {
    throw typeof error === "string" ? new RangeError(error) : error;
  }
  try {
    return {
      ...JSON.parse(report.findings()),
      bytes: report.text(),
      fixed: report.fixed(false) ?? null,
      fixedUnsafely: report.fixed(true) ?? null,
    };
  } finally {
    report.free();
  }
}

export function lintRules() {
  started();
  return JSON.parse(native.lint_rules());
}

export function format(robotsTxt) {
  const formatted = new native.NativeFormatted(memory.write(robotsTxt, 0, "robotsTxt"));
  try {
    return { bytes: formatted.text(), skipped: JSON.parse(formatted.skipped()) };
  } finally {
    formatted.free();
  }
}

export function diff(before, after, options) {
  const given = optionsOf(options, ["dialect", "dialectAfter", "agents"]);
  const dialect = dialectOf(given.dialect);
  const dialectAfter = dialectOf(given.dialectAfter ?? given.dialect, "dialectAfter");
  const agents = Array.from(listOf(given.agents ?? [], "agents"), (agent) => {
    if (agent === "") throw new TypeError("agents: expected names, but found an empty text");
    notUrl(oneLine(agent, "agents"));
    return agent;
  });
  const first = memory.write(before, 0, "before");
  const second = memory.write(after, first, "after");
  const names = memory.write(agents.join("\n"), first + second, "agents");
  return JSON.parse(native.diff(dialect, dialectAfter, first, second, names));
}

export function diagnostics(robotsTxt, options) {
  const dialect = dialectIn(options);
  return JSON.parse(native.diagnostics(dialect, memory.write(robotsTxt, 0, "robotsTxt")));
}

export function contentUse(robotsTxt, agent, url, options) {
  const dialect = dialectIn(options);
  const kind = kindOf(agent);
  const [agentText, urlText] = [textOf(agent), urlOf(url)];
  const text = memory.write(robotsTxt, 0, "robotsTxt");
  const name = memory.write(agentText, text, "agent");
  const target = memory.write(urlText, text + name, "url");
  return JSON.parse(native.content_use(dialect, kind, text, name, target));
}

export function cleanUrl(robotsTxt, url, options) {
  const dialect = dialectIn(options);
  const urlText = urlOf(url);
  const text = memory.write(robotsTxt, 0, "robotsTxt");
  return native.clean_url(dialect, text, memory.write(urlText, text, "url")) ?? urlText;
}

export function uselessRules(robotsTxt, agent, options) {
  const dialect = dialectIn(options);
  const kind = kindOf(agent);
  const agentText = textOf(agent);
  const text = memory.write(robotsTxt, 0, "robotsTxt");
  const name = memory.write(agentText, text, "agent");
  return JSON.parse(native.useless_rules(dialect, kind, text, name));
}

export function coverage(robotsTxt, agent, urls, options) {
  const dialect = dialectIn(options);
  const kind = kindOf(agent);
  const agentText = textOf(agent);
  const lines = Array.from(listOf(urls, "urls"), lineOf).join("\n");
  const text = memory.write(robotsTxt, 0, "robotsTxt");
  const name = memory.write(agentText, text, "agent");
  const list = memory.write(lines, text + name, "urls");
  return JSON.parse(native.coverage(dialect, kind, text, name, list));
}

export function knownCrawlers() {
  started();
  const { date, crawlers } = JSON.parse(native.known_crawlers());
  return { date, crawlers: crawlers.map(knownOf) };
}

export function identifyCrawlers(userAgent) {
  return JSON.parse(native.identify(memory.write(userAgent, 0, "userAgent"))).map(knownOf);
}

function knownOf(known) {
  return { ...known, crawler: crawlerOf(known.crawler) };
}

function started() {
  if (!isStarted()) throw notStarted(MODULE);
}

/** A URL as a line. Line ends are removed, as a URL parser does. */
function lineOf(url) {
  const text = urlOf(url);
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
  if (severity !== undefined && (typeof severity !== "object" || severity === null || Array.isArray(severity))) {
    throw new TypeError(`severity: expected an object, but found ${typeName(severity)}`);
  }
  for (const [code, name] of Object.entries(severity ?? {})) {
    if (!SEVERITIES.includes(name)) {
      const found = typeof name === "string" ? JSON.stringify(name) : typeName(name);
      throw new RangeError(`severity: expected one of ${SEVERITIES.join(", ")}, but found ${found}`);
    }
    lines.push(`severity ${name} ${oneLine(code, "severity")}`);
  }
  if (origin !== undefined) lines.push(`origin ${new URL(origin).origin}`);
  if (now !== undefined) lines.push(`now ${secondsOf(now)}`);
  return lines.join("\n");
}

/** Whole seconds since 1970. */
function secondsOf(date) {
  if (!(date instanceof Date)) throw new TypeError(`now: expected a Date, but found ${typeName(date)}`);
  const seconds = Math.floor(date.getTime() / 1000);
  if (seconds >= 0) return seconds;
  throw new RangeError("now: expected a valid date from 1970 on");
}
