// Both workers with one service: no page is requested twice or against robots.txt, and the pauses of
// sites hold for the workers together.
//
// VERGER_SERVE is the program `verger-serve`.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import {
  end,
  file,
  redis,
  Site,
  service,
  status,
} from "../../crates/verger-server/page/service-tests/services.mjs";

after(end);

/** Starts a worker. */
function start(program, name, address, urls) {
  const path = fileURLToPath(new URL(name, import.meta.url));
  const worker = spawn(program, [path, address], { stdio: ["pipe", "pipe", "inherit"] });
  worker.stdin.end(`${urls.join("\n")}\n`);
  return worker;
}

/** Runs a worker; the result is its lines. */
async function work(program, name, address, urls) {
  const worker = start(program, name, address, urls);
  let output = "";
  worker.stdout.on("data", (data) => {
    output += data;
  });
  const [code] = await once(worker, "close");
  assert.equal(code, 0, name);
  return output.trim().split("\n").map((line) => JSON.parse(line));
}

test("workers in two languages share turns through the service", async () => {
  const slow = await Site.start(file("User-agent: *\nCrawl-delay: 2\nDisallow: /private\n"));
  const quick = await Site.start(file("User-agent: *\nDisallow: /private\n"));
  const missing = await Site.start(status(404));
  const closed = await Site.start(status(403));
  const sites = [slow, quick, missing, closed];
  const address = await service("--access", "strict");
  const pages = (from) =>
    [slow, quick, missing].flatMap(({ origin }) =>
      [0, 1, 2].map((number) => `${origin}/page/${from + number}`),
    );
  const private_ = sites.map(({ origin }) => `${origin}/private/1`);
  const [python, node] = await Promise.all([
    work("python3", "worker.py", address, [...pages(0), ...private_]),
    work(process.execPath, "worker.mjs", address, [...pages(3), ...private_]),
  ]);
  for (const [lines, from] of [
    [python, 0],
    [node, 3],
  ]) {
    const statusOf = new Map(lines.map(({ url, status, skipped }) => [url, status ?? skipped]));
    for (const url of pages(from)) assert.equal(statusOf.get(url), 200, url);
    assert.deepEqual(
      private_.map((url) => statusOf.get(url)),
      ["rule", "rule", 200, "unavailable"],
    );
  }
  for (const [site, pause] of [
    [slow, 2_000],
    [quick, 1_000],
    [missing, 1_000],
  ]) {
    assert.equal(site.count(), 1, "one fetch of robots.txt for both workers");
    const times = site.hits.filter(({ path }) => path !== "/robots.txt").map(({ at }) => at);
    const gaps = times.slice(1).map((time, index) => time - times[index]);
    assert.equal(times.length, site === missing ? 8 : 6);
    // The clocks of two processes and the timers of both.
    assert.ok(Math.min(...gaps) > pause - 50, `${pause} ms: ${gaps}`);
  }
  assert.equal(closed.count("/private/1"), 0);
});

test("a refusal pauses the site for both workers", async () => {
  const site = await Site.start(file("User-agent: *\n"));
  site.page = status(429, { "retry-after": "600" });
  const address = await service();
  const workers = [
    start("python3", "worker.py", address, [`${site.origin}/a`, `${site.origin}/b`]),
    start(process.execPath, "worker.mjs", address, [`${site.origin}/c`, `${site.origin}/d`]),
  ];
  while (site.hits.length < 2) await sleep(50);
  // Without the refusal, each second would have a request.
  await sleep(5_000);
  assert.deepEqual(workers.map((worker) => worker.exitCode), [null, null]);
  for (const worker of workers) {
    worker.kill();
    await once(worker, "close");
  }
  assert.equal(site.hits.filter(({ path }) => path !== "/robots.txt").length, 1);
});

/** The result of each URL, by a worker in either language. */
async function results(address, urls) {
  const workers = [work("python3", "worker.py", address, urls)];
  workers.push(work(process.execPath, "worker.mjs", address, urls));
  const all = await Promise.all(workers);
  return all.map(
    (lines) => new Map(lines.map(({ url, status, skipped }) => [url, status ?? skipped])),
  );
}

