// Node.js and Bun: the module is read from the package's folder and started at once.

import { readFileSync } from "node:fs";

import { start } from "./lib/engine.js";

start(readFileSync(new URL("./native/engine.wasm", import.meta.url)));

export * from "./lib/public-engine.js";
export { init } from "./lib/start.js";
