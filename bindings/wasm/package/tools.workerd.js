// Cloudflare Workers: the module is a compiled part of the worker and started at once.

import module from "./native/tools.wasm";

import { start } from "./lib/tools.js";

start(module);

export { init } from "./lib/start.js";

export * from "./lib/public-tools.js";
