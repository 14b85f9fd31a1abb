//! Tests of the built package.

use super::{Tools, built, package};
use crate::disk;
use crate::setup::{CHROMIUM, NODE, with_chromium};
use crate::shell::{Result, cargo, execute, output, program, root, target_dir};

/// The peer with its tests, the other platforms, and programs that check types and the package.
const PACKAGES: [&str; 12] = [
    "@arethetypeswrong/cli@0.18.5",
    "@types/node@26.6.6",
    "bun@1.4.5",
    "chai@4.5.0",
    "deno@2.9.6",
    "esbuild@0.28.2",
    "mocha@10.8.2",
    "playwright-core@1.65.1",
    "publint@0.3.25",
    "robots-parser@3.0.1",
    "typescript@7.0.2",
    "workerd@1.20261117.1",
];

/// Calls of the test of memory.
const CALLS: &str = "10000000";

/// Runs the tests.
pub(crate) fn test() -> Result {
    execute(cargo(["test", "--locked", "--manifest-path"]).arg(package().join("Cargo.toml")))?;
    let peers = Tools::install("npm-test", &PACKAGES)?;
    let hostile = target_dir().join("npm-hostile.jsonl");
    let example = ["run", "--quiet", "--locked", "--package", "verger-testkit", "--example"];
    disk::write(&hostile, output(cargo(example).arg("hostile_questions"))?)?;

    let mut tests = program("node", ["--expose-gc", "--test", "tests/"]);
    tests.env("VERGER_PACKAGE", built()).env("VERGER_PEERS", &peers.0);
    tests.env("VERGER_HOSTILE", &hostile).env("VERGER_CALLS", CALLS);
    if let Some(corpus) = corpus()? {
        tests.env("VERGER_CORPUS", corpus);
    }
    if !CHROMIUM.is_there() {
        println!("MISSING: Chromium; SKIPPED: the npm package in a browser");
    }
    execute(with_chromium(tests.current_dir(package())))
}

/// Compares the speed with that of robots-parser.
pub(crate) fn bench() -> Result {
    let peers = Tools::install("npm-test", &PACKAGES)?;
    let mut bench = program("node", ["bench.mjs"]);
    bench.env("VERGER_PACKAGE", built()).env("VERGER_PEERS", &peers.0);
    if let Some(corpus) = corpus()? {
        bench.env("VERGER_CORPUS", corpus);
    }
    execute(bench.current_dir(package()))
}

/// The formatter and linter of JavaScript, style sheets and JSON.
const BIOME: &str = "@biomejs/biome@2.6.8";

/// Checks the formatting of JavaScript, style sheets and JSON, or writes it (`biome.jsonc`).
pub(crate) fn lint(write: bool) -> Result {
    NODE.require()?;
    let tools = Tools::install("npm-lint", &[BIOME])?;
    let mut biome = tools.run("biome", &root());
    // Programs of CI, such as GitHub Actions, must not change the output.
    biome.args(if write { ["check", "--write"] } else { ["check", "--error-on-warnings"] });
    execute(&mut biome)
}

/// The files of the corpus, unpacked; `None` without `../shared`.
fn corpus() -> Result<Option<std::path::PathBuf>> {
    let archive = root().join("../shared/corpus/robots-4231.tar.gz");
    if !archive.is_file() {
        println!("MISSING: the corpus in ../shared; SKIPPED: its files");
        return Ok(None);
    }
    let folder = target_dir().join("npm-corpus");
    disk::remove_folder(&folder)?;
    disk::create_folder(&folder)?;
    execute(program("tar", ["-xzf"]).arg(archive).arg("-C").arg(&folder))?;
    Ok(Some(folder))
}
