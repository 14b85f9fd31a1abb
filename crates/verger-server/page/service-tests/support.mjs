// A browser for the page of a service.

import { closeBrowser, withPageAt } from "../tests/browser.mjs";
import { end } from "./services.mjs";

export * from "../tests/browser.mjs";
export * from "./services.mjs";

/** Ends the browser, the programs and the sites. */
export async function close() {
  await closeBrowser();
  await end();
}

/** Runs a test with the page of a service. */
export function withService(address, run, options = {}) {
  return withPageAt(address, ["GET", "POST"], run, options);
}

/** Fetches the robots.txt of a site with the page. */
export async function fetchSite(page, text) {
  await page.locator("#site-url").fill(text);
  await page.locator("#site-url").press("Enter");
  await page.locator("#site .facts").waitFor();
  await page.locator("#site form[aria-busy]").waitFor({ state: "detached" });
}

/** A fact of the record. */
export function fact(page, name) {
  return page
    .locator("#site .facts > div")
    .filter({ has: page.locator("dt", { hasText: new RegExp(`^${name}$`) }) })
    .locator("dd");
}
