// The program `verger-migrate`, with the installed robots-parser.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { test } from "node:test";

import { load, PACKAGE } from "./support.mjs";

const PEERS = process.env.VERGER_PEERS;
const skip = !PEERS && "VERGER_PEERS is not set";
const { differences } = await load("migrate/main.js");
const { CAUSES } = await load("migrate/causes.js");

function program(parameters, options = {}) {
  const found = spawnSync(process.execPath, [`${PACKAGE}/bin/verger-migrate.js`, ...parameters], {
    cwd: PEERS,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    ...options,
  });
  return { code: found.status, out: found.stdout, error: found.stderr };
}

function file(content) {
  const path = join(mkdtempSync(join(tmpdir(), "verger-")), "robots.txt");
  writeFileSync(path, content);
  return path;
}

const utf16 = Buffer.from("\ufeffUser-agent: *\nDisallow: /a\n", "utf16le");
const huge = `User-agent: *\n${"# x\n".repeat(130_000)}Disallow: /a\n`;

/** One question for each cause: cause, file, agent, path, and whether robots-parser allows it. */
const CASES = [
  ["utf-16", utf16, "x", "/a", true],
  ["size-limit", huge, "x", "/a", false],
  ["not-utf-8", Buffer.from("User-agent: *\nDisallow: /\xe9\n", "latin1"), "x", "/%E9", true],
  ["white-space", "User-agent: *\nDisallow: /a\u00a0\n", "x", "/a", false],
  ["missing-colon", "User-agent: *\nDisallow /a\n", "x", "/a", true],
  ["misspelt-key", "User-agent: *\nDissalow: /a\n", "x", "/a", true],
  [
    "other-line-ends-agents",
    "User-agent: x\nSitemap: /s\nUser-agent: y\nDisallow: /a\n",
    "x",
    "/a",
    true,
  ],
  ["group-without-rules", "User-agent: *\nDisallow: /a\n\nUser-agent: x\n", "x", "/a", false],
  ["first-word", "User-agent: x y\nDisallow: /a\n", "x", "/a", true],
  [
    "user-agent-header",
    "User-agent: ExampleBot\nDisallow: /a\n",
    "Mozilla/5.0 (compatible; ExampleBot/1.0)",
    "/a",
    true,
  ],
  ["robots-txt", "User-agent: *\nDisallow: /\n", "x", "/robots.txt", false],
  ["empty-query", "User-agent: *\nDisallow: /a?\n", "x", "/a?", true],
  ["escapes", "User-agent: *\nDisallow: /a\n", "x", "/%61", true],
  [
    "first-word + robots-txt",
    "User-agent: x y\nAllow: /\n\nUser-agent: *\nDisallow: /\n",
    "x",
    "/robots.txt",
    false,
  ],
];

test("each cause has a difference that it explains", { skip }, () => {
  const peer = createRequire(join(PEERS, "x.js"))("robots-parser");
  for (const [cause, content, agent, path, theirs] of CASES) {
    const found = [
      ...differences(
        new Uint8Array(Buffer.from(content)),
        [agent],
        [`https://shop.example${path}`],
        peer,
      ),
    ];
    assert.equal(found.length, 1, cause);
    assert.equal(found[0].peerAllows, theirs, cause);
    assert.equal(found[0].causes.map((it) => it.name).join(" + "), cause);
  }
  const tested = CASES.map(([cause]) => cause).filter((cause) => !cause.includes("+"));
  assert.deepEqual(
    tested,
    CAUSES.map((cause) => cause.name),
  );
});

test("every clause exists", async () => {
  const { text } = await import("./support.mjs");
  const clauses = text("docs/clauses.md");
  for (const { clause, name } of CAUSES)
    assert.ok(clauses.includes(`**${clause}**`), `${name}: ${clause}`);
});

test("the report names file, line, agent, URL and both answers", { skip }, () => {
  const path = file("User-agent: *\nDissalow: /a\n");
  const { code, out } = program([path, "--agent", "ExampleBot", "--max-urls", "8"]);
  assert.equal(code, 1);
  assert.match(
    out,
    /^robots-parser 3\.0\.1: \d+ of 8 answers differ \(\d+\.\d\d %\), in 1 file\n\n {2}misspelt-key \[REP-AMB-40\]: \d+\n/,
  );
  assert.ok(
    out.includes(
      `    ${path}:2: ExampleBot https://shop.example/a\n      robots-parser allows; Verger disallows: disallowed by \`Disallow: /a\` on line 2`,
    ),
    out,
  );
});

