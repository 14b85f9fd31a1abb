// The engine of the service that serves this page: questions as requests.

import { listed, unixLines } from "./answers.js";
import { AGENT_BYTES, SERVICE_URL } from "./limits.js";
import { encodingOf } from "./own.js";
import { answersTo, bytesOf, service } from "./service.js";
import { base64, decode } from "./text.js";

const encoder = new TextEncoder();

/** The files by slot, as keys of a question with their dialect. */
const open = new Map();

/** Each takes `send(path, question)`, and the given values. */
const operations = {
  async parse(send, { slot, bytes, dialect }, each) {
    const keys = { ...fileKeys("robots", bytes), dialect, lint: false };
    open.set(slot, keys);
    const encoding = encodingOf(bytes);
    const read = encoding === "utf-8" ? decode(bytes) : new TextDecoder(encoding).decode(bytes);
    const text = unixLines(read);
    each({ text, cut: null });
    const { file } = await send("v1/evaluate", { ...keys, inspect: true });
    return file.truncated ? { text, cut: file.lines } : null;
  },

  async named(send, { slot }) {
    const { file } = await send("v1/evaluate", { ...open.get(slot), inspect: true });
    return file.crawlers;
  },

  async verdicts(send, { slot, crawlers, urls }, each) {
    const names = crawlers.filter(isName);
    const ask = async (urls) => {
      const asked = { crawlers: names, urls, explain: false, inspect: true };
      const { answers, file } = await send("v1/evaluate", { ...open.get(slot), ...asked });
      const answer = (at) => ({ ...answers[at], uses: file.uses?.[at] });
      return urls.map((_, at) => names.map((_, column) => answer(column * urls.length + at)));
    };
    const found = names.length === 0 ? new Map() : await answersTo(urls.filter(isShort), ask);
    for (const [row, url] of urls.entries()) {
      const answers = found.get(url);
      const cell = (name) => cellOf(answers?.error ? answers : answers?.[names.indexOf(name)]);
      each({ row, cells: crawlers.map(cell) });
    }
  },

  async explain(send, { slot, crawler, url }) {
    const name = crawler === "*" ? { token: "*" } : { agent: crawler };
    let file;
    const ask = async (urls) => {
      const found = await send("v1/evaluate", { ...open.get(slot), ...name, urls, inspect: true });
      file = found.file;
      return found.answers;
    };
    const isFit = isName(crawler) && isShort(url);
    const answer = isFit ? (await answersTo([url], ask)).get(url) : undefined;
    const { tokens = [], union = false, matches = [], target, sentence } = answer ?? {};
    const contenders = matches.map((rule) => ({ rule: ruleOf(rule), standing: rule.standing }));
    return {
      verdict: { ...cellOf(answer), text: sentence },
      target: target === undefined ? null : textOf(answer, "target"),
      ...listed(contenders, file?.obeyed ?? []),
      // A name without a product token is in their place.
      tokens: tokens.filter((token) => /^[\w-]+$/.test(token)),
      isUnion: union,
      ignoresStar: file?.ignores_star ?? false,
      note: answer?.note,
      uses: file?.uses?.[0],
    };
  },

  async lint(send, { bytes }) {
    const { lint } = await send("v1/evaluate", fileKeys("robots", bytes));
    const finding = ({ labels = [], fix, ...keys }) => ({
      ...keys,
      labels: labels.map(({ message, ...place }) => ({ text: message, ...place })),
      fix: fix && { title: fix.title, safe: fix.safety === "safe" },
    });
    const omitted = Object.entries(lint.omitted ?? {}).map(([code, count]) => ({ code, count }));
    return { findings: lint.findings.map(finding), omitted };
  },

  async fix(send, { bytes, isSafe }) {
    const fix = isSafe ? "safe" : "unsafe";
    const found = await send("v1/evaluate", { ...fileKeys("robots", bytes), lint: false, fix });
    return found.fixed === undefined ? null : bytesOf(found, "fixed");
  },

  async diffFiles(send, { before, after, dialect }) {
    const files = { ...fileKeys("before", before), ...fileKeys("after", after) };
    const { text, crawlers, unchanged, not_compared, records } = await send("v1/diff", {
      ...files,
      dialect,
    });
    const differences = crawlers.map((each) => ({
      ...each,
      changes: each.changes.map(({ shortest = true, before, after, ...change }) => ({
        ...change,
        shortest,
        url: `https://example.com${change.target}`,
        before: { ...before, rule: before.rule && ruleOf(before.rule) },
        after: { ...after, rule: after.rule && ruleOf(after.rule) },
      })),
      undecided: each.undecided?.message ?? null,
      records: each.records.map(changedRecord),
    }));
    const others = { notCompared: not_compared ?? 0, records: records.map(changedRecord) };
    return { text, differences, unchanged, ...others };
  },

  async knownCrawlers(send) {
    const crawlers = await send("v1/crawlers");
    const isObedient = { yes: true, no: false };
    return {
      date: null,
      crawlers: crawlers.map((each) => ({ ...each, obeysRobotsTxt: isObedient[each.robots] })),
    };
  },

  /** The service knows them from the start. */
  async loadFallbacks() {},
};

class Remote {
  /** Aborts the running questions, by operation and slot. */
  #running = new Map();

  async ask(operation, given, each = null) {
    const topic = `${operation} ${given.slot}`;
    const controller = new AbortController();
    this.#running.get(topic)?.abort();
    this.#running.set(topic, controller);
    const { signal } = controller;
    try {
      const send = async (path, question) => (await service.send(path, question, signal)).json;
      const answer = await operations[operation](send, given, each);
      return signal.aborted ? null : answer;
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    } finally {
      if (this.#running.get(topic) === controller) this.#running.delete(topic);
    }
  }

  /** Ends all questions: nobody waits for the answers any more. */
  cancel() {
    for (const controller of this.#running.values()) controller.abort();
  }
}

export const engine = new Remote();
export const tools = engine;
export const comparison = new Remote();

/** A file in a question: its text, or its base64 if it is not UTF-8. */
function fileKeys(key, bytes) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { [key]: text };
  } catch {
    return { [`${key}_b64`]: base64(bytes) };
  }
}

/** Foreign text of an answer. */
function textOf(keys, key) {
  return decode(bytesOf(keys, key));
}

/** A rule with its pattern as the module returns it. */
function ruleOf(keys) {
  return { ...keys, pattern: textOf(keys, "pattern") };
}

/** Whether the service accepts a text as the name of a crawler. */
function isName(text) {
  return encoder.encode(text).length <= AGENT_BYTES && !/\p{Cc}/u.test(text);
}

function isShort(url) {
  return encoder.encode(url).length <= SERVICE_URL;
}

/** A cell of the table. The service rejects a text that is no URL. */
function cellOf(answer) {
  if (answer === undefined) return { allowed: false, reason: "refused", line: null };
  const { allowed, reason, rule, note, uses, error } = answer;
  if (error?.isWrong) return { allowed: false, reason: "not_a_url", line: null };
  if (error) return { allowed: false, reason: "refused", line: null, message: error.message };
  return { allowed: allowed === true, reason, line: rule?.line ?? null, note, uses };
}

function changedRecord({ change, line, ...keys }) {
  return { change, record: { key: textOf(keys, "key"), value: textOf(keys, "value"), line } };
}
