// Every example of the pages runs, prints what its comments say, and has the types that it uses.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";

import { PACKAGE, text } from "./support.mjs";

const PEERS = process.env.VERGER_PEERS;
const skip = !PEERS && "VERGER_PEERS is not set";
const FOLDER = PEERS && join(PEERS, "examples");

const EXTENSIONS = { js: "mjs", cjs: "cjs", ts: "mts" };
const examples = ["docs/javascript.md", "bindings/wasm/README.md"].flatMap((page) =>
  [...text(page).matchAll(/^```(js|cjs|ts)\n([\s\S]*?)^```$/gm)].map(([, language, code], at) => ({
    name: `${page.replaceAll("/", "-")}-${at}.${EXTENSIONS[language]}`,
    code,
  })),
);

function run(program, parameters) {
  const { status, stdout, stderr } = spawnSync(program, parameters, {
    cwd: FOLDER,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

const tool = (name) => join(PEERS, "node_modules/.bin", name);

if (!skip) {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(join(FOLDER, "node_modules"), { recursive: true });
  cpSync(PACKAGE, join(FOLDER, "node_modules/verger"), { recursive: true });
  cpSync(join(PEERS, "node_modules/@types"), join(FOLDER, "node_modules/@types"), {
    recursive: true,
  });
  cpSync(join(PEERS, "node_modules/undici-types"), join(FOLDER, "node_modules/undici-types"), {
    recursive: true,
  });
  writeFileSync(join(FOLDER, "package.json"), '{ "private": true, "type": "module" }\n');
  for (const { name, code } of examples) writeFileSync(join(FOLDER, name), code);
}

test("the pages have examples in every language", () => {
  const found = new Set(examples.map(({ name }) => name.split(".").at(-1)));
  assert.deepEqual([...found].sort(), ["cjs", "mjs", "mts"]);
});

for (const { name, code } of examples) {
  test(`example ${name}`, { skip }, () => {
    let program = name;
    if (name.endsWith(".mts")) {
      program = `${name}.mjs`;
      const built = run(tool("esbuild"), [name, `--outfile=${program}`, "--log-level=warning"]);
      assert.equal(built.status, 0, built.stderr);
    }
    const { status, stdout, stderr } = run(process.execPath, [program]);
    assert.equal(status, 0, stderr);
    // Comments after a statement that prints, up to the next statement.
    const lines = code.split("\n");
    const printed = lines.flatMap((line, at) => {
      if (!/console\.log\(|^}$/.test(line) || !code.includes("console.log(")) return [];
      const rest = lines.slice(at + 1);
      const end = rest.findIndex((it) => !it.startsWith("// "));
      return rest.slice(0, end < 0 ? undefined : end).map((it) => it.slice(3));
    });
    assert.equal(stdout, printed.map((line) => `${line}\n`).join(""));
  });
}

const OPTIONS = {
  strict: true,
  noEmit: true,
  target: "esnext",
  lib: ["esnext", "dom"],
  types: ["node"],
  skipLibCheck: false,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
};

for (const [module, moduleResolution] of [
  ["nodenext", "nodenext"],
  ["esnext", "bundler"],
]) {
  test(`the types of the examples are right, resolved as ${moduleResolution}`, { skip }, () => {
    const files = examples
      .map(({ name }) => name)
      .filter((name) => name.endsWith(".mts") || module === "nodenext");
    // Plain JavaScript declares no types of parameters.
    const compilerOptions = {
      ...OPTIONS,
      module,
      moduleResolution,
      allowJs: true,
      checkJs: true,
      noImplicitAny: false,
    };
    writeFileSync(join(FOLDER, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const { status, stdout, stderr } = run(tool("tsc"), ["--project", "tsconfig.json"]);
    assert.equal(status, 0, stdout + stderr);
  });
}

const MISUSES = {
  "parse(1)": 2345,
  'parse("", { dialect: "x" })': 2322,
  'parse("").isAllowed("a")': 2554,
  'parse("").check("a", "/").rule.line': 2531,
  'new Policy("")': 2345,
  'parse("").sitemaps = []': 2540,
};

test("misuses are type errors", { skip }, () => {
  const lines = Object.keys(MISUSES).map((line) => `${line};\n`);
  writeFileSync(
    join(FOLDER, "misuse.mts"),
    `import { Policy, parse } from "verger";\n${lines.join("")}`,
  );
  const compilerOptions = { ...OPTIONS, module: "nodenext", moduleResolution: "nodenext" };
  writeFileSync(
    join(FOLDER, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["misuse.mts"] }),
  );
  const { stdout } = run(tool("tsc"), ["--project", "tsconfig.json", "--pretty", "false"]);
  const found = [...stdout.matchAll(/misuse\.mts\((\d+),\d+\): error TS(\d+)/g)].map(
    ([, line, code]) => [Number(line) - 2, Number(code)],
  );
  assert.deepEqual(
    found,
    Object.values(MISUSES).map((code, at) => [at, code]),
    stdout,
  );
});

test("publint and arethetypeswrong find nothing", { skip }, () => {
  const packed = spawnSync("npm", ["pack", "--silent", "--pack-destination", FOLDER], {
    cwd: PACKAGE,
    encoding: "utf8",
  });
  assert.equal(packed.status, 0, packed.stderr);
  const archive = join(FOLDER, packed.stdout.trim().split("\n").at(-1));
  const lint = run(tool("publint"), [archive, "--strict"]);
  assert.equal(lint.status, 0, lint.stdout + lint.stderr);
  // Resolution as in Node.js 10 knows no `exports`; the package needs Node.js 20.
  const ignored = ["--profile", "node16", "--exclude-entrypoints", "engine.wasm", "tools.wasm"];
  const types = run(tool("attw"), [archive, ...ignored]);
  assert.equal(types.status, 0, types.stdout + types.stderr);
});
