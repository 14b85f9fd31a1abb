// Hostile files of a size that a short link can carry: the page shows a part, and stays in use.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { ask, cell, close, edit, verdicts, withPage } from "./support.mjs";

after(close);

test("an explanation lists a part of a hundred thousand matching rules", () =>
  withPage(async (page) => {
    await edit(page, `User-agent: *\n${"Allow:/\n".repeat(60_000)}Disallow: /x\n`);
    await ask(page, ["AnyBot"], ["/x"]);
    await verdicts(page);
    await cell(page, 1, 1).click();
    const rules = page.locator("#explanation .rules");
    await rules.getByText("more rules").waitFor();
    assert.equal(await rules.locator("li").count(), 100);
    // The deciding rule is the last one of the file.
    assert.match(await rules.locator("li").first().textContent(), /Disallow: \/x/);
  }));

test("an explanation lists a part of many thousand groups", () =>
  withPage(async (page) => {
    await edit(page, "User-agent:*\nAllow:/\n".repeat(24_000));
    await ask(page, ["AnyBot"], ["/x"]);
    await verdicts(page);
    await cell(page, 1, 1).click();
    await page.locator("#explanation .rules").getByText("more groups").waitFor();
    assert.ok((await page.locator("#explanation .to-line").count()) <= 201);
  }));

test("escapes beyond the first of a line are text without marks", () =>
  withPage(async (page) => {
    await edit(page, `${"a\u202e".repeat(490)}\n`.repeat(1_000));
    await page.locator("#file .line .escape").first().waitFor();
    const marked = await page.locator("#file .escape").count();
    assert.ok(marked > 0 && marked <= 1_000 * 16, `${marked} marks`);
    assert.ok(!(await page.locator("#file").textContent()).includes("\u202e"));
  }));
