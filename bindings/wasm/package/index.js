// Browsers, bundlers and other platforms: `init` fetches and starts the module.

import { isStarted, start } from "./lib/engine.js";
import { load } from "./lib/load.js";

let starting;

/** Starts the module. Further calls do nothing. */
export async function init(source) {
  if (isStarted()) return;
  starting ??= load(source ?? new URL("./native/engine.wasm", import.meta.url)).then(
    (module) => {
      if (!isStarted()) start(module);
    },
    (error) => {
      // The next call tries again.
      starting = undefined;
      throw error;
    },
  );
  await starting;
}

export * from "./lib/public-engine.js";
