// Arguments as the modules take them.

import { typeName } from "./memory.js";

/** The dialects, in the order of their indices in the modules. */
export const DIALECTS = Object.freeze([
  "rfc9309",
  "google",
  "koster1996",
  "book",
  "orig1994",
  "rep2019",
  "yandex",
  "baidu",
  "bing",
]);

/** The index of a dialect. */
export function dialectOf(name, option = "dialect") {
  if (name === undefined) return 0;
  const index = DIALECTS.indexOf(name);
  if (index < 0) {
    const found = typeof name === "string" ? JSON.stringify(name) : typeName(name);
    throw new RangeError(`${option}: expected one of ${DIALECTS.join(", ")}, but found ${found}`);
  }
  return index;
}

/** The options of a call. An unknown one would be ignored, so it is refused. */
export function optionsOf(options, names) {
  if (options === undefined) return {};
  if (typeof options !== "object" || options === null || Array.isArray(options) || ArrayBuffer.isView(options)) {
    throw new TypeError(`options: expected an object, but found ${typeName(options)}`);
  }
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return options;
  throw new TypeError(`options: expected ${names.join(", ")}, but found ${JSON.stringify(unknown)}`);
}

/** The dialect of a call that has no other option. */
export function dialectIn(options) {
  return dialectOf(optionsOf(options, ["dialect"]).dialect);
}

/** A text of one line, which is an item of an option. */
export function oneLine(text, name) {
  if (typeof text === "string" && !/[\r\n]/.test(text)) return text;
  const found = typeof text === "string" ? JSON.stringify(text) : typeName(text);
  throw new TypeError(`${name}: expected strings of one line, but found ${found}`);
}

const CRAWLER = 1;
const UNION = 2;
const WITHOUT_STAR = 4;
const WITHOUT_ROBOTS = 8;

/** The beginning of a URL or a path. No User-Agent header begins so. */
const URL_START = /^(?:\/|[a-z][a-z0-9+.-]*:\/\/)/i;

/** Refuses a URL as an agent: swapped arguments would ask about another agent, and could allow. */
export function notUrl(agent) {
  if (!URL_START.test(agent)) return;
  const hint = "the agent comes before the URL";
  throw new TypeError(`agent: expected a product token or a User-Agent header, but found a URL; ${hint}`);
}

/** The kind of an agent: 0 for text, else flags of a crawler. */
export function kindOf(agent) {
  if (typeof agent === "string") {
    notUrl(agent);
    return 0;
  }
  if (!Array.isArray(agent?.tokens)) {
    const found = typeName(agent);
    throw new TypeError(`agent: expected a string or a Crawler, but found ${found}`);
  }
  return (
    CRAWLER |
    (agent.isUnion ? UNION : 0) |
    (agent.ignoresStar ? WITHOUT_STAR : 0) |
    (agent.ignoresRobots ? WITHOUT_ROBOTS : 0)
  );
}

/** The text of an agent. */
export function textOf(agent) {
  return typeof agent === "string" ? agent : agent.tokens.join("\n");
}

/** A crawler as plain data. */
export function crawlerOf({ kind, tokens }) {
  return Object.freeze({
    tokens: Object.freeze(tokens),
    isUnion: (kind & UNION) !== 0,
    ignoresStar: (kind & WITHOUT_STAR) !== 0,
    ignoresRobots: (kind & WITHOUT_ROBOTS) !== 0,
  });
}

/** The items of an argument. A string is not a list of its characters. */
export function listOf(items, name) {
  if (typeof items === "string" || typeof items?.[Symbol.iterator] !== "function") {
    throw new TypeError(`${name}: expected an iterable, but found ${typeName(items)}`);
  }
  return items;
}
