// The page of a service for everybody: hostile sites, tokens, keyboard, colours and sizes.

import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { INVISIBLE, MARKUP, problems } from "../tests/inert.mjs";
import {
  accessibility,
  cell,
  close,
  fetchSite,
  file,
  LOOKS,
  look as lookAt,
  PICTURES,
  redis,
  Site,
  service,
  status,
  verdicts,
  withService,
} from "./support.mjs";

const FOLDER = mkdtempSync(join(tmpdir(), "verger-page-"));
after(async () => {
  await close();
  rmSync(FOLDER, { recursive: true });
});

const ADDRESS = await service("--fetch-seconds", "2", "--store", await redis());

/** The browser reports responses with an error status. */
const REFUSALS = { tolerated: /^console: Failed to load resource: .* status of 4/ };

const EARLIER = "User-agent: *\nDisallow: /cart\nDisallow: /search\nSitemap: /sitemap.xml\n";
const LATER =
  "User-agent: *\nDisallow: /cart\nAllow: /cart/help\n\nUser-agent: GPTBot\nDisallow: /\n";

for (const [colours, options] of Object.entries(LOOKS)) {
  test(`axe-core finds no violation: ${colours}`, async () => {
    const last = await Site.start(file(EARLIER));
    const site = await Site.start(status(302, { location: `${last.origin}/robots.txt` }));
    const down = await Site.start(status(503, { "retry-after": "600" }));
    await withService(
      ADDRESS,
      async (page) => {
        const look = async (name) => {
          await lookAt(page, `${name}-${colours}`);
          const narrowest = await page
            .locator(".facts dd")
            .evaluateAll((facts) => Math.min(...facts.map((fact) => fact.clientWidth)));
          assert.ok(narrowest > 120, `${name}: a fact of ${narrowest} pixels`);
        };
        await page.locator("#file .finding").first().waitFor();
        await look("start");
        await fetchSite(page, `${site.origin}/cart/help`);
        last.robots = file(LATER);
        await page.getByRole("button", { name: "Fetch again" }).click();
        await page.locator("#file .line code", { hasText: "GPTBot" }).waitFor();
        await page.locator("#site .versions summary", { hasText: "2 versions" }).waitFor();
        await verdicts(page);
        await page.locator("#file .chip").first().waitFor();
        await look("record");
        await page.getByRole("button", { name: "Compare versions" }).click();
        await page.locator("#differences .change").first().click();
        await page.locator("#earlier .chip").first().waitFor();
        await look("versions");
        await fetchSite(page, `${down.origin}/a`);
        await verdicts(page);
        await page.locator("#verdicts [role=gridcell]").last().click();
        await page.locator(".why .what", { hasText: "/a" }).waitFor();
        await look("unreachable");
      },
      options,
    );
  });
}

/** Presses Tab until an element has the focus. */
async function tabTo(page, selector, key = "Tab") {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press(key);
    if (await page.evaluate((it) => document.activeElement.matches(it), selector)) return;
  }
  assert.fail(`no focus on ${selector}`);
}

