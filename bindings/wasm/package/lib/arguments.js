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

const CRAWLER = 1;
const UNION = 2;
const WITHOUT_STAR = 4;
const WITHOUT_ROBOTS = 8;

/** The kind of an agent: 0 for text, else flags of a crawler. */
export function kindOf(agent) {
  if (typeof agent === "string") return 0;
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
  if (items === undefined) return [];
  if (typeof items === "string" || typeof items?.[Symbol.iterator] !== "function") {
    throw new TypeError(`${name}: expected an iterable, but found ${typeName(items)}`);
  }
  return items;
}
