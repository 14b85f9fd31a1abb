// The class and the function of `verger/policy`. Each entry point starts the module and exports them.

import * as native from "../native/policy.js";
import { dialectOf, kindOf, listOf, textOf } from "./arguments.js";
import { Memory, disposable, freed, urlOf } from "./memory.js";

export { DIALECTS } from "./arguments.js";

const memory = new Memory();

/** Starts the module: its bytes, or a compiled module. */
export function start(module) {
  const { memory: bytes } = native.initSync({ module });
  memory.start(bytes, native.input);
}

/** Whether the module is started. */
export function isStarted() {
  return memory.isStarted;
}

export function compilePolicy(robotsTxt, agent, options) {
  const dialect = dialectOf(options?.dialect);
  const kind = kindOf(agent);
  // Before the first argument is written: other calls could overwrite it.
  const agentText = textOf(agent);
  const text = memory.write(robotsTxt, 0, "robotsTxt");
  const name = memory.write(agentText, text, "agent");
  return wrap(new native.NativePolicy(dialect, kind, text, name));
}

export class Policy {
  #native;

  constructor(bytes) {
    if (adopted !== undefined) {
      this.#native = adopted;
      return;
    }
    const length = memory.write(bytes, 0, "bytes");
    this.#native = native.NativePolicy.read(length);
    if (this.#native === undefined) throw new RangeError(native.policy_error(length));
  }

  isAllowed(url) {
    const policy = this.#native ?? freed();
    const target = typeof url === "string" ? url : urlOf(url);
    return policy.is_allowed(memory.write(target, 0, "url"));
  }

  check(url) {
    return JSON.parse(this.#open().check(memory.write(urlOf(url), 0, "url")));
  }

  areAllowed(urls) {
    return Array.from(listOf(urls, "urls"), (url) => this.isAllowed(url));
  }

  areLinesAllowed(lines) {
    return this.#open().are_lines_allowed(memory.write(lines, 0, "lines"));
  }

  withoutExplanation() {
    return wrap(this.#open().without_explanation());
  }

  get bytes() {
    return this.#open().bytes();
  }

  free() {
    this.#native?.free();
    this.#native = null;
  }

  #open() {
    return this.#native ?? freed();
  }
}

disposable(Policy);

/** The native object of the policy that is being constructed. */
let adopted;

/** A policy of a native object. */
function wrap(policy) {
  adopted = policy;
  try {
    return new Policy();
  } finally {
    adopted = undefined;
  }
}
