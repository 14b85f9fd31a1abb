// The tasks of the page: paste, verdicts, explanation, findings, comparison, links.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { deflateRawSync, inflateRawSync } from "node:zlib";

import { ask, cell, close, edit, PAGE, ROOT, ready, verdicts, withPage } from "./support.mjs";

after(close);

const SHOP = readFileSync(`${ROOT}/examples/shop/robots.txt`, "utf8");

test("the page begins with an example, a verdict and its deciding line", () =>
  withPage(async (page) => {
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
  }));

test("pasted text replaces the file", () =>
  withPage(async (page) => {
    await page.evaluate(() =>
      navigator.clipboard.writeText("User-agent: *\r\nDisallow: /pasted\r\n"),
    );
    await page.locator("#file .reader").focus();
    await page.keyboard.press("Control+v");
    await page.locator("#file .line code", { hasText: "/pasted" }).waitFor();
    await ask(page, ["AnyBot"], ["/pasted/1", "/other"]);
    assert.deepEqual(await verdicts(page), [["disallowed line 2"], ["allowed no rule"]]);
  }));

test("a file is pasted without a click on the page, but not from a field", () =>
  withPage(async (page) => {
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
  }));

test("a replaced file can be restored, and the restoration undone", () =>
  withPage(async (page) => {
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
  }));

test("an own file is not compared with the example", () =>
  withPage(async (page) => {
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
  }));

test("an address is not taken for a file", () =>
  withPage(async (page) => {
    await page.evaluate(() => navigator.clipboard.writeText(" https://shop.example/robots.txt\n"));
    await page.keyboard.press("Control+v");
    await page.getByText("This is an address. The page does not fetch; paste the text.").waitFor();
    await page.locator("#file .line code", { hasText: "ClaudeBot" }).waitFor();
  }));

test("a dropped or opened file is read as bytes", () =>
  withPage(async (page) => {
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
  }));

test("a click explains a verdict: deciding line, overruled rules, sentence", () =>
  withPage(async (page) => {
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
  }));

test("the dialect changes the verdicts", () =>
  withPage(async (page) => {
    await edit(page, "User-agent: *\nDisallow: /\nAllow: /a\n");
    await ask(page, ["AnyBot"], ["/a"]);
    assert.deepEqual(await verdicts(page), [["allowed line 3"]]);
    await page.locator("#dialect").selectOption("koster1996");
    await cell(page, 1, 1).getByText("disallowed").waitFor();
    assert.deepEqual(await verdicts(page), [["disallowed line 2"]]);
  }));

test("findings are at their lines, and fixes can be applied", () =>
  withPage(async (page) => {
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
  }));

test("fixes of a file are gone when another text replaces it", () =>
  withPage(async (page) => {
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
  }));

