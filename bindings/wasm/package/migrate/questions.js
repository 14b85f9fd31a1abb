// Questions for a robots.txt, generated from its rules.

/** An agent that files do not name, so that the group for `*` applies. */
const UNNAMED = "ExampleBot";

const HEADERS = [
  "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36",
  "ExampleBot/1.0 (+https://bot.example/)",
];

const ALWAYS = ["/", "/robots.txt", "/robots.txt?x=1", "/index.html", "/?q=1", "/a"];

/** Characters of a generated path. Few servers accept more. */
const MAX_PATH = 2_000;

/** Agents to ask for: names in the file, an unnamed one, and a header. */
export function agents(robots, limit) {
  const names = robots.groups.flatMap((group) =>
    group.agents.map((agent) => /^[\x21-\x7e]*/.exec(agent.value)[0]),
  );
  const words = names.map((name) => name.split(/[/,;(*]/)[0]).filter((name) => name !== "");
  const found = [UNNAMED, ...sample([...new Set(words)], Math.max(0, limit - 1))];
  return [...found, HEADERS[robots.bytes.length % HEADERS.length]];
}

/** URLs near the rules of a file. */
export function urls(robots, limit, site = "https://shop.example") {
  const patterns = new Set(
    robots.groups.flatMap((group) => group.rules.map((rule) => rule.pattern)),
  );
  const near = new Set([...patterns].flatMap((pattern) => [...paths(pattern)]));
  const short = [...near].filter((path) => path.length <= MAX_PATH && !ALWAYS.includes(path));
  const chosen = [...ALWAYS, ...sample(short, limit - ALWAYS.length)].slice(0, limit);
  return chosen.map((path) => site + path).filter((url) => URL.canParse(url));
}

/** A limited number of items, spread over all. */
function sample(items, limit) {
  if (items.length <= limit) return items;
  return Array.from(
    { length: Math.max(limit, 0) },
    (_, at) => items[Math.floor((at * items.length) / limit)],
  );
}

function* paths(pattern) {
  if (pattern === "") return;
  const base = pattern.replace(/\$$/, "").replace(/^(?![/*])/, "/");
  for (const filler of base.includes("*") ? ["", "x", "a/b.html?c=d"] : [""]) {
    const path = base.replaceAll("*", () => filler).replace(/^(?!\/)/, "/");
    if (path.length > 2 * MAX_PATH) continue;
    yield path;
    yield `${path}x`;
    yield `${path}/page.html`;
    yield path.slice(0, -1) || "/";
    yield path + (path.includes("?") ? "&p=1" : "?p=1");
    if (!path.includes("?")) yield `${path}?`;
    // Another form of the last letter or digit.
    yield path.replace(/[a-z0-9](?=[^a-z0-9]*$)/i, (char) => `%${char.charCodeAt(0).toString(16)}`);
    yield path.replace(/[:@!$&'()+,;=]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
    yield path.toLowerCase();
  }
}
