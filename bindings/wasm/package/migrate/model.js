// Readings of robots.txt between Verger's and robots-parser's, to find the causes of a difference.
//
// A choice is a point in which robots-parser reads differently. `Model.answer` takes the choices in
// which it shall read as robots-parser does. All others are answered by Verger itself: the groups
// of the reading are written as a robots.txt that Verger reads.

import { parse } from "verger";

const encoder = new TextEncoder();

/** Kinds of lines that are read differently. Each is a choice. */
const LINES = ["utf16", "limit", "notUtf8", "space", "colon", "misspelt"];

/** The name of robots-parser for an agent, or for the value of a user-agent line. */
const nameOf = (text) => text.toLowerCase().split("/")[0].trim();

/** One robots.txt under every reading. Results are cached. */
export class Model {
  #lines;
  #robots;
  #groups = new Map();
  #rules = new Map();
  #files = new Map();

  constructor(body) {
    this.#robots = parse(body);
    this.#lines = linesOf(body, this.#robots);
  }

  /** Whether a URL is allowed, and the line that decides, from 1. */
  answer(choices, agent, url) {
    const { rules, key } = this.#rulesFor(choices, agent);
    const { pathname, search, href } = new URL(url);
    const isRobotsTxt = pathname === "/robots.txt" && !/[?]/.test(href.split("#")[0]);
    if (choices.has("literal") || (isRobotsTxt && choices.has("robotsTxt"))) {
      if (isRobotsTxt && !choices.has("robotsTxt")) return { allowed: true, line: null };
      return decide(rules, upper(pathname + search));
    }
    // `URL` has removed the question mark of an empty query from `search`.
    const target = choices.has("emptyQuery") ? pathname + search : href;
    if (target === "/robots.txt" && !isRobotsTxt) return decide(rules, target);
    let file = this.#files.get(key);
    if (file === undefined) {
      file = written([{ agents: [{ value: "*" }], rules }]);
      file.robots = parse(file.bytes);
      this.#files.set(key, file);
    }
    const { allowed, line } = file.robots.check("ExampleBot", target);
    return { allowed, line: line === null ? null : file.lines[line] };
  }

