// The entry points for browsers and bundlers, which do not start at the import.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { load, PACKAGE } from "./support.mjs";

const { init, parse, Robots, robotsUrl, Crawler, compilePolicy } = await load("index.js");
const tools = await load("tools.js");

test("functions throw before init, with a hint", () => {
  const hint = (module) => ({
    message: `\`${module}\` is not started: call \`await init()\` of it first`,
  });
  for (const call of [
    () => parse(""),
    () => parse(new Uint8Array(3)),
    () => new Robots(""),
    () => new Crawler("a"),
    () => compilePolicy("", "a"),
  ]) {
    assert.throws(call, hint("verger"), String(call));
  }
  for (const call of [
    () => tools.lint(""),
    () => tools.lintRules(),
    () => tools.knownCrawlers(),
    () => tools.identifyCrawlers(""),
  ]) {
    assert.throws(call, hint("verger/tools"), String(call));
  }
  assert.equal(robotsUrl("https://shop.example/x"), "https://shop.example/robots.txt");
});

/** A module with custom sections, and nothing else. */
function moduleWith(...ids) {
  const bytes = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  for (const id of ids) {
    const text = new TextEncoder().encode(id);
    bytes.push(0, 7 + text.length, 6, ...new TextEncoder().encode("verger"), ...text);
  }
  return new Uint8Array(bytes);
}

test("a module of another version, or of another entry point, is refused", async () => {
  const { version } = JSON.parse(readFileSync(`${PACKAGE}/package.json`, "utf8"));
  const refused = (source, name, found) =>
    assert.rejects(source, {
      message: `expected the module of ${name} ${version}, but found ${found}; use the .wasm file of the same package`,
    });
  await refused(init(moduleWith("verger 9.9.9")), "verger", "that of verger 9.9.9");
  await refused(init(moduleWith("\u202e")), "verger", "that of \\u{202e}");
  await refused(init(moduleWith()), "verger", "another module");
  const other = readFileSync(`${PACKAGE}/native/tools.wasm`);
  await refused(init(other), "verger", `that of verger/tools ${version}`);
  await refused(
    tools.init(readFileSync(`${PACKAGE}/native/engine.wasm`)),
    "verger/tools",
    `that of verger ${version}`,
  );
  assert.throws(() => parse(""), /is not started/);
});

test("init can be tried again after a failure", async () => {
  await assert.rejects(
    init(new Response("", { status: 404 })),
    /expected a module, but found status 404/,
  );
  await assert.rejects(init(new Uint8Array(8)), WebAssembly.CompileError);
  const bytes = readFileSync(`${PACKAGE}/native/engine.wasm`);
  await Promise.all([init(bytes), init()]);
  await init("https://unused.invalid/");
  assert.equal(parse("User-agent: *\nDisallow: /x\n").isAllowed("a", "/x"), false);
});

test("init takes a response, a module, and bytes", async () => {
  const bytes = readFileSync(`${PACKAGE}/native/tools.wasm`);
  await tools.init(Promise.resolve(new Response(bytes)));
  assert.ok(tools.lintRules().length > 50);
  const { load: module } = await load("lib/start.js");
  assert.ok((await module(await WebAssembly.compile(bytes))) instanceof WebAssembly.Module);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  assert.ok((await module(buffer)) instanceof WebAssembly.Module);
});
