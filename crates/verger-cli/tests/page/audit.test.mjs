// The page of `verger audit --format html` in Chromium: colours, sizes, keyboard, and hostile logs.
//
// VERGER is the program.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";

import {
  closeBrowser,
  LOOKS,
  look,
  ROOT,
  withPageAt,
} from "../../../verger-server/page/tests/browser.mjs";

const folder = mkdtempSync(join(tmpdir(), "verger-audit-"));
const pages = new Map();
const server = createServer((request, response) => {
  const body = pages.get(request.url);
  response.writeHead(body ? 200 : 404, { "content-type": "text/html; charset=utf-8" });
  response.end(body);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

after(async () => {
  await closeBrowser();
  server.close();
  rmSync(folder, { recursive: true });
});

/** The page of an audit, as the browser sees it. */
function withAudit(name, log, history, run, options = {}) {
  const site = ["--origin", "https://shop.example", "--offline", "--format", "html"];
  const page = execFileSync(process.env.VERGER, ["audit", log, "--history", history, ...site], {
    cwd: ROOT,
    maxBuffer: 2 ** 26,
    stdio: ["ignore", "pipe", "ignore"],
  });
  pages.set(`/${name}`, page);
  const address = `http://127.0.0.1:${server.address().port}/${name}`;
  return withPageAt(address, ["GET"], run, { isReady: false, ...options });
}

const withShop = (run, options) =>
  withAudit("shop", "examples/shop/september.log", "examples/shop/history", run, options);

for (const [colours, options] of Object.entries(LOOKS)) {
  test(`axe-core finds no violation: ${colours}`, () =>
    withShop(async (page) => {
      await look(page, `audit-${colours}`);
      const closed = page.locator("details:not([open]) summary");
      while ((await closed.count()) > 0) await closed.first().click();
      await look(page, `audit-open-${colours}`);
    }, options));
}

test("each crawler opens and closes with the keyboard", () =>
  withShop(async (page) => {
    const all = await page.locator("details").count();
    assert.ok(all > 3);
    for (let at = 0; at < all; at += 1) {
      const details = page.locator("details").nth(at);
      const before = await details.evaluate((it) => it.open);
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      assert.equal(await details.evaluate((it) => it.open), !before);
    }
  }));

test("the answer is the first sentence, and the deciding line is beside its path", () =>
  withShop(async (page) => {
    assert.match(
      await page.locator(".answer").textContent(),
      /^1 crawler disobeyed rules that its operator had read/,
    );
    const row = page.locator("details[open] tr", { hasText: "disallowed_known" }).first();
    assert.match(await row.textContent(), /Disallow: \/.*line 13/);
  }));

const HOSTILE = [
  "<script>document.title='run'</script>",
  '"><img src=x onerror="document.title=1">',
  "</svg><svg onload=document.title=1>",
  "</style><script>document.title=1</script>",
  "<a href=javascript:document.title=1>x</a>",
  "&lt;script&gt;",
  "\u202egnp.tobrevo",
  "`<b>`",
];

test("a hostile log and a hostile history execute nothing", () => {
  const agent = "GPTBot/1.2";
  const log = join(folder, `${HOSTILE[0].replaceAll("/", "_")}.log`);
  const history = join(folder, "history");
  const groups = HOSTILE.map(
    (text, at) => `User-agent: Ev${at}Bot\nUser-agent: ${text}\nDisallow: /`,
  );
  const rules = HOSTILE.map((text) => `Disallow: /${text}`).join("\n");
  execFileSync("mkdir", [history]);
  const file = `2026-08-01 ${HOSTILE[0].replaceAll("/", "_")}.txt`;
  const robots = `User-agent: GPTBot\n${rules}\n${groups.join("\n")}\n`;
  writeFileSync(join(history, file), robots);
  const lines = HOSTILE.flatMap((text, at) => [
    `20.171.206.10 - - [0${at + 1}/Sep/2026:03:00:00 +0000] "GET /robots.txt HTTP/1.1" 200 ${Buffer.byteLength(robots)} "-" "${agent}"`,
    `20.171.206.10 - - [0${at + 1}/Sep/2026:03:00:01 +0000] "GET /${text.replaceAll('"', '\\"')} HTTP/1.1" 200 1 "-" "${agent}"`,
    `192.0.2.7 - - [0${at + 1}/Sep/2026:03:00:02 +0000] "GET / HTTP/1.1" 200 1 "-" "Ev${at}Bot/1 ${text.replaceAll('"', '\\"')}"`,
  ]);
  writeFileSync(log, `${lines.join("\n")}\n`);
  return withAudit("hostile", log, history, async (page) => {
    assert.equal(await page.title(), "Did crawlers obey robots.txt?");
    assert.equal(
      await page.locator("script, img, a, iframe, object, form, [onload], [onerror]").count(),
      0,
    );
    const text = await page.locator("main").textContent();
    assert.ok(text.includes(HOSTILE[0]), "hostile text is shown as text");
    await look(page, "audit-hostile");
  });
});