  free() {
    for (const { robots } of [
      { robots: this.#robots },
      ...this.#groups.values(),
      ...this.#files.values(),
    ]) {
      robots.free();
    }
  }

  /** The groups of a reading, and the file with only them. */
  #groupsOf(choices) {
    const relevant = [...LINES, "otherLinesEnd", "ruleless"].filter((it) => choices.has(it));
    const key = relevant.join();
    let found = this.#groups.get(key);
    if (found === undefined) {
      const groups = grouped(statements(this.#lines, choices), choices.has("otherLinesEnd"));
      const kept = choices.has("ruleless") ? groups.filter((group) => group.isRegistered) : groups;
      found = { ...written(kept), groups: kept, key };
      found.robots = parse(found.bytes);
      this.#groups.set(key, found);
    }
    return found;
  }

  /** The rules for an agent. */
  #rulesFor(choices, agent) {
    const file = this.#groupsOf(choices);
    const key = `${file.key} ${choices.has("exactName")} ${agent}`;
    let found = this.#rules.get(key);
    if (found === undefined) {
      const rules = choices.has("exactName")
        ? named(file.groups, nameOf(agent))
        : file.robots
            .groupsFor(agent)
            .flatMap((group) => group.rules.flatMap((rule) => file.rules.get(rule.line) ?? []));
      found = { rules, key };
      this.#rules.set(key, found);
    }
    return found;
  }
}

/** The rules of the groups that a name is written in, or of those for `*`. */
function named(groups, name) {
  for (const wanted of [name, "*"]) {
    const found = groups.filter((group) =>
      group.agents.some((agent) => nameOf(agent.value) === wanted),
    );
    if (found.length > 0) return found.flatMap((group) => group.rules);
  }
  return [];
}

/** The lines of a file: the statement of Verger, that of robots-parser, and why they differ. */
function linesOf(body, robots) {
  const bytes = robots.bytes;
  const isUtf16 = /^(\xff\xfe|\xfe\xff)/.test(String.fromCharCode(...body.subarray(0, 2)));
  const ours = new Map();
  const text = (span) => bytes.subarray(...span);
  for (const group of robots.groups) {
    for (const agent of group.agents) ours.set(agent.line, { type: "agent", value: agent.value });
    for (const { line, kind, span } of group.rules) {
      ours.set(line, { type: "rule", allows: kind === "allow", pattern: text(span) });
    }
  }
  const last = new TextDecoder().decode(bytes).split(/\r\n|\r|\n/).length;
  const texts = new TextDecoder().decode(body).split(/\r\n|\r|\n/);
  const lines = [];
  for (let number = 1; number <= Math.max(texts.length, last); number += 1) {
    const source = (texts[number - 1] ?? "").split("#")[0];
    const [mine, theirs] = [ours.get(number), statementOf(source)];
    lines.push({ ours: mine, theirs, why: reason(mine, theirs) });

    function reason(mine, theirs) {
      if (isSame(mine, theirs)) return null;
      if (isUtf16) return "utf16";
      if (robots.truncated && number >= last) return "limit";
      if (mine?.pattern !== undefined && !isUtf8(mine.pattern)) return "notUtf8";
      if (mine === undefined || theirs?.type === mine.type) return "space";
      return source.includes(":") ? "misspelt" : "colon";
    }
  }
  return lines;
}

/** The statement of a line for robots-parser. */
function statementOf(line) {
  const colon = line.indexOf(":");
  const key = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
  if (key === "") return undefined;
  const value = line.slice(colon + 1).trim();
  if (key === "user-agent") return { type: "agent", value };
  if (key !== "allow" && key !== "disallow") return { type: "other", key };
  return { type: "rule", allows: key === "allow", pattern: encoder.encode(value) };
}

function isSame(mine, theirs) {
  // Other lines matter to one reader only, and have no value.
  if (mine === undefined || theirs === undefined)
    return (mine ?? theirs)?.type === "other" || mine === theirs;
  if (mine.type !== theirs.type) return false;
  if (mine.type === "agent") return mine.value === theirs.value;
  return mine.allows === theirs.allows && String(mine.pattern) === String(theirs.pattern);
}

function isUtf8(bytes) {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The statements of a reading. */
function statements(lines, choices) {
  return lines.flatMap(({ ours, theirs, why }, at) => {
    const other = theirs?.type === "other" ? theirs : undefined;
    const found = why !== null && choices.has(why) ? theirs : (ours ?? other);
    return found === undefined ? [] : [{ ...found, line: at + 1 }];
  });
}

/** Groups of statements. */
function grouped(statements, otherLinesEnd) {
  const groups = [];
  let group;
  let isOpen = false;
  for (const it of statements) {
    if (it.type === "agent") {
      // Names of robots-parser are never empty.
      if (!isOpen) {
        group = { agents: [], rules: [], isRegistered: false };
        groups.push(group);
      }
      group.agents.push(it);
      isOpen = true;
    } else if (it.type === "rule") {
      group?.rules.push(it);
      if (group !== undefined) group.isRegistered = true;
      isOpen = false;
    } else {
      if (group !== undefined && it.key === "crawl-delay") group.isRegistered = true;
      if (otherLinesEnd) isOpen = false;
    }
  }
  return groups;
}

/** A robots.txt with these groups, the rule of each line, and the original number of each line. */
function written(groups) {
  const parts = [];
  const rules = new Map();
  const lines = [0];
  const add = (line, ...texts) => {
    parts.push(...texts.map((text) => (typeof text === "string" ? encoder.encode(text) : text)));
    parts.push(encoder.encode("\n"));
    lines.push(line);
  };
  for (const group of groups) {
    for (const agent of group.agents) add(agent.line, "User-agent: ", agent.value);
    // An empty rule ends the list of agents, and has no other effect.
    add(null, "Allow:");
    for (const rule of group.rules) {
      rules.set(lines.length, rule);
      add(rule.line, rule.allows ? "Allow: " : "Disallow: ", rule.pattern);
    }
  }
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return { bytes, rules, lines };
}

/** Escapes in upper case. */
function upper(text) {
  return text.replace(/%[0-9a-f]{2}/gi, (found) => found.toUpperCase());
}

/** The pattern that robots-parser compares, letter by letter. */
function literal(pattern) {
  const text = new TextDecoder().decode(pattern);
  try {
    return upper(encodeURI(text).replaceAll("%25", "%"));
  } catch {
    return text;
  }
}

/** The longest rule that matches decides; of equal ones, one that allows. */
function decide(rules, path) {
  let best;
  for (const { allows, pattern, line } of rules) {
    const text = literal(pattern);
    if (text === "" || !isMatch(text, path)) continue;
    const isLonger = best === undefined || text.length > best.length;
    if (isLonger || (text.length === best.length && allows && !best.allows)) {
      best = { allows, line, length: text.length };
    }
  }
  return { allowed: best?.allows ?? true, line: best?.line ?? null };
}

/** Whether a pattern with `*` and a final `$` matches a path. */
function isMatch(pattern, path) {
  const isAnchored = pattern.endsWith("$");
  const pieces = (isAnchored ? pattern.slice(0, -1) : pattern).split("*");
  const first = pieces.shift();
  if (!path.startsWith(first)) return false;
  let at = first.length;
  if (pieces.length === 0) return !isAnchored || at === path.length;
  const last = pieces.pop();
  for (const piece of pieces) {
    const found = path.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  if (!isAnchored) return path.indexOf(last, at) >= 0;
  return path.length - last.length >= at && path.endsWith(last);
}
