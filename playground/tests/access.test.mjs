// The page for everybody: by keyboard, by screen reader, in both colour schemes, on small screens.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";

import { accessibility, ask, cell, close, edit, verdicts, withPage } from "./support.mjs";

after(close);

/** Pictures for people, if it is set. */
const PICTURES = process.env.VERGER_PICTURES;
if (PICTURES) mkdirSync(PICTURES, { recursive: true });

const SIZES = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } };

for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ["light", "dark"]) {
    test(`axe-core finds no violation: ${size}, ${colorScheme}`, () =>
      withPage(
        async (page) => {
          const look = async (name) => {
            assert.deepEqual(await accessibility(page), [], name);
            if (PICTURES) {
              await page.screenshot({
                path: join(PICTURES, `${name}-${size}-${colorScheme}.png`),
                fullPage: true,
              });
            }
            const overflow = await page.evaluate(
              () => document.documentElement.scrollWidth - innerWidth,
            );
            assert.ok(overflow <= 0, `${name}: ${overflow} pixels beyond the right edge`);
          };
          await page.locator("#file .finding").first().waitFor();
          await look("check");
          await cell(page, 4, 3).click();
          await page.locator("#file .line.decides.disallows").waitFor();
          await look("disallowed");
          await page.locator("#file .segments [value=edit]").check();
          await look("edit");
          await page.locator("#browse").click();
          await page.locator("#crawlers fieldset").first().waitFor();
          await look("known");
          await page.keyboard.press("Escape");
          await page.locator("#file .segments [value=read]").check();
          await page.locator("#mode [value=compare]").check();
          await page.locator("#differences .change").first().click();
          await page.locator("#earlier .finding, #earlier .chip").first().waitFor();
          await look("compare");
          await page.goto(`${page.url().split("#")[0]}#damaged`);
          await page.locator("#notice .error").waitFor();
          await look("message");
          // A replaced file, an empty one, and a text that is no URL.
          const state = {
            mode: "check",
            dialect: "rfc9309",
            crawlers: ["GPTBot", "*"],
            urls: ["shop.example/x", "/"],
          };
          const json = JSON.stringify({ ...state, cell: [0, 0], file: "", earlier: "" });
          await page.goto(
            `${page.url().split("#")[0]}#0.${Buffer.from(json).toString("base64url")}`,
          );
          await page.locator("#file .prompt").waitFor();
          await page.locator("#verdicts td.none").first().waitFor();
          await look("empty");
          const file = {
            name: "r",
            mimeType: "",
            buffer: Buffer.from("User-agent: *\nDisallow: /\n"),
          };
          await page.locator("#file input[type=file]").setInputFiles(file);
          await page.locator("#notice").getByRole("button", { name: "Undo" }).waitFor();
          await page.locator("#file .chip").first().waitFor();
          await look("undo");
        },
        // Without transitions of colours.
        { viewport, colorScheme, reducedMotion: "reduce" },
      ));
  }
}

/** Presses Tab until an element has the focus. */
async function tabTo(page, selector, key = "Tab") {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press(key);
    if (await page.evaluate((it) => document.activeElement.matches(it), selector)) return;
  }
  assert.fail(`no focus on ${selector}`);
}

test("every task can be done by keyboard", () =>
  withPage(async (page) => {
    const { keyboard } = page;
    // The editor.
    await tabTo(page, "#file .segments input");
    await keyboard.press("ArrowRight");
    await tabTo(page, "#file textarea");
    await keyboard.press("Control+a");
    await keyboard.insertText("User-agent: *\nDisallow: /k\nAllow: /k/open\n");
    await page.getByText("3 lines").waitFor();
    await tabTo(page, "#file .segments input", "Shift+Tab");
    await keyboard.press("ArrowLeft");
    // The grid is one stop. Delete removes a crawler and a URL.
    await tabTo(page, "#verdicts [role=gridcell]");
    for (let left = 4; left > 1; left -= 1) {
      await keyboard.press("Home");
      await keyboard.press("ArrowRight");
      for (let up = 0; up < 8; up += 1) await keyboard.press("ArrowUp");
      await keyboard.press("Delete");
    }
    assert.equal(await page.locator("#verdicts [role=columnheader]").count(), 1);
    assert.equal(
      await page.evaluate(() => document.activeElement.getAttribute("role")),
      "columnheader",
    );
    await keyboard.press("ArrowDown");
    await keyboard.press("ArrowLeft");
    await keyboard.press("Delete");
    assert.equal(await page.locator("#verdicts [role=rowheader]").count(), 5);
    // Another URL, and its explanation.
    await tabTo(page, "#add-url");
    await keyboard.type("/k/open/1");
    await keyboard.press("Enter");
    await verdicts(page);
    await tabTo(page, "#verdicts [tabindex='0']", "Shift+Tab");
    await keyboard.press("Control+End");
    await keyboard.press("Enter");
    await page.locator('#file [data-line="3"].decides.allows').waitFor();
    assert.match(
      await page.locator(".why").textContent(),
      /\/k\/open\/1.*Allow: \/k\/open on line 3/,
    );
    assert.equal(await page.evaluate(() => document.activeElement.ariaSelected), "true");
    // The line.
    await tabTo(page, "#explanation .to-line");
    await keyboard.press("Enter");
    assert.equal(
      await page.evaluate(() => document.activeElement.className.includes("line")),
      true,
    );
    // Known crawlers: the focus returns.
    await tabTo(page, "#browse");
    await keyboard.press("Enter");
    await page.locator("#crawler-search:focus").waitFor();
    await keyboard.type("claudebot");
    await tabTo(page, ".known input");
    await keyboard.press("Space");
    await keyboard.press("Enter");
    await page.locator("#verdicts [role=columnheader]", { hasText: "ClaudeBot" }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.id), "browse");
    // Comparison.
    await tabTo(page, "#mode input", "Shift+Tab");
    await keyboard.press("ArrowRight");
    await page.locator("#differences .change").first().waitFor();
    await tabTo(page, "#differences .change");
    await keyboard.press("Enter");
    await page.locator("#differences .change[aria-pressed=true]").waitFor();
    await page.locator("#earlier .line.decides, #earlier .line.agent").first().waitFor();
  }));

test("answers are announced to screen readers", () =>
  withPage(async (page) => {
    const status = page.locator("#status");
    await edit(page, "User-agent: *\nDisallow: /\n");
    await ask(page, ["AnyBot"], ["/a"]);
    await status.getByText("1 verdict: 0 allowed and 1 disallowed.").waitFor();
    assert.equal(await page.locator(".why").getAttribute("aria-live"), "polite");
    await page.locator("#mode [value=compare]").check();
    await status.getByText(/^Comparison: /).waitFor();
    // Names and roles, as a screen reader reads them.
    await page.locator("#mode [value=check]").check();
    await page
      .getByRole("grid", { name: "Verdicts" })
      .getByRole("gridcell", { name: "disallowed line 2" })
      .waitFor();
    await page.getByRole("region", { name: "robots.txt" }).first().waitFor();
  }));
