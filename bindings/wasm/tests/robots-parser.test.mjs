// The interface of robots-parser.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";

import { modules, PACKAGE } from "./support.mjs";

const { facade } = await modules();
const SITE = "https://shop.example/robots.txt";

test("CommonJS and ES modules get the function", () => {
  const required = createRequire(import.meta.url)(`${PACKAGE}/robots-parser.cjs`);
  assert.equal(typeof required, "function");
  assert.equal(
    required(SITE, "User-agent: *\nDisallow: /x\n").isAllowed("https://shop.example/x"),
    false,
  );
});

test("URLs of another origin have no answer", () => {
  const robots = facade(SITE, "User-agent: *\nAllow: /\n");
  for (const url of [
    "http://shop.example/",
    "https://shop.example:8443/",
    "https://other.example/",
    "/x",
    "no url:",
    "//shop.example:1/",
  ]) {
    assert.equal(robots.isAllowed(url), undefined, url);
    assert.equal(robots.isDisallowed(url), true, url);
    assert.equal(robots.getMatchingLineNumber(url), -1, url);
  }
  for (const url of [
    "https://shop.example/",
    "https://SHOP.example:443/x",
    "https://user@shop.example/",
  ]) {
    assert.equal(robots.isAllowed(url), true, url);
    assert.equal(robots.getMatchingLineNumber(url), 2, url);
  }
});

test("URLs with an opaque origin have no answer", () => {
  for (const url of [
    "data:,x",
    "file:///x",
    "about:blank",
    "mailto:a@shop.example",
    "app://shop.example/x",
  ]) {
    const robots = facade(url, "User-agent: *\nAllow: /\n");
    assert.equal(robots.isAllowed(url), undefined, url);
    assert.equal(robots.isDisallowed(url), true, url);
    assert.equal(robots.getMatchingLineNumber(url), -1, url);
  }
  for (const site of [null, "null", undefined]) {
    const robots = facade(site, "User-agent: *\nDisallow: /x\n");
    assert.deepEqual([robots.isAllowed("/x"), robots.isAllowed("/y")], [false, true]);
    assert.equal(robots.isAllowed("data:,x"), undefined);
  }
});

test("whole User-Agent headers name the crawler", () => {
  const robots = facade(SITE, "User-agent: ExampleBot\nDisallow: /x\n");
  const header = "Mozilla/5.0 (compatible; ExampleBot/1.0)";
  assert.equal(robots.isAllowed("https://shop.example/x", header), false);
});

test("an agent that begins as a URL is no error, and is read as a header", () => {
  const robots = facade(
    SITE,
    "User-agent: ExampleBot\nDisallow: /x\nCrawl-delay: 2\n\nUser-agent: *\nDisallow: /y\n",
  );
  for (const [agent, answers] of [
    ["/ExampleBot", [false, 2, 2]],
    ["https://bot.example/", [true, -1, undefined]],
  ]) {
    const url = "https://shop.example/x";
    const found = [
      robots.isAllowed(url, agent),
      robots.getMatchingLineNumber(url, agent),
      robots.getCrawlDelay(agent),
    ];
    assert.deepEqual(found, answers, agent);
  }
});

test("bytes are read in their encoding", () => {
  const utf16 = Buffer.from("\ufeffUser-agent: *\nDisallow: /x\n", "utf16le");
  assert.equal(facade(SITE, utf16).isAllowed("https://shop.example/x"), false);
});

test("an empty query is part of the URL", () => {
  const robots = facade(SITE, "User-agent: *\nDisallow: /x?\n");
  assert.equal(robots.isAllowed("https://shop.example/x?"), false);
  assert.equal(robots.isAllowed("https://shop.example/x?#y"), false);
  assert.equal(robots.isAllowed("https://shop.example/x"), true);
});

test("rules, delays, sitemaps and a host can be added", () => {
  for (const contents of [
    "User-agent: *\nDisallow: /x\nUser-agent: open",
    Buffer.from("User-agent: *\nDisallow: /x"),
    Buffer.from("\ufeffUser-agent: *\r\nDisallow: /x", "utf16le"),
    "",
  ]) {
    const robots = facade(SITE, contents);
    const before = robots.isAllowed("https://shop.example/x", "other");
    robots.addRule(["ExampleBot", "Second"], "/y", false, 77);
    robots.addRule(["ExampleBot"], "/y/z", true);
    robots.addRule(["ExampleBot"], "/a#b\nUser-agent: *\nDisallow: /", false, 79);
    robots.setCrawlDelay(["ExampleBot"], "7");
    robots.setCrawlDelay(["ExampleBot"], "x");
    robots.addSitemap("/added.xml");
    robots.setPreferredHost("added.example");
    assert.equal(robots.isAllowed("https://shop.example/y", "ExampleBot"), false);
    assert.equal(robots.getMatchingLineNumber("https://shop.example/y", "ExampleBot"), 77);
    assert.equal(robots.getMatchingLineNumber("https://shop.example/y/z", "ExampleBot"), undefined);
    assert.equal(robots.isAllowed("https://shop.example/y", "Second"), false);
    assert.equal(robots.isAllowed("https://shop.example/y", "open"), true);
    assert.equal(robots.isAllowed("https://shop.example/x", "other"), before);
    assert.equal(robots.isAllowed("https://shop.example/other", "other"), true);
    assert.equal(robots.getCrawlDelay("ExampleBot/1.0"), 7);
    assert.equal(robots.getCrawlDelay("Second"), undefined);
    assert.deepEqual(robots.getSitemaps(), ["/added.xml"]);
    assert.equal(robots.getPreferredHost(), "added.example");
  }
});

test("rules that would be cut off are errors", () => {
  const robots = facade(SITE, `User-agent: *\nDisallow: /x\n${"# comment\n".repeat(60_000)}`);
  assert.throws(
    () => robots.addRule(["*"], "/y", false),
    /RangeError: addRule: the file and the added rules are longer than 500 KiB/,
  );
  assert.equal(robots.isAllowed("https://shop.example/x"), false);
});
