// Cloudflare Workers: the module is a compiled part of the worker and started at once.

import module from "./native/tools.wasm";

import { start } from "./lib/tools.js";

start(module);

/** Nothing is left to start. */
export async function init() {}

export * from "./lib/public-tools.js";
