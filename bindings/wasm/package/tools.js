// Browsers, bundlers and other platforms: `init` fetches and starts the module.

import * as module from "./lib/tools.js";
import { initializer } from "./lib/start.js";

/** Starts the module. Further calls do nothing. */
export const init = initializer(module, new URL("./native/tools.wasm", import.meta.url));

export * from "./lib/public-tools.js";
