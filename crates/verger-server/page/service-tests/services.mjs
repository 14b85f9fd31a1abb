// The program `verger-serve`, and sites of this machine.
//
// VERGER_SERVE is the program `verger-serve`.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import process from "node:process";
import { createInterface } from "node:readline";

const PROGRAM = process.env.VERGER_SERVE;

const running = [];

/** A site on a free port. `robots` answers requests for robots.txt, `page` others; both can be replaced. */
export class Site {
  hits = [];
  server;
  page = (response) => response.end("a page");

  static async start(robots) {
    const site = new Site();
    site.robots = robots;
    site.server = createServer((request, response) => {
      site.hits.push({ path: request.url, at: performance.now(), headers: request.headers });
      if (request.url === "/robots.txt") site.robots(response, request);
      else site.page(response, request);
    });
    site.server.listen(0, "127.0.0.1");
    await once(site.server, "listening");
    running.push(() => {
      site.server.close();
      site.server.closeAllConnections();
    });
    return site;
  }

  get origin() {
    return `http://127.0.0.1:${this.server.address().port}`;
  }

  count(path = "/robots.txt") {
    return this.hits.filter((hit) => hit.path === path).length;
  }
}

/** Answers with a file. */
export function file(text, headers = {}) {
  return (response) => {
    response.writeHead(200, { "content-type": "text/plain", ...headers });
    response.end(text);
  };
}

/** Answers with a status. */
export function status(number, headers = {}) {
  return (response) => response.writeHead(number, headers).end();
}

/** Starts the program; the result is its address with `/` at the end. */
export async function service(...options) {
  const program = spawn(
    PROGRAM,
    ["--listen", "127.0.0.1:0", "--allow-net", "127.0.0.0/8", "--log", "json", ...options],
    // A `verger.toml` of this folder is not for the test.
    { cwd: "/", stdio: ["ignore", "ignore", "pipe"] },
  );
  running.push(() => stop(program));
  const lines = createInterface({ input: program.stderr });
  const seen = [];
  for await (const line of lines) {
    seen.push(line);
    const { message, address } = line.startsWith("{") ? JSON.parse(line) : {};
    if (message === "listening") {
      // Otherwise a full pipe stops the program.
      program.stderr.resume();
      return `http://${address}/`;
    }
  }
  throw new Error(`verger-serve has not started:\n${seen.join("\n")}`);
}

/** Starts Redis, which keeps the versions of files; the result is its URL. */
export async function redis() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  const options = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", "/"];
  const program = spawn("redis-server", options, { stdio: ["ignore", "pipe", "inherit"] });
  running.push(() => stop(program));
  const lines = createInterface({ input: program.stdout });
  for await (const line of lines) {
    if (!line.includes("Ready to accept connections")) continue;
    program.stdout.resume();
    return `redis://127.0.0.1:${port}/`;
  }
  throw new Error("redis-server has not started");
}

async function stop(program) {
  if (program.exitCode !== null) return;
  program.kill("SIGTERM");
  await once(program, "exit");
}

/** Ends the programs and the sites. */
export async function end() {
  for (const finish of running.reverse()) await finish();
}
