// Arguments whose getters, methods and iterators make other calls, or free objects, while a call is
// prepared.

import assert from "node:assert/strict";
import { test } from "node:test";

import { modules } from "./support.mjs";

const { verger, tools } = await modules();
const { Crawler, Policy, compilePolicy, isAllowed, parse, robotsUrl } = verger;

const FILE =
  "User-agent: *\nDisallow: /cart\nContent-Signal: search=no\n\nUser-agent: GPTBot\nDisallow: /\n";

/** Other calls, with longer and shorter arguments, some of which fail. */
function disturb() {
  const long = `User-agent: *\nAllow: /\n#${"x".repeat(2_000_000)}`;
  for (const file of [long, "", "User-agent: *\nAllow: /\n"]) {
    assert.equal(isAllowed(file, "Other", "/other"), true);
    compilePolicy(file, "Other").free();
    parse(file).free();
    tools.lint(file.slice(0, 1_000));
    tools.diffFiles(file.slice(0, 1_000), "");
  }
  for (const wrong of [() => parse(1), () => new Policy(new Uint8Array(3))]) {
    assert.throws(wrong);
  }
}

/** Arguments for a URL, each of which runs code while it is read. */
function urls(url, act) {
  class Located extends URL {
    get href() {
      act();
      return super.href;
    }
  }
  class View extends DataView {
    get buffer() {
      act();
      return new ArrayBuffer(0);
    }
    get byteLength() {
      act();
      return 0;
    }
  }
  class Bytes extends Uint8Array {
    get length() {
      act();
      return 1;
    }
    get [Symbol.toStringTag]() {
      act();
      return "Uint16Array";
    }
    get byteLength() {
      act();
      return 1;
    }
  }
  const { buffer } = Uint8Array.from(new TextEncoder().encode(url));
  return [new Located(url), new View(buffer), new Bytes(buffer)];
}

/** Agents with the token GPTBot, each of which runs code while it is read. */
function agents(act) {
  const token = {
    toString() {
      act();
      return "GPTBot";
    },
  };
  const getter = {
    get tokens() {
      act();
      return ["GPTBot"];
    },
  };
  const flag = {
    tokens: ["GPTBot"],
    get ignoresStar() {
      act();
      return false;
    },
  };
  return [getter, flag, { tokens: [token] }];
}

const CART = "https://shop.example/cart";
const OPEN = "https://shop.example/open";

test("an agent that uses the same object while it is read gets its own answer", () => {
  const robots = parse(FILE);
  const act = () => {
    disturb();
    assert.equal(robots.isAllowed("ExampleBot", OPEN), true);
    assert.equal(robots.isAllowed(Crawler.chain(["ExampleBot"]), OPEN), true);
  };
  for (const agent of agents(act)) {
    assert.equal(robots.isAllowed(agent, OPEN), false);
    assert.equal(robots.decidingLine(agent, OPEN), 6);
    assert.equal(robots.check(agent, OPEN).line, 6);
    assert.equal(robots.explain(agent, OPEN).verdict.line, 6);
    assert.deepEqual([...robots.areLinesAllowed(agent, "/\n/x\n")], [0, 0]);
    assert.equal(robots.groupsFor(agent)[0].line, 5);
    assert.equal(robots.policy(agent).isAllowed(OPEN), false);
    assert.equal(isAllowed(FILE, agent, OPEN), false);
    assert.equal(compilePolicy(FILE, agent).isAllowed(OPEN), false);
    assert.equal(tools.coverage(FILE, agent, [OPEN]).disallowed, 1);
    assert.deepEqual(tools.contentSignals(FILE, agent, OPEN), {});
    assert.deepEqual(tools.deadRules(FILE, agent).found, []);
  }
});

