// Foreign text: decoding, and places in it.

import { BYTE } from "./visible.js";

export { hasEscapes, pieces, visible } from "./visible.js";

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

/** Bytes that are converted at a time: the arguments of a call are limited. */
const CHUNK = 0x8000;

export function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK) {
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return btoa(text);
}

/** `1 line`, `1,200 lines`. */
export function count(number, noun, nouns = `${noun}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : nouns}`;
}
