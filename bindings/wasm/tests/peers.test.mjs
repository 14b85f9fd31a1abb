// robots-parser's own tests, unchanged, with `verger/robots-parser` in its place. The failing ones
// equal the list in `peers/robots-parser.json`, which has a reason for each.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";

import { PACKAGE } from "./support.mjs";

const PEERS = process.env.VERGER_PEERS;
const skip = !PEERS && "VERGER_PEERS is not set";
const expected = JSON.parse(
  readFileSync(new URL("../peers/robots-parser.json", import.meta.url), "utf8"),
);

/** Runs the tests with a module in place of robots-parser. */
function results(source) {
  const folder = join(PEERS, "robots-parser-suite");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "test"), { recursive: true });
  const peer = join(PEERS, "node_modules/robots-parser");
  const { version } = JSON.parse(readFileSync(join(peer, "package.json"), "utf8"));
  assert.equal(version, expected.version);
  copyFileSync(join(peer, "test/Robots.js"), join(folder, "test/Robots.js"));
  writeFileSync(join(folder, "index.js"), source);
  const mocha = join(PEERS, "node_modules/.bin/mocha");
  const { stdout, stderr } = spawnSync(mocha, ["--reporter", "json", "test"], {
    cwd: folder,
    encoding: "utf8",
  });
  assert.ok(stdout.startsWith("{"), stdout + stderr);
  return JSON.parse(stdout);
}

test("robots-parser's tests pass, except for those in the list", { skip }, () => {
  const { stats, failures } = results(
    `module.exports = require(${JSON.stringify(`${PACKAGE}/robots-parser.cjs`)});\n`,
  );
  assert.equal(stats.tests, expected.tests);
  const found = failures.map((it) => it.title);
  assert.deepEqual(found.sort(), Object.keys(expected.failures).sort());
});

test("the tests detect a parser with other answers", { skip }, () => {
  const wrong = "module.exports = () => ({ isAllowed: () => true, isDisallowed: () => false });\n";
  assert.ok(results(wrong).stats.failures > 10);
});
