// The page: its state, and the answers to it.

import { Differences } from "./differences.js";
import { announce, byId, fill, forgive, make, notify } from "./dom.js";
import { comparison, engine, tools } from "./engine.js";
import { Explanation, marksOf } from "./explanation.js";
import { CRAWLERS, LINK_LENGTH, PATIENCE, URLS } from "./limits.js";
import { Matrix } from "./matrix.js";
import { isSame, urlsOf } from "./own.js";
import { Picker } from "./picker.js";
import { reasonText } from "./record.js";
import { served } from "./served.js";
import { service } from "./service.js";
import { Site } from "./site.js";
import { Source } from "./source.js";
import { DIALECTS, decode, encode } from "./state.js";
import { count } from "./text.js";
import { askToken } from "./token.js";

/** Crawlers, URLs and an explained verdict to begin with. */
const EXAMPLE = {
  mode: "check",
  dialect: "rfc9309",
  crawlers: ["Googlebot", "Bingbot", "GPTBot", "Googlebot-Image"],
  urls: [
    "https://shop.example/",
    "/catalogue/lamps/7",
    "/catalogue/lamps/7.tif",
    "/catalogue/chairs/?sort=price",
    "/cart",
    "/cart/",
  ],
  cell: [2, 1],
  origin: null,
};

/** Delay between a change and the new address of the page. */
const PAUSE = 400;

let state;
let known = null;
/** The files of the example. */
let shop = null;
/** Earlier files of records. */
const versions = new WeakSet();
/** Numbers of the current questions: answers to earlier ones are dropped. */
const turns = { file: 0, earlier: 0, verdicts: 0, explain: 0, differences: 0 };

function nextTurn(name) {
  turns[name] += 1;
  return turns[name];
}

const file = new Source(byId("file"), {
  edited: (bytes) => edit("file", bytes),
  addressed,
  replaced: (bytes, done) =>
    replace({ ...ownQuestions(bytes), file: bytes, origin: null }, `${done}.`),
  fix: (isSafe) => fix("file", isSafe),
});
const earlier = new Source(byId("earlier"), {
  edited: (bytes) => edit("earlier", bytes),
  addressed,
  replaced: (bytes, done) => replace({ earlier: bytes }, `${done}.`),
  fix: (isSafe) => fix("earlier", isSafe),
});
const sources = { file, earlier };
const matrix = new Matrix(byId("verdicts"), {
  changed: changeQuestions,
  chosen: (cell) => change({ cell }, () => explain().then(() => explanation.reveal())),
  browse,
  preset,
});
const explanation = new Explanation(byId("explanation"), (line) => file.focus(line));
const differences = new Differences(byId("differences"), showChange);
const picker = new Picker(byId("crawlers"), (names) => matrix.addCrawlers(names));
/** The panel of the service; `null` on a static page. */
const site =
  service &&
  new Site(byId("site"), service, {
    fetched(current, path) {
      const { answer, bytes, origin } = current;
      const isInForce = site.hasRules();
      const show = () => {
        const changes = { ...ownQuestions(bytes), file: bytes, origin, mode: "check" };
        const urls = changes.urls ?? state.urls;
        if (path !== null && !urls.includes(path)) changes.urls = [...urls, path].slice(-URLS);
        const text = isInForce ? "This is the robots.txt of" : "No file is in force for";
        replace(changes, `${text} ${origin}.`);
      };
      if (isInForce || !isOwnFile()) {
        show();
        return;
      }
      site.setOfFile(false);
      const why = answer.decision?.failure?.message ?? reasonText(answer);
      notify(`No file is in force for ${origin}: ${why}. Your file stays.`, "error", [
        ["Show its verdicts", show],
      ]);
    },
    shown(bytes, name) {
      versions.add(bytes);
      replace({ file: bytes, origin: null, mode: "check" }, `${name}.`);
    },
    compared(earlier, later, names) {
      versions.add(later);
      const changes = { earlier, file: later, origin: null, mode: "compare" };
      replace(changes, `The versions of ${names}.`);
    },
  });
if (service !== null) {
  service.askToken = (isWrong) => askToken(byId("token"), isWrong);
  byId("privacy").textContent =
    "The service checks the files: it gets them, the crawlers and URLs of the table, and the names of sites that you fetch. A link carries them after the #, which browsers do not send.";
}

