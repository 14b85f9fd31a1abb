// What somebody brings: a file, its URLs, or something else by mistake.

import { OWN_BYTES, OWN_URLS } from "./limits.js";

/** Rules, and what their wildcards become. */
const RULE = /^[^\S\n]*(?:dis)?allow[^\S\n]*:[^\S\n]*([^\s#]+)/gim;
const ANYTHING = "x";

/** `/`, and a path for each of the first rules: one that its pattern matches. */
export function urlsOf(bytes) {
  const start = bytes.subarray(0, OWN_BYTES);
  const text = new TextDecoder(encodingOf(bytes)).decode(start).replaceAll("\r", "\n");
  const urls = new Set(["/"]);
  for (const [, pattern] of text.matchAll(RULE)) {
    if (urls.size === OWN_URLS) break;
    const path = pattern.replace(/\$$/, "").replace(/\*+$/, "").replaceAll(/\*+/g, ANYTHING);
    if (path.startsWith("/") && path.length <= LONGEST) urls.add(path);
  }
  return [...urls];
}

/** Characters of a path that is worth a row. */
const LONGEST = 200;

/** The encoding of a file: UTF-16 if its mark says so, and its first bytes too (REP-AMB-20). */
export function encodingOf(bytes) {
  const [first, second] = bytes;
  const isWide = bytes.subarray(0, 64).includes(0);
  if (isWide && first === 0xff && second === 0xfe) return "utf-16le";
  return isWide && first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

/** Whether a text can be a URL of the table. */
export function isUrl(text) {
  return /^(?:\/|[a-z][a-z\d+.-]*:\/\/)/i.test(text);
}

/** URLs and paths that a text probably means that is neither, such as `shop.example/cart`. */
export function meantUrls(text) {
  const [host] = /^[^/?#]*/.exec(text);
  if (host === "" || /[\s@]/.test(host)) return [];
  const isHost = /[.:]/.test(host) || host === "localhost";
  const meant = isHost ? [`https://${text}`, text.slice(host.length)] : [`/${text}`];
  return meant.filter((url) => isUrl(url) && URL.canParse(url, "https://shop.example"));
}

/** The origins of URLs, without paths. */
export function originsOf(urls) {
  const found = urls.map((url) => /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i.exec(url)?.[0].toLowerCase());
  return [...new Set(found.filter((origin) => origin !== undefined))];
}

/** Whether two files are the same. */
export function isSame(first, second) {
  return first.length === second.length && first.every((byte, at) => byte === second[at]);
}

/** The address, if a text is nothing else: somebody expects that the page fetches it. */
export function isAddress(text) {
  return /^https?:\/\/\S+$/i.test(text.trim());
}
