// Deno: the module is imported as a source and started at once; no permission is needed.

import source module from "./native/tools.wasm";

import { start } from "./lib/tools.js";

start(module);

export { init } from "./lib/start.js";

export * from "./lib/public-tools.js";