fill(
  byId("dialect"),
  Object.entries(DIALECTS).map(([value, text]) => make("option", { value }, `${value}: ${text}`)),
);
byId("dialect").addEventListener("change", ({ target }) =>
  change({ dialect: target.value }, answer),
);
for (const input of byId("mode").querySelectorAll("input")) {
  input.addEventListener("change", () => change({ mode: input.value }, answer));
}
byId("share").addEventListener("click", share);
byId("reset").addEventListener("click", async () => {
  clearTimeout(change.timer);
  // The Back button returns to the present state.
  await remember();
  open.written = "";
  history.pushState(null, "", location.pathname + location.search);
  const before = state;
  const next = await example();
  await start(next);
  notify("The example is loaded.", "info", [["Undo", () => replace(before, "Undone.")]]);
});
document.addEventListener("paste", (event) => {
  const { target } = event;
  if (byId("crawlers").open) return;
  const isField = target.matches?.("input:not([type=radio]), select");
  if (isField) return;
  const section = target.closest?.(".source");
  // The one that is asked for.
  const isMissing = state.mode === "compare" && state.earlier.length === 0;
  (sources[section?.id] ?? (isMissing ? earlier : file)).paste(event);
});
byId("skip").addEventListener("click", (event) => {
  // The fragment has the state.
  event.preventDefault();
  byId("verdicts").focus();
});
// A file that is dropped beside a panel must not replace the page.
for (const name of ["dragover", "drop"]) {
  addEventListener(name, (event) => event.preventDefault());
}
addEventListener("hashchange", () => open(location.hash.slice(1)));

const slow = setTimeout(() => {
  const text = "The engine is still loading. Check the connection, or reload the page.";
  byId("starting").textContent = text;
  announce(text);
}, PATIENCE);
await open(location.hash.slice(1));

/** Shows the state of a fragment, or the example. */
async function open(fragment) {
  if (fragment !== "" && fragment === open.written) return;
  try {
    const next = fragment === "" ? await example() : await decode(fragment);
    notify(null);
    await start(next);
    if (site === null && next.origin !== null) {
      notify(
        `The link is from a page with a service. This page has none: it checks the file, and does not know whether ${next.origin} uses it.`,
      );
    }
    // It can be in the link.
    if (shop === null) example().catch(() => {});
  } catch (error) {
    await start(await example());
    notify(`The link is damaged: ${error.message}. This is the example instead.`, "error");
  }
}

async function example() {
  const read = async (name) => {
    const response = await fetch(new URL(`./example/${name}`, import.meta.url));
    return response.ok ? new Uint8Array(await response.arrayBuffer()) : new Uint8Array(0);
  };
  const [earlierBytes, fileBytes] = await Promise.all([
    read("robots.txt"),
    read("robots-next.txt"),
  ]);
  shop = { file: fileBytes, earlier: earlierBytes };
  return { ...EXAMPLE, ...shop };
}

/** Begins with a state. */
async function start(next) {
  state = next;
  file.set(state.file);
  earlier.set(state.earlier);
  matrix.set(state.crawlers, state.urls, state.cell);
  if (site !== null && state.origin !== null && site.current?.origin !== state.origin) {
    // Meanwhile the service gives the verdicts.
    site.open(state.origin).then(() => answer());
  }
  await answer();
}

/** Changes the state, and asks again. */
function change(changes, ask) {
  state = { ...state, ...changes };
  clearTimeout(change.timer);
  change.timer = setTimeout(remember, PAUSE);
  ask();
}

function edit(name, bytes) {
  sources[name].bytes = bytes;
  sources[name].clear();
  forgive();
  const origin = name === "file" ? null : state.origin;
  change({ [name]: bytes, origin }, () => answer(name));
}

/** Somebody has pasted an address. */
function addressed(text) {
  if (site !== null) site.fetch(text);
  else notify("This is an address. The page does not fetch; paste the text.", "error");
}

/** Whether the service gives the verdicts: the file is that of a record, and no rules are known to be in force. */
function isServed() {
  if (site === null || state.origin === null) return false;
  return site.current?.origin !== state.origin || !site.hasRules();
}

/** Replaces parts of the state. A notice offers the way back, and more. */
function replace(changes, message, more = []) {
  const before = Object.fromEntries(Object.keys(changes).map((key) => [key, state[key]]));
  const next = { ...state, ...changes };
  const [crawler, url] = next.cell ?? [];
  if (!(crawler < next.crawlers.length && url < next.urls.length)) next.cell = null;
  start(next);
  clearTimeout(change.timer);
  change.timer = setTimeout(remember, PAUSE);
  notify(message, "info", [["Undo", () => replace(before, "Undone.")], ...more]);
}

/** Whether somebody has brought the file: it is neither the example nor of a record. */
function isOwnFile() {
  const { file, origin } = state;
  const isExample = shop !== null && isSame(file, shop.file);
  return origin === null && file.length > 0 && !isExample && !versions.has(file);
}

