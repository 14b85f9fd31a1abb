// Cloudflare Workers: the module is a compiled part of the worker and started at once.

import { start } from "./lib/engine.js";
import module from "./native/engine.wasm";

start(module);

export * from "./lib/public-engine.js";
export { init } from "./lib/start.js";
