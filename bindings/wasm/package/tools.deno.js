// Deno: the module is imported as a source and started at once; no permission is needed.

import source module from "./native/tools.wasm";

import { start } from "./lib/tools.js";

start(module);

/** Nothing is left to start. */
export async function init() {}

export * from "./lib/public-tools.js";