test("equal answers are exit code 0, and standard input is read", { skip }, () => {
  const { code, out } = program(["-", "--agent", "x", "--max-urls", "1"], {
    input: "User-agent: *\nDisallow: /a\n",
  });
  assert.deepEqual(
    [code, out],
    [0, "robots-parser 3.0.1: 0 of 1 answers differ (0.00 %), in 1 file\n"],
  );
});

test("given URLs are asked, and JSON has every difference", { skip }, () => {
  const urls = file("# all\n\nhttps://shop.example/%61\nhttp://other.example:8080/b\n");
  const { code, out } = program([
    file("User-agent: *\nDisallow: /a\n"),
    "--urls",
    urls,
    "--agent",
    "x",
    "--format",
    "json",
  ]);
  assert.equal(code, 1);
  const { questions, differences: found, causes, unexplained } = JSON.parse(out);
  assert.deepEqual([questions, found.length, unexplained, causes[0].cause], [2, 1, 0, "escapes"]);
  assert.deepEqual([found[0].line, found[0].peerAllows, found[0].vergerAllows], [2, true, false]);
});

test("errors are exit code 2 with a hint", { skip }, () => {
  const path = file("");
  for (const [parameters, message] of [
    [[], /^error: expected a FILE; see --help\n$/],
    [["--nope"], /^error: .*--nope.*; see --help\n$/],
    [["/does/not/exist"], /^error: \/does\/not\/exist: there is no such file; check the path\n$/],
    [
      [path, "--urls", "/does/not/exist"],
      /^error: \/does\/not\/exist: there is no such file; check the path\n$/,
    ],
    [[path, "--urls", dirname(path)], /^error: .*: expected a file, but found a directory\n$/],
    [[path, "--format", "x"], /^error: --format: expected text or json, but found x\n$/],
    [[path, "--examples", "-1"], /^error: /],
    [[path, "--urls", path], /^error: .*: no URLs found\n$/],
    [
      [path, "--urls", file("shop.example/a\n")],
      /expected URLs with http or https, but found shop\.example\/a/,
    ],
  ]) {
    const { code, error } = program(parameters);
    assert.match(error, message);
    assert.equal(code, 2);
  }
  const { code, error } = program([path], { cwd: tmpdir() });
  assert.deepEqual(
    [code, error],
    [2, "error: robots-parser is not installed here. Run: npm install robots-parser\n"],
  );
  assert.equal(program(["--help"]).code, 0);
});

test("of a directory the text files are read, without those of packages", { skip }, () => {
  const folder = dirname(file("User-agent: *\n"));
  for (const inner of ["sites", "node_modules", "sites/node_modules"])
    mkdirSync(join(folder, inner));
  for (const other of [
    "sites/shop.TXT",
    "sites/page.html",
    "node_modules/a.txt",
    "sites/node_modules/b.txt",
  ]) {
    writeFileSync(join(folder, other), "User-agent: *\n");
  }
  const { out } = program([folder, "--format", "json"]);
  assert.equal(JSON.parse(out).files, 2);
  const { code, error } = program([join(folder, "node_modules", "..", "sites", "node_modules")]);
  assert.deepEqual([code, error], [0, ""], "a folder that is named itself is read");
  mkdirSync(join(folder, "empty"));
  const none = program([join(folder, "empty")]);
  assert.deepEqual(none, {
    code: 2,
    out: "",
    error: "error: no *.txt files found in the given directories; name a file to read any other\n",
  });
});

test("hostile text is escaped in the report", { skip }, () => {
  const { out } = program([
    file("User-agent: *\nDissalow: /\u001b[31m\u202e\n"),
    "--agent",
    "x\u001b]0;y\u0007",
  ]);
  assert.ok(!/[^\P{C}\n]/u.test(out), out);
});

const CORPUS = process.env.VERGER_CORPUS;

test("every difference on real files is explained", {
  skip: skip || (!CORPUS && "VERGER_CORPUS is not set"),
}, () => {
  const entries = readdirSync(CORPUS, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((it) => it.isFile())
    .map((it) => join(it.parentPath ?? it.path, it.name));
  const { out } = program([...files, "--format", "json", "--max-urls", "40"]);
  const { unexplained, differences: found, questions } = JSON.parse(out);
  assert.ok(questions > 100_000, `${questions}`);
  const examples = found.filter((it) => it.cause === "unexplained").slice(0, 3);
  assert.deepEqual([unexplained, examples], [0, []]);
});
