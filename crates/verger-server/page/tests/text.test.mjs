// Escapes of the page are those of the engine. Without a browser.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import process from "node:process";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const page = pathToFileURL(`${process.env.VERGER_PLAYGROUND}/`);
const built = new URL("verger/index.js", page);
const { hasEscapes, pieces, visible } = await import(new URL("text.js", page));

/** Code points in a rule: sentences of the engine have a limit. */
const CHUNK = 32;

test("every code point is shown as the engine shows it", async () => {
  const engine = await import(built);
  const native = new URL("./native/engine.wasm", built);
  await engine.init(await readFile(native));
  // Line ends and comments are not in rules. Surrogates are not in UTF-8.
  const isIn = (code) => ![0x0a, 0x0d, 0x23].includes(code) && (code < 0xd800 || code > 0xdfff);
  const codes = Array.from({ length: 0x110000 }, (_, code) => code).filter(isIn);
  const wrong = [];
  for (let at = 0; at < codes.length; at += CHUNK) {
    const text = `/a${String.fromCodePoint(...codes.slice(at, at + CHUNK))}z`;
    const robots = engine.parse(`User-agent: *\nDisallow: ${text}\n`);
    const sentence = robots.check("AnyBot", text).text;
    robots.free();
    const fence = text.includes("`") ? "``" : "`";
    const rule = `${fence}Disallow: ${visible(text)}${fence}`;
    const expected = `disallowed by ${rule} on line 2, in the group for \`*\` (line 1)`;
    if (sentence !== expected) wrong.push(`${sentence} instead of ${expected}`);
  }
  assert.deepEqual(wrong.slice(0, 5), [], `${wrong.length} differ`);
});

test("pieces are the visible text, and tell escapes apart", () => {
  const text = "a\u202e\u200bb\u0301 \t\u{e0041}";
  assert.equal(
    pieces(text)
      .map((piece) => piece.text)
      .join(""),
    visible(text),
  );
  const escapes = pieces(text).filter(({ isEscape }) => isEscape);
  assert.deepEqual(
    escapes.map((piece) => piece.text),
    ["\\u{202e}\\u{200b}", "\\u{301}", "\\t\\u{e0041}"],
  );
  assert.equal(hasEscapes(text), true);
  assert.equal(hasEscapes("a b"), false);
});
