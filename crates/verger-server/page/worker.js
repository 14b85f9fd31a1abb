// A worker with the engine, or with the linter and the comparison. Each has its own worker, so that
// a long comparison does not delay verdicts.

import { listed, unixLines } from "./answers.js";
import { USES_BYTES } from "./limits.js";
import { decode } from "./text.js";

/** Milliseconds after which newer questions are received. */
const PAUSE = 8;

/** The parsed files by slot, as promises. */
const open = new Map();
let engine;
let tools;

const operations = {
  /** Parses a file, and returns its lines. */
  async parse({ slot, bytes, dialect }) {
    const earlier = open.get(slot);
    const parsed = parse(bytes, dialect);
    open.set(slot, parsed);
    earlier?.then(
      (robots) => robots.free(),
      () => {},
    );
    const robots = await parsed;
    const read = robots.bytes;
    // UTF-16 is read as UTF-8. Another file is a beginning of its bytes.
    const isPrefix = read.length <= bytes.length && read.every((byte, at) => byte === bytes[at]);
    const text = unixLines(decode(isPrefix ? bytes : read));
    const cut = robots.truncated ? lineCount(unixLines(decode(read))) : null;
    return { text, cut };
  },

  async named({ slot }) {
    const { groups } = await parsed(slot);
    return groups.flatMap(({ agents }) => agents.map(({ name }) => name));
  },

  /** Returns a row of verdicts for each URL. */
  async *verdicts({ slot, crawlers, urls }) {
    const robots = await parsed(slot);
    // A policy answers in microseconds what the file answers in a second if its rules are hostile.
    const policies = [];
    const agents = crawlers.map((crawler) => agentOf(crawler, robots));
    const uses = usesOf(robots, USES_BYTES);
    try {
      const pause = pauses();
      for (const agent of agents) {
        policies.push(robots.policy(agent));
        if (pause.isDue()) {
          await pause.take();
          // Asks whether a newer question stops this one.
          yield null;
        }
      }
      for (const [row, url] of urls.entries()) {
        const cells = [];
        for (const [column, policy] of policies.entries()) {
          const { allowed, reason, line } = policy.check(url);
          const agent = agents[column];
          cells.push({ allowed, reason, line, note: agent.note, uses: uses(agent, url, reason) });
          if (pause.isDue()) {
            await pause.take();
            yield null;
          }
        }
        yield { row, cells };
      }
    } finally {
      for (const policy of policies) policy.free();
    }
  },

  async explain({ slot, crawler, url }) {
    const robots = await parsed(slot);
    const agent = agentOf(crawler, robots);
    const obeyed = typeof agent === "string" ? crawlerIn(agent) : agent;
    const groups = robots
      .groupsFor(agent)
      .map(({ agents, line }) => ({ line, agents: agents.map(({ line }) => line) }));
    const explanation = robots.explain(agent, url);
    return {
      ...explanation,
      ...listed(explanation.contenders, groups),
      tokens: obeyed?.tokens ?? [],
      isUnion: obeyed?.isUnion ?? false,
      ignoresStar: obeyed?.ignoresStar ?? false,
      note: agent.note,
      uses: usesOf(robots, Infinity)(agent, url, explanation.verdict.reason),
    };
  },

  async lint({ bytes }) {
    tools ??= await started(() => import("./verger/tools.js"));
    const { findings, omitted } = tools.lint(bytes);
    return { findings, omitted };
  },

  async fix({ bytes, isSafe }) {
    tools ??= await started(() => import("./verger/tools.js"));
    const { fixed, fixedUnsafely } = tools.lint(bytes);
    return isSafe ? fixed : fixedUnsafely;
  },

  async diffFiles({ before, after, dialect }) {
    tools ??= await started(() => import("./verger/tools.js"));
    return tools.diffFiles(before, after, { dialect });
  },

  async knownCrawlers() {
    tools ??= await started(() => import("./verger/tools.js"));
    return tools.knownCrawlers();
  },

  /** From now on, crawlers have their documented fallbacks. Before, their names are literal. */
  async loadFallbacks() {
    tools ??= await started(() => import("./verger/tools.js"));
  },
};

/** Pauses in which newer questions arrive. */
function pauses() {
  let last = performance.now();
  return {
    isDue: () => performance.now() - last > PAUSE,
    async take() {
      await new Promise((resolve) => setTimeout(resolve));
      last = performance.now();
    },
  };
}

async function parse(bytes, dialect) {
  engine ??= await started(() => import("./verger/index.js"));
  return engine.parse(bytes, { dialect });
}

function parsed(slot) {
  const robots = open.get(slot);
  if (robots === undefined) throw new Error("the file was not read yet");
  return robots;
}

/** The crawler of a name. A text without a product token is its own name. */
function agentOf(name, robots) {
  if (tools === undefined || crawlerIn(name) === null) return name;
  return tools.crawlerFor(name, { dialect: robots.dialect });
}

/** The stated uses of a URL for an agent, such as `train-ai=n`. Each question parses the file again. */
function usesOf(robots, limit) {
  const { bytes, dialect } = robots;
  const isLong = tools === undefined || bytes.length > limit;
  if (isLong || !/content-(?:usage|signal)/i.test(decode(bytes))) return () => [];
  return (agent, url, reason) => {
    if (reason === "not_a_url") return [];
    const asked = [tools.contentUsage, tools.contentSignals];
    const stated = asked.flatMap((ask) =>
      Object.entries(ask(bytes, agent, url, { dialect }) ?? {}),
    );
    return stated.map((each) => each.join("="));
  };
}

/** The crawler of a User-Agent header; `null` if there is no product token in it. */
function crawlerIn(header) {
  try {
    return new engine.Crawler(header);
  } catch {
    return null;
  }
}

async function started(load) {
  const module = await load();
  await module.init();
  return module;
}

function lineCount(text) {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** The last question of each operation and slot. Older ones stop, or do not start. */
const latest = new Map();

addEventListener("message", async ({ data: { id, operation, given } }) => {
  const topic = `${operation} ${given.slot}`;
  latest.set(topic, id);
  // Questions that wait arrive first.
  await new Promise((resolve) => setTimeout(resolve));
  if (latest.get(topic) !== id) {
    postMessage({ id, answer: null, isLast: true });
    return;
  }
  try {
    const answer = operations[operation](given);
    if (answer[Symbol.asyncIterator] === undefined) {
      postMessage({ id, answer: await answer, isLast: true });
      return;
    }
    for await (const part of answer) {
      if (latest.get(topic) !== id) break;
      if (part === null) continue;
      postMessage({ id, answer: part, isLast: false });
    }
    postMessage({ id, answer: null, isLast: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // A module that has trapped is not used again.
    const isFatal = error instanceof WebAssembly.RuntimeError;
    postMessage({ id, error: message, isFatal, isLast: true });
  }
});
