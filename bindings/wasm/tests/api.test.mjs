// The functions and classes of the package.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { load, modules } from "./support.mjs";

const { verger, tools } = await modules();
const { Crawler, DIALECTS, Policy, Robots, compilePolicy, isAllowed, parse, robotsUrl } = verger;

const FILE = `User-agent: *
Disallow: /cart
Allow: /cart/help
Crawl-delay: 2.5

User-agent: GPTBot
User-agent: CCBot
Disallow: /
Request-rate: 1/10 0600-0845
Visit-time: 0600-0845

Sitemap: /sitemap.xml
Host: shop.example:8080
Unknown: x
`;

test("a verdict names the rule, its line and its group", () => {
  assert.deepEqual(parse(FILE).check("ExampleBot", "https://shop.example/cart/1"), {
    allowed: false,
    reason: "rule",
    rule: { kind: "disallow", pattern: "/cart", line: 2, column: 11, span: [24, 29] },
    line: 2,
    group: { index: 0, line: 1 },
    text: "disallowed by `Disallow: /cart` on line 2, in the group for `*` (line 1)",
  });
  const { allowed, reason, rule, line } = parse(FILE).check("ExampleBot", "/about");
  assert.deepEqual(
    { allowed, reason, rule, line },
    { allowed: true, reason: "no_rule_matches", rule: null, line: null },
  );
});

test("the deciding line has a function", () => {
  const robots = parse(FILE);
  const lines = ["/cart", "/cart/help", "/", "/robots.txt", "no url"].map((url) =>
    robots.decidingLine("ExampleBot", url),
  );
  assert.deepEqual(lines, [2, 3, null, null, null]);
});

test("text that is no URL is disallowed", () => {
  const robots = parse(FILE);
  for (const url of ["shop.example/help", " /help", ""]) {
    assert.equal(robots.check("ExampleBot", url).reason, "not_a_url");
    assert.equal(robots.isAllowed("ExampleBot", url), false);
  }
});

test("swapped arguments are type errors in every dialect", () => {
  for (const dialect of DIALECTS) {
    const robots = parse(FILE, { dialect });
    for (const url of [
      "https://shop.example/help",
      "HTTPS://SHOP.EXAMPLE",
      "/help",
      "//shop.example/",
      "app+x.y://z",
    ]) {
      for (const call of [
        () => robots.isAllowed(url, "ExampleBot"),
        () => robots.decidingLine(url, "ExampleBot"),
        () => robots.check(url, "ExampleBot"),
        () => robots.explain(url, "ExampleBot"),
        () => robots.areAllowed(url, ["ExampleBot"]),
        () => robots.areLinesAllowed(url, "ExampleBot"),
        () => robots.policy(url),
        () => robots.crawlDelay(url),
        () => isAllowed(FILE, url, "ExampleBot", { dialect }),
        () => compilePolicy(FILE, url, { dialect }),
        () => new Crawler(url),
        () => tools.contentSignals(FILE, url, "ExampleBot", { dialect }),
        () => tools.contentUsage(FILE, url, "ExampleBot", { dialect }),
        () => tools.deadRules(FILE, url, { dialect }),
        () => tools.redundantRules(FILE, url, { dialect }),
        () => tools.coverage(FILE, url, ["ExampleBot"], { dialect }),
        () => tools.diffFiles(FILE, FILE, { agents: [url], dialect }),
      ]) {
        assert.throws(
          call,
          /TypeError: agent: .*but found a URL; the agent comes before the URL/,
          `${dialect}: ${call}`,
        );
      }
    }
    for (const agent of [
      "ExampleBot/1.0 (+https://bot.example/)",
      "mailto:a@shop.example",
      "a/b://c",
    ]) {
      assert.equal(robots.isAllowed(agent, "/cart"), false, agent);
    }
  }
});

