// The conformance suite and hostile inputs.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { test } from "node:test";

import { modules, PACKAGE, text } from "./support.mjs";
import { ask, decode64, run } from "./vectors.mjs";

const { verger, tools, facade } = await modules();
const suite = JSON.parse(text("testdata/verger-testdata.json"));

test("every function gives the answers of the suite", () => {
  assert.equal(suite.format, 1);
  const { answers, failures } = run(verger, suite);
  assert.deepEqual(failures, []);
  assert.ok(answers > 1_000, `${answers} answers`);
});

test("the suite has answers for every dialect", () => {
  const found = new Set(suite.verdicts.flatMap((entry) => Object.keys(entry.expect)));
  assert.deepEqual([...found].sort(), [...verger.DIALECTS].sort());
});

test("CommonJS gets the same answers", () => {
  const required = createRequire(import.meta.url)(`${PACKAGE}/index.node.cjs`);
  const { failures } = run(required, suite);
  assert.deepEqual(failures, []);
});

test("the interface of robots-parser gives the answers for URLs that its parser does not change", () => {
  let count = 0;
  for (const entry of suite.verdicts) {
    const expected = entry.expect.rfc9309;
    if (expected === undefined || entry.repeat !== undefined) continue;
    if (
      !/^https?:/.test(entry.url) ||
      !URL.canParse(entry.url) ||
      new URL(entry.url).href !== entry.url
    )
      continue;
    const body = entry.robots ?? decode64(entry.robots_b64);
    const robots = facade(new URL("/robots.txt", entry.url).href, body);
    assert.equal(robots.isAllowed(entry.url, entry.agent), expected.allowed, entry.name);
    assert.equal(robots.isDisallowed(entry.url, entry.agent), !expected.allowed, entry.name);
    assert.equal(
      robots.getMatchingLineNumber(entry.url, entry.agent),
      expected.line ?? -1,
      entry.name,
    );
    count += 1;
  }
  assert.ok(count > 300, `${count} answers`);
});

const HOSTILE = process.env.VERGER_HOSTILE;

const isUrl = (text) => /^(?:[a-z][a-z0-9+.-]*:\/)?\//i.test(text);

test("hostile inputs get the expected answers", {
  skip: !HOSTILE && "VERGER_HOSTILE is not set",
}, () => {
  assert.ok(existsSync(HOSTILE), HOSTILE);
  let answers = 0;
  for (const line of readFileSync(HOSTILE, "utf8").trim().split("\n")) {
    const { id, bytes, questions } = JSON.parse(line);
    for (const { robots, agent, url, expect } of questions) {
      for (const [dialect, expected] of Object.entries(expect)) {
        const name = new TextDecoder().decode(decode64(agent));
        // The package refuses an agent that begins as a URL: the arguments are in the wrong order.
        if (isUrl(name)) {
          assert.throws(() => verger.isAllowed("", name, "/"), TypeError, id);
          continue;
        }
        const found = ask(verger, decode64(robots), name, decode64(url), dialect);
        assert.deepEqual(found.problems, [], id);
        assert.equal(found.allowed, expected, `${id}, ${dialect}`);
        answers += 1;
      }
    }
    // The same bytes in the wrong places.
    const input = decode64(bytes);
    if (input.length > 64_000) continue;
    const anyText = new TextDecoder("latin1").decode(input);
    if (isUrl(anyText)) assert.throws(() => verger.isAllowed("", anyText, "/"), TypeError, id);
    const anyAgent = isUrl(anyText) ? ` ${anyText}` : anyText;
    for (const body of [input, anyText]) {
      assert.deepEqual(ask(verger, body, anyAgent, input, "rfc9309").problems, [], id);
      const robots = verger.parse(body);
      const names = ["sitemaps", "agentmaps", "schemamaps", "host", "groups", "records", "bytes"];
      for (const name of names) assert.notEqual(robots[name], undefined, id);
      for (const name of [
        "crawlDelay",
        "requestRates",
        "visitTimes",
        "licenses",
        "groupsFor",
        "recordsFor",
      ]) {
        assert.notEqual(robots[name](anyAgent), undefined, id);
      }
      robots.sitemapUrls("https://shop.example/");
      robots.free();
      facade("/robots.txt", body).isAllowed(anyText, anyText);
    }
    if (input.length > 4_000) continue;
    tools.format(input);
    tools.lint(input);
    tools.diagnostics(input);
    tools.contentSignals(input, anyAgent, input);
    tools.contentUsage(input, anyAgent, input);
    tools.cleanUrl(input, anyText);
    tools.diffFiles(input, anyText);
    tools.coverage(input, anyAgent, [anyText]);
    tools.deadRules(input, anyAgent);
    tools.redundantRules(input, anyAgent);
    tools.identifyCrawlers(anyText);
  }
  assert.ok(answers > 400, `${answers} answers`);
});

test("lone surrogates are their three bytes, and never errors", () => {
  for (const lone of [
    "\ud800",
    "a\udfff",
    "\udc80",
    `${"x".repeat(200)}\ud800`,
    "\ud83d\ude00\ud83d",
  ]) {
    const robots = verger.parse(`User-agent: *\nDisallow: /${lone}\n`);
    assert.equal(robots.isAllowed("ExampleBot", `/${lone}`), false);
    assert.equal(robots.isAllowed(lone, `https://shop.example/${lone}`), false);
    assert.equal(robots.isAllowed("ExampleBot", "/\ufffd"), true);
    assert.equal(robots.check("ExampleBot", `/${lone}`).line, 2);
    assert.equal(robots.policy(lone).isAllowed(`/${lone}`), false);
    tools.lint(lone);
    tools.diffFiles(lone, `${lone}${lone}`, { agents: [lone] });
    robots.free();
  }
  const { bytes } = verger.parse("\ud800\udbff\u20ac\u00e9\ud83d\ude00");
  const expected = [
    0xed, 0xa0, 0x80, 0xed, 0xaf, 0xbf, 0xe2, 0x82, 0xac, 0xc3, 0xa9, 0xf0, 0x9f, 0x98, 0x80,
  ];
  assert.deepEqual([...bytes], expected);
});

test("strings of every length and kind are their UTF-8 bytes", () => {
  const encoder = new TextEncoder();
  for (const char of ["a", "\u00e9", "\u20ac", "\u{1f600}", "a\u20ac"]) {
    for (const length of [
      0, 1, 2, 31, 32, 33, 1_000, 1_365, 1_366, 4_096, 65_535, 65_536, 120_000,
    ]) {
      const string = char.repeat(length);
      const robots = verger.parse(string);
      assert.deepEqual(
        Buffer.from(robots.bytes),
        Buffer.from(encoder.encode(string)),
        `${char} ${length}`,
      );
      robots.free();
    }
  }
});
