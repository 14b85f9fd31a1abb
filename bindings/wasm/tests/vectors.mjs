// The conformance suite, through every function that answers. It runs on every platform: it imports
// nothing, and returns the failures.

const encoder = new TextEncoder();

/** Bytes of text in Base64. */
export function decode64(text) {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

/** The bytes of a part of a case, which can contain a mark in place of repeated text. */
function decoded(entry, key) {
  const bytes =
    entry[key] === undefined ? decode64(entry[`${key}_b64`]) : encoder.encode(entry[key]);
  if (entry.repeat === undefined) return bytes;
  const { mark, text, count } = entry.repeat;
  // One character for each byte.
  let plain = "";
  for (const byte of bytes) plain += String.fromCharCode(byte);
  const repeated = String.fromCharCode(...encoder.encode(text)).repeat(count);
  return Uint8Array.from(
    plain.replaceAll(mark, () => repeated),
    (char) => char.charCodeAt(0),
  );
}

/** Asks each function. Returns the answer, or a sentence about functions that disagree. */
export function ask(verger, body, agent, url, dialect) {
  const robots = verger.parse(body, { dialect });
  const verdict = robots.check(agent, url);
  const { allowed, line } = verdict;
  const policies = [verger.compilePolicy(body, agent, { dialect }), robots.policy(agent)];
  policies.push(new verger.Policy(policies[0].bytes), policies[1].withoutExplanation());
  const problems = [];
  const same = (name, found, expected) => {
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
      problems.push(
        `${name}: expected ${JSON.stringify(expected)}, but found ${JSON.stringify(found)}`,
      );
    }
  };
  same("isAllowed", verger.isAllowed(body, agent, url, { dialect }), allowed);
  same("Robots.isAllowed", robots.isAllowed(agent, url), allowed);
  same("Robots.areAllowed", robots.areAllowed(agent, Array(12).fill(url)), Array(12).fill(allowed));
  const lines = Array.from({ length: 12 }, () => robots.decidingLine(agent, url));
  same("Robots.decidingLine", lines, Array(12).fill(line));
  same("Robots.explain", robots.explain(agent, url).verdict, verdict);
  for (const [at, policy] of policies.entries()) {
    const found = policy.check(url);
    same(`Policy ${at}`, [found.allowed, policy.isAllowed(url)], [allowed, allowed]);
    if (at < 3) same(`Policy ${at}, line`, [found.line, found.reason], [line, verdict.reason]);
  }
  if (!url.includes(10) && !url.includes(13)) {
    const twice = new Uint8Array([...url, 10, ...url, 10]);
    const expected = [Number(allowed), Number(allowed)];
    same("Robots.areLinesAllowed", [...robots.areLinesAllowed(agent, twice)], expected);
    same("Policy.areLinesAllowed", [...policies[0].areLinesAllowed(twice)], expected);
  }
  const text = utf8(url);
  if (text !== undefined) same("text", robots.check(agent, text), verdict);
  for (const object of [robots, ...policies]) object.free();
  return { allowed, line, reason: verdict.reason, problems };
}

/** The text of bytes in UTF-8. */
function utf8(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Runs the suite, and returns the number of answers and the failures. */
export function run(verger, suite) {
  const failures = [];
  let answers = 0;
  const fail = (entry, text) => failures.push(`${entry.name}: ${text}`);
  for (const entry of suite.verdicts) {
    const [body, url] = [decoded(entry, "robots"), decoded(entry, "url")];
    for (const [dialect, expected] of Object.entries(entry.expect)) {
      answers += 1;
      const found = ask(verger, body, entry.agent, url, dialect);
      for (const problem of found.problems) fail(entry, `${dialect}: ${problem}`);
      if (found.allowed !== expected.allowed || found.line !== (expected.line ?? null)) {
        fail(entry, `${dialect}: ${JSON.stringify(expected)}, ${JSON.stringify(found)}`);
      } else if (expected.reason !== undefined && found.reason !== expected.reason) {
        fail(entry, `${dialect}: expected ${expected.reason}, but found ${found.reason}`);
      }
    }
  }
  for (const entry of suite.crawl_delays) {
    answers += 1;
    const robots = verger.parse(decoded(entry, "robots"));
    const found = robots.crawlDelay(entry.agent);
    if (found !== (entry.seconds ?? null)) fail(entry, `${found} seconds`);
    robots.free();
  }
  for (const entry of suite.sitemaps) {
    answers += 1;
    const robots = verger.parse(decoded(entry, "robots"));
    const found = robots.sitemaps;
    if (JSON.stringify(found) !== JSON.stringify(entry.urls)) fail(entry, JSON.stringify(found));
    robots.free();
  }
  return { answers, failures };
}