test("fetching and comparing can be done by keyboard, and is announced", async () => {
  const site = await Site.start(file(EARLIER));
  await withService(ADDRESS, async (page) => {
    const { keyboard } = page;
    await tabTo(page, "#site-url");
    await keyboard.type(site.origin);
    await keyboard.press("Enter");
    const inForce = `${site.origin}The rules of this file are in force.`;
    await page.locator("#site [role=status]", { hasText: inForce }).waitFor();
    // The focus stays.
    assert.equal(await page.evaluate(() => document.activeElement.id), "site-url");
    site.robots = file(LATER);
    await keyboard.press("Tab");
    await keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Fetch again");
    await keyboard.press("Enter");
    await page.locator("#site .versions summary", { hasText: "2 versions" }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Fetch again");
    await tabTo(page, ".compare-form select");
    await tabTo(page, ".compare-form button");
    await keyboard.press("Enter");
    await page
      .locator("#status")
      .getByText(/^Comparison: \d+ opened and \d+ closed/)
      .waitFor();
    await tabTo(page, "#differences .change");
    await keyboard.press("Enter");
    await page.locator("#differences .change[aria-pressed=true]").waitFor();
    await page.getByRole("region", { name: "Record of the service" }).waitFor();
  });
});

test("nothing of a hostile site is markup or invisible", async () => {
  const text = MARKUP.flatMap((each) => [`User-agent: ${each}`, `Disallow: /${each}${INVISIBLE}`]);
  const hostile = Buffer.concat([
    Buffer.from(`User-agent: *\nDisallow: /\n${text.join("\n")}\n`),
    Buffer.from([0xff, 0x00, 0x0a]),
  ]);
  const last = await Site.start(
    file(hostile, { etag: `"${MARKUP[1]}"`, "content-type": `text/plain; x="${MARKUP[2]}"` }),
  );
  const path = encodeURI(`/robots.txt?${MARKUP.join("&")}`);
  const first = await Site.start((response, { url }) => {
    if (url === "/robots.txt") response.writeHead(302, { location: `${last.origin}${path}` }).end();
  });
  last.page = last.robots;
  await withService(
    ADDRESS,
    async (page) => {
      await fetchSite(page, `${first.origin}/${MARKUP[0]}`);
      await page.locator("#file .chip").first().waitFor();
      await verdicts(page);
      assert.match(await page.locator("#site .hops").textContent(), /script/);
      assert.deepEqual(await problems(page), []);
      await cell(page, 1, 1).click();
      assert.deepEqual(await problems(page), []);
      // Not UTF-8: the exact bytes arrive.
      await page.locator("#file .escape").first().waitFor();
      for (const input of [...MARKUP, INVISIBLE]) {
        await page.locator("#site-url").fill(input);
        await page.locator("#site-url").press("Enter");
        assert.deepEqual(await problems(page), [], input);
      }
    },
    REFUSALS,
  );
});

test("a token is asked for, kept in memory only, and sent in a header only", async () => {
  const path = join(FOLDER, "tokens");
  const token = "0123456789abcdef0123456789abcdef";
  writeFileSync(path, `# clients\n${token}\n`);
  chmodSync(path, 0o600);
  const address = await service("--token-file", path);
  const site = await Site.start(file(EARLIER));
  await withService(
    address,
    async (page) => {
      const urls = [];
      page.on("request", (request) => urls.push(request.url()));
      // The files of the page need none, but the verdicts do.
      const dialog = page.getByRole("dialog", { name: "Token" });
      await dialog.waitFor();
      assert.deepEqual(await accessibility(page), []);
      if (PICTURES) await page.screenshot({ path: join(PICTURES, "token-wide-light.png") });
      await page.keyboard.type("wrong");
      await page.keyboard.press("Enter");
      await dialog.getByText("The service rejects this token.").waitFor();
      await page.keyboard.type(token);
      await page.keyboard.press("Enter");
      await verdicts(page);
      await fetchSite(page, site.origin);
      await verdicts(page);
      const kept = await page.evaluate(async () => [
        localStorage.length + sessionStorage.length,
        document.cookie,
        (await indexedDB.databases()).length,
        document.documentElement.outerHTML,
        location.href,
      ]);
      assert.deepEqual(kept.slice(0, 3), [0, "", 0]);
      assert.ok(!JSON.stringify([kept, urls]).includes(token));
      await page.reload();
      await dialog.waitFor();
      await page.keyboard.press("Escape");
      await page.getByText("the service needs a token").waitFor();
    },
    { tolerated: /^console: Failed to load resource: .* 401/, isReady: false },
  );
});

test("the page states what leaves the browser, and its policy is strict", () =>
  withService(ADDRESS, async (page) => {
    await page.getByText("The service checks the files: it gets them").waitFor();
    const response = await fetch(ADDRESS);
    const policy = response.headers.get("content-security-policy");
    for (const part of ["default-src 'none'", "frame-ancestors 'none'", "connect-src 'self'"]) {
      assert.ok(policy.includes(part), policy);
    }
    assert.ok(!/unsafe|\*|https?:/.test(policy), policy);
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    const tag = response.headers.get("etag");
    const again = await fetch(ADDRESS, { headers: { "if-none-match": tag } });
    assert.equal(again.status, 304);
  }));
