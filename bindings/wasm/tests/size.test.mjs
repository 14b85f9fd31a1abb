// The size of the modules.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { PACKAGE, text } from "./support.mjs";

/** The largest permitted size of `verger` after compression with gzip, in bytes. */
const LIMIT = 60 * 1024;

const sizes = Object.fromEntries(
  ["engine", "tools"].map((name) => {
    const bytes = readFileSync(`${PACKAGE}/native/${name}.wasm`);
    return [name, { plain: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length }];
  }),
);

test("the first module has at most 60 KB after compression", () => {
  console.log(sizes);
  assert.ok(sizes.engine.gzip <= LIMIT, `${sizes.engine.gzip} bytes`);
});

test("the page states the sizes, with an error of at most a tenth", () => {
  const page = text("docs/javascript.md");
  for (const [name, { plain, gzip }] of Object.entries(sizes)) {
    const found = new RegExp(`\`native/${name}.wasm\` \\| (\\d+) KB \\| (\\d+) KB`).exec(page);
    assert.ok(found, `${name} is missing`);
    for (const [stated, bytes] of [
      [found[1], plain],
      [found[2], gzip],
    ]) {
      assert.ok(
        Math.abs(stated / (bytes / 1024) - 1) < 0.1,
        `${name}: ${stated} KB, but ${bytes} bytes`,
      );
    }
  }
});
