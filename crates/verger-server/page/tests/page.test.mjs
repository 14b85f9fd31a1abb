// The page with the module: all stories, and what is different without a service.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { deflateRawSync } from "node:zlib";

import { LARGE_FILES, STORIES } from "./stories.mjs";
import { ask, cell, close, DEVICES, edit, PAGE, ready, verdicts, withPage } from "./support.mjs";

after(close);

for (const [device, options] of Object.entries(DEVICES)) {
  for (const [name, story] of Object.entries(STORIES)) {
    test(`${name}: ${device}`, () => withPage(story, options));
  }
}

for (const [name, story] of Object.entries(LARGE_FILES)) test(name, () => withPage(story));

test("an address is not taken for a file", () =>
  withPage(async (page) => {
    await page.evaluate(() => navigator.clipboard.writeText(" https://shop.example/robots.txt\n"));
    await page.keyboard.press("Control+v");
    await page.getByText("This is an address. The page does not fetch; paste the text.").waitFor();
    await page.locator("#file .line code", { hasText: "ClaudeBot" }).waitFor();
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
