// Runs the audit robots-txt of Lighthouse on texts.
//
// Usage: node lighthouse.mjs FOLDER, where FOLDER contains the installed lighthouse. Standard input
// has for each text a line with its length in bytes, and the text. Standard output has for each
// text a line for each problem, with the number of the line, a tab and the message, and then a line
// with a full stop.

import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(resolve(process.argv[2]), "here.js"));
const package_ = require.resolve("lighthouse/package.json");
const audit = join(dirname(package_), "core/audits/seo/robots-txt.js");
const { default: RobotsTxt } = await import(pathToFileURL(audit));

const chunks = [];
for await (const chunk of process.stdin) {
  chunks.push(chunk);
}
const input = Buffer.concat(chunks);

const out = [];
for (let at = 0; at < input.length; ) {
  const end = input.indexOf("\n", at);
  const start = end + 1;
  at = start + Number(input.subarray(at, end).toString());
  // As a browser decodes a response.
  const content = new TextDecoder().decode(input.subarray(start, at));
  const result = RobotsTxt.audit({ RobotsTxt: { status: 200, content } });
  for (const { index, message } of result.details?.items ?? []) {
    out.push(`${index}\t${message}\n`);
  }
  out.push(".\n");
}
process.stdout.write(out.join(""));
