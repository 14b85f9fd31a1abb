// Hostile text is inert: it is never markup, and invisible characters are shown.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, test } from "node:test";

import { INVISIBLE, MARKUP, problems } from "./inert.mjs";
import { close, ROOT, withPage } from "./support.mjs";

after(close);

const SHARED = `${ROOT}/../shared/hostile.jsonl`;

test("hostile text in a link is inert", async () => {
  const text = `${MARKUP.join("\n")}\n${INVISIBLE}`;
  const state = {
    mode: MARKUP[1],
    dialect: MARKUP[0],
    crawlers: [],
    urls: [],
    file: text,
    earlier: text,
  };
  const fragment = (value) => `0.${Buffer.from(JSON.stringify(value)).toString("base64url")}`;
  for (const given of [
    state,
    { ...state, mode: "check" },
    {
      ...state,
      mode: "compare",
      dialect: "rfc9309",
      crawlers: [...MARKUP, INVISIBLE],
      urls: MARKUP,
    },
    {
      ...state,
      mode: "check",
      dialect: "rfc9309",
      crawlers: [...MARKUP, INVISIBLE],
      urls: MARKUP,
      cell: [0, 0],
    },
  ]) {
    await withPage(
      async (page) => {
        await page.locator("#file .chip").first().waitFor();
        assert.deepEqual(await problems(page), []);
      },
      { fragment: fragment(given) },
    );
  }
});

test("the policy blocks inline scripts, markup, handlers and other origins", () =>
  withPage(
    async (page) => {
      /** The directive that refuses an attack. */
      const refusal = (attack) =>
        page.evaluate((attack) => {
          const refused = new Promise((resolve) => {
            const listener = (event) => resolve(event.effectiveDirective);
            addEventListener("securitypolicyviolation", listener, { once: true });
            setTimeout(resolve, 3_000, "none");
          });
          const attacks = {
            script() {
              const script = document.createElement("script");
              script.append("globalThis.attacked = 1");
              document.body.append(script);
            },
            markup: () => document.body.insertAdjacentHTML("beforeend", "<b>"),
            handler: () => document.body.setAttribute("onclick", "globalThis.attacked = 1"),
            style: () => document.body.setAttribute("style", "color: red"),
            worker: () => new Worker("data:text/javascript,1"),
            image: () => (new Image().src = "https://evil.example/"),
            request: () => fetch("https://evil.example/").catch(() => {}),
          };
          try {
            attacks[attack]();
          } catch {
            // Trusted types throw.
          }
          return refused;
        }, attack);
      const trusted = "require-trusted-types-for";
      assert.equal(await refusal("script"), trusted);
      assert.equal(await refusal("markup"), trusted);
      assert.equal(await refusal("worker"), trusted);
      assert.match(await refusal("handler"), /script-src-attr|require-trusted-types-for/);
      assert.equal(await refusal("style"), "style-src-attr");
      assert.equal(await refusal("image"), "img-src");
      assert.equal(await refusal("request"), "connect-src");
      await page.locator("body").click({ position: { x: 1, y: 1 } });
      assert.equal(await page.evaluate(() => globalThis.attacked), undefined);
    },
    // The requests are reported, and refused.
    { tolerated: /^(policy|console|error|request)/ },
  ));

test(
  "the hostile inputs for output are inert",
  { skip: !existsSync(SHARED) && "SKIPPED: ../shared is missing" },
  () =>
    withPage(async (page) => {
      const inputs = readFileSync(SHARED, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      const files = inputs
        .filter(({ layer, py }) => layer === "output" && py)
        .map(({ py }) => bytesOf(py));
      const texts = inputs
        .filter(({ layer, py }) => layer === "output" && !py)
        .map((input) => input["how to make it"]);
      const unique = [...new Set(files.map((bytes) => bytes.toString("latin1")))];
      assert.ok(
        unique.length > 20 && texts.length > 40,
        `${unique.length} files, ${texts.length} texts`,
      );
      for (const file of [
        ...unique,
        `User-agent: *\n${texts.map((text) => `Disallow: /${text}`).join("\n")}\n`,
      ]) {
        const buffer = Buffer.from(file, "latin1");
        await page
          .locator("#file input[type=file]")
          .setInputFiles({ name: "r", mimeType: "", buffer });
        await page
          .locator("#file .size", { hasText: `${buffer.length.toLocaleString("en")} bytes` })
          .waitFor();
        await page.locator("#file .chip").first().waitFor();
        assert.deepEqual(await problems(page), [], JSON.stringify(file));
      }
      // Every line beyond printable ASCII was shown with an escape.
      for (const file of unique.filter((each) => /[^\n\r -~]/.test(each))) {
        const buffer = Buffer.from(file, "latin1");
        await page
          .locator("#file input[type=file]")
          .setInputFiles({ name: "r", mimeType: "", buffer });
        await page.locator("#file .escape").first().waitFor();
      }
    }),
);

/** The value of a bytes literal of Python. */
function bytesOf(literal) {
  const body = /^b(['"])(.*)\1$/s.exec(literal)?.[2];
  assert.ok(body !== undefined, literal);
  const named = { n: "\n", r: "\r", t: "\t" };
  const text = body.replace(/\\(x[0-9a-f]{2}|.)/g, (_, code) =>
    code.length === 3
      ? String.fromCharCode(Number.parseInt(code.slice(1), 16))
      : (named[code] ?? code),
  );
  return Buffer.from(text, "latin1");
}