test("a URL that uses the same object while it is read gets its own answer", () => {
  const robots = parse(FILE);
  const policy = robots.policy("ExampleBot");
  const act = () => {
    disturb();
    assert.equal(robots.isAllowed("GPTBot", OPEN), false);
    assert.equal(policy.isAllowed(CART), false);
  };
  for (const url of urls(OPEN, act)) {
    assert.equal(robots.isAllowed("ExampleBot", url), true);
    assert.equal(robots.decidingLine("ExampleBot", url), null);
    assert.equal(robots.check("ExampleBot", url).reason, "no_rule_matches");
    assert.equal(robots.explain("ExampleBot", url).verdict.reason, "no_rule_matches");
    assert.deepEqual(robots.areAllowed("ExampleBot", [url, CART]), [true, false]);
    assert.equal(policy.isAllowed(url), true);
    assert.equal(policy.check(url).allowed, true);
    assert.equal(isAllowed(FILE, "ExampleBot", url), true);
    assert.equal(isAllowed(FILE, "GPTBot", url), false);
    assert.deepEqual(tools.contentSignals(FILE, "ExampleBot", url), { search: "no" });
    if (url instanceof URL) {
      assert.equal(robotsUrl(url), "https://shop.example/robots.txt");
      assert.equal(tools.coverage(FILE, "ExampleBot", [url]).allowed, 1);
      assert.equal(tools.cleanUrl(FILE, url), OPEN);
    }
  }
});

test("a file that makes calls while it is read is parsed as its bytes", () => {
  for (const file of urls(`data:,\n${FILE}`, disturb).slice(1)) {
    assert.equal(isAllowed(file, "ExampleBot", CART), false);
    assert.equal(parse(file).check("GPTBot", OPEN).line, 7);
    assert.equal(tools.coverage(file, "GPTBot", [OPEN]).disallowed, 1);
    assert.deepEqual(tools.diffFiles(file, file).differences, []);
  }
});

test("options are read before arguments are written", () => {
  const options = {
    get dialect() {
      disturb();
      return "google";
    },
  };
  assert.equal(isAllowed(FILE, "ExampleBot", CART, options), false);
  assert.equal(parse(FILE, options).check("ExampleBot", CART).line, 2);
  assert.equal(tools.coverage(FILE, "ExampleBot", [CART], options).disallowed, 1);
  const settings = {
    get ignore() {
      disturb();
      return [];
    },
  };
  assert.equal(
    tools.lint("Dissalow: /\n", settings).findings.some((it) => it.code === "misspelt-key"),
    true,
  );
});

test("an object that is freed while a call is prepared is an error, never an answer", () => {
  const freed = { name: "TypeError", message: "the object was freed" };
  const calls = [
    ...["isAllowed", "decidingLine", "check", "explain"].flatMap((name) => [
      (robots, act) => agents(act).map((agent) => () => robots[name](agent, CART)),
      (robots, act) =>
        urls(CART, act)
          .map((url) => () => robots[name]("ExampleBot", url))
          .slice(0, 1),
    ]),
    ...["policy", "groupsFor", "crawlDelay"].map(
      (name) => (robots, act) => agents(act).map((agent) => () => robots[name](agent)),
    ),
    (robots, act) => [
      () =>
        robots.areAllowed(
          "ExampleBot",
          (function* () {
            act();
            yield CART;
          })(),
        ),
    ],
  ];
  for (const make of calls) {
    for (let at = 0; ; at += 1) {
      const robots = parse(FILE);
      const call = make(robots, () => robots.free())[at];
      if (call === undefined) break;
      assert.throws(call, freed, String(make));
      assert.throws(() => robots.isAllowed("ExampleBot", CART), freed);
    }
  }
  const policy = compilePolicy(FILE, "ExampleBot");
  assert.throws(() => policy.isAllowed(urls(CART, () => policy.free())[0]), freed);
});

test("a missing agent is an error after each kind of agent", () => {
  const robots = parse(FILE);
  for (const agent of ["ExampleBot", Crawler.chain(["ExampleBot"])]) {
    assert.equal(robots.isAllowed(agent, OPEN), true);
    for (const missing of [undefined, null, NaN])
      assert.throws(() => robots.isAllowed(missing, OPEN), TypeError);
  }
});

test("proxies of bytes are refused before anything is written", () => {
  const proxy = new Proxy(new Uint8Array(3), {
    getPrototypeOf(target) {
      disturb();
      return Reflect.getPrototypeOf(target);
    },
  });
  assert.throws(() => isAllowed(FILE, "ExampleBot", proxy), TypeError);
  assert.throws(() => parse(proxy), TypeError);
});
