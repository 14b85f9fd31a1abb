// Memory in long runs. VERGER_CALLS is the number of calls; the thorough suite makes 10,000,000.

import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";

import { load, modules } from "./support.mjs";

const { verger } = await modules();
const CALLS = Number(process.env.VERGER_CALLS ?? 200_000);

/** Bytes of the module's memory. */
const { initSync } = await load("native/engine.js");
const used = () => initSync().memory.buffer.byteLength;

const FILE = `User-agent: *\n${Array.from({ length: 50 }, (_, at) => `Disallow: /a${at}/*b\n`).join("")}`;
const BYTES = new TextEncoder().encode(FILE);

/** Grows while the first calls make room; not afterwards. */
function isFlat(name, share, call) {
  test(`memory is flat: ${name}`, () => {
    const calls = Math.ceil(CALLS * share);
    for (let count = 0; count < Math.min(calls, 2_000); count += 1) call(count);
    const before = used();
    for (let count = 0; count < calls; count += 1) call(count);
    assert.equal(used() - before, 0);
  });
}

const robots = verger.parse(FILE);
const policy = robots.policy("ExampleBot");

isFlat("checks", 1, (count) => robots.isAllowed("ExampleBot", `/a${count}/x`));
isFlat("checks of a policy", 0.2, (count) => policy.isAllowed(`/a${count}/x`));
isFlat("verdicts", 0.05, (count) => robots.check("ExampleBot", `/a${count % 100}/b`));
isFlat("changing agents", 0.02, (count) => robots.isAllowed(`Bot${"x".repeat(count % 7)}`, "/"));
isFlat("policies", 0.01, () => {
  const compiled = verger.compilePolicy(BYTES, "ExampleBot");
  const again = new verger.Policy(compiled.bytes);
  assert.equal(again.isAllowed("/a1/b"), false);
  compiled.free();
  again.free();
});
isFlat("parses that are freed", 0.01, () => verger.parse(BYTES).free());
isFlat("questions without an object", 0.01, () => verger.isAllowed(BYTES, "ExampleBot", "/a1/b"));
isFlat("lists", 0.01, () => robots.groups.length + robots.records.length);
isFlat("errors", 0.01, () => assert.throws(() => new verger.Policy(new Uint8Array(9))));

test("objects that nobody frees are collected", async () => {
  const before = used();
  const rounds = Math.max(20, Math.ceil(CALLS / 20_000));
  for (let round = 0; round < rounds; round += 1) {
    for (let count = 0; count < 200; count += 1) {
      verger.parse(BYTES).isAllowed("ExampleBot", "/");
      verger.compilePolicy(BYTES, "ExampleBot");
    }
    globalThis.gc?.();
    // Finalizers run between tasks.
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  const kept = used() - before;
  // 200 files and policies take about 3 MB.
  assert.ok(kept <= 16 << 20, `${kept} bytes`);
});

test("room for a huge file is returned", () => {
  const huge = "x".repeat(30_000_000);
  verger.parse(huge).free();
  const before = used();
  for (let count = 0; count < 5; count += 1) {
    verger.parse(huge).free();
    verger.parse("").free();
  }
  assert.ok(used() - before <= 1 << 20, `${used() - before} bytes`);
});
