// The built page on a local server.
//
// VERGER_PLAYGROUND is the built page.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import process from "node:process";

import { closeBrowser, withPageAt } from "./browser.mjs";

export * from "./browser.mjs";

const BUILT = process.env.VERGER_PLAYGROUND;

const TYPES = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".txt": "text/plain",
  ".wasm": "application/wasm",
};

/** Serves the folder of the page below `/some/folder/`, as a book would. */
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, "http://localhost");
  const path = pathname.replace(/^\/some\/folder\//, "/").replace(/\/$/, "/index.html");
  try {
    const body = readFileSync(join(BUILT, normalize(path)));
    response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" });
    response.end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const ORIGIN = `http://127.0.0.1:${server.address().port}`;
export const PAGE = `${ORIGIN}/some/folder/`;

/** Ends the browser and the server. */
export async function close() {
  await closeBrowser();
  server.close();
}

/** Runs a test with the page, as [`withPageAt`]; it sends nothing but requests for its own files. */
export function withPage(run, options = {}) {
  return withPageAt(PAGE, ["GET"], run, options);
}
