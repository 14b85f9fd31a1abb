// A crawler's worker that shares the service `verger-serve` with others: no library but Node.js.
//
//     node worker.mjs http://127.0.0.1:8730 < urls.txt
//
// It prints a line of JSON for each URL. Environment variable `VERGER_TOKEN` has the token, if the
// service needs one.

import process from "node:process";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

// The name of your crawler, and the header that sites see. The service has its own `user_agent`.
const AGENT = "ExampleBot";
const USER_AGENT = "ExampleBot/1.0 (+https://bot.example/)";
// Seconds for a page. The turn is reserved for longer, so it does not end during the request.
const TIMEOUT = 20;
const HOLD = 30;
// Tries for a URL while robots.txt cannot be fetched, and for a question without a response.
const TRIES = 5;

const SERVICE = process.argv[2].replace(/\/$/, "");

/**
 * Sends a question to the service. Waits and asks again while the service is overloaded, or its
 * store does not answer. Gives up after some tries if there is no response, for example because the
 * service has stopped.
 */
async function ask(path, question) {
  const headers = {};
  if (process.env.VERGER_TOKEN) headers.authorization = `Bearer ${process.env.VERGER_TOKEN}`;
  if (question) headers["content-type"] = "application/json";
  const method = question ? "POST" : "GET";
  const body = question && JSON.stringify(question);
  let failures = 0;
  for (;;) {
    let response;
    let answer;
    try {
      const signal = AbortSignal.timeout(60_000);
      response = await fetch(SERVICE + path, { method, headers, body, signal });
      answer = await response.json();
    } catch (cause) {
      failures += 1;
      if (failures === TRIES) {
        throw new Error(`${SERVICE}${path}: no response in ${TRIES} tries`, { cause });
      }
      await sleep(1000 * 2 ** failures);
      continue;
    }
    // These problems concern one URL or turn; others concern every question.
    const problem = answer.type?.split("#").at(-1);
    if (response.ok || ["invalid", "refused-destination", "turn-lost"].includes(problem)) {
      return answer;
    }
    if (response.status !== 429 && response.status !== 503) {
      throw new Error(`${path}: ${answer.detail}`);
    }
    await sleep(1000 * Number(response.headers.get("retry-after") ?? 1));
  }
}

/** Whether a worker needs a turn for a URL: robots.txt does not disallow it. */
async function isWorthATurn(url) {
  const answer = await ask(`/v1/check?${new URLSearchParams({ agent: AGENT, url })}`);
  // While robots.txt cannot be fetched, the answer can change. A turn waits for it.
  if (answer.allowed || ["unreachable", "pending", "busy"].includes(answer.reason)) return true;
  // The problem of a URL has an answer with the cause, or errors of its values.
  report(url, { skipped: answer.errors?.[0].detail ?? why(answer.answer ?? answer) });
  return false;
}

/** The failed fetch of robots.txt that decides an answer. */
function failure(answer) {
  return answer.reason === "unreachable" ? answer.decision.failure : undefined;
}

/** Whether the guard of the service refuses to connect to the site. */
function isRefused(answer) {
  return failure(answer)?.kind === "refused";
}

/** Why a URL is skipped: the cause of a failed fetch, or the reason of the answer. */
function why(answer) {
  return failure(answer)?.message ?? answer.reason;
}

/** Requests a page; the result is how the turn ends. */
async function request(url) {
  try {
    const signal = AbortSignal.timeout(TIMEOUT * 1000);
    // A redirect needs a turn of its own.
    const options = { headers: { "user-agent": USER_AGENT }, redirect: "manual", signal };
    const response = await fetch(url, options);
    await response.arrayBuffer();
    const end = { status: response.status };
    const retryAfter = response.headers.get("retry-after") ?? "";
    if (/^\d{1,7}$/.test(retryAfter)) end.retry_after = Number(retryAfter);
    return end;
  } catch {
    return { failed: true };
  }
}

async function crawl(urls) {
  const queue = urls.map((url) => ({ url, due: 0, tries: TRIES }));
  while (queue.length > 0) {
    // The URL that is due first is next, whatever others wait for.
    queue.sort((one, other) => one.due - other.due);
    const { url, due, tries } = queue.shift();
    await sleep(Math.max(0, due - performance.now()));
    // The service waits up to a second for a free turn, in place of the worker.
    const question = { agent: AGENT, url, hold_seconds: HOLD, wait_ms: 1000 };
    const { granted, turn, wait_ms: wait, answer } = await ask("/v1/turns", question);
    if (!granted) {
      const isRetried = wait !== undefined || answer.reason === "unreachable";
      const isFinal = isRefused(answer) || !isRetried;
      if (isFinal || (!answer.allowed && tries === 1)) {
        report(url, { skipped: why(answer) });
        continue;
      }
      // Another worker has the turn, or robots.txt is not known yet. Another URL is next.
      const pause = Math.min(wait ?? 60_000, answer.allowed ? 1_000 : 60_000);
      queue.push({ url, due: performance.now() + pause, tries: tries - (answer.allowed ? 0 : 1) });
      continue;
    }
    const end = await request(url);
    await ask(`/v1/turns/${turn}/release`, end);
    report(url, { status: end.status ?? null });
  }
}

function report(url, result) {
  console.log(JSON.stringify({ url, ...result }));
}

const lines = (await text(process.stdin)).split("\n").map((line) => line.trim());
const urls = [];
for (const url of lines.filter((line) => line !== "")) {
  if (await isWorthATurn(url)) urls.push(url);
}
await crawl(urls);
