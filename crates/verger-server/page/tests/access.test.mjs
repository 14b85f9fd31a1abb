// The page for everybody: in all colours, on small screens.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { cell, close, LOOKS, look as lookAt, withPage } from "./support.mjs";

after(close);

for (const [colours, options] of Object.entries(LOOKS)) {
  test(`axe-core finds no violation: ${colours}`, () =>
    withPage(async (page) => {
      const look = (name) => lookAt(page, `${name}-${colours}`);
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
      await page.goto(`${page.url().split("#")[0]}#0.${Buffer.from(json).toString("base64url")}`);
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
    }, options));
}

test("forced colours show the chosen mode and the chosen verdict", () =>
  withPage(async (page) => {
    await cell(page, 3, 2).click();
    await page.locator("#file .line.decides").waitFor();
    const style = (selector) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => {
          const { backgroundColor, borderTopWidth, borderLeftColor } = getComputedStyle(element);
          return [backgroundColor, borderTopWidth, borderLeftColor].join();
        });
    for (const [chosen, other] of [
      ["#mode :checked + span", "#mode :not(:checked) + span"],
      ["td[aria-selected=true]", "td[aria-selected=false]"],
      [".line.decides", ".line:not(.decides, .agent, .overruled)"],
    ]) {
      assert.notEqual(await style(chosen), await style(other), chosen);
    }
  }, LOOKS["wide-active"]));
