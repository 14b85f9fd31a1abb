// The built package and the data of tests.

import { readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = new URL("./", import.meta.url);

/** The folder of the built package. */
export const PACKAGE =
  process.env.VERGER_PACKAGE ?? fileURLToPath(new URL("../../../target/npm", here));

/** The root of the project. */
export const ROOT = fileURLToPath(new URL("../../../", here));

/** Imports a file of the package. */
export function load(file) {
  return import(pathToFileURL(`${PACKAGE}/${file}`).href);
}

/** The modules, as Node.js gets them. */
export async function modules() {
  const verger = await load("index.node.js");
  const tools = await load("tools.node.js");
  const { default: facade } = await load("robots-parser.js");
  return { verger, tools, facade, parse: verger.parse };
}

/** A file of the project as text. */
export function text(path) {
  return readFileSync(ROOT + path, "utf8");
}