/** What a file that somebody brings replaces besides: the parts of the example that are not about it. */
function ownQuestions(bytes) {
  const changes = {};
  if (shop !== null && isSame(state.earlier, shop.earlier)) changes.earlier = new Uint8Array(0);
  if (state.urls.join("\n") === EXAMPLE.urls.join("\n")) {
    changes.urls = urlsOf(bytes);
    changes.cell = state.crawlers.length > 0 ? [0, changes.urls.length - 1] : null;
  }
  return changes;
}

function changeQuestions(crawlers, urls) {
  const [crawler, url] = (state.cell ?? []).map((at, axis) => {
    const [before, after] = axis === 0 ? [state.crawlers, crawlers] : [state.urls, urls];
    return after.indexOf(before[at]);
  });
  const cell = crawler >= 0 && url >= 0 ? [crawler, url] : null;
  matrix.set(crawlers, urls, cell);
  change({ crawlers, urls, cell }, () => {
    check();
    explain();
  });
}

/** Writes the state into the address. */
async function remember() {
  const fragment = await encode(state);
  open.written = fragment ?? "";
  history.replaceState(
    null,
    "",
    `${location.pathname}${location.search}${fragment === null ? "" : `#${fragment}`}`,
  );
  return fragment;
}

async function share() {
  const fragment = await remember();
  if (fragment === null) {
    notify(
      `The files are too large for a link: it would have more than ${count(LINK_LENGTH, "character")}.`,
      "error",
    );
    return;
  }
  try {
    await navigator.clipboard.writeText(location.href);
    notify(
      `Link copied (${count(location.href.length, "character")}). It contains ${state.mode === "compare" ? "both versions" : "the file"}.`,
    );
  } catch {
    notify("The address of this page is the link: copy it from the address bar.");
  }
}

/** Asks everything about the changed file, or both. */
async function answer(changed = null) {
  const { mode, dialect } = state;
  const isComparing = mode === "compare";
  byId("main").dataset.mode = mode;
  byId("dialect").value = dialect;
  for (const input of byId("mode").querySelectorAll("input")) input.checked = input.value === mode;
  file.title.textContent = isComparing ? "This version" : "robots.txt";
  earlier.title.textContent = "Earlier version";
  earlier.setShown(isComparing);
  file.prompt.textContent = state.origin === null ? "Paste a robots.txt" : "No file is in force";
  site?.setOfFile(state.origin === site.current?.origin);
  const names = (isComparing ? ["earlier", "file"] : ["file"]).filter(
    (name) => changed === null || name === changed,
  );
  if (isComparing) compare();
  else withdrawComparison();
  await Promise.all(names.map(read));
}

/** Removes the message about the start, after the first answer of the engine. */
function started() {
  clearTimeout(slow);
  byId("starting")?.remove();
}

/** Parses and lints a file, then checks. */
async function read(name) {
  const turn = nextTurn(name);
  const isCurrent = () => turn === turns[name];
  const bytes = state[name];
  const show = (lines) => {
    if (lines !== null && isCurrent()) sources[name].setLines(lines);
  };
  const isParsed = await attempt(async () => {
    const given = { slot: name, bytes, dialect: state.dialect };
    show(await engine.ask("parse", given, show).finally(started));
  }, isCurrent);
  if (!isCurrent()) return;
  if (!isParsed) {
    if (name === "file") forget();
    return;
  }
  if (name === "file" && state.mode === "check") await Promise.all([check(), explain()]);
  if (!isCurrent()) return;
  // Without waiting: the linter is loaded with the first question.
  lint(name, bytes);
}

async function lint(name, bytes) {
  try {
    const report = await tools.ask("lint", { slot: name, bytes });
    sources[name].setReport(bytes, report);
    if (known === null && service === null) await loadKnown();
  } catch (error) {
    sources[name].setReport(bytes, null, error.message);
  }
}

/** Applies the fixes of the linter: all, or only those that change no answer. */
function fix(name, isSafe) {
  const bytes = state[name];
  return attempt(async () => {
    const fixed = await tools.ask("fix", { slot: name, bytes, isSafe });
    if (fixed === null || bytes !== sources[name].bytes) return;
    const compareWith = () =>
      replace(
        { earlier: bytes, mode: "compare" },
        "The earlier version is the file before the fixes.",
      );
    if (name === "earlier") replace({ earlier: fixed }, "Fixed.");
    else replace({ file: fixed, origin: null }, "Fixed.", [["Compare with before", compareWith]]);
  });
}

/** Loads the known crawlers, whose documented behaviour replaces that of their names. */
async function loadKnown() {
  loadKnown.asked ??= tools.ask("knownCrawlers", {}).catch((error) => {
    loadKnown.asked = undefined;
    throw new Error(`the list of crawlers is not available: ${error.message}`);
  });
  const [found] = await Promise.all([loadKnown.asked, engine.ask("loadFallbacks", {})]);
  if (known !== null) return;
  known = found;
  // Until now, names were literal.
  if (service === null && state.mode === "check") await Promise.all([check(), explain()]);
}

