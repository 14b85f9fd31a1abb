// The conformance suite on Deno and Bun. It uses the package by its name.

import * as verger from "verger";
import facade from "verger/robots-parser";
import * as tools from "verger/tools";
import suite from "./suite.json" with { type: "json" };
import { run } from "./vectors.mjs";

const { answers, failures } = run(verger, suite);
if (facade("/robots.txt", "User-agent: *\nDisallow: /x\n").isAllowed("/x") !== false) {
  failures.push("verger/robots-parser");
}
if (tools.lint("User-agent: *\nDissalow: /x\n").findings.length !== 1)
  failures.push("verger/tools");
console.log(JSON.stringify({ answers, failures }));