test("a URL that cannot be crawled is skipped with its cause, and the others are crawled", async () => {
  const site = await Site.start(file("User-agent: *\n"));
  // A site of a network that the service must not reach.
  const refused = "http://10.1.2.3/a";
  const urls = [refused, "shop.example/a", `${site.origin}/a`];
  for (const found of await results(await service(), urls)) {
    assert.match(found.get(refused), /^Verger does not connect to 10\.1\.2\.3/);
    assert.match(found.get("shop.example/a"), /expected an absolute URL/);
    assert.equal(found.get(`${site.origin}/a`), 200);
  }
});

test("a site that cannot be reached does not delay the others", async () => {
  const dead = await Site.start(file("User-agent: *\n"));
  const url = `${dead.origin}/a`;
  dead.server.close();
  const site = await Site.start(file("User-agent: *\n"));
  const pages = [`${site.origin}/a`, `${site.origin}/b`];
  const address = await service();
  const workers = ["python3", process.execPath].map((program, at) =>
    start(program, ["worker.py", "worker.mjs"][at], address, [url, ...pages]),
  );
  // Both wait for a minute before they ask about the dead site again.
  const begin = performance.now();
  const pageHits = () => site.hits.filter(({ path }) => path !== "/robots.txt").length;
  while (pageHits() < 4 && performance.now() - begin < 30_000) await sleep(50);
  for (const worker of workers) {
    worker.kill();
    await once(worker, "close");
  }
  assert.equal(pageHits(), 4);
});

test("a list may be longer than the buffers of a connection", async () => {
  const site = await Site.start(file("User-agent: *\nDisallow: /private\n"));
  const long = `${site.origin}/private/${"a".repeat(8192)}`;
  const urls = Array.from({ length: 30_000 }, (_, number) => `${site.origin}/private/${number}`);
  const lines = await work("python3", "worker.py", await service(), [long, ...urls]);
  assert.deepEqual(lines.map(({ url }) => url), [long, ...urls]);
  assert.match(lines[0].skipped, /more than 8192 bytes/);
  assert.ok(lines.slice(1).every(({ skipped }) => skipped === "rule"));
});

test("questions without an answer are asked again", async () => {
  const disallowed = { allowed: false, reason: "rule" };
  const lists = [];
  const site = await Site.start(status(404));
  site.page = async (response, request) => {
    if (request.method === "GET") return response.end(JSON.stringify(disallowed));
    lists.push((await text(request)).split("\n").map((line) => JSON.parse(line)));
    // The end of a stream while the service stops.
    const answers = lists.at(-1).slice(0, 2).map(({ id }) => ({ id, ...disallowed }));
    const end = { error: { line: 3, message: "the service stops" } };
    response.end([...answers, end].map((line) => `${JSON.stringify(line)}\n`).join(""));
  };
  const answer = site.page;
  const urls = ["a", "b", "c", "d", "e"].map((name) => `http://shop.example/${name}`);
  for (const [program, name] of [
    ["python3", "worker.py"],
    [process.execPath, "worker.mjs"],
  ]) {
    site.page = (response) => {
      response.destroy();
      site.page = answer;
    };
    const lines = await work(program, name, site.origin, urls);
    assert.deepEqual(lines, urls.map((url) => ({ url, skipped: "rule" })));
  }
  assert.deepEqual(lists.map((list) => list.map(({ url }) => url)), [
    urls,
    urls.slice(2),
    urls.slice(4),
  ]);
});

test("a worker whose questions get no answer fails", async () => {
  const site = await Site.start(status(404));
  site.page = (response) => response.end();
  const path = fileURLToPath(new URL("worker.py", import.meta.url));
  const worker = spawn("python3", [path, site.origin], { stdio: ["pipe", "inherit", "pipe"] });
  worker.stdin.end("http://shop.example/a\n");
  const [message, [code]] = await Promise.all([text(worker.stderr), once(worker, "close")]);
  assert.match(message, /no answer for 1 URLs in 5 tries/);
  assert.equal(code, 1);
});

test("workers wait while the store does not answer", async () => {
  const site = await Site.start(file("User-agent: *\n"));
  const store = await redis();
  const address = await service("--store", store);
  await once(spawn("redis-cli", ["-u", store, "client", "pause", "6000"]), "close");
  const begin = performance.now();
  for (const found of await results(address, [`${site.origin}/a`])) {
    assert.equal(found.get(`${site.origin}/a`), 200);
  }
  const times = site.hits.filter(({ path }) => path === "/a").map(({ at }) => at);
  assert.ok(Math.min(...times) > begin + 5_000, "no turn without the store");
});
