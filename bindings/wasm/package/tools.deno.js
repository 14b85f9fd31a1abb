// Deno: the module is imported as a source and started at once; no permission is needed.

import { start } from "./lib/tools.js";
import source module from "./native/tools.wasm";

start(module);

export * from "./lib/public-tools.js";
export { init } from "./lib/start.js";
