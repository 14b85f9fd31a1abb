// Verger and robots-parser on the same files and questions, in one process.
//
// `cargo xtask npm --bench` compares the built package with the installed robots-parser.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";

import { modules } from "./tests/support.mjs";

const { parse, verger, facade } = await modules();
const peer = createRequire(`${process.env.VERGER_PEERS}/`)("robots-parser");

/** Seconds of each measurement; the best of several counts. */
const SECONDS = 0.25;
const ROUNDS = 7;

const SITE = "https://shop.example";
const AGENT = "ExampleBot";

/** A file of usual size, 7 KB, whose rules look like those of a shop. */
const FILE = [
  "User-agent: *",
  ...Array.from({ length: 200 }, (_, at) =>
    at % 5 === 0 ? `Disallow: /*?filter=${at}&sort=*` : `Disallow: /section-${at}/private/page`,
  ),
  "Allow: /section-7/private/page/help",
  "Sitemap: https://shop.example/sitemap.xml",
  "",
].join("\n");

const URLS = Array.from({ length: 100 }, (_, at) => {
  const path =
    at % 3 === 0 ? `/section-${at}/private/page/${at}` : `/catalogue/item-${at}?page=${at}`;
  return SITE + path;
});

/** Nanoseconds of one call. */
function time(calls, work) {
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    let count = 0;
    const start = process.hrtime.bigint();
    let spent = 0;
    do {
      work();
      count += calls;
      spent = Number(process.hrtime.bigint() - start);
    } while (spent < SECONDS * 1e9);
    best = Math.min(best, spent / count);
  }
  return best;
}

/** Asks about each URL. */
function each(ask) {
  for (const url of URLS) ask(url);
}

const rows = [];
function row(name, calls, theirs, ours) {
  const [peerTime, ourTime] = [time(calls, theirs), time(calls, ours)];
  rows.push({ name, peerTime, ourTime, ratio: peerTime / ourTime });
}

const theirs = peer(`${SITE}/robots.txt`, FILE);
const robots = verger.parse(FILE);
const facades = facade(`${SITE}/robots.txt`, FILE);
const policy = verger.compilePolicy(FILE, AGENT);
const bytes = new TextEncoder().encode(FILE);
const lines = URLS.join("\n");

for (const url of URLS) {
  if (theirs.isAllowed(url, AGENT) !== robots.isAllowed(AGENT, url))
    throw new Error(`differs: ${url}`);
}

const askPeer = () => each((url) => theirs.isAllowed(url, AGENT));
row("check, Robots.isAllowed", URLS.length, askPeer, () =>
  each((url) => robots.isAllowed(AGENT, url)),
);
row("check, verger/robots-parser", URLS.length, askPeer, () =>
  each((url) => facades.isAllowed(url, AGENT)),
);
row("check, Policy.isAllowed", URLS.length, askPeer, () => each((url) => policy.isAllowed(url)));
row("check, Policy.areLinesAllowed", URLS.length, askPeer, () => policy.areLinesAllowed(lines));
row(
  "verdict, Robots.check",
  URLS.length,
  () => each((url) => theirs.getMatchingLineNumber(url, AGENT)),
  () => each((url) => robots.check(AGENT, url)),
);
row(
  "line, Robots.decidingLine",
  URLS.length,
  () => each((url) => theirs.getMatchingLineNumber(url, AGENT)),
  () => each((url) => robots.decidingLine(AGENT, url)),
);
row(
  "parse, string",
  1,
  () => peer(`${SITE}/robots.txt`, FILE),
  () => parse(FILE).free(),
);
row(
  "parse, bytes",
  1,
  () => peer(`${SITE}/robots.txt`, new TextDecoder().decode(bytes)),
  () => parse(bytes).free(),
);

/** Agents in turn. */
const AGENTS = ["GPTBot", "Googlebot", "ExampleBot", "bingbot"];
row(
  "check, four agents in turn",
  URLS.length,
  () => URLS.map((url, at) => theirs.isAllowed(url, AGENTS[at % 4])),
  () => URLS.map((url, at) => robots.isAllowed(AGENTS[at % 4], url)),
);

/** The shop of the examples, and of the corpus a default file of Shopify and the three largest. */
function* realFiles() {
  const read = (path) => readFileSync(path, "utf8");
  yield [
    "the shop of the examples",
    read(new URL("../../examples/shop/robots.txt", import.meta.url)),
  ];
  const folder = process.env.VERGER_CORPUS;
  if (!folder) {
    console.log("SKIPPED: four files of the corpus in ../shared");
    return;
  }
  const paths = readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
  const shopify = paths.sort().find((path) => read(path).includes("we use Shopify as our"));
  if (shopify !== undefined) yield ["Shopify's default", read(shopify)];
  const bySize = paths.sort((a, b) => statSync(b).size - statSync(a).size);
  for (const path of bySize.slice(0, 3)) {
    const text = read(path);
    yield [`${Math.round(text.length / 1000)} KB of the corpus`, text];
  }
}

/** A hundred URLs: of patterns of the file, and others. */
function urlsFor(text) {
  const patterns = [...text.matchAll(/^(?:dis)?allow:\s*(\/[^\s#]*)/gim)].map(([, it]) => it);
  const step = Math.max(1, Math.floor(patterns.length / 50));
  const named = patterns.filter((_, at) => at % step === 0).slice(0, 50);
  return [
    ...named.map((it) => SITE + it.replaceAll("*", "x").replace(/\$$/, "")),
    ...URLS.slice(0, 100 - named.length),
  ];
}

for (const [name, text] of realFiles()) {
  const [their, our, urls] = [peer(`${SITE}/robots.txt`, text), parse(text), urlsFor(text)];
  row(
    `Robots.check, ${name}`,
    urls.length,
    () => urls.map((url) => their.isAllowed(url, "GPTBot")),
    () => urls.map((url) => our.check("GPTBot", url)),
  );
}

console.log(`file of ${FILE.length} bytes; ns a call; Node.js ${process.version}\n`);
for (const { name, peerTime, ourTime, ratio } of rows) {
  const columns = [peerTime, ourTime].map((it) => it.toFixed(0).padStart(9)).join("");
  console.log(`${name.padEnd(40)}${columns}  ${ratio.toFixed(1)} x`);
}
