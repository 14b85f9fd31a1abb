// Deno: the module is imported as a source and started at once; no permission is needed.

import source module from "./native/policy.wasm";

import { start } from "./lib/policy.js";

start(module);

/** Nothing is left to start. */
export async function init() {}

export * from "./lib/public-policy.js";
