// Browsers, bundlers and other platforms: `init` fetches and starts the module.

import { initializer } from "./lib/start.js";
import * as module from "./lib/tools.js";

/** Starts the module. Further calls do nothing. */
export const init = initializer(module, new URL("./native/tools.wasm", import.meta.url));

export * from "./lib/public-tools.js";