test("URLs are strings, bytes or URL objects", () => {
  const robots = parse(FILE);
  const url = "https://shop.example/cart";
  const bytes = new TextEncoder().encode(url);
  for (const it of [
    url,
    bytes,
    bytes.buffer,
    new DataView(bytes.buffer),
    Buffer.from(url),
    new URL(url),
  ]) {
    assert.equal(robots.isAllowed("ExampleBot", it), false);
    assert.equal(isAllowed(FILE, "ExampleBot", it), false);
    assert.equal(compilePolicy(FILE, "ExampleBot").isAllowed(it), false);
  }
});

test("an explanation lists the rules that matched", () => {
  const { verdict, target, contenders } = parse(FILE).explain("ExampleBot", "/cart/help");
  assert.equal(verdict.line, 3);
  assert.equal(target, "/cart/help");
  assert.deepEqual(
    contenders.map(({ rule, standing }) => [rule.line, standing]),
    [
      [2, "shorter"],
      [3, "decides"],
    ],
  );
});

test("many URLs are checked in one call", () => {
  const robots = parse(FILE);
  assert.deepEqual(
    robots.areAllowed("ExampleBot", ["/", "/cart", new URL("https://shop.example/cart/help")]),
    [true, false, true],
  );
  assert.deepEqual(
    [...robots.areLinesAllowed("ExampleBot", "/\n/cart\r\n/cart/help\n")],
    [1, 0, 1],
  );
  assert.equal(robots.areLinesAllowed("ExampleBot", "").length, 0);
});

test("an iterator that asks about another agent does not disturb the others", () => {
  const robots = parse(FILE);
  function* urls() {
    for (const url of ["/", "/x", "/cart"]) {
      assert.equal(robots.isAllowed("GPTBot", url), false);
      yield url;
    }
  }
  assert.deepEqual(robots.areAllowed("ExampleBot", urls()), [true, true, false]);
});

test("a crawler that changes between calls is read again", () => {
  const robots = parse(FILE);
  const agent = { tokens: ["ExampleBot"] };
  assert.equal(robots.isAllowed(agent, "/x"), true);
  agent.tokens = ["GPTBot"];
  assert.equal(robots.isAllowed(agent, "/x"), false);
});

test("answers stay the same while questions are counted and a policy is compiled", () => {
  const robots = parse(FILE);
  for (let round = 0; round < 3; round += 1) {
    for (const agent of ["ExampleBot", "GPTBot"]) {
      for (let count = 0; count < 15; count += 1) {
        assert.equal(robots.isAllowed(agent, "/cart"), false);
        assert.equal(robots.isAllowed(agent, "/cart/help"), agent === "ExampleBot");
      }
    }
  }
});

test("a policy survives its bytes", () => {
  const policy = parse(FILE).policy("ExampleBot");
  const again = new Policy(policy.bytes);
  assert.deepEqual(again.check("/cart"), policy.check("/cart"));
  assert.deepEqual(policy.check("/cart").group, { line: 1 });
  const small = policy.withoutExplanation();
  assert.ok(small.bytes.length < policy.bytes.length);
  assert.equal(small.check("/cart").rule, null);
  assert.deepEqual(small.areAllowed(["/", "/cart"]), [true, false]);
});

test("damaged policies are errors", () => {
  const { bytes } = compilePolicy(FILE, "ExampleBot");
  for (const damaged of [
    new Uint8Array(),
    bytes.slice(1),
    bytes.map((byte, at) => (at === 20 ? byte ^ 1 : byte)),
  ]) {
    assert.throws(() => new Policy(damaged), RangeError);
  }
});

test("texts of the caller are escaped in messages", () => {
  const text = "a\u202e\u001b[31m";
  for (const call of [
    () => parse("", { dialect: text }),
    () => parse("", { [text]: 1 }),
    () => Crawler.chain([`x ${text}`]),
    () => robotsUrl(text),
    () => tools.lint("", { profile: text }),
    () => tools.lint("", { select: [text] }),
    () => tools.lint("", { portable: [text] }),
    () => tools.lint("", { severity: { "misspelt-key": text } }),
    () => tools.lint("", { origin: text }),
  ]) {
    assert.throws(
      call,
      ({ message }) => /\\u\{202e\}/.test(message) && !/\p{C}/u.test(message),
      String(call),
    );
  }
});

