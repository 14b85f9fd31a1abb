// The record of a site: fetched by the service, with its verdicts, versions and links.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, test } from "node:test";

import {
  ask,
  cell,
  close,
  edit,
  fact,
  fetchSite,
  file,
  redis,
  Site,
  service,
  status,
  verdicts,
  withService,
} from "./support.mjs";

after(close);

const RULES = "User-agent: *\nDisallow: /cart\n";
const ADDRESS = await service("--fetch-seconds", "2");

/** An address without a server. */
const CLOSED = createServer().listen(0, "127.0.0.1");
await once(CLOSED, "listening");
const NOBODY = `http://127.0.0.1:${CLOSED.address().port}`;
CLOSED.close();

/** The browser reports responses with an error status. */
const REFUSALS = { tolerated: /^console: Failed to load resource: .* status of 4/ };

test("the page without a record is the playground", () =>
  withService(ADDRESS, async (page) => {
    const [first] = await verdicts(page);
    assert.equal(first[0], "allowed line 7");
    await page.getByText("The service fetches the robots.txt of a site").waitFor();
  }));

test("a robots.txt is fetched through the service, with its record", async () => {
  const site = await Site.start(file(RULES, { "cache-control": "max-age=600" }));
  await withService(ADDRESS, async (page) => {
    await fetchSite(page, `${site.origin}/cart/7?a=b#c`);
    await page.locator("#file .line code[dir=ltr]", { hasText: "/cart" }).waitFor();
    assert.deepEqual(await page.locator("#verdicts [role=rowheader] bdi").allTextContents(), [
      "/",
      "/cart",
      "/cart/7?a=b",
    ]);
    const rows = await verdicts(page);
    assert.deepEqual([...new Set(rows[0])], ["allowed no rule"]);
    assert.deepEqual([...new Set(rows[2])], ["disallowed line 2"]);
    assert.equal(
      await page.locator("#site .sentence").textContent(),
      "The rules of this file are in force.",
    );
    assert.equal(await fact(page, "Last response").textContent(), "status 200");
    assert.match(await fact(page, "Fetched by").textContent(), /^verger-serve\/\d/);
    assert.match(await fact(page, "SHA-256").textContent(), /^[\da-f]{64}$/);
    const times = await page
      .locator("#site .facts time")
      .evaluateAll((found) => found.map((time) => Date.parse(time.dateTime) / 1_000));
    const [last, fetched, fresh, next] = times;
    assert.ok(Math.abs(last - Date.now() / 1_000) < 60, String(times));
    assert.deepEqual([fetched, fresh - last, next - last], [last, 600, 600]);
    assert.equal(site.count(), 1);
    // The page itself has sent nothing to the site.
    assert.match(site.hits[0].headers["user-agent"], /^verger-serve/);
  });
});

test("a host without a scheme is asked over https", () =>
  withService(ADDRESS, async (page) => {
    const { host } = new URL(NOBODY);
    await fetchSite(page, host);
    assert.equal(await page.locator("#site-url").inputValue(), `https://${host}`);
    assert.match(await fact(page, "Last response").textContent(), /could not connect/);
  }));

test("redirects are listed", async () => {
  const last = await Site.start(file(RULES));
  const first = await Site.start(status(301, { location: `${last.origin}/robots.txt` }));
  await withService(ADDRESS, async (page) => {
    await fetchSite(page, first.origin);
    assert.deepEqual(await page.locator("#site .hops li").allTextContents(), [
      `${first.origin}/robots.txt (301)`,
      `to ${last.origin}/robots.txt`,
    ]);
    assert.equal((await verdicts(page))[1][0], "disallowed line 2");
  });
});

