// Tasks of people on the page. They are the same with the module and with a service, at a desk and on
// a phone.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { inflateRawSync } from "node:zlib";

import { ask, cell, edit, ROOT, ready, verdicts } from "./browser.mjs";
import { INVISIBLE, MARKUP, problems } from "./inert.mjs";

const SHOP = readFileSync(`${ROOT}/examples/shop/robots.txt`, "utf8");

export const STORIES = {
  "the page begins with an example, a verdict and its deciding line": async (page) => {
    const [first] = await verdicts(page);
    assert.deepEqual(first, [
      "allowed line 7",
      "allowed no rule",
      "allowed line 15",
      "allowed no rule",
    ]);
    const line = page.locator("#file .line.decides");
    await line.waitFor();
    assert.equal(await line.getAttribute("data-line"), "14");
    assert.match(
      await page.locator(".why").textContent(),
      /Allowed by Allow: \/catalogue\/ on line 14/,
    );
  },

  "pasted text replaces the file": async (page) => {
    await page.evaluate(() =>
      navigator.clipboard.writeText("User-agent: *\r\nDisallow: /pasted\r\n"),
    );
    await page.locator("#file .reader").focus();
    await page.keyboard.press("Control+v");
    await page.locator("#file .line code", { hasText: "/pasted" }).waitFor();
    await ask(page, ["AnyBot"], ["/pasted/1", "/other"]);
    assert.deepEqual(await verdicts(page), [["disallowed line 2"], ["allowed no rule"]]);
  },

  "a file is pasted without a click on the page, but not from a field": async (page) => {
    await page.evaluate(() => navigator.clipboard.writeText("Disallow: /field"));
    await page.locator("#add-url").focus();
    await page.keyboard.press("Control+v");
    assert.equal(await page.locator("#add-url").inputValue(), "Disallow: /field");
    await page.evaluate(() => navigator.clipboard.writeText("User-agent: *\nDisallow: /pasted\n"));
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("Control+v");
    await page.locator("#file .line code", { hasText: "/pasted" }).waitFor();
    await page.locator("#reset").click();
    await page.locator("#file .line", { hasText: "ClaudeBot" }).waitFor();
    await page.locator("#file").getByRole("button", { name: "Paste" }).click();
    await page.locator("#file .line code", { hasText: "/pasted" }).waitFor();
  },

  "a replaced file can be restored, and the restoration undone": async (page) => {
    const notice = page.locator("#notice");
    const undo = notice.getByRole("button", { name: "Undo" });
    const line = (text) => page.locator("#file .line code", { hasText: text }).first().waitFor();
    await edit(page, "User-agent: *\nDisallow: /first\n");
    await ask(page, ["AnyBot"], ["/first"]);
    const file = (text) => ({ name: "r", mimeType: "", buffer: Buffer.from(text) });
    await page
      .locator("#file input[type=file]")
      .setInputFiles(file("User-agent: *\nDisallow: /second\n"));
    await line("/second");
    await notice.getByText("Opened.").waitFor();
    await undo.click();
    await line("/first");
    assert.deepEqual(await verdicts(page), [["disallowed line 2"]]);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Undo");
    await page.keyboard.press("Enter");
    await line("/second");
    await page.locator("#reset").click();
    await line("ClaudeBot");
    await undo.click();
    await line("/second");
    assert.deepEqual(await verdicts(page), [["allowed no rule"]]);
    // In the editor, too.
    await page.evaluate(() => navigator.clipboard.writeText("User-agent: *\nDisallow: /third\n"));
    await page.locator("#file .segments [value=edit]").check();
    await page.locator("#file textarea").press("Control+a");
    await page.keyboard.press("Control+v");
    await notice.getByText("Pasted.").waitFor();
    await undo.click();
    await page.waitForFunction(() =>
      document.querySelector("#file textarea").value.includes("/second"),
    );
  },

  "an own file is not compared with the example": async (page) => {
    const own = "User-agent: *\nDisallow: /mine*x$\nAllow: /mine/\n";
    await page.evaluate((text) => navigator.clipboard.writeText(text), own);
    await page.keyboard.press("Control+v");
    await page.locator("#file .line code", { hasText: "/mine" }).first().waitFor();
    assert.deepEqual(await page.locator("#verdicts [role=rowheader] bdi").allTextContents(), [
      "/",
      "/minexx",
      "/mine/",
    ]);
    await page.locator("#mode [value=compare]").check();
    await page.locator("#earlier").getByText("Paste the earlier version").waitFor();
    await page.locator("#earlier .size", { hasText: "0 lines · 0 bytes" }).waitFor();
    // It is what the next paste is for.
    await page.evaluate(
      (text) => navigator.clipboard.writeText(text),
      own.replace("/mine/", "/mine/x"),
    );
    await page.keyboard.press("Control+v");
    await page.locator("#earlier .row code", { hasText: "/mine/x" }).waitFor();
    await page.locator("#notice").getByRole("button", { name: "Undo" }).click();
    await page.locator("#earlier").getByText("Paste the earlier version").waitFor();
  },

  "a dropped or opened file is read as bytes": async (page) => {
    const text = "User-agent: *\nDisallow: /utf16\n";
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
    const chooser = page.locator("#file input[type=file]");
    await chooser.setInputFiles({ name: "robots.txt", mimeType: "text/plain", buffer: utf16 });
    await page.locator("#file .line code", { hasText: "/utf16" }).waitFor();
    await ask(page, ["AnyBot"], ["/utf16"]);
    assert.deepEqual(await verdicts(page), [["disallowed line 2"]]);
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(["User-agent: *\nDisallow: /dropped\n"], "robots.txt"));
      const panel = document.querySelector("#file");
      panel.dispatchEvent(
        new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }),
      );
    });
    await page.locator("#file .line code", { hasText: "/dropped" }).waitFor();
  },

  "a click explains a verdict: deciding line, overruled rules, sentence": async (page) => {
    await edit(page, "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*b\nAllow: /a/b\n");
    await ask(page, ["AnyBot"], ["/a/b", "/a/c", "/x"]);
    await verdicts(page);
    await cell(page, 1, 1).click();
    const why = page.locator(".why");
    await why.getByText("allowed by").or(why.getByText("Allowed by")).waitFor();
    assert.match(await why.textContent(), /Allow: \/a\/b on line 3/);
    const marked = await page
      .locator("#file .line:has(.label)")
      .evaluateAll((lines) =>
        lines.map((line) => [line.dataset.line, line.querySelector(".label").textContent]),
      );
    assert.deepEqual(marked, [
      ["1", "obeyed group"],
      ["2", "overruled: shorter"],
      ["3", "allows"],
      ["4", "overruled: shorter"],
      ["5", "repeats the deciding rule"],
    ]);
    await page.locator("#explanation .rules").getByRole("button", { name: "line 4" }).click();
    assert.equal(await page.evaluate(() => document.activeElement.dataset.line), "4");
    await cell(page, 1, 3).click();
    await why.getByText("no rule matches").waitFor();
    assert.equal(await page.locator("#file .line.decides").count(), 0);
  },

  "the dialect changes the verdicts": async (page) => {
    await edit(page, "User-agent: *\nDisallow: /\nAllow: /a\n");
    await ask(page, ["AnyBot"], ["/a"]);
    assert.deepEqual(await verdicts(page), [["allowed line 3"]]);
    await page.locator("#dialect").selectOption("koster1996");
    await cell(page, 1, 1).getByText("disallowed").waitFor();
    assert.deepEqual(await verdicts(page), [["disallowed line 2"]]);
  },

  "findings are at their lines, and fixes can be applied": async (page) => {
    await edit(page, "User-agent: *\nDissalow: /cart\nDisallow: /a\nDisallow: /a\n");
    const lines = page.locator("#file .line");
    await lines.locator(".finding").first().waitFor();
    assert.match(
      await lines.nth(1).locator(".finding").textContent(),
      /^warning the key is misspelt.*Fix: write Disallow/,
    );
    assert.equal(await lines.nth(1).locator(".place").textContent(), "Dissalow");
    assert.match(await lines.nth(3).locator(".finding").textContent(), /repeated-rule.*\(safe\)/);
    await page.getByRole("button", { name: "Apply safe fixes" }).click();
    await page.getByText("3 lines").waitFor();
    await page.getByRole("button", { name: "Apply all fixes (changes answers)" }).click();
    await lines.locator("code", { hasText: "Disallow: /cart" }).waitFor();
    await page.locator("#file .summary", { hasText: "No findings" }).waitFor();
    await page.locator("#notice").getByRole("button", { name: "Compare with before" }).click();
    await page.locator("#earlier .line code", { hasText: "Dissalow: /cart" }).waitFor();
    await page.getByText("both versions give the same answer for every URL").waitFor();
    assert.equal(await page.locator("#mode [value=compare]").isChecked(), true);
  },

  "fixes of a file are gone when another text replaces it": async (page) => {
    const fix = page.getByRole("button", { name: "Apply all fixes" });
    await edit(page, "User-agent: *\nDissalow: /a\n");
    await fix.waitFor();
    // At the first keystroke, although the new text is read later.
    const count = await page.locator("#file textarea").evaluate((editor) => {
      editor.value = "User-agent: *\nDisallow: /b\n".repeat(10_000);
      editor.dispatchEvent(new InputEvent("input", { bubbles: true }));
      return document.querySelectorAll("#file .summary button").length;
    });
    assert.equal(count, 0);
    await page.locator("#file .size", { hasText: "20,000 lines" }).waitFor();
    // A whole file from outside: the report of the one before is not shown beside it.
    await edit(page, "User-agent: *\nDissalow: /a\n");
    await fix.waitFor();
    const file = { name: "r", mimeType: "", buffer: Buffer.from("User-agent: *\nDisallow: /c\n") };
    await page.locator("#file input[type=file]").setInputFiles(file);
    await page.locator("#file .line code", { hasText: "Disallow: /c" }).waitFor();
    await page.locator("#file .chip").first().waitFor();
    assert.equal(await fix.count(), 0);
  },

  "two versions are compared, with a URL for each difference": async (page) => {
    await page.locator("#mode [value=compare]").check();
    await edit(page, SHOP, "#earlier");
    await edit(page, SHOP.replace("Disallow: /cart\n", ""));
    const change = page.locator("#differences .change");
    await page.locator("#differences .size", { hasText: "1 opened · 0 closed" }).waitFor();
    assert.equal(await change.count(), 1);
    assert.match(
      await change.textContent(),
      /opened\/cartBefore disallowed by Disallow: \/cart on line 4/,
    );
    await change.click();
    await page.locator("#earlier .line.decides.disallows").waitFor();
    await page.locator("#file .line.decides.allows").waitFor();
    assert.equal(await page.locator("#earlier .line.decides").getAttribute("data-line"), "4");
    await edit(page, SHOP);
    await page.getByText("both versions give the same answer for every URL").waitFor();
  },

  "a difference for crawlers that no group matches is that of no name": async (page) => {
    const named = "User-agent: any-other-crawler\nAllow: /\n\n";
    await page.locator("#mode [value=compare]").check();
    await edit(page, `${named}User-agent: *\nDisallow: /old\n`, "#earlier");
    await edit(page, `${named}User-agent: *\nDisallow: /new\n`);
    await page.locator("#differences .size", { hasText: "1 opened · 1 closed" }).waitFor();
    const title = await page.locator("#differences h3").textContent();
    assert.equal(title, "crawlers that no group matches");
    await page.locator("#differences .change", { hasText: "opened" }).click();
    await page.locator('#earlier [data-line="5"].decides.disallows').waitFor();
    assert.equal(await page.locator("#file .line.agent").getAttribute("data-line"), "4");
  },

  "a text that is no URL is refused with the URLs that it can mean": async (page) => {
    await ask(page, ["AnyBot"], []);
    const message = page.locator("#notice .error p");
    const begin = "Expected a URL that begins with / or https://, but found";
    for (const [text, hint] of [
      ["shop.example/cart", " Did you mean https://shop.example/cart or /cart?"],
      ["shop.example", " Did you mean https://shop.example?"],
      ["localhost:8080/x?y", " Did you mean https://localhost:8080/x?y or /x?y?"],
      ["cart/x", " Did you mean /cart/x?"],
      ["Disallow: /cart", ""],
      ["mailto:shop", ""],
      ["#x", ""],
    ]) {
      await page.locator("#add-url").fill(text);
      await page.locator("#add-url").press("Enter");
      await page.waitForFunction(
        (text) => document.querySelector("#notice .error p")?.textContent.includes(text),
        `found ${text}.`,
      );
      assert.equal(await message.textContent(), `${begin} ${text}.${hint}`);
    }
    assert.equal(await page.locator("#verdicts [role=rowheader]").count(), 0);
  },

  "the crawler * is every crawler without a group": async (page) => {
    await edit(page, "User-agent: *\nDisallow: /\n");
    await ask(page, ["*"], ["/"]);
    assert.deepEqual(await verdicts(page), [["disallowed line 2"]]);
    await cell(page, 1, 1).click();
    await page
      .locator("#explanation dl")
      .getByText("* only, as a crawler that no group names")
      .waitFor();
  },

  "known crawlers are listed by purpose, and obey as documented": async (page) => {
    await edit(page, "User-agent: *\nDisallow: /\nUser-agent: Googlebot\nDisallow: /g\n");
    await ask(page, [], ["/g"]);
    await page.locator("#browse").click();
    const dialog = page.locator("#crawlers");
    await dialog.getByText("Training of AI models").waitFor();
    await dialog.locator("#crawler-search").fill("google advert");
    await dialog.getByLabel("AdsBot-Google", { exact: false }).first().check();
    await dialog.locator("#crawler-search").fill("googlebot-news");
    await dialog.getByLabel("Googlebot-News", { exact: false }).first().check();
    await dialog.getByRole("button", { name: "Add 2 crawlers" }).click();
    await cell(page, 2, 1).locator(".answer").waitFor();
    assert.deepEqual(await verdicts(page), [["allowed no group", "disallowed line 4"]]);
  },

  "a note on a crawler is beside its verdicts": async (page) => {
    await edit(page, "User-agent: *\nDisallow: /cart\n");
    await ask(page, ["AnyBot", "ChatGPT-User", "Google-Extended"], ["/", "/cart"]);
    const heads = page.locator("#verdicts [role=columnheader]");
    await heads.nth(1).getByText("it may ignore robots.txt").waitFor();
    await heads.nth(2).getByText("a control token: it crawls nothing itself").waitFor();
    assert.equal(await heads.locator(".note").count(), 2);
    const facts = page.locator("#explanation dl");
    await cell(page, 2, 1).click();
    await facts.locator("dd", { hasText: /^it may ignore robots.txt$/ }).waitFor();
    await cell(page, 1, 1).click();
    await facts.getByText("AnyBot").waitFor();
    assert.equal(await facts.getByText("About the crawler").count(), 0);
  },

  "uses that a file reserves are beside the verdicts": async (page) => {
    const text =
      "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /press/ train-ai=y\nDisallow: /cart\n\nUser-agent: Open\nContent-Signal: ai-train=no, search=yes\nDisallow:\n";
    await edit(page, text);
    await ask(page, ["AnyBot", "Open"], ["/", "/press/1", "/cart"]);
    await page.locator("#verdicts .size", { hasText: "4 with reserved uses" }).waitFor();
    const cells = page.locator("#verdicts [role=gridcell]");
    const uses = await cells.evaluateAll((found) =>
      found.map((cell) => cell.querySelector(".uses")?.textContent ?? ""),
    );
    const signal = "search=yes,\nai-train=no";
    assert.deepEqual(uses, ["train-ai=n", signal, "train-ai=y", signal, "", signal]);
    assert.equal(await page.locator("#verdicts .reserved").count(), 4);
    await cell(page, 1, 1).click();
    const facts = page.locator("#explanation dl");
    await facts.locator("dt", { hasText: "Use of the content" }).waitFor();
    await facts.locator("code", { hasText: /^train-ai=n$/ }).waitFor();
    await cell(page, 1, 3).click();
    await facts.locator("dt", { hasText: "Use of the content" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "AI training" }).click();
    // Until then, the numbers are those of the earlier table.
    await page.getByText("Crawlers: AI training.").waitFor();
    await page.locator("#verdicts .size", { hasText: "with reserved uses" }).waitFor();
    // Without reservations, the table is as before.
    await edit(page, "User-agent: *\nDisallow: /cart\n");
    await page.locator("#verdicts .reserved").first().waitFor({ state: "detached" });
    await page.locator("#verdicts .size", { hasText: /allowed · \d+ disallowed$/ }).waitFor();
  },

  "a link restores the state": async (page) => {
    const text = `# \u{1f333} é\nUser-agent: LinkBot\nDisallow: /*.tif$\n${"# filler\n".repeat(2_000)}`;
    await edit(page, text);
    await ask(page, ["LinkBot"], ["/a.tif?", "/a.tif"]);
    await page.locator("#dialect").selectOption("google");
    await cell(page, 1, 2).click();
    await page.locator("#share").click();
    await page.getByText("Link copied").waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(link, /#1\.[\w-]+$/);
    assert.ok(link.length < 2_000, `${link.length} characters`);
    await page.goto("about:blank");
    await page.goto(link);
    await ready(page);
    assert.deepEqual(await verdicts(page), [["allowed no rule"], ["disallowed line 3"]]);
    assert.equal(await page.locator("#dialect").inputValue(), "google");
    await page.locator("#file .line.decides").waitFor();
    await page.locator("#file .segments [value=edit]").check();
    assert.equal(await page.locator("#file textarea").inputValue(), text);
    // The Back button restores the state after the example.
    await page.locator("#reset").click();
    await page.locator("#verdicts .size", { hasText: "18 allowed" }).waitFor();
    await page.goBack();
    await page.locator("#verdicts .size", { hasText: "1 allowed · 1 disallowed" }).waitFor();
  },

  "the product tokens of a header are shown": async (page) => {
    await edit(page, "User-agent: Bingbot\nDisallow: /\n");
    const headers = [
      "Mozilla/5.0 (Windows NT 10.0) Chrome/120",
      "ExampleBot/2.1 (+https://bot.example)",
      "Googlebot, Bingbot",
    ];
    await ask(page, headers, ["/"]);
    const facts = page.locator("#explanation dl");
    await cell(page, 1, 1).click();
    await facts.getByText("* only: the crawler has no product token").waitFor();
    await cell(page, 2, 1).click();
    await facts.locator("dd", { hasText: /^ExampleBot, else \*$/ }).waitFor();
    await cell(page, 3, 1).click();
    await facts
      .locator("dd", { hasText: /^Googlebot( and|, else) Bingbot( and|, else) msnbot, else \*$/ })
      .waitFor();
    await facts.getByText("One entry is one crawler. Add several one by one.").waitFor();
  },

  "the file can be copied and downloaded": async (page) => {
    const panel = page.locator("#file");
    const text = "User-agent: *\nDisallow: /é\n";
    await edit(page, text);
    await panel.locator(".size", { hasText: "28 bytes" }).waitFor();
    await panel.getByRole("button", { name: "Copy" }).click();
    await page.getByText("Copied (28 bytes).").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text);
    const buffer = Buffer.from("Disallow: /\xff\r\n", "latin1");
    await panel.locator("input[type=file]").setInputFiles({ name: "r", mimeType: "", buffer });
    await panel.locator(".escape").first().waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      panel.getByRole("button", { name: "Download" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "robots.txt");
    assert.deepEqual(readFileSync(await download.path()), buffer);
    await panel.getByRole("button", { name: "Copy" }).click();
    await page.getByText("The file is not UTF-8").waitFor();
  },

  "a link of a check does not disclose the earlier version": async (page) => {
    const content = async () => {
      const link = await page.evaluate(() => navigator.clipboard.readText());
      assert.equal(link, page.url());
      return stateOf(link.split("#")[1]);
    };
    await page.locator("#mode [value=compare]").check();
    await edit(page, "User-agent: *\nDisallow: /secret\n", "#earlier");
    await page.locator("#earlier .line", { hasText: "/secret" }).waitFor();
    await page.locator("#share").click();
    await page.getByText("It contains both versions.").waitFor();
    assert.match((await content()).earlier, /secret/);
    await page.locator("#mode [value=check]").check();
    await page.locator("#share").click();
    await page.getByText("It contains the file.").waitFor();
    assert.equal((await content()).earlier, "");
    assert.doesNotMatch(JSON.stringify(await content()), /secret/);
    // The page still has it.
    await page.locator("#mode [value=compare]").check();
    await page.locator("#earlier .line", { hasText: "/secret" }).waitFor();
  },

  "a link carries bytes that are not UTF-8": async (page) => {
    const buffer = Buffer.from("User-agent: *\nDisallow: /\xff\n", "latin1");
    await page.locator("#file input[type=file]").setInputFiles({ name: "r", mimeType: "", buffer });
    await page.locator("#file .escape", { hasText: "\\xff" }).waitFor();
    await page.waitForFunction(() => location.hash !== "");
    await page.reload();
    await ready(page);
    await page.locator("#file .escape", { hasText: "\\xff" }).waitFor();
  },

  "a file over the limit is refused with a message": async (page) => {
    const buffer = Buffer.alloc(3_000_000, "#");
    await page.locator("#file input[type=file]").setInputFiles({ name: "r", mimeType: "", buffer });
    await page.getByText("expected at most 2,048,000 bytes, but found 3,000,000 bytes").waitFor();
  },

  "lines beyond the size limit of the dialect are marked": async (page) => {
    const text = `User-agent: *\n${`#${"x".repeat(998)}\n`.repeat(515)}Disallow: /late\n`;
    await edit(page, text);
    await page.locator('#file [data-line="517"].cut').waitFor();
    await ask(page, ["AnyBot"], ["/late"]);
    assert.deepEqual(await verdicts(page), [["allowed no rule"]]);
  },

  "every task can be done by keyboard": async (page) => {
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
  },

  "answers are announced to screen readers": async (page) => {
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
  },

  "markup is text in every input and every answer": async (page) => {
    const lines = MARKUP.flatMap((text) => [
      `User-agent: ${text}`,
      `Disallow: /${text}`,
      `${text}: ${text}`,
      `Sitemap: ${text}`,
    ]);
    const text = `User-agent: *\nDisallow: /\n${lines.join("\n")}\n`;
    await edit(page, text);
    await ask(
      page,
      MARKUP,
      MARKUP.map((each) => `/${each}`),
    );
    const rows = await verdicts(page);
    assert.equal(rows.length, MARKUP.length);
    for (let at = 1; at <= MARKUP.length; at += 1) {
      await cell(page, at, at).click();
      await page.locator(".why .what", { hasText: MARKUP[at - 1] }).waitFor();
    }
    await page.locator("#file .chip").first().waitFor();
    assert.deepEqual(await problems(page), []);
    assert.match(await page.locator("#file .lines").textContent(), /<script>attacked=1<\/script>/);
    await page.locator("#mode [value=compare]").check();
    await edit(page, text.replaceAll("Disallow: /", "Disallow: /x"), "#earlier");
    await page.locator("#differences .change").first().click();
    await page.locator("#earlier .chip").first().waitFor();
    assert.deepEqual(await problems(page), []);
  },

  "invisible and bidirectional characters are shown as escapes everywhere": async (page) => {
    const text = `User-agent: a${INVISIBLE}\nDisallow: ${INVISIBLE}\n${INVISIBLE}: x\nUser-agent: *\nDisallow: /\nAllow: ${INVISIBLE}\n`;
    await edit(page, text);
    await ask(page, [`Bot${INVISIBLE.replace(/[\u2028]/, "")}z`], [`${INVISIBLE}z`]);
    await verdicts(page);
    await cell(page, 1, 1).click();
    await page.locator(".why .escape").first().waitFor();
    await page.locator("#file .chip").first().waitFor();
    assert.deepEqual(await problems(page), []);
    const line = await page.locator('#file [data-line="2"] code').textContent();
    assert.ok(
      line.startsWith(
        "Disallow: /\\u{202e}\\u{2066}\\u{200b}\\u{200d}\\x07\\x1b[2J\\u{9b}\\x7f\\u{2028}",
      ),
      line,
    );
  },

  "backticks in rules and names do not change the structure of a sentence": async (page) => {
    const pattern = "/a`b` on line 9, in the group for `c` (line 8)";
    const name = "Any`Bot`";
    await edit(page, `User-agent: *\nDisallow: ${pattern}\nDissalow: /\`\n`);
    await ask(page, [name], [pattern]);
    await cell(page, 1, 1).click();
    const code = page.locator(".why .sentence code");
    await code.first().waitFor();
    assert.deepEqual(await code.allTextContents(), [`Disallow: ${pattern}`, "*"]);
    const rules = page.locator("#explanation .rules li code");
    assert.deepEqual(await rules.allTextContents(), [`Disallow: ${pattern}`]);
    await page.locator("#mode [value=compare]").check();
    await edit(page, "", "#earlier");
    const before = page.locator("#differences .then code", { hasText: "on line 9" });
    await before.first().waitFor();
    assert.equal(await before.first().textContent(), `Disallow: ${pattern}`);
  },

  "badges lead to their findings, one after the other": async (page) => {
    await edit(page, `User-agent: *\n${"Dissalow: /a\n# x\n".repeat(100)}Disallow /b\n`);
    const badge = page.locator("#file .summary .chip").first();
    const severity = (await badge.textContent()).replace(/^.* |s$/g, "");
    const lines = await page
      .locator(`#file .line:has(.finding.${severity})`)
      .evaluateAll((found) => found.map((line) => line.dataset.line));
    assert.ok(lines.length > 1, String(lines));
    for (const line of [...lines, lines[0]]) {
      await badge.click();
      const focused = await page.evaluate(() => document.activeElement.dataset.line);
      assert.equal(focused, line);
      const box = await page.locator(`#file [data-line="${line}"]`).boundingBox();
      const { y, height } = await page.locator("#file .reader").boundingBox();
      assert.ok(box.y >= y && box.y < y + height, `line ${line} is not in view`);
    }
  },

  "findings unfold, and are filtered by severity": async (page) => {
    await edit(page, "User-agent: *\nDissalow: /cart\nDisallow: /a\nDisallow: /a\n");
    const finding = page.locator("#file .finding.warning", { hasText: "misspelt" });
    await finding.locator("summary").click();
    await finding.getByText("Fix: ").waitFor();
    // It stays open when the lines get other marks.
    await cell(page, 1, 1).click();
    await page.locator("#file .line.agent").waitFor();
    assert.equal(await finding.getByText("Fix: ").isVisible(), true);
    await finding.locator("summary").click();
    await finding.getByText("Fix: ").waitFor({ state: "hidden" });
    const count = (severity) => page.locator(`#file .finding.${severity}`).count();
    const notes = await count("note");
    assert.ok(notes > 0);
    const filter = page.getByLabel("Displayed findings").first();
    for (const [choice, expected] of [
      ["Warnings and errors", [0, 1]],
      ["Hide findings", [0, 0]],
      ["All findings", [notes, 1]],
      ["Errors only", [0, 0]],
    ]) {
      await filter.selectOption(choice);
      assert.deepEqual([await count("note"), await count("warning")], expected, choice);
    }
    // A badge shows its findings again.
    await page.locator("#file .chip.note").click();
    assert.equal(await count("note"), notes);
  },

  "a tap on a verdict brings its explanation into view": async (page) => {
    await ask(
      page,
      ["AnyBot"],
      Array.from({ length: 30 }, (_, at) => `/cart/${at}`),
    );
    await verdicts(page);
    await page.locator("#verdicts h2").scrollIntoViewIfNeeded();
    await cell(page, 1, 3).click();
    const sentence = page.locator(".why .sentence", { hasText: "/cart" });
    await sentence.waitFor();
    await page.waitForFunction(() => {
      const { top, bottom } = document.querySelector(".why .sentence").getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });
  },

  "keys are named only where there is a keyboard": async (page) => {
    const isTouch = await page.evaluate(() => matchMedia("(hover: none)").matches);
    const text = await page.locator("body").evaluate((body) => body.outerHTML);
    assert.equal(/Ctrl|Arrow keys/.test(text), !isTouch);
  },

  "the table has crawlers by purpose, or those that the file names": async (page) => {
    const names = () => page.locator("#verdicts [role=columnheader] bdi").allTextContents();
    await edit(page, "User-agent: OneBot\nUser-agent: onebot/2\nUser-agent: Two\nDisallow: /\n");
    await page.locator("#file .line code", { hasText: "onebot/2" }).waitFor();
    await page.getByRole("button", { name: "Named in the file" }).click();
    await page.getByText("Crawlers: Named in the file.").waitFor();
    assert.deepEqual(await names(), ["OneBot", "Two", "*"]);
    const row = (await verdicts(page))[0];
    assert.deepEqual(row, ["disallowed line 4", "disallowed line 4", "allowed no group"]);
    await page.getByRole("button", { name: "AI training" }).click();
    await page.getByText("Crawlers: AI training.").waitFor();
    const training = await names();
    for (const name of ["GPTBot", "ClaudeBot", "Google-Extended"])
      assert.ok(training.includes(name), name);
    assert.ok(!training.includes("Googlebot") && training.length <= 40, String(training));
    const undo = page.locator("#notice").getByRole("button", { name: "Undo" });
    await undo.click();
    assert.deepEqual(await names(), ["OneBot", "Two", "*"]);
  },
};

