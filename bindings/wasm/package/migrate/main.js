// The program `verger-migrate`.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";

import { parse } from "verger";
import robotsParser from "verger/robots-parser";

import { visible } from "../lib/visible.js";
import { Analysis, RAISES, UNEXPLAINED } from "./causes.js";
import * as questions from "./questions.js";

const HELP = `Shows which answers change if you replace robots-parser by Verger.

Asks the installed robots-parser and verger/robots-parser with isAllowed the same questions, and
reports each difference by cause, with the file, the line, the URL, the agent, both answers, and the
clause of docs/clauses.md. Crawl delays, sitemaps and the preferred host are not compared.

Usage: npx --package=verger verger-migrate [OPTIONS] FILE…

  FILE             robots.txt, directory whose *.txt files are read, also those of its folders but
                   node_modules, or - for standard input
  --urls FILE      URLs to ask for, one a line, without blank lines and comments (#)
                   [default: generated from the rules]
  --agent NAME     product token or User-Agent header of your crawler; may be repeated
                   [default: agents that the file names, one that it does not name, and a header]
  --format FORMAT  output format: text or json [default: text]
  --examples N     examples of each cause in text output, 0 for all [default: 3]
  --max-urls N     maximum number of generated URLs for a file [default: 200]
  --max-agents N   maximum number of agents taken from a file [default: 6]
  --help           prints this text

Exit codes: 0 no difference; 1 differences; 2 error: a file is missing, or robots-parser is not
installed.
`;

/** Runs the program, and returns its exit code. */
export function main(parameters = process.argv.slice(2)) {
  try {
    return run(parameters);
  } catch (error) {
    const text = error instanceof UserError ? visible(error.message) : error.stack;
    process.stderr.write(`error: ${text}\n`);
    return 2;
  }
}

/** An error with a message for users. */
class UserError extends Error {}

