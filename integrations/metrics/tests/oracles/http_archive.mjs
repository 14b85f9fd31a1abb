// Runs HTTP Archive's custom metric on files, and prints its results as JSON lines.
//
//     node http_archive.mjs robots_txt.js files
//
// `files` has for each response: status, length of the media type, length of the body (32 bits,
// little-endian each), media type, body.

import { readFileSync, writeSync } from "node:fs";

const [script, files] = process.argv.slice(2);
const AsyncFunction = (async () => {}).constructor;
// The script is the body of a function of a page: its globals are these.
const metric = new AsyncFunction("fetch", "setTimeout", readFileSync(script, "utf8"));
const data = readFileSync(files);

for (let at = 0; at < data.length; ) {
  const [status, type, body] = [0, 4, 8].map((offset) => data.readUInt32LE(at + offset));
  at += 12;
  const mediaType = data.toString("utf8", at, at + type);
  const bytes = data.subarray(at + type, at + type + body);
  at += type + body;
  const response = {
    redirected: status % 2 === 1,
    status,
    headers: new Headers(mediaType === "" ? {} : { "content-type": mediaType }),
    // As in browsers. Node's own `text` removes two byte order marks.
    text: async () => new TextDecoder().decode(bytes),
  };
  const line = await metric(async () => response, () => 0);
  writeSync(1, `${line}\n`);
}
