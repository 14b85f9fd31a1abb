// A peer written in JavaScript: reads commands on standard input, and times its work.
//
// Usage: node peer.mjs FOLDER, where FOLDER contains the installed robots-parser. peer.py describes the
// lines.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const require = createRequire(join(resolve(process.argv[2]), "here.js"));
const robotsParser = require("robots-parser");
const { version } = require("robots-parser/package.json");

const now = () => process.hrtime.bigint();
let agent = "";
let sites = [];
let parsed = [];
// Uses the results, so that the engine cannot remove their computation.
let _sink = 0;

const parse = (site) => robotsParser(site.robotsUrl, site.data.toString("utf8"));

function load(path) {
  const setup = JSON.parse(readFileSync(path, "utf8"));
  const blob = readFileSync(setup.blob);
  agent = setup.agent;
  parsed = [];
  sites = setup.sites.map(([start, end, urls, robotsUrl]) => ({
    data: blob.subarray(start, end),
    urls,
    robotsUrl,
  }));
  return null;
}

function answersOf(site) {
  let robots;
  try {
    robots = parse(site);
  } catch {
    return null;
  }
  return site.urls
    .map((url) => {
      try {
        // `undefined` for URLs of other origins.
        const allowed = robots.isAllowed(url, agent);
        return allowed === undefined ? "-" : allowed ? "1" : "0";
      } catch {
        return "-";
      }
    })
    .join("");
}

function timed(work) {
  const start = now();
  work();
  return Number(now() - start);
}

const works = {
  about: () => ({ name: "robots-parser", version, language: `Node.js ${process.versions.node}` }),
  load: (line) => load(line.path),
  answers: () => sites.map(answersOf),
  stage: () => {
    parsed = sites.map(parse);
    return null;
  },
  "one-shot": (line) =>
    timed(() => {
      for (const site of sites) {
        _sink += parse(site).isAllowed(site.urls[line.round % site.urls.length], agent) ? 1 : 0;
      }
    }),
  parse: () =>
    timed(() => {
      for (const site of sites) {
        _sink += parse(site) ? 1 : 0;
      }
    }),
  "match-hot": (line) =>
    timed(() => {
      for (let number = 0; number < sites.length; number++) {
        const robots = parsed[number];
        for (let repeat = 0; repeat < line.repeats; repeat++) {
          for (const url of sites[number].urls) {
            _sink += robots.isAllowed(url, agent) ? 1 : 0;
          }
        }
      }
    }),
  "match-cold": (line) =>
    timed(() => {
      for (const [site, question] of line.order) {
        _sink += parsed[site].isAllowed(sites[site].urls[question], agent) ? 1 : 0;
      }
    }),
};

for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text);
  console.log(JSON.stringify(works[line.do](line)));
}
