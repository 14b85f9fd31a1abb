// The state of the page, and its form in the fragment of a link.
//
// `#1.` and base64url of compressed JSON, or `#0.` without compression if that is shorter.

import { CRAWLERS, ENTRY_LENGTH, FILE_BYTES, LINK_LENGTH, STATE_BYTES, URLS } from "./limits.js";
import { base64, count, visible } from "./text.js";

/** Dialects by name. */
export const DIALECTS = {
  rfc9309: "RFC 9309, the standard",
  google: "Google's library",
  koster1996: "Draft of 1996",
  book: "HTTP: The Definitive Guide",
  orig1994: "Standard of 1994",
  rep2019: "Draft of 2019",
  yandex: "Yandex",
  baidu: "Baidu",
  bing: "Bing",
};

/**
 * @typedef {object} State
 * @property {"check" | "compare"} mode
 * @property {string} dialect
 * @property {Uint8Array} file the robots.txt
 * @property {Uint8Array} earlier the version that it is compared with
 * @property {string[]} crawlers
 * @property {string[]} urls
 * @property {[crawler: number, url: number] | null} cell the explained cell
 * @property {string | null} origin of the file, if it is that of a record of the service
 */

const MODES = ["check", "compare"];
const encoder = new TextEncoder();

/**
 * The state as a fragment without `#`; `null` if it is too long for a link. It has the earlier
 * version only where the page shows it: nobody shares by accident what is hidden.
 */
export async function encode(state) {
  const { mode, dialect, crawlers, urls, cell, origin } = state;
  const files = {
    file: textOf(state.file),
    earlier: mode === "compare" ? textOf(state.earlier) : "",
  };
  const record = origin === null ? {} : { origin };
  const json = JSON.stringify({ mode, dialect, crawlers, urls, cell, ...files, ...record });
  const bytes = encoder.encode(json);
  // Compressing more cannot lead to a link.
  if (bytes.length > STATE_BYTES) return null;
  const packed = await pass(bytes, new CompressionStream("deflate-raw"), STATE_BYTES);
  const isShorter = packed.length < bytes.length;
  const fragment = isShorter ? `1.${base64url(packed)}` : `0.${base64url(bytes)}`;
  return fragment.length > LINK_LENGTH ? null : fragment;
}

/**
 * The state of a fragment.
 *
 * @throws {Error} it is damaged, with the problem
 */
export async function decode(fragment) {
  if (fragment.length > LINK_LENGTH) {
    throw new Error(`expected at most ${LINK_LENGTH} characters, but found ${fragment.length}`);
  }
  const [, version, data] = /^([01])\.([\w-]*)$/.exec(fragment) ?? [];
  if (version === undefined) throw new Error('expected "1." and base64url after "#"');
  let json;
  try {
    let bytes = fromBase64url(data);
    if (version === "1")
      bytes = await pass(bytes, new DecompressionStream("deflate-raw"), STATE_BYTES);
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new Error("a part of it is missing or changed");
  }
  return checked(json);
}

function checked(json) {
  const { mode, dialect, crawlers, urls, cell, file, earlier, origin = null } = Object(json);
  if (!MODES.includes(mode)) throw unexpected("mode", MODES.join(" or "), mode);
  if (!Object.keys(DIALECTS).includes(dialect))
    throw unexpected("dialect", "a known dialect", dialect);
  const lists = { crawlers: list("crawlers", crawlers, CRAWLERS), urls: list("urls", urls, URLS) };
  const isCell =
    Array.isArray(cell) &&
    cell.length === 2 &&
    Number.isInteger(cell[0]) &&
    Number.isInteger(cell[1]) &&
    cell[0] >= 0 &&
    cell[1] >= 0 &&
    cell[0] < lists.crawlers.length &&
    cell[1] < lists.urls.length;
  return {
    mode,
    dialect,
    ...lists,
    cell: isCell ? [cell[0], cell[1]] : null,
    file: bytesOf("file", file),
    earlier: bytesOf("earlier", earlier),
    origin: originOf(origin),
  };
}

function originOf(text) {
  const isOrigin = URL.canParse(text) && new URL(text).origin === text && /^https?:/.test(text);
  if (text === null || isOrigin) return text;
  throw unexpected("origin", "an origin such as https://shop.example", text);
}

function list(name, items, limit) {
  const isList = Array.isArray(items) && items.every((item) => typeof item === "string" && item);
  if (!isList) throw new Error(`${name}: expected a list of texts`);
  if (items.length > limit) {
    throw new Error(`${name}: expected at most ${limit}, but found ${items.length}`);
  }
  if (items.some((item) => item.length > ENTRY_LENGTH || /[\r\n]/.test(item))) {
    throw new Error(`${name}: expected lines of at most ${ENTRY_LENGTH} characters`);
  }
  return [...new Set(items)];
}

function unexpected(name, expected, found) {
  const text = visible(String(JSON.stringify(found)), 40);
  return new Error(`${name}: expected ${expected}, but found ${text}`);
}

/** A file as text, or if it is not UTF-8, as a list with its base64url. */
function textOf(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return [base64url(bytes)];
  }
}

function bytesOf(name, value) {
  let bytes;
  if (typeof value === "string") bytes = encoder.encode(value);
  else if (Array.isArray(value) && /^[\w-]*$/.test(value[0])) bytes = fromBase64url(value[0]);
  else throw new Error(`${name}: expected a text`);
  if (bytes.length > FILE_BYTES) throw new Error(`${name}: ${tooLarge(bytes.length)}`);
  return bytes;
}

/** The message about a file that is too large. */
export function tooLarge(length) {
  return `expected at most ${count(FILE_BYTES, "byte")}, but found ${count(length, "byte")}`;
}

/** Sends bytes through a stream. The result is limited: few bytes can decompress to many. */
async function pass(bytes, stream, limit) {
  const parts = [];
  let length = 0;
  for await (const part of read(new Blob([bytes]).stream().pipeThrough(stream))) {
    length += part.length;
    if (length > limit) throw new RangeError(`it contains more than ${count(limit, "byte")}`);
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** The parts of a stream; not every browser iterates over streams. */
async function* read(stream) {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function base64url(bytes) {
  return base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64url(text) {
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(bytes, (character) => character.charCodeAt(0));
}
