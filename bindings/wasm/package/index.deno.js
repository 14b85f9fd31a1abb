// Deno: the module is imported as a source and started at once; no permission is needed.

import source module from "./native/engine.wasm";

import { start } from "./lib/engine.js";

start(module);

export { init } from "./lib/start.js";

export * from "./lib/public-engine.js";
