// The engine: the service that serves this page, or workers with the WebAssembly module.
//
// Both answer the same questions, as `ask(operation, given, each)`:
//
// - `parse`: reads a file into a slot. Result: its text, and the line of a cut
// - `named`: the crawlers that the file of a slot names
// - `verdicts`: a row of verdicts for each URL, which `each` receives
// - `explain`: a verdict with its rules and groups
// - `lint`: the findings; `fix`: the file with the fixes, `null` without any
// - `diffFiles`: the differences between two files
// - `knownCrawlers`, `loadFallbacks`: from then on, crawlers have their documented fallbacks
//
// A newer question replaces an older one of the same operation and slot, whose answer is then `null`.

import { service } from "./service.js";

export const { engine, tools, comparison } = await import(
  service === null ? "./background.js" : "./remote.js"
);
