// Cloudflare Workers: the module is a compiled part of the worker and started at once.

import module from "./native/policy.wasm";

import { start } from "./lib/policy.js";

start(module);

/** Nothing is left to start. */
export async function init() {}

export * from "./lib/public-policy.js";
