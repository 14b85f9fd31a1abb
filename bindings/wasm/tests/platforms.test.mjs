// The conformance suite on other platforms. VERGER_PEERS is a folder with their npm packages.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { promisify } from "node:util";

import { CHROMIUM, FLAGS } from "../../../crates/verger-server/page/tests/chromium.mjs";
import { PACKAGE, ROOT } from "./support.mjs";

const PEERS = process.env.VERGER_PEERS;
const HERE = new URL("./", import.meta.url);
const skip = !PEERS && "VERGER_PEERS is not set";
const execute = promisify(execFile);

if (!skip) {
  const installed = join(PEERS, "node_modules/verger");
  rmSync(installed, { recursive: true, force: true });
  cpSync(PACKAGE, installed, { recursive: true });
  for (const file of [
    "platforms/main.js",
    "platforms/worker.js",
    "platforms/config.capnp",
    "vectors.mjs",
  ]) {
    copyFileSync(new URL(file, HERE), join(PEERS, file.split("/").at(-1)));
  }
  copyFileSync(`${ROOT}/testdata/verger-testdata.json`, join(PEERS, "suite.json"));
}

/** Runs a program of npm, and returns its output. */
async function output(name, ...parameters) {
  const program = join(PEERS, "node_modules/.bin", name);
  const { stdout, stderr } = await execute(program, parameters, { cwd: PEERS, maxBuffer: 1 << 26 });
  return stdout + stderr;
}

/** Checks the result that a platform prints. */
function check(text) {
  const line = text.split("\n").find((it) => it.includes('{"answers"'));
  assert.ok(line !== undefined, text);
  const { answers, failures } = JSON.parse(line.slice(line.indexOf("{")));
  assert.deepEqual(failures, []);
  assert.ok(answers > 1_000, `${answers} answers`);
}

test("Deno gives the answers of the suite, without any permission", { skip }, async () => {
  writeFileSync(join(PEERS, "deno.json"), '{ "nodeModulesDir": "manual" }\n');
  check(await output("deno", "run", "--no-prompt", "--quiet", "main.js"));
});

test("Bun gives the answers of the suite", { skip }, async () => {
  check(await output("bun", "main.js"));
});

test("workerd gives the answers of the suite", { skip }, async () => {
  const bundle = [
    "worker.js",
    "--bundle",
    "--format=esm",
    "--conditions=workerd",
    "--external:*.wasm",
    "--outfile=bundle.js",
    "--log-level=warning",
  ];
  await output("esbuild", ...bundle);
  // The names of the modules in `config.capnp`.
  const text = readFileSync(join(PEERS, "bundle.js"), "utf8");
  writeFileSync(join(PEERS, "bundle.js"), text.replaceAll("./native/", "./"));
  check(await output("workerd", "test", "--verbose", "config.capnp"));
});

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".json": "application/json",
  ".wasm": "application/wasm",
};
const PAGE = '<!doctype html><meta charset="utf-8"><title>Verger</title>';

test("Chromium gives the answers of the suite, under a strict policy", {
  skip: skip || (!existsSync(CHROMIUM) && "SKIPPED: Chromium is missing"),
}, async () => {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://localhost").pathname);
    const headers = {
      "content-security-policy":
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
    };
    const file = join(PEERS, path);
    if (path === "/") {
      response.writeHead(200, { ...headers, "content-type": "text/html" }).end(PAGE);
    } else if (existsSync(file)) {
      response
        .writeHead(200, { ...headers, "content-type": TYPES[extname(file)] ?? "text/plain" })
        .end(readFileSync(file));
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { chromium } = createRequire(join(PEERS, "x.js"))("playwright-core");
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const result = await page.evaluate(async () => {
      const verger = await import("/node_modules/verger/index.js");
      const tools = await import("/node_modules/verger/tools.js");
      const { run } = await import("/vectors.mjs");
      await Promise.all([verger.init(), verger.init(), tools.init()]);
      const suite = await (await fetch("/suite.json")).json();
      const { answers, failures } = run(verger, suite);
      if (tools.lint("User-agent: *\nDissalow: /x\n").findings.length !== 1)
        failures.push("verger/tools");
      return JSON.stringify({ answers, failures });
    });
    check(result);
  } finally {
    await browser.close();
    server.close();
  }
});
