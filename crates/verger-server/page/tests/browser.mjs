// A browser for tests of the page, with or without a service.
//
// VERGER_PEERS is a folder with playwright-core and axe-core.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

import { CHROMIUM, FLAGS } from "./chromium.mjs";

const PEERS = process.env.VERGER_PEERS;

/** The root of the project. */
export const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

const require = createRequire(join(PEERS, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });

/** Devices on which all stories run. */
export const DEVICES = {
  desk: {},
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};

/** Sizes and colours in which the pages are looked at. Without transitions of colours. */
export const LOOKS = Object.fromEntries(
  [
    ["wide", 1_440, { colorScheme: "light" }],
    ["wide", 1_440, { colorScheme: "dark" }],
    ["phone", 390, { colorScheme: "light" }],
    ["phone", 390, { colorScheme: "dark" }],
    ["small", 320, { colorScheme: "light" }],
    ["wide", 1_440, { forcedColors: "active" }],
  ].map(([size, width, colours]) => [
    `${size}-${Object.values(colours)}`,
    {
      ...(width < 600 ? DEVICES.phone : {}),
      viewport: { width, height: 900 },
      reducedMotion: "reduce",
      ...colours,
    },
  ]),
);

/** Pictures for people, if it is set. */
export const PICTURES = process.env.VERGER_PICTURES;
if (PICTURES) mkdirSync(PICTURES, { recursive: true });

/** Looks at the page: no violation of axe-core, nothing beyond the right edge, and a picture. */
export async function look(page, name) {
  assert.deepEqual(await accessibility(page), [], name);
  if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
  // Not of `innerWidth`: a phone zooms out to show what is too wide.
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= page.viewportSize().width, `${name}: ${width} pixels wide`);
}

/** Ends the browser. */
export async function closeBrowser() {
  await browser.close();
}

/**
 * Runs a test with the page at an address. It fails if the page sends a request elsewhere, breaks its policy,
 * opens a dialog, or reports an error.
 *
 * @param {string} address its origin is the only one that the page may use
 * @param {string[]} methods that the page may use
 * @param {(page: object) => Promise<void>} run
 * @param {object} options fragment, viewport, colorScheme; a pattern of tolerated problems;
 *   preparations before the page is loaded; whether to wait until the engine has started
 */
export async function withPageAt(
  address,
  methods,
  run,
  { fragment = "", tolerated = null, prepare = null, isReady = true, ...options } = {},
) {
  const { origin } = new URL(address);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const wrong = [];
  const report = (text) => tolerated?.test(text) || wrong.push(text);
  context.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`)) report(`request to ${request.url()}`);
    if (!methods.includes(request.method())) report(`${request.method()} ${request.url()}`);
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) report(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => report(`error: ${error.stack}`));
  page.on("dialog", (dialog) => {
    report(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.exposeFunction("reportViolation", (text) => report(`policy: ${text}`));
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => {
      globalThis.reportViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
    });
  });
  try {
    await prepare?.(page);
    await page.goto(address + (fragment === "" ? "" : `#${fragment}`));
    if (isReady) await ready(page);
    await run(page);
  } catch (error) {
    if (wrong.length > 0) error.message += `\n${wrong.join("\n")}`;
    throw error;
  } finally {
    await context.close();
  }
  assert.deepEqual(wrong, []);
}

/** Waits until the page has started. */
export async function ready(page) {
  await page.locator("#starting").waitFor({ state: "detached" });
}

/** Writes text into the editor of a panel. */
export async function edit(page, text, panel = "#file") {
  await page.locator(`${panel} .segments [value=edit]`).check();
  // Not `fill`, which inserts a paragraph for each line: seconds for thousands.
  await page.locator(`${panel} textarea`).evaluate((editor, text) => {
    editor.value = text;
    editor.dispatchEvent(new InputEvent("input", { bubbles: true }));
  }, text);
  await page.locator(`${panel} .segments [value=read]`).check();
}

/** Sets crawlers and URLs. */
export async function ask(page, crawlers, urls) {
  const remove = page.locator("#verdicts .remove");
  while ((await remove.count()) > 0) await remove.first().click();
  for (const [kind, texts] of [
    ["crawler", crawlers],
    ["url", urls],
  ]) {
    for (const text of texts) {
      await page.locator(`#add-${kind}`).fill(text);
      await page.locator(`#add-${kind}`).press("Enter");
    }
  }
}

/** The cells of the matrix as text, by row. */
export async function verdicts(page) {
  await page.locator("#verdicts .pending").first().waitFor({ state: "detached" });
  const rows = await page.locator("#verdicts tbody tr").all();
  return Promise.all(
    rows.map(async (row) => {
      const cells = await row.locator("[role=gridcell]").all();
      return Promise.all(
        cells.map(async (cell) => {
          const parts = [".answer", ".where"].map((name) => cell.locator(name).textContent());
          return (await Promise.all(parts)).join(" ");
        }),
      );
    }),
  );
}

/** The cell of a crawler and a URL, from 1. */
export function cell(page, crawler, url) {
  return page.locator(`#verdicts [data-row="${url}"][data-column="${crawler}"]`);
}

/** Violations of accessibility rules, as text. */
export async function accessibility(page) {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
    );
  });
}
