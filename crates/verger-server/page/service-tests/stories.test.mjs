// The stories with a service instead of the module.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { LARGE_FILES, STORIES } from "../tests/stories.mjs";
import { ask, cell, close, DEVICES, edit, service, verdicts, withService } from "./support.mjs";

after(close);

const ADDRESS = await service();

/** The browser reports responses with an error status. */
const REFUSALS = { tolerated: /^console: Failed to load resource/ };
/** The page asks a busy service again. */
const BUSY = { tolerated: /^console: Failed to load resource: .* 503/ };

for (const [device, options] of Object.entries(DEVICES)) {
  for (const [name, story] of Object.entries(STORIES)) {
    test(`${name}: ${device}`, () => withService(ADDRESS, story, { ...options, ...BUSY }));
  }
}

for (const [name, story] of Object.entries(LARGE_FILES)) {
  test(name, async () => withService(await service("--max-body", "4000000"), story, BUSY));
}

test("texts that are no URLs or names have no verdict, and the others keep theirs", () =>
  withService(
    ADDRESS,
    async (page) => {
      const json = JSON.stringify({
        mode: "check",
        dialect: "rfc9309",
        crawlers: ["x".repeat(300), "AnyBot"],
        urls: ["shop.example/x", "/cart", "no url", `/${"é".repeat(5_000)}`],
        cell: [1, 0],
        file: "User-agent: *\nDisallow: /cart\n",
        earlier: "",
      });
      await page.goto(`${ADDRESS}#0.${Buffer.from(json).toString("base64url")}`);
      const rows = await verdicts(page);
      assert.deepEqual(
        rows.map((row) => row[1]),
        ["no answer not a URL", "disallowed line 2", "no answer not a URL", "no answer service"],
      );
      assert.equal(rows[1][0], "no answer service");
      const why = page.locator(".why");
      await why.getByText("The text is neither an absolute URL nor a path").waitFor();
      await cell(page, 1, 2).click();
      const refusal = why.getByText("it does not read this crawler or URL");
      await refusal.waitFor();
      await cell(page, 2, 2).click();
      await refusal.waitFor({ state: "detached" });
      await cell(page, 2, 4).click();
      await refusal.waitFor();
    },
    REFUSALS,
  ));

test("a file beyond the limit of the service, and a service that is gone, are reported", async () => {
  const address = await service("--max-body", "2000");
  await withService(
    address,
    async (page) => {
      await edit(page, `User-agent: *\n${"# long\n".repeat(400)}`);
      await page.getByText("No answer: expected a body of at most 2000 bytes").waitFor();
      // The text is there, and no verdict of an earlier one.
      await page.locator("#file .size", { hasText: "401 lines" }).waitFor();
      assert.equal(await page.locator("#verdicts .pending").count(), 24);
      await page.route("**/v1/**", (route) => route.abort());
      await edit(page, "User-agent: *\nDisallow: /\n");
      await page.getByText("No answer: the service cannot be reached").waitFor();
      await page.unroute("**/v1/**");
      await edit(page, "User-agent: *\nDisallow: /a\n");
      await ask(page, ["AnyBot"], ["/a"]);
      assert.deepEqual(await verdicts(page), [["disallowed line 2"]]);
    },
    REFUSALS,
  );
});

test("an outdated question does not replace the answer to a newer one", () =>
  withService(ADDRESS, async (page) => {
    await ask(page, ["AnyBot"], ["/old", "/new"]);
    let release;
    const released = new Promise((resolve) => {
      release = resolve;
    });
    let held = 0;
    await page.route("**/v1/evaluate", async (route) => {
      if (route.request().postData().includes("# first")) {
        held += 1;
        await released;
      }
      // The browser has given it up.
      await route.continue().catch(() => {});
    });
    await edit(page, "User-agent: *\nDisallow: /old # first\n");
    while (held === 0) await page.waitForTimeout(20);
    await edit(page, "User-agent: *\nDisallow: /new\n");
    await cell(page, 1, 2).getByText("disallowed").waitFor();
    release();
    await page.evaluate(() => fetch("v1/crawlers"));
    assert.deepEqual(await verdicts(page), [["allowed no rule"], ["disallowed line 2"]]);
  }));