for (const [name, start, expected, badge, response] of [
  ["503", () => Site.start(status(503)), "disallowed unreachable", "✕", "status 503"],
  ["429", () => Site.start(status(429)), "disallowed unreachable", "✕", "status 429"],
  ["a closed port", () => ({ origin: NOBODY }), "disallowed unreachable", "✕", /could not connect/],
  ["silence", () => Site.start(() => {}), "disallowed unreachable", "✕", /./],
  [
    "a private address",
    () => ({ origin: "http://10.1.2.3" }),
    "disallowed unreachable",
    "✕",
    /does not connect/,
  ],
  ["404", () => Site.start(status(404)), "allowed unavailable", "✓", "status 404"],
  ["403", () => Site.start(status(403)), "allowed unavailable", "✓", "status 403"],
]) {
  test(`without rules in force, every verdict is that of the service: ${name}`, async () => {
    const { origin } = await start();
    await withService(
      ADDRESS,
      async (page) => {
        await fetchSite(page, `${origin}/x`);
        const rows = await verdicts(page);
        assert.equal(rows.length, 2);
        assert.deepEqual([...new Set(rows.flat())], [expected]);
        assert.ok((await page.locator("#site .badge").textContent()).startsWith(badge));
        assert.match(await fact(page, "Last response").textContent(), new RegExp(response));
        await cell(page, 2, 2).click();
        const why = page.locator(".why");
        await why.locator(".what", { hasText: "/x" }).waitFor();
        assert.match(
          await why.textContent(),
          badge === "✕" ? /Disallowed: .*cannot be fetched/ : /Allowed: /,
        );
        // The file has no rules, and nothing says that it allows.
        await page.locator("#file").getByText("No file is in force").waitFor();
        // A crawler and URLs that the service rejects are not blank, and not allowed.
        await ask(
          page,
          ["x".repeat(300), "*"],
          ["/ok", "ftp://shop.example/", "https://u:p@shop.example/"],
        );
        const added = await verdicts(page);
        assert.deepEqual([...new Set(added.map((row) => row[0]))], ["no answer service"]);
        assert.deepEqual(
          added.map((row) => row[1]),
          [expected, "no answer service", "no answer service"],
        );
        await cell(page, 2, 2).click();
        await why.getByText("expected scheme http or https").waitFor();
      },
      REFUSALS,
    );
  });
}

test("a note on a crawler is beside the verdicts of the service", async () => {
  const site = await Site.start(status(404));
  await withService(
    ADDRESS,
    async (page) => {
      await fetchSite(page, site.origin);
      await ask(page, ["ChatGPT-User"], ["/"]);
      assert.deepEqual(await verdicts(page), [["allowed unavailable"]]);
      const note = "it may ignore robots.txt";
      await page.locator("#verdicts [role=columnheader]").getByText(note).waitFor();
      await cell(page, 1, 1).click();
      await page.locator("#explanation dd", { hasText: note }).waitFor();
    },
    REFUSALS,
  );
});

test("a pasted text replaces the file of the record, and can be undone", async () => {
  const site = await Site.start(status(503));
  await withService(ADDRESS, async (page) => {
    await fetchSite(page, site.origin);
    assert.deepEqual([...new Set((await verdicts(page)).flat())], ["disallowed unreachable"]);
    await page.evaluate(() => navigator.clipboard.writeText("User-agent: *\nDisallow: /p\n"));
    await page.locator("#file .reader").focus();
    await page.keyboard.press("Control+v");
    await page.locator("#file .line code", { hasText: "/p" }).waitFor();
    await page.getByText("The text below is not the file of this record").waitFor();
    await cell(page, 1, 1).getByText("no rule").waitFor();
    await page.locator("#notice").getByRole("button", { name: "Undo" }).click();
    await cell(page, 1, 1).getByText("unreachable").waitFor();
    await edit(page, "User-agent: *\nDisallow: /edited\n");
    await ask(page, ["AnyBot"], ["/edited"]);
    assert.deepEqual(await verdicts(page), [["disallowed line 2"]]);
  });
});

for (const [name, start, reason] of [
  ["503", () => Site.start(status(503)), /: .*503/],
  ["a closed port", () => ({ origin: NOBODY }), /: .*could not connect/],
  ["404", () => Site.start(status(404)), /: .*404/],
]) {
  test(`a fetch without a file leaves the own file, and says why: ${name}`, async () => {
    const { origin } = await start();
    await withService(
      ADDRESS,
      async (page) => {
        await edit(page, "User-agent: *\nDisallow: /own\n");
        await ask(page, ["AnyBot"], ["/own", "/x"]);
        await fetchSite(page, `${origin}/x`);
        const message = page.locator("#notice .error p");
        await message.getByText(`No file is in force for ${origin}`).waitFor();
        assert.match(await message.textContent(), reason);
        await page.getByText("The text below is not the file of this record").waitFor();
        await page.locator("#file .line code", { hasText: "/own" }).waitFor();
        assert.deepEqual(await verdicts(page), [["disallowed line 2"], ["allowed no rule"]]);
        // The record can still replace it.
        const notice = page.locator("#notice");
        await notice.getByRole("button", { name: "Show its verdicts" }).click();
        await page.locator("#file").getByText("No file is in force").waitFor();
        const [own, other] = await verdicts(page);
        assert.match(own[0], name === "404" ? /unavailable/ : /unreachable/);
        assert.deepEqual(own, other);
        await notice.getByRole("button", { name: "Undo" }).click();
        await page.locator("#file .line code", { hasText: "/own" }).waitFor();
        await cell(page, 1, 1).getByText("line 2").waitFor();
      },
      REFUSALS,
    );
  });
}

