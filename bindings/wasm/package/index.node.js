// Node.js and Bun: the module is read from the package's folder and started at once.

import { readFileSync } from "node:fs";

import { start } from "./lib/engine.js";

start(readFileSync(new URL("./native/engine.wasm", import.meta.url)));

/** Nothing is left to start. */
export async function init() {}

export * from "./lib/public-engine.js";
