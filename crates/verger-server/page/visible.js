// Foreign text as inert text: invisible characters are shown as escapes.

/**
 * Characters that are not shown as themselves, as in `verger::Untrusted`: controls, separators,
 * bidirectional, zero-width, combining, unassigned and private characters, and blank letters.
 */
const ACTIVE =
  /[\p{C}\p{Zl}\p{Zp}\p{Grapheme_Extend}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u;
const RUNS = new RegExp(`(?:${ACTIVE.source})+`, "gu");
const EACH = new RegExp(ACTIVE.source, "gu");

/** Bytes that are not UTF-8 are U+DC80 to U+DCFF in text of `decode`. */
export const BYTE = 0xdc00;

/** The text with escapes, at most of this length before. */
export function visible(text, limit = Infinity) {
  const shown = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return shown.replace(EACH, escapeOf);
}

/** Splits a text into pieces that are shown unchanged and pieces that are escapes. */
export function pieces(text) {
  const found = [];
  let end = 0;
  for (const match of text.matchAll(RUNS)) {
    if (match.index > end) found.push({ text: text.slice(end, match.index), isEscape: false });
    found.push({ text: match[0].replace(EACH, escapeOf), isEscape: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) found.push({ text: text.slice(end), isEscape: false });
  return found;
}

/** Whether a text has characters that are shown as escapes. */
export function hasEscapes(text) {
  return ACTIVE.test(text);
}

function escapeOf(character) {
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
