// Node.js and Bun: the module is read from the package's folder and started at once.

import { readFileSync } from "node:fs";

import { start } from "./lib/tools.js";

start(readFileSync(new URL("./native/tools.wasm", import.meta.url)));

export * from "./lib/public-tools.js";
export { init } from "./lib/start.js";
