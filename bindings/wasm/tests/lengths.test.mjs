// Arguments around the length of the room that is kept between calls.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { modules, PACKAGE } from "./support.mjs";

const { verger, tools } = await modules();

const LENGTHS = [
  4_000, 300_000, 500_000, 525_000, 600_000, 1_000_000, 1_048_500, 1_048_600, 1_100_000, 2_000_000,
];

/** Longer than the agent, so that it needs more room. */
const URL_TEXT = "https://shop.example/a/path/that/is/longer/than/the/name/of/the/agent";

/** A file that disallows everything at its beginning, with a comment up to a length. */
function file(length, rule = "Disallow: /") {
  const start = `User-agent: *\n${rule}\n#`;
  return start + "x".repeat(Math.max(0, length - start.length));
}

test("no argument is lost in the first call of a process", () => {
  const start = pathToFileURL(`${PACKAGE}/index.node.js`).href;
  for (const length of LENGTHS) {
    const program = `
      import { compilePolicy, isAllowed } from ${JSON.stringify(start)};
      const file = ("User-agent: *\\nDisallow: /\\n#").padEnd(${length}, "x");
      const URL_TEXT = ${JSON.stringify(URL_TEXT)};
      const call = process.argv.at(-1) === "policy"
        ? () => compilePolicy(file, "ExampleBot").isAllowed(URL_TEXT)
        : () => isAllowed(file, "ExampleBot", URL_TEXT);
      process.stdout.write(String(call()));
    `;
    for (const kind of ["policy", "question"]) {
      const run = ["--input-type=module", "--eval", program, kind];
      assert.equal(
        execFileSync(process.execPath, run, { encoding: "utf8" }),
        "false",
        `${kind} ${length}`,
      );
    }
  }
});

// Each length after each other one: the room depends on the calls before.
for (const before of LENGTHS) {
  test(`no argument is lost after one of ${before} bytes`, () => {
    for (const length of LENGTHS) {
      verger.parse(file(before)).free();
      assert.equal(
        verger.isAllowed(file(length), "ExampleBot", URL_TEXT),
        false,
        `isAllowed ${length}`,
      );
      verger.parse(file(before)).free();
      const policy = verger.compilePolicy(file(length), "ExampleBot");
      assert.equal(policy.isAllowed("/x"), false, `compilePolicy ${length}`);
      policy.free();
    }
  });
}

test("long files are compared, and long lists are counted", () => {
  for (const length of LENGTHS.slice(1, 7)) {
    const compared = tools.diffFiles(file(length / 2), file(length / 2, "Allow: /"));
    assert.ok(JSON.stringify(compared).includes("opened"), `diff ${length}`);
    const urls = new Array(Math.floor(length / 3)).fill("/a");
    const counts = tools.coverage(file(100), "ExampleBot", urls);
    assert.equal(counts.allowed, 0, `coverage ${length}`);
  }
});

test("arguments beyond the limit are refused before they are written", () => {
  const bytes = new Uint8Array(2 ** 26 + 1);
  const refused = { name: "RangeError", message: /^robotsTxt: expected at most 67108864 bytes/ };
  assert.throws(() => verger.parse(bytes), refused);
  assert.throws(() => verger.parse("x".repeat(2 ** 26 + 1)), refused);
  assert.equal(verger.isAllowed("User-agent: *\nDisallow: /\n", "ExampleBot", "/"), false);
});

test("an agent that is an object is read again by each call", () => {
  const robots = verger.parse("User-agent: a\nDisallow: /\n");
  const agent = Object.freeze({ tokens: ["b"] });
  assert.equal(robots.isAllowed(agent, "/x"), true);
  agent.tokens[0] = "a";
  assert.equal(robots.isAllowed(agent, "/x"), false);
});

test("the length of bytes is that of the platform", () => {
  class Short extends Uint8Array {
    get length() {
      return 3;
    }
  }
  const bytes = Short.from(new TextEncoder().encode(file(3_000_000)));
  assert.equal(verger.isAllowed(bytes, "ExampleBot", "/"), false);
  assert.equal(verger.isAllowed(file(100), "ExampleBot", "/"), false);
});
