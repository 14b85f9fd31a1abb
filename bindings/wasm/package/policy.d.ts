/**
 * Compiled policies: the rules of a robots.txt for one agent, for repeated checks and for storage.
 *
 * This module has a separate WebAssembly file, smaller than that of `verger`.
 *
 * @module
 */

import type { Agent, ModuleSource, ParseOptions, Text, Url, Verdict } from "./index.js";

export { DIALECTS } from "./index.js";

/** Starts the module, as `init` of `verger` does; its file is `native/policy.wasm`. */
export function init(source?: ModuleSource): Promise<void>;

/**
 * Compiles the rules of a robots.txt for an agent.
 *
 * @throws {RangeError} the dialect is unknown
 */
export function compilePolicy(robotsTxt: Text, agent: Agent, options?: ParseOptions): Policy;

/** The rules of a robots.txt for one agent, compiled: for repeated checks, and to be stored. */
export class Policy implements Disposable {
  /**
   * Reads the bytes of a policy.
   *
   * @throws {RangeError} the bytes are damaged, or of another version
   */
  constructor(bytes: Uint8Array | ArrayBuffer);

  /** Returns whether the agent may fetch a URL. */
  isAllowed(url: Url): boolean;

  /** Returns the verdict for a URL. Its group has no index. */
  check(url: Url): PolicyVerdict;

  /** Returns for each URL whether the agent may fetch it. */
  areAllowed(urls: Iterable<Url>): boolean[];

  /** Returns one byte for each line of URLs: 1 if the agent may fetch it, else 0. */
  areLinesAllowed(lines: Text): Uint8Array<ArrayBuffer>;

  /** Returns a smaller policy with the same answers, without patterns and lines. */
  withoutExplanation(): Policy;

  /** The policy as bytes, the same on every platform. */
  readonly bytes: Uint8Array<ArrayBuffer>;

  /** Frees the memory. The object cannot be used again. */
  free(): void;
  [Symbol.dispose](): void;
}

/** The answer of a policy. */
export interface PolicyVerdict extends Omit<Verdict, "group"> {
  /** As in `Verdict`; `null` also without explanation. */
  group: { line: number } | null;
}