function run(parameters) {
  const options = optionsOf(parameters);
  if (options.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const { peer, version } = installedPeer();
  const files = options.files.flatMap(filesOf);
  if (files.length === 0) {
    throw new UserError(
      "no *.txt files found in the given directories; name a file to read any other",
    );
  }
  const given = options.urls === undefined ? undefined : urlsOf(options.urls);
  const found = [];
  let asked = 0;
  for (const { name, body } of files) {
    const robots = parse(body);
    const agents = options.agent ?? questions.agents(robots, options.maxAgents);
    const urls = given ?? questions.urls(robots, options.maxUrls);
    asked += agents.length * urls.length;
    robots.free();
    for (const it of differences(body, agents, urls, peer)) found.push({ file: name, ...it });
  }
  const report = { files: files.length, version, asked, found };
  process.stdout.write(options.format === "json" ? json(report) : plain(report, options.examples));
  return found.length > 0 ? 1 : 0;
}

/** Asks both, and yields each difference with its causes. */
export function* differences(body, agents, urls, peer) {
  const robots = parse(body);
  const analysis = new Analysis(body);
  // What `await response.text()` returns.
  const text = new TextDecoder().decode(body);
  const sites = new Map();
  for (const url of urls) {
    const site = new URL("/robots.txt", url).href;
    if (!sites.has(site)) sites.set(site, [peerFor(peer, site, text), robotsParser(site, body)]);
    const [theirs, ours] = sites.get(site);
    for (const agent of agents) {
      const mine = ours.isAllowed(url, agent);
      const answer = answerOf(theirs, url, agent);
      if (answer?.allowed === mine) continue;
      const verdict = robots.check(agent, new URL(url).href);
      const causes = answer === null ? [RAISES] : analysis.causes(agent, url, mine, answer.allowed);
      yield {
        agent,
        url,
        peerAllows: answer?.allowed ?? null,
        peerLine: answer?.line ?? null,
        vergerAllows: mine,
        line: verdict.line,
        explanation: verdict.text,
        causes,
      };
    }
  }
  robots.free();
  analysis.free();
}

function peerFor(peer, site, text) {
  try {
    return peer(site, text);
  } catch {
    return null;
  }
}

/** The answer of robots-parser; `null` if it throws. */
function answerOf(robots, url, agent) {
  try {
    const line = robots.getMatchingLineNumber(url, agent);
    return { allowed: robots.isAllowed(url, agent), line: line === -1 ? null : line };
  } catch {
    return null;
  }
}

/** robots-parser as the project in the current directory has it. */
function installedPeer() {
  const require = createRequire(join(process.cwd(), "migrate.js"));
  try {
    const { version } = require("robots-parser/package.json");
    return { peer: require("robots-parser"), version: `robots-parser ${version}` };
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
    throw new UserError("robots-parser is not installed here. Run: npm install robots-parser");
  }
}

function optionsOf(parameters) {
  let parsed;
  try {
    parsed = parseArgs({
      args: parameters,
      allowPositionals: true,
      options: {
        urls: { type: "string" },
        agent: { type: "string", multiple: true },
        format: { type: "string", default: "text" },
        examples: { type: "string", default: "3" },
        "max-urls": { type: "string", default: "200" },
        "max-agents": { type: "string", default: "6" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
  } catch (error) {
    throw new UserError(`${error.message.split(". ")[0]}; see --help`);
  }
  const { values, positionals } = parsed;
  if (positionals.length === 0 && !values.help) throw new UserError("expected a FILE; see --help");
  if (!["text", "json"].includes(values.format)) {
    throw new UserError(`--format: expected text or json, but found ${values.format}`);
  }
  const number = (name) => {
    if (/^\d+$/.test(values[name])) return Number(values[name]);
    throw new UserError(`--${name}: expected a number from 0, but found ${values[name]}`);
  };
  return {
    ...values,
    files: positionals,
    examples: number("examples"),
    maxUrls: number("max-urls"),
    maxAgents: number("max-agents"),
  };
}

function filesOf(name) {
  if (name === "-") return [{ name, body: read(0, "standard input") }];
  const isFolder = access(name, () => statSync(name)).isDirectory();
  return isFolder ? filesIn(name) : [{ name, body: read(name) }];
}

/** The text files of a folder and its folders. */
function filesIn(folder) {
  const entries = access(folder, () => readdirSync(folder, { withFileTypes: true }));
  return entries
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => {
      const name = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === "node_modules" ? [] : filesIn(name);
      return entry.isFile() && /\.txt$/i.test(name) ? [{ name, body: read(name) }] : [];
    });
}

function read(file, name = file) {
  return new Uint8Array(access(name, () => readFileSync(file)));
}

const HINTS = {
  ENOENT: "there is no such file; check the path",
  EACCES: "permission denied; make it readable for this user",
  EISDIR: "expected a file, but found a directory",
};

/** The result of an access to a file, with an error for users. */
function access(name, call) {
  try {
    return call();
  } catch (error) {
    if (typeof error.code !== "string") throw error;
    throw new UserError(`${name}: ${HINTS[error.code] ?? error.message}`);
  }
}

function urlsOf(name) {
  const lines = new TextDecoder()
    .decode(read(name))
    .split("\n")
    .map((line) => line.trim());
  const urls = lines.filter((line) => line !== "" && !line.startsWith("#"));
  if (urls.length === 0) throw new UserError(`${name}: no URLs found`);
  for (const url of urls) {
    if (!/^https?:/i.test(url) || !URL.canParse(url)) {
      throw new UserError(`${name}: expected URLs with http or https, but found ${url}`);
    }
  }
  return urls;
}

const nameOf = (causes) => causes.map((cause) => cause.name).join(" + ");
const clauseOf = (causes) =>
  [...new Set(causes.map((cause) => cause.clause))].filter((it) => it !== "").join(", ");

/** Differences with the same causes, the most frequent first. */
function byCause(found) {
  const groups = new Map();
  for (const it of found) {
    const name = nameOf(it.causes);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(it);
  }
  return [...groups.values()].sort((left, right) => right.length - left.length);
}

function plain({ files, version, asked, found }, examples) {
  const share = asked > 0 ? ` (${((100 * found.length) / asked).toFixed(2)} %)` : "";
  const place = files === 1 ? "1 file" : `${files} files`;
  const lines = [`${version}: ${found.length} of ${asked} answers differ${share}, in ${place}`];
  for (const items of byCause(found)) {
    const { causes } = items[0];
    const clause = clauseOf(causes);
    lines.push("", `  ${nameOf(causes)}${clause && ` [${clause}]`}: ${items.length}`);
    for (const cause of causes) lines.push(`    ${cause.text}`);
    for (const it of items.slice(0, examples || items.length)) {
      const line = it.line ?? it.peerLine;
      const at = line === null ? it.file : `${it.file}:${line}`;
      const by = it.peerLine === null ? "" : ` (line ${it.peerLine})`;
      lines.push(`    ${visible(at)}: ${visible(it.agent)} ${visible(it.url)}`);
      const ours = it.vergerAllows ? "allows" : "disallows";
      lines.push(`      robots-parser ${theirWord(it)}${by}; Verger ${ours}: ${it.explanation}`);
    }
    const rest = items.length - (examples || items.length);
    if (rest > 0) lines.push(`    and ${rest} more (--examples 0 shows all)`);
  }
  return `${lines.join("\n")}\n`;
}

function theirWord({ peerAllows }) {
  if (peerAllows === null) return "throws an error";
  return peerAllows ? "allows" : "disallows";
}

function json({ files, version, asked, found }) {
  const unexplained = found.filter((it) => it.causes[0] === UNEXPLAINED).length;
  const causes = byCause(found).map((items) => ({
    cause: nameOf(items[0].causes),
    clause: clauseOf(items[0].causes),
    count: items.length,
    text: items[0].causes.map((cause) => cause.text).join(" "),
  }));
  const differences = found.map(({ causes, ...rest }) => ({
    cause: nameOf(causes),
    clause: clauseOf(causes),
    ...rest,
  }));
  const report = { files, version, questions: asked, unexplained, causes, differences };
  return `${JSON.stringify(report, null, 2)}\n`;
}