/** Removes the verdicts: they are those of an earlier file. */
function forget() {
  matrix.set(state.crawlers, state.urls, state.cell);
  explanation.clear();
  file.setMarks(new Map());
}

async function check() {
  const turn = nextTurn("verdicts");
  const { crawlers, urls, origin, dialect } = state;
  const given = { slot: "file", crawlers, urls };
  const isCurrent = () => turn === turns.verdicts;
  const show = ({ row, cells }) => {
    if (isCurrent()) matrix.setRow(row, cells);
  };
  const isAnswered = await attempt(async () => {
    if (isServed()) {
      for await (const row of served(service, origin, crawlers, urls, dialect)) show(row);
    } else {
      await engine.ask("verdicts", given, show);
    }
    if (isCurrent()) matrix.finish();
  }, isCurrent);
  if (!isAnswered && isCurrent()) forget();
}

async function explain() {
  const turn = nextTurn("explain");
  const { cell, crawlers, urls } = state;
  matrix.select(cell);
  if (cell === null) {
    explanation.clear();
    file.setMarks(new Map());
    return;
  }
  const [crawler, url] = [crawlers[cell[0]], urls[cell[1]]];
  await attempt(
    async () => {
      if (isServed()) {
        const rows = served(service, state.origin, [crawler], [url], state.dialect);
        const { value } = await rows.next();
        if (turn !== turns.explain) return;
        explanation.setServed(crawler, url, value.cells[0]);
        file.setMarks(new Map());
        return;
      }
      const found = await engine.ask("explain", { slot: "file", crawler, url });
      if (turn !== turns.explain) return;
      explanation.set(crawler, url, found);
      file.setMarks(marksOf(found), found.verdict.line ?? found.groups[0]?.line ?? null);
    },
    () => turn === turns.explain,
  );
}

/** Makes the running comparison outdated, and returns the turn of the next. */
function withdrawComparison() {
  const turn = nextTurn("differences");
  comparison.cancel();
  return turn;
}

async function compare() {
  const turn = withdrawComparison();
  differences.pending();
  for (const source of Object.values(sources)) source.setMarks(new Map());
  try {
    const given = { before: state.earlier, after: state.file, dialect: state.dialect };
    const found = await comparison.ask("diffFiles", given);
    if (turn === turns.differences) differences.set(found, state.earlier.length === 0);
  } catch (error) {
    if (turn === turns.differences) differences.fail(error.message);
  }
}

/** Marks the lines of both versions that decide a URL. */
async function showChange(name, url) {
  const turn = nextTurn("explain");
  const lines = {};
  await attempt(
    async () => {
      for (const slot of ["earlier", "file"]) {
        const found = await engine.ask("explain", { slot, crawler: name, url });
        if (turn !== turns.explain) return;
        lines[slot] = found.verdict.line ?? found.groups[0]?.line ?? null;
        sources[slot].setMarks(marksOf(found), lines[slot]);
      }
      // Side by side, both are visible then; one below the other, the last.
      for (const slot of ["earlier", "file"]) sources[slot].reveal(lines[slot]);
    },
    () => turn === turns.explain,
  );
}

function browse() {
  return attempt(async () => {
    if (known === null) await loadKnown();
    picker.show(known, state.crawlers);
  });
}

/** Replaces the crawlers of the table: by those of some purposes, or by those that the file names. */
function preset(purposes, label) {
  return attempt(async () => {
    let names;
    if (purposes === null) {
      const named = await engine.ask("named", { slot: "file" });
      if (named === null) return;
      names = [...named.filter(Boolean), "*"];
    } else {
      if (known === null) await loadKnown();
      names = known.crawlers.filter((it) => purposes.includes(it.purpose) && !it.retired);
      names = names.map(({ token }) => token);
    }
    const seen = new Set();
    const isNew = (name) => seen.size < seen.add(name.toLowerCase()).size;
    const all = names.filter(isNew);
    const left = all.length - CRAWLERS;
    const others = left > 0 ? ` ${count(left, "crawler")} left out.` : "";
    replace({ crawlers: all.slice(0, CRAWLERS), cell: null }, `Crawlers: ${label}.${others}`);
  });
}

/** Reports the failure of a question that is still current; whether it succeeded. */
async function attempt(ask, isCurrent = () => true) {
  try {
    await ask();
    return true;
  } catch (error) {
    const text = service === null ? "The engine failed" : "No answer";
    if (isCurrent()) notify(`${text}: ${error.message}`, "error");
    return false;
  }
}
