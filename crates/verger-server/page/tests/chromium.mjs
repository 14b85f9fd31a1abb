// Chromium of the tests of the page and of the npm package.

import process from "node:process";

/** The path of the program. */
export const CHROMIUM = process.env.VERGER_CHROMIUM ?? "/usr/bin/chromium";

/** Its flags: it runs in containers, and sends no requests of its own. */
export const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