test("an address that is pasted is fetched", async () => {
  const site = await Site.start(file(RULES));
  await withService(ADDRESS, async (page) => {
    await page.evaluate((text) => navigator.clipboard.writeText(text), `${site.origin}/robots.txt`);
    await page.locator("#file .reader").focus();
    await page.keyboard.press("Control+v");
    await page.locator("#file .line code[dir=ltr]", { hasText: "/cart" }).waitFor();
    assert.equal(site.count(), 1);
  });
});

test("a text that is no site is an error", () =>
  withService(ADDRESS, async (page) => {
    for (const text of ["", "a b", "ftp://shop.example", "https://", "http://[x"]) {
      await page.locator("#site-url").fill(text);
      await page.locator("#site-url").press("Enter");
      await page.getByText("Expected a site such as https://shop.example").waitFor();
      await page.locator("#notice").getByRole("button", { name: "Close" }).click();
    }
  }));

test("two versions are compared, with a URL for each difference", async () => {
  const site = await Site.start(file(`${RULES}Disallow: /old\n`));
  const address = await service("--store", await redis());
  await withService(
    address,
    async (page) => {
      await fetchSite(page, site.origin);
      site.robots = file(`${RULES}Disallow: /new\n`);
      await page.getByRole("button", { name: "Fetch again" }).click();
      await page.locator("#file .line code", { hasText: "/new" }).waitFor();
      await page
        .locator("#site .versions summary", { hasText: "2 versions of the file" })
        .waitFor();
      assert.equal(await page.locator("#site .versions li").count(), 2);
      await page.getByRole("button", { name: "Compare versions" }).click();
      await page.locator("#differences .size", { hasText: "1 opened · 1 closed" }).waitFor();
      const changes = await page.locator("#differences .change .what").allTextContents();
      assert.deepEqual(changes.toSorted(), ["/new", "/old"]);
      await page.locator("#earlier .line code", { hasText: "/old" }).waitFor();
      // An earlier version alone.
      await page
        .locator("#site .versions li", { hasNotText: "of the record" })
        .getByRole("button")
        .click();
      await page.locator("#file .line code", { hasText: "/old" }).waitFor();
      assert.equal(await page.locator("#mode [value=check]").isChecked(), true);
      // A second forced fetch within a minute is refused, and the record stays.
      await page.getByRole("button", { name: "Fetch again" }).click();
      await page.getByText("this origin was fetched within the last").waitFor();
      assert.equal(site.count(), 2);
    },
    REFUSALS,
  );
});

test("a link restores the record and its verdicts", async () => {
  const site = await Site.start(status(503));
  let link;
  await withService(ADDRESS, async (page) => {
    await fetchSite(page, site.origin);
    await verdicts(page);
    await page.locator("#share").click();
    await page.getByText("Link copied").waitFor();
    link = page.url();
  });
  await withService(
    ADDRESS,
    async (page) => {
      await page.locator("#site .facts").waitFor();
      assert.equal(await fact(page, "Last response").textContent(), "status 503");
      assert.deepEqual([...new Set((await verdicts(page)).flat())], ["disallowed unreachable"]);
    },
    { fragment: link.split("#")[1] },
  );
});

test("the list of crawlers is that of the service", () =>
  withService(ADDRESS, async (page) => {
    const known = await (await fetch(`${ADDRESS}v1/crawlers`)).json();
    await page.locator("#browse").click();
    await page.locator("#crawlers fieldset").first().waitFor();
    const shown = await page.locator("#crawlers .known bdi:first-child").allTextContents();
    const tokens = shown.filter((text) => known.some(({ token }) => token === text));
    assert.equal(new Set(tokens).size, known.length);
    const purposes = new Set(known.map(({ purpose }) => purpose));
    assert.equal(await page.locator("#crawlers fieldset").count(), purposes.size);
  }));

test("verdicts are asked again when the crawlers change, and a service that ends is reported", async () => {
  const site = await Site.start(status(503));
  const address = await service();
  await withService(
    address,
    async (page) => {
      await fetchSite(page, site.origin);
      await verdicts(page);
      // The service is gone for the page.
      await page.route("**/v1/**", (route) => route.abort());
      await ask(page, ["AnyBot"], ["/a"]);
      assert.deepEqual(await verdicts(page), [["no answer service"]]);
      await cell(page, 1, 1).click();
      await page.locator(".why").getByText("the service cannot be reached").waitFor();
    },
    { tolerated: /^console: Failed to load resource/ },
  );
});
