// Cloudflare Workers: the module is a compiled part of the worker and started at once.

import { start } from "./lib/tools.js";
import module from "./native/tools.wasm";

start(module);

export * from "./lib/public-tools.js";
export { init } from "./lib/start.js";
