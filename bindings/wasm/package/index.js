// Browsers, bundlers and other platforms: `init` fetches and starts the module.

import * as module from "./lib/engine.js";
import { initializer } from "./lib/start.js";

/** Starts the module. Further calls do nothing. */
export const init = initializer(module, new URL("./native/engine.wasm", import.meta.url));

export * from "./lib/public-engine.js";