test("a name of a known crawler has its fallbacks", () => {
  const tokens = (agent, options) => tools.crawlerFor(agent, options).tokens;
  assert.deepEqual(tokens("googlebot-news"), ["Googlebot-News", "Googlebot"]);
  assert.deepEqual(tokens("Googlebot-News/1.0"), ["Googlebot-News", "Googlebot"]);
  assert.deepEqual(tokens("Googlebot-News/1.0", { dialect: "google" }), ["Googlebot-News/1.0"]);
  assert.deepEqual(tokens("ExampleBot"), ["ExampleBot"]);
  assert.equal(tools.crawlerFor("AdsBot-Google").ignoresStar, true);
  assert.equal(tools.crawlerFor("Google-Safety").ignoresRobots, true);
  assert.equal(tools.crawlerFor("Google-Safety").note, "it does not follow robots.txt");
  assert.equal(tools.crawlerFor("Googlebot").note, null);
  const file = "User-agent: Googlebot\nDisallow: /img\n";
  const robots = parse(file);
  assert.equal(robots.isAllowed("Googlebot-News", "/img/a.png"), true);
  assert.equal(robots.isAllowed(tools.crawlerFor("Googlebot-News"), "/img/a.png"), false);
  const { disallowed } = tools.coverage(file, "Googlebot-News", ["/img/a.png"]);
  assert.equal(disallowed, 1);
});

test("names have the answers of the suite", () => {
  const path = new URL("../../../testdata/names.json", import.meta.url);
  const { names, url, files } = JSON.parse(readFileSync(path, "utf8"));
  for (const { robots: text, dialect, answers } of files) {
    const robots = parse(text, { dialect });
    for (const [at, name] of names.entries()) {
      const crawler = tools.crawlerFor(name, { dialect });
      const isAllowed = answers[at] === "a";
      assert.equal(robots.isAllowed(crawler, url), isAllowed, `${name}: ${text}`);
      const { disallowed } = tools.coverage(text, name, [url], { dialect });
      assert.equal(disallowed === 0, isAllowed, `${name}: ${text}`);
    }
  }
});

test("crawlers have tokens", () => {
  assert.deepEqual(new Crawler("Mozilla/5.0 (compatible; ExampleBot/1.0)").tokens, ["ExampleBot"]);
  const robots = parse(FILE);
  assert.equal(robots.isAllowed(Crawler.chain(["Unnamed", "GPTBot"]), "/x"), false);
  assert.equal(robots.isAllowed(Crawler.union(["ExampleBot", "GPTBot"]), "/x"), false);
  assert.equal(robots.isAllowed(new Crawler("ExampleBot").withoutStar(), "/cart"), true);
  for (const tokens of [[1], [null], [{ toString: () => "a" }]]) {
    assert.throws(() => Crawler.union(tokens), /TypeError: tokens: expected strings, but found /);
  }
  for (const wrong of [() => new Crawler("()"), () => Crawler.chain(["a b"])]) {
    assert.throws(wrong, RangeError);
  }
});

test("statements of an agent and of the site", () => {
  const robots = parse(FILE);
  assert.equal(robots.crawlDelay("ExampleBot"), 2.5);
  assert.equal(robots.crawlDelay("GPTBot"), null);
  const window = { from: 360, to: 525 };
  assert.deepEqual(robots.requestRates("GPTBot"), [{ documents: 1, seconds: 10, window }]);
  assert.deepEqual(robots.visitTimes("GPTBot"), [window]);
  assert.deepEqual(robots.licenses("GPTBot"), []);
  assert.deepEqual(robots.sitemaps, ["/sitemap.xml"]);
  assert.deepEqual(robots.sitemapUrls("https://shop.example/x"), [
    "https://shop.example/sitemap.xml",
  ]);
  assert.equal(robots.host, "shop.example:8080");
  assert.deepEqual(robots.records.at(-1), {
    kind: "",
    key: "Unknown",
    value: "x",
    line: 14,
    group: 1,
  });
  assert.deepEqual(
    robots.recordsFor("ExampleBot").map((it) => it.kind),
    ["Crawl-delay"],
  );
});

