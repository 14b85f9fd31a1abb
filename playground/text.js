// Foreign text as inert text: invisible characters are shown as escapes.

/**
 * Characters that are not shown as themselves, as in `verger::Untrusted`: controls, separators,
 * bidirectional, zero-width, combining, unassigned and private characters, and blank letters.
 */
const ACTIVE =
  /[\p{C}\p{Zl}\p{Zp}\p{Grapheme_Extend}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u;
const RUNS = new RegExp(`(?:${ACTIVE.source})+`, "gu");
const EACH = new RegExp(ACTIVE.source, "gu");

/** Bytes that are not UTF-8 are U+DC80 to U+DCFF in decoded text. */
const BYTE = 0xdc00;

/** Splits a text into pieces that are shown unchanged and pieces that are escapes. */
export function pieces(text) {
  const found = [];
  let end = 0;
  for (const match of text.matchAll(RUNS)) {
    if (match.index > end) found.push({ text: text.slice(end, match.index), isEscape: false });
    found.push({ text: match[0].replace(EACH, escape), isEscape: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) found.push({ text: text.slice(end), isEscape: false });
  return found;
}

/** The text with escapes. */
export function visible(text, limit = Infinity) {
  const shown = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return shown.replace(EACH, escape);
}

/** Whether a text has characters that are shown as escapes. */
export function hasEscapes(text) {
  return ACTIVE.test(text.replace(/[\t\r\n]/g, ""));
}

function escape(character) {
  const code = character.codePointAt(0);
  if (character === "\t") return "\\t";
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (code >= BYTE + 0x80 && code <= BYTE + 0xff) return hex(code - BYTE);
  return code < 0x80 ? hex(code) : `\\u{${code.toString(16)}}`;
}

function hex(code) {
  return `\\x${code.toString(16).padStart(2, "0")}`;
}

/** Decodes UTF-8. A byte that is not UTF-8 becomes a lone surrogate from U+DC80 on. */
export function decode(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return decodeLoosely(bytes);
  }
}

function decodeLoosely(bytes) {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const parts = [];
  let start = 0;
  let at = 0;
  while (at < bytes.length) {
    const length = sequence(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    if (at > start) parts.push(strict.decode(bytes.subarray(start, at)));
    parts.push(String.fromCharCode(BYTE + bytes[at]));
    at += 1;
    start = at;
  }
  if (at > start) parts.push(strict.decode(bytes.subarray(start, at)));
  return parts.join("");
}

/** The length of the UTF-8 sequence at a place; 0 if there is none. */
function sequence(bytes, at) {
  const first = bytes[at];
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (let next = 1; next < length; next += 1) {
    if ((bytes[at + next] & 0xc0) !== 0x80) return 0;
  }
  const second = bytes[at + 1];
  const isOverlong = (first === 0xe0 && second < 0xa0) || (first === 0xf0 && second < 0x90);
  const isBeyond = (first === 0xed && second > 0x9f) || (first === 0xf4 && second > 0x8f);
  return isOverlong || isBeyond ? 0 : length;
}

/** The index in a decoded line of a place in bytes, from 0. */
export function indexOfByte(line, byte) {
  let at = 0;
  let bytes = 0;
  while (at < line.length && bytes < byte) {
    const code = line.codePointAt(at);
    const isByte = code >= BYTE + 0x80 && code <= BYTE + 0xff;
    bytes += code < 0x80 || isByte ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    at += code > 0xffff ? 2 : 1;
  }
  return at;
}

/** `1 line`, `1,200 lines`. */
export function count(number, noun, nouns = `${noun}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : nouns}`;
}