test("a comparison that nobody waits for is ended", () =>
  withPage(async (page) => {
    let ended = 0;
    const watch = (worker) => worker.on("close", () => (ended += 1));
    page.workers().forEach(watch);
    page.on("worker", watch);
    const rules = (end) =>
      `User-agent: *\n${Array.from({ length: 3_000 }, (_, at) => `Disallow: /*a${at}*b${end}`).join("\n")}\n`;
    await page.locator("#mode [value=compare]").check();
    await edit(page, rules("c"), "#earlier");
    await edit(page, rules("d"));
    await edit(page, "User-agent: *\nDisallow: /a\n", "#earlier");
    await edit(page, "User-agent: *\nDisallow: /b\n");
    await page.locator("#differences .size", { hasText: "1 opened · 1 closed" }).waitFor();
    assert.ok(ended > 0);
  }));

test("two versions are compared, with a URL for each difference", () =>
  withPage(async (page) => {
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
  }));

test("a difference for all other crawlers is that of no name", () =>
  withPage(async (page) => {
    const named = "User-agent: any-other-crawler\nAllow: /\n\n";
    await page.locator("#mode [value=compare]").check();
    await edit(page, `${named}User-agent: *\nDisallow: /old\n`, "#earlier");
    await edit(page, `${named}User-agent: *\nDisallow: /new\n`);
    await page.locator("#differences .size", { hasText: "1 opened · 1 closed" }).waitFor();
    assert.equal(await page.locator("#differences h3").textContent(), "all other crawlers");
    await page.locator("#differences .change", { hasText: "opened" }).click();
    await page.locator('#earlier [data-line="5"].decides.disallows').waitFor();
    assert.equal(await page.locator("#file .line.agent").getAttribute("data-line"), "4");
  }));

test("the crawler * is every crawler without a group", () =>
  withPage(async (page) => {
    await edit(page, "User-agent: *\nDisallow: /\n");
    await ask(page, ["*"], ["/"]);
    assert.deepEqual(await verdicts(page), [["disallowed line 2"]]);
    await cell(page, 1, 1).click();
    await page
      .locator("#explanation dl")
      .getByText("* only, as a crawler that no group names")
      .waitFor();
  }));

test("known crawlers are listed by purpose, and obey as documented", () =>
  withPage(async (page) => {
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
  }));

test("a link restores the state", () =>
  withPage(async (page) => {
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
  }));

for (const viewport of [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
]) {
  test(`a chosen difference scrolls to its line: ${viewport.width} pixels`, () =>
    withPage(
      async (page) => {
        await page.locator("#mode [value=compare]").check();
        const change = page.locator("#differences .change").last();
        await change.scrollIntoViewIfNeeded();
        await change.click();
        await page.waitForFunction(() => {
          const line = document.querySelector("#file .line:is(.decides, .agent)");
          const { top, bottom } = line?.getBoundingClientRect() ?? {};
          return top >= 0 && bottom <= innerHeight;
        });
        assert.equal(await page.evaluate(() => document.activeElement.ariaPressed), "true");
      },
      { viewport },
    ));
}

test("the product tokens of a header are shown", () =>
  withPage(async (page) => {
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
    await facts.locator("dd", { hasText: /^Googlebot( and|, else) Bingbot( and|, else) msnbot, else \*$/ }).waitFor();
    await facts.getByText("One entry is one crawler. Add several one by one.").waitFor();
  }));

test("a text that is no URL is refused, and not counted if a link has it", async () => {
  await withPage(async (page) => {
    await ask(page, ["AnyBot"], ["/"]);
    await page.locator("#add-url").fill("shop.example/cart");
    await page.locator("#add-url").press("Enter");
    await page
      .getByText("Expected a URL that begins with / or https://, but found shop.example/cart.")
      .waitFor();
    assert.equal(await page.locator("#add-url").inputValue(), "shop.example/cart");
    assert.equal(await page.locator("#verdicts [role=rowheader]").count(), 1);
    const origins = page.getByText("A robots.txt applies to one origin");
    await page.locator("#add-url").fill("https://one.example/");
    await page.locator("#add-url").press("Enter");
    await page.locator("#verdicts [role=rowheader]", { hasText: "one.example" }).waitFor();
    assert.equal(await origins.isVisible(), false);
    await page.locator("#add-url").fill("https://two.example/");
    await page.locator("#add-url").press("Enter");
    await origins.waitFor();
  });
  const state = {
    mode: "check",
    dialect: "rfc9309",
    crawlers: ["a"],
    urls: ["shop.example/cart", "/"],
    cell: [0, 0],
  };
  const json = JSON.stringify({ ...state, file: "", earlier: "" });
  await withPage(
    async (page) => {
      await page
        .locator("#verdicts .size", { hasText: "1 allowed · 0 disallowed · 1 cell without a URL" })
        .waitFor();
      assert.deepEqual(await verdicts(page), [["no answer not a URL"], ["allowed no group"]]);
      await page.locator(".why .badge.none").waitFor();
      await page.locator("#file .size", { hasText: "0 lines · 0 bytes" }).waitFor();
    },
    { fragment: `0.${Buffer.from(json).toString("base64url")}` },
  );
});

test("the file can be copied and downloaded", () =>
  withPage(async (page) => {
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
  }));

test("a link of a check does not disclose the earlier version", () =>
  withPage(async (page) => {
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
  }));

/** The state in a fragment. */
function stateOf(fragment) {
  const bytes = Buffer.from(fragment.slice(2), "base64url");
  return JSON.parse(fragment.startsWith("1.") ? inflateRawSync(bytes) : bytes);
}

test("a link carries bytes that are not UTF-8", () =>
  withPage(async (page) => {
    const buffer = Buffer.from("User-agent: *\nDisallow: /\xff\n", "latin1");
    await page.locator("#file input[type=file]").setInputFiles({ name: "r", mimeType: "", buffer });
    await page.locator("#file .escape", { hasText: "\\xff" }).waitFor();
    await page.waitForFunction(() => location.hash !== "");
    await page.reload();
    await ready(page);
    await page.locator("#file .escape", { hasText: "\\xff" }).waitFor();
  }));

test("a damaged link gives a message and the example", async () => {
  const json = (value) => `0.${Buffer.from(JSON.stringify(value)).toString("base64url")}`;
  const bomb = deflateRawSync(Buffer.alloc(30_000_000, 32));
  const good = {
    mode: "check",
    dialect: "rfc9309",
    crawlers: ["a"],
    urls: ["/"],
    cell: null,
    file: "",
    earlier: "",
  };
  const damaged = [
    "x",
    "1.",
    "1.AAAA",
    "0.////",
    "2.AAAA",
    "1.%00",
    `1.${bomb.toString("base64url")}`,
    `0.${"A".repeat(200_000)}`,
    json(null),
    json([]),
    json({ ...good, dialect: "<b>" }),
    json({ ...good, mode: "__proto__" }),
    json({ ...good, crawlers: [1] }),
    json({ ...good, urls: new Array(5_000).fill("/").map((url, at) => url + at) }),
    json({ ...good, urls: ["/\n/"] }),
    json({ ...good, file: { length: 3 } }),
    json({ ...good, file: [null] }),
    json({ ...good, earlier: ["!"] }),
  ];
  for (const fragment of damaged) {
    await withPage(
      async (page) => {
        await page.locator("#notice", { hasText: "The link is damaged" }).waitFor();
        assert.equal((await verdicts(page)).length, 6, fragment.slice(0, 40));
      },
      { fragment },
    );
  }
  await withPage(
    async (page) => {
      assert.deepEqual(await verdicts(page), [["allowed no group"]]);
      assert.equal(await page.locator("#notice").textContent(), "");
      // The same tab, with another link.
      await page.goto(`${PAGE}#x`);
      await page.locator("#notice", { hasText: "The link is damaged" }).waitFor();
    },
    { fragment: json({ ...good, cell: [7, 7] }) },
  );
});

test("questions about half a mebibyte are answered before the linter has read it", async () => {
  let release;
  const released = new Promise((resolve) => {
    release = resolve;
  });
  const prepare = (page) =>
    page.context().route("**/tools.wasm", async (route) => {
      await released;
      await route.continue();
    });
  await withPage(
    async (page) => {
      let text = "User-agent: *\n";
      for (let at = 0; text.length < 511_900; at += 1)
        text += `Disallow: /path/${at}/*x${at % 7}\n`;
      await page.evaluate((text) => {
        const data = new DataTransfer();
        data.setData("text/plain", text);
        const reader = document.querySelector("#file .reader");
        reader.dispatchEvent(
          new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
        );
      }, text);
      await page.locator("#file .pager", { hasText: "Lines 1 to 1,000" }).waitFor();
      await ask(page, ["AnyBot"], ["/path/15000/ax6"]);
      assert.deepEqual(await verdicts(page), [["disallowed line 15002"]]);
      await cell(page, 1, 1).click();
      await page.locator('#file [data-line="15002"].decides').waitFor();
      assert.equal(await page.locator("#file .chip").count(), 0);
      // The same, pasted into the editor, and a keystroke.
      await page.evaluate((text) => navigator.clipboard.writeText(`${text}Disallow: /end\n`), text);
      await page.locator("#file .segments [value=edit]").check();
      await page.locator("#file textarea").press("Control+a");
      await page.keyboard.press("Control+v");
      const end = text.split("\n").length;
      await page.locator("#file .size", { hasText: `${end.toLocaleString("en")} lines` }).waitFor();
      await page.keyboard.type("# last");
      await ask(page, ["AnyBot"], ["/end"]);
      assert.deepEqual(await verdicts(page), [[`disallowed line ${end}`]]);
      assert.equal(await page.locator("#file .chip").count(), 0);
      release();
      await page.locator("#file .chip").first().waitFor();
    },
    { prepare },
  );
});

test("a file over the limit is refused with a message", () =>
  withPage(async (page) => {
    const buffer = Buffer.alloc(3_000_000, "#");
    await page.locator("#file input[type=file]").setInputFiles({ name: "r", mimeType: "", buffer });
    await page.getByText("expected at most 2,048,000 bytes, but found 3,000,000 bytes").waitFor();
  }));

test("lines beyond the size limit of the dialect are marked", () =>
  withPage(async (page) => {
    const text = `User-agent: *\n${`#${"x".repeat(998)}\n`.repeat(515)}Disallow: /late\n`;
    await edit(page, text);
    await page.locator('#file [data-line="517"].cut').waitFor();
    await ask(page, ["AnyBot"], ["/late"]);
    assert.deepEqual(await verdicts(page), [["allowed no rule"]]);
  }));

test("a module that cannot be loaded is reported", async () => {
  const without = (module) => ({
    tolerated: /Failed to load resource/,
    prepare: (page) =>
      page.context().route(`**/${module}.wasm`, (route) => route.fulfill({ status: 404 })),
  });
  await withPage(
    (page) =>
      page.getByText(/The engine failed: .*expected a module, but found status 404/).waitFor(),
    without("engine"),
  );
  await withPage(async (page) => {
    await page.getByText(/The linter stopped: .*expected a module, but found status 404/).waitFor();
    assert.equal((await verdicts(page)).length, 6);
    await page.locator("#browse").click();
    await page.getByText("The list of crawlers is not available").waitFor();
    await page.locator("#mode [value=compare]").check();
    await page.getByText("The comparison stopped: ").waitFor();
  }, without("tools"));
});

test("an engine that does not load is reported, and the message goes with the first answer", async () => {
  let release;
  const released = new Promise((resolve) => {
    release = resolve;
  });
  await withPage(
    async (page) => {
      const starting = page.locator("#starting");
      await starting.getByText("Starting the engine").waitFor();
      await page.clock.fastForward(9_000);
      await starting.getByText("The engine is still loading. Check the connection").waitFor();
      release();
      await ready(page);
      assert.equal((await verdicts(page)).length, 6);
    },
    {
      isReady: false,
      prepare: async (page) => {
        await page.clock.install();
        await page.context().route("**/engine.wasm", async (route) => {
          await released;
          await route.continue();
        });
      },
    },
  );
});

test("slow verdicts do not look like a slow start", () =>
  withPage(
    async (page) => {
      await page.locator("#file .line").first().waitFor();
      await page.locator("#starting").waitFor({ state: "detached" });
      assert.equal(await page.locator("#verdicts .pending").count(), 24);
    },
    {
      isReady: false,
      // The worker never gets the question.
      prepare: (page) =>
        page.addInitScript(() => {
          const { postMessage } = Worker.prototype;
          Worker.prototype.postMessage = function (message) {
            if (message.operation !== "verdicts") postMessage.call(this, message);
          };
        }),
    },
  ));
