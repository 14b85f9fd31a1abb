// The engine in workers of this browser: the WebAssembly module.

import { TIME_LIMIT } from "./limits.js";

/** With trusted types, scripts come from these addresses only. */
const scripts = globalThis.trustedTypes?.createPolicy("verger", {
  createScriptURL: () => new URL("./worker.js", import.meta.url).href,
});

/** A worker that is started with its first question, and replaced after a failure. */
class Background {
  #worker = null;
  #waiting = new Map();
  #next = 0;
  #limit;

  /** @param {number} limit milliseconds for an answer */
  constructor(limit = Infinity) {
    this.#limit = limit;
  }

  /** Asks a question. Answers in parts go to `each`. */
  ask(operation, given, each = null) {
    this.#worker ??= this.#start();
    this.#next += 1;
    const id = this.#next;
    return new Promise((resolve, reject) => {
      const late = () =>
        this.#fail(`no answer after ${this.#limit / 1_000} seconds; the question was stopped`);
      const timer = this.#limit === Infinity ? null : setTimeout(late, this.#limit);
      this.#waiting.set(id, { resolve, reject, each, timer });
      this.#worker.postMessage({ id, operation, given });
    });
  }

  /** Ends the worker if it still works on a question: nobody waits for the answer any more. */
  cancel() {
    if (this.#waiting.size > 0) this.#fail("the question was withdrawn");
  }

  #start() {
    const address = scripts?.createScriptURL("") ?? new URL("./worker.js", import.meta.url);
    const worker = new Worker(address, { type: "module" });
    worker.addEventListener("message", ({ data }) => this.#receive(data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#fail(event.message || "the engine could not be loaded");
    });
    return worker;
  }

  #receive({ id, answer, error, isFatal, isLast }) {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    if (isFatal) {
      this.#fail(error);
      return;
    }
    if (!isLast) {
      waiting.each(answer);
      return;
    }
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    if (error === undefined) waiting.resolve(answer);
    else waiting.reject(new Error(error));
  }

  /** Ends the worker and all its questions. */
  #fail(message) {
    this.#worker?.terminate();
    this.#worker = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject, timer } of waiting) {
      clearTimeout(timer);
      reject(new Error(message));
    }
  }
}

/** Parses and checks. */
export const engine = new Background();

/** Lints and knows crawlers. */
export const tools = new Background(TIME_LIMIT);

/** Compares. A comparison can take as long as its limit, and is cancelled if its files change. */
export const comparison = new Background(TIME_LIMIT);