/** Hostile files of a size that a short link can carry: the page shows a part, and stays in use. */
export const LARGE_FILES = {
  "an explanation lists a part of a hundred thousand matching rules": async (page) => {
    await edit(page, `User-agent: *\n${"Allow:/\n".repeat(60_000)}Disallow: /x\n`);
    await ask(page, ["AnyBot"], ["/x"]);
    await verdicts(page);
    await cell(page, 1, 1).click();
    const rules = page.locator("#explanation .rules");
    await rules.getByText("more rules").waitFor();
    assert.equal(await rules.locator("li").count(), 100);
    // The deciding rule is the last one of the file.
    assert.match(await rules.locator("li").first().textContent(), /Disallow: \/x/);
  },

  "an explanation lists a part of many thousand groups": async (page) => {
    await edit(page, "User-agent:*\nAllow:/\n".repeat(24_000));
    await ask(page, ["AnyBot"], ["/x"]);
    await verdicts(page);
    await cell(page, 1, 1).click();
    await page.locator("#explanation .rules").getByText("more groups").waitFor();
    assert.ok((await page.locator("#explanation .to-line").count()) <= 201);
  },

  "escapes beyond the first of a line are text without marks": async (page) => {
    await edit(page, `${"a\u202e".repeat(490)}\n`.repeat(1_000));
    await page.locator("#file .line .escape").first().waitFor();
    const marked = await page.locator("#file .escape").count();
    assert.ok(marked > 0 && marked <= 1_000 * 16, `${marked} marks`);
    assert.ok(!(await page.locator("#file").textContent()).includes("\u202e"));
  },
};

/** Presses Tab until an element has the focus. */
async function tabTo(page, selector, key = "Tab") {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press(key);
    if (await page.evaluate((it) => document.activeElement.matches(it), selector)) return;
  }
  assert.fail(`no focus on ${selector}`);
}

/** The state in a fragment. */
function stateOf(fragment) {
  const bytes = Buffer.from(fragment.slice(2), "base64url");
  return JSON.parse(fragment.startsWith("1.") ? inflateRawSync(bytes) : bytes);
}
