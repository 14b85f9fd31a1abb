// Deno: the module is imported as a source and started at once; no permission is needed.

import { start } from "./lib/engine.js";
import source module from "./native/engine.wasm";

start(module);

export * from "./lib/public-engine.js";
export { init } from "./lib/start.js";