test("groups have agents and rules", () => {
  const robots = parse(FILE);
  assert.equal(robots.groups.length, 2);
  const [group] = robots.groupsFor("CCBot");
  assert.deepEqual(
    group.agents.map((it) => [it.name, it.line]),
    [
      ["GPTBot", 6],
      ["CCBot", 7],
    ],
  );
  assert.deepEqual(
    group.rules.map((it) => it.pattern),
    ["/"],
  );
});

test("bytes that are not UTF-8 are shown, and spans find them", () => {
  const robots = parse(Buffer.from("User-agent: *\nDisallow: /caf\xe9\n", "latin1"));
  const { rule } = robots.check("ExampleBot", "/caf%E9");
  assert.equal(rule.pattern, "/caf\\xe9");
  assert.deepEqual(
    [...robots.bytes.subarray(...rule.span)],
    [...Buffer.from("/caf\xe9", "latin1")],
  );
});

test("the URL of robots.txt", () => {
  assert.equal(robotsUrl("https://Shop.example:8443/x?y"), "https://shop.example:8443/robots.txt");
  assert.equal(robotsUrl("https://user:word@shop.example:443/"), "https://shop.example/robots.txt");
  for (const url of [
    "data:,x",
    "mailto:a@shop.example",
    "file:///x",
    "blob:https://shop.example/1",
  ]) {
    assert.throws(
      () => robotsUrl(url),
      /TypeError: url: expected the URL of a site such as .*, but found "/,
    );
  }
  for (const url of [
    "shop.example",
    "",
    "null",
    "/x",
    "https:/shop.example/",
    " https://shop.example",
  ]) {
    assert.throws(() => robotsUrl(url), /TypeError: url: expected an absolute URL, but found "/);
  }
  assert.throws(() => robotsUrl(null), /TypeError: url: .*found null/);
});

test("dialects differ, and unknown ones are errors", () => {
  const text = "User-agent: *\nDisallow: /a\nAllow: /a/b\n";
  const answers = DIALECTS.map((dialect) => isAllowed(text, "x", "/a/b", { dialect }));
  assert.deepEqual([answers[0], answers[DIALECTS.indexOf("orig1994")]], [true, false]);
  assert.equal(parse(text, { dialect: "bing" }).dialect, "bing");
  for (const dialect of ["rfc", "", 1]) {
    assert.throws(
      () => parse(text, { dialect }),
      /^RangeError: dialect: expected one of rfc9309, /,
    );
  }
});

test("the names of the dialects are those of the modules", async () => {
  for (const module of ["native/engine.js", "native/tools.js"]) {
    const native = await load(module);
    assert.deepEqual(JSON.parse(native.dialects()), [...DIALECTS]);
  }
});

test("wrong types are type errors", () => {
  const robots = parse(FILE);
  const policy = robots.policy("ExampleBot");
  for (const wrong of [null, undefined, 1, true, {}, [], Symbol("x")]) {
    for (const call of [
      () => parse(wrong),
      () => isAllowed(FILE, wrong, "/"),
      () => isAllowed(FILE, "a", wrong),
      () => compilePolicy(wrong, "a"),
      () => robots.isAllowed(wrong, "/"),
      () => robots.isAllowed("a", wrong),
      () => robots.check("a", wrong),
      () => robots.decidingLine("a", wrong),
      () => robots.areAllowed("a", [wrong]),
      () => robots.areLinesAllowed("a", wrong),
      () => policy.isAllowed(wrong),
      () => policy.check(wrong),
      () => new Policy(wrong),
      () => new Crawler(wrong),
      () => tools.lint(wrong),
      () => tools.format(wrong),
      () => tools.diffFiles("", wrong),
    ]) {
      assert.throws(call, TypeError, String(call));
    }
  }
  for (const list of ["/x", 1, null, undefined]) {
    assert.throws(() => robots.areAllowed("a", list), TypeError);
    assert.throws(() => Crawler.chain(list), TypeError);
  }
});

test("a freed object throws and can be freed again", () => {
  const robots = parse(FILE);
  const policy = robots.policy("ExampleBot");
  robots.free();
  robots.free();
  assert.throws(() => robots.isAllowed("ExampleBot", "/"), /TypeError: the object was freed/);
  assert.throws(() => robots.groups, /the object was freed/);
  assert.equal(policy.isAllowed("/cart"), false);
  policy.free();
  assert.throws(() => policy.isAllowed("/"), /the object was freed/);
  if (Symbol.dispose) {
    const other = new Robots(FILE);
    other[Symbol.dispose]();
    assert.throws(() => other.bytes, /the object was freed/);
  }
});

test("files above the size limit are cut", () => {
  const robots = parse(`User-agent: *\n${"Disallow: /a\n".repeat(60_000)}Disallow: /b\n`);
  assert.equal(robots.truncated, true);
  assert.equal(robots.isAllowed("x", "/b"), true);
  assert.equal(parse("").truncated, false);
});

// Tools

test("the linter finds and fixes problems", () => {
  const report = tools.lint("User-agent: *\nDissalow: /cart\n");
  assert.deepEqual(
    report.findings.map((it) => [it.code, it.line, it.fix]),
    [["misspelt-key", 2, { title: "write `Disallow`", safe: false }]],
  );
  assert.equal(report.fixed, null);
  assert.equal(new TextDecoder().decode(report.fixedUnsafely), "User-agent: *\nDisallow: /cart\n");
  // The corrected lines are equal, which only a second pass sees.
  const twice = tools.lint("User-agent: *\nDissalow: /a\nDisallow: a\n");
  assert.equal(new TextDecoder().decode(twice.fixedUnsafely), "User-agent: *\nDisallow: /a\n");
  assert.deepEqual(
    tools.lint("User-agent: *\nDissalow: /cart\n", { ignore: ["syntax"] }).findings,
    [],
  );
  const severity = { "misspelt-key": "error" };
  assert.equal(
    tools.lint("User-agent: *\nDissalow: /cart\n", { severity }).findings[0].severity,
    "error",
  );
  for (const options of [
    { select: ["x"] },
    { severity: { "misspelt-key": "x" } },
    { portable: ["x"] },
  ]) {
    assert.throws(() => tools.lint("", options), RangeError);
  }
  assert.throws(() => tools.lint("", { select: "syntax" }), TypeError);
  const foreign = "Sitemap: https://shop.example/s.xml\n";
  const codes = (origin) =>
    tools.lint(foreign, { origin, select: ["foreign-sitemap"] }).findings.map(({ code }) => code);
  assert.deepEqual(codes("https://other.example:8443/page"), ["foreign-sitemap"]);
  assert.deepEqual(codes(new URL("https://shop.example/")), []);
  assert.deepEqual(codes("ftp://other.example/x"), ["foreign-sitemap"]);
  for (const origin of [
    "data:,x",
    "null",
    "about:blank",
    "file:///x",
    "shop.example",
    "",
    "\u202e",
  ]) {
    const found = origin === "\u202e" ? '"\\u{202e}"' : JSON.stringify(origin);
    const message = `origin: expected a URL such as https://shop.example/, but found ${found}`;
    assert.throws(() => codes(origin), { name: "RangeError", message });
  }
  assert.throws(() => codes(null), /TypeError: origin: expected a string or bytes, but found null/);
  assert.ok(
    tools
      .lintRules()
      .some((rule) => rule.code === "misspelt-key" && rule.page.startsWith("# misspelt-key")),
  );
});

test("settings of the linter cannot be read as others", () => {
  const file = "User-agent: *\nDissalow: /cart\n";
  for (const word of ["select", "ignore", "portable", "origin", "x", "", 1]) {
    const hint = /RangeError: severity: expected one of note, warning, error, but found /;
    assert.throws(() => tools.lint(file, { severity: { "misspelt-key": word } }), hint);
  }
  for (const word of ["note", "warning", "error"]) {
    assert.equal(
      tools.lint(file, { severity: { "misspelt-key": word } }).findings[0].severity,
      word,
    );
  }
  for (const end of ["\n", "\r"]) {
    const injected = `syntax${end}ignore misspelt-key`;
    for (const key of ["select", "ignore", "portable"]) {
      assert.throws(
        () => tools.lint(file, { [key]: [injected] }),
        /TypeError: \w+: expected strings of one line/,
      );
    }
    assert.throws(() => tools.lint(file, { profile: injected }), TypeError);
    assert.throws(() => tools.lint(file, { severity: { [injected]: "error" } }), TypeError);
  }
  assert.throws(() => tools.lint(file, { select: [1] }), TypeError);
  assert.throws(
    () => tools.lint(file, { severity: "error" }),
    /TypeError: severity: expected an object, but found string/,
  );
  assert.throws(
    () => tools.lint(file, { severity: { "no code": "error" } }),
    /RangeError: .*`no code`/,
  );
});

test("the linter has profiles, and knows the time on request", () => {
  const file = "User-agent: *\nDisallow: cart\n";
  const codes = (options) => tools.lint(file, options).findings.map(({ code }) => code);
  assert.deepEqual(codes({ profile: "lighthouse" }), ["lighthouse"]);
  assert.ok(!codes({ profile: "lighthouse", select: ["rules"] }).includes("lighthouse"));
  assert.throws(() => codes({ profile: "x" }), /RangeError: profile: /);
  const old = tools.lint("User-agent: GPTBot\nDisallow: /\n", { now: new Date("2090-01-01") });
  const now = tools.lint("User-agent: GPTBot\nDisallow: /\n", { now: new Date(0) });
  assert.notDeepEqual(old.findings, now.findings);
  assert.throws(() => codes({ now: new Date(NaN) }), RangeError);
  assert.throws(() => codes({ now: 1 }), /TypeError: now: expected a Date, but found number/);
});

test("options are objects with known names", () => {
  const calls = {
    parse: (options) => parse(FILE, options),
    isAllowed: (options) => isAllowed(FILE, "x", "/", options),
    compilePolicy: (options) => compilePolicy(FILE, "x", options),
    lint: (options) => tools.lint(FILE, options),
    diffFiles: (options) => tools.diffFiles(FILE, FILE, options),
    diagnostics: (options) => tools.diagnostics(FILE, options),
    contentSignals: (options) => tools.contentSignals(FILE, "x", "/", options),
    contentUsage: (options) => tools.contentUsage(FILE, "x", "/", options),
    cleanUrl: (options) => tools.cleanUrl(FILE, "/", options),
    deadRules: (options) => tools.deadRules(FILE, "x", options),
    redundantRules: (options) => tools.redundantRules(FILE, "x", options),
    coverage: (options) => tools.coverage(FILE, "x", [], options),
  };
  for (const [name, call] of Object.entries(calls)) {
    call({});
    assert.throws(
      () => call("google"),
      /TypeError: options: expected an object, but found string/,
      name,
    );
    assert.throws(
      () => call({ dialekt: "google" }),
      /TypeError: options: expected .*, but found "dialekt"/,
      name,
    );
    for (const wrong of [null, 1, ["google"], new Uint8Array(1)])
      assert.throws(() => call(wrong), TypeError, name);
  }
});

test("the formatter returns bytes and the lines that it left", () => {
  const { bytes, skipped } = tools.format("USER-AGENT:*  \nDISALLOW :/cart#why\n");
  assert.equal(new TextDecoder().decode(bytes), "User-agent: *\nDisallow: /cart #why\n");
  assert.deepEqual(skipped, []);
  const utf16 = Buffer.from("\ufeffUser-agent:*\n", "utf16le");
  assert.deepEqual(tools.format(utf16), {
    bytes: new Uint8Array(utf16),
    skipped: [{ line: 0, reason: "unread" }],
  });
});

test("two files are compared for all crawlers, with witnesses", () => {
  const before = "User-agent: *\nDisallow: /admin\n";
  const found = tools.diffFiles(
    before,
    `User-agent: GPTBot\nDisallow: /blog\n\n${before}Sitemap: /s.xml\n`,
  );
  assert.deepEqual(found.unchanged, ["*"]);
  assert.deepEqual(
    found.differences.map((it) => [it.crawlers, it.switch]),
    [[["GPTBot"], "to_own_groups"]],
  );
  assert.deepEqual(
    found.differences[0].changes.map((it) => [
      it.direction,
      it.target,
      it.before.line,
      it.after.line,
    ]),
    [
      ["closed", "/blog", null, 2],
      ["opened", "/admin", 2, null],
    ],
  );
  assert.deepEqual(
    found.records.map((it) => [it.change, it.record.value]),
    [["added", "/s.xml"]],
  );
  assert.deepEqual([found.text, found.addedLines], ["changed", null]);
  const block = tools.diffFiles(before, `User-agent: a\nAllow: /\n\n${before}`);
  assert.deepEqual([block.text, block.addedLines], ["prepended", [1, 3]]);
  assert.deepEqual(tools.diffFiles(before, `${before}\nSitemap: /s\n`).addedLines, [3, 4]);
  assert.deepEqual(tools.diffFiles(before, before).differences, []);
  assert.deepEqual(tools.diffFiles("", before, { agents: ["a", "b"] }).differences[0].crawlers, [
    "a",
    "b",
  ]);
  assert.throws(() => tools.diffFiles("", "", { agents: ["a\nb"] }), TypeError);
});

test("known crawlers are compared with their fallbacks", () => {
  const after = "User-agent: Googlebot\nDisallow: /a\n";
  const before = `${after}\nUser-agent: Googlebot-News\nDisallow: /b\n`;
  const changes = (agents) => {
    const { differences, unchanged } = tools.diffFiles(before, after, { agents });
    const found = differences.map((it) => [
      it.crawlers,
      it.changes.map(({ direction, target }) => `${direction} ${target}`),
    ]);
    return [found, unchanged];
  };
  const news = (name) => [[name], ["opened /b", "closed /a"]];
  const agents = ["googlebot-news", "*", "Google-Safety"];
  assert.deepEqual(tools.diffFiles(before, after, { agents }).crawlers, [
    { name: "googlebot-news", tokens: ["Googlebot-News", "Googlebot"], note: null },
    { name: "*", tokens: [], note: null },
    { name: "Google-Safety", tokens: ["Google-Safety"], note: "it does not follow robots.txt" },
  ]);
  assert.deepEqual(changes(), [[news("Googlebot-News")], ["Googlebot", "*"]]);
  const header = "Mozilla/5.0 (compatible; ExampleBot/1.0)";
  assert.deepEqual(changes(["googlebot-news", "*", header]), [
    [news("googlebot-news")],
    ["*", header],
  ]);
});

test("coverage counts URLs by rule", () => {
  const urls = ["https://shop.example/cart", "/cart/1", "/", "/help/a", "x y"];
  const found = tools.coverage(FILE, "ExampleBot", urls);
  const { total, allowed, disallowed, noRule, notUrls } = found;
  assert.deepEqual(
    { total, allowed, disallowed, noRule, notUrls },
    { total: 4, allowed: 2, disallowed: 2, noRule: 2, notUrls: 1 },
  );
  assert.deepEqual(
    found.rules.map((it) => it.urls),
    [2, 0],
  );
  assert.equal(tools.coverage(FILE, "ExampleBot", ["/ca\nrt"]).disallowed, 1);
});

test("dead and redundant rules have a reason", () => {
  const file = "User-agent: *\nDisallow: /a\nDisallow: /a\nDisallow: /a/b\n";
  const [dead, redundant] = [tools.deadRules(file, "x"), tools.redundantRules(file, "x")];
  assert.deepEqual([dead.undecided, redundant.undecided], [[], []]);
  assert.deepEqual(
    dead.found.map((it) => [it.rule.line, it.cause, it.overriddenBy[0].line]),
    [[3, "overridden", 2]],
  );
  // Each of two equal rules can be removed, but not both.
  assert.deepEqual(
    redundant.found.map((it) => it.rule.line),
    [2, 4],
  );
});

test("diagnostics, statements about use, and clean URLs", () => {
  assert.deepEqual(
    tools.diagnostics("User-agent: *\nDisallow /a\n").map((it) => [it.code, it.line]),
    [["missing-colon", 2]],
  );
  const text =
    "User-agent: *\nContent-Signal: ai-train=no, search=yes\nAllow: /\nClean-param: ref /item\n";
  assert.deepEqual(tools.contentSignals(text, "x", "/"), { search: "yes", "ai-train": "no" });
  const usage = "User-agent: *\nContent-Usage: train-ai=n\nDisallow: /x\n";
  assert.deepEqual(tools.contentUsage(usage, "x", "/"), { "train-ai": "n" });
  assert.equal(tools.contentUsage(usage, "x", "/x"), null);
  assert.equal(
    tools.cleanUrl(text, "https://shop.example/item?ref=1&id=2"),
    "https://shop.example/item?id=2",
  );
});

test("known crawlers have tokens that the engine takes", () => {
  const { date, crawlers } = tools.knownCrawlers();
  assert.match(date, /^\d{4}-\d\d-\d\d$/);
  assert.ok(crawlers.length > 200);
  const robots = parse("User-agent: Googlebot\nDisallow: /\n");
  const keys = Object.keys(crawlers[0]);
  const own = crawlers.flatMap((it) => [...Object.keys(it.sources), ...it.unconfirmed]);
  assert.ok(own.length > 100 && own.every((key) => keys.includes(key)), String(new Set(own)));
  const { crawler } = crawlers.find((it) => it.token === "bingbot").sources;
  assert.match(`${crawler.url} ${crawler.date}`, /^https:\/\/blogs\.bing\.com\/\S+ 2010-06$/);
  const news = crawlers.find((it) => it.token === "Googlebot-News");
  assert.equal(robots.isAllowed(news.crawler, "/"), false);
  const [found] = tools.identifyCrawlers(
    "Mozilla/5.0 (compatible; GPTBot/1.1; +https://openai.com/gptbot)",
  );
  assert.equal(found.token, "GPTBot");
  assert.deepEqual(tools.identifyCrawlers("nobody"), []);
});

test("verdicts are new objects, equal for questions in any order", () => {
  const file = "User-agent: a\nDisallow: /a\nAllow: /a/b\n\nUser-agent: *\nDisallow: /*x\n";
  const robots = parse(file);
  const agents = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? "a" : `bot${at}`));
  const urls = ["/a", "/a/b", "/x", "/y", "/robots.txt", "shop.example", "mailto:a@b.example"];
  // More agents in turn than a file keeps, before and after it compiles their rules.
  for (let round = 0; round < 15; round += 1) {
    for (const agent of agents) {
      for (const url of urls) {
        const verdict = robots.check(agent, url);
        assert.deepEqual(verdict, parse(file).check(agent, url), `${agent} ${url}`);
        assert.equal(robots.decidingLine(agent, url), verdict.line);
        assert.equal(robots.isAllowed(agent, url), verdict.allowed);
      }
    }
  }
  const [changed, policy] = [robots.check("a", "/a"), robots.policy("a")];
  changed.rule.span[0] = -1;
  changed.group.line = -1;
  assert.deepEqual(robots.check("a", "/a"), parse(file).check("a", "/a"));
  policy.check("/a").rule.line = -1;
  assert.equal(policy.check("/a").rule.line, 2);
});

test("a text and a crawler with the same tokens are different agents", () => {
  const robots = parse("User-agent: *\nDisallow: /\n");
  const crawler = Crawler.chain(["a"]);
  for (let round = 0; round < 3; round += 1) {
    assert.equal(robots.isAllowed("a", "/"), false);
    assert.equal(robots.isAllowed(crawler.withoutStar(), "/"), true);
    assert.equal(robots.isAllowed(crawler, "/"), false);
  }
});
