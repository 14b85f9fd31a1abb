// Arguments as the modules take them.

import { typeName } from "./memory.js";
import { visible } from "./visible.js";

/** Characters of a text of the caller in a message, as `QUOTED_CHARS` of the engine. */
const QUOTED = 200;

/** A text of the caller in a message; of any other value its type. */
export function quoted(value) {
  return typeof value === "string" ? visible(JSON.stringify(value), QUOTED) : typeName(value);
}

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
    throw new RangeError(
      `${option}: expected one of ${DIALECTS.join(", ")}, but found ${quoted(name)}`,
    );
  }
  return index;
}

/** The options of a call. An unknown one would be ignored, so it is refused. */
export function optionsOf(options, names) {
  if (options === undefined) return {};
  if (
    typeof options !== "object" ||
    options === null ||
    Array.isArray(options) ||
    ArrayBuffer.isView(options)
  ) {
    throw new TypeError(`options: expected an object, but found ${typeName(options)}`);
  }
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return options;
  throw new TypeError(`options: expected ${names.join(", ")}, but found ${quoted(unknown)}`);
}

/** The dialect of a call that has no other option. */
export function dialectIn(options) {
  return dialectOf(optionsOf(options, ["dialect"]).dialect);
}

/** A text of one line, which is an item of an option. */
export function oneLine(text, name) {
  if (typeof text === "string" && !/[\r\n]/.test(text)) return text;
  throw new TypeError(`${name}: expected strings of one line, but found ${quoted(text)}`);
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
  throw new TypeError(
    `agent: expected a product token or a User-Agent header, but found a URL; ${hint}`,
  );
}

/**
 * An agent as the modules take it: kind 0 is text, others are flags of a crawler, whose tokens are
 * lines. Each part is read once.
 */
export function agentOf(agent) {
  if (typeof agent === "string") {
    notUrl(agent);
    return { kind: 0, text: agent };
  }
  const tokens = agent?.tokens;
  if (!Array.isArray(tokens)) {
    throw new TypeError(`agent: expected a string or a Crawler, but found ${typeName(agent)}`);
  }
  const kind =
    CRAWLER |
    (agent.isUnion ? UNION : 0) |
    (agent.ignoresStar ? WITHOUT_STAR : 0) |
    (agent.ignoresRobots ? WITHOUT_ROBOTS : 0);
  return { kind, text: tokens.join("\n") };
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
