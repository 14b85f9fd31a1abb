//! `cargo xtask bench`: the programs of `bench/`.

use std::path::Path;
use std::process::Command;

use crate::disk;
use crate::python::Environment;
use crate::shell::{Result, cargo, execute, program, root, target_dir};

/// Peers in other languages, in the versions of the published figures.
const PYTHON: &str = "protego==0.7.0";
const NODE: &str = "robots-parser@3.0.1";

/// `cargo xtask bench`: builds the programs and runs `verger-bench` with these arguments, in the
/// caller's folder.
pub(crate) fn run(arguments: &[String]) -> Result {
    let manifest = root().join("bench/Cargo.toml");
    let has = |wanted: &str| arguments.iter().any(|argument| argument == wanted);
    if has("--setup") {
        install(&target_dir().join("bench"))?;
    }
    // Help needs no peers, and floors no batch.
    if !has("--help") && !has("-h") {
        if !has("--floors") {
            run_quietly(&mut cargo(["build", "--release", "--package", "verger-cli"]))?;
        }
        let bins = ["build", "--release", "--bins", "--manifest-path"];
        run_quietly(cargo(bins).arg(&manifest))?;
    }
    // Not `--quiet`: the first build takes minutes, and Cargo reports it on standard error.
    let mut command = cargo(["run", "--release", "--bin", "verger-bench", "--manifest-path"]);
    command.arg(manifest).arg("--").args(arguments);
    command.current_dir(std::env::current_dir().map_err(|error| error.to_string())?);
    run_quietly(&mut command)
}

/// The floors of `bench/budgets.txt`, on the corpus beside the project: a floor is meant for real
/// files.
pub(crate) fn floors() -> Result {
    const WORKS: [&str; 6] = ["one-shot", "parse", "compile", "match-hot", "match-cold", "growth"];
    let mut arguments = vec!["--floors".to_owned(), "--rounds=7".to_owned()];
    arguments.push(format!("--corpus={}", root().join("../shared/corpus").display()));
    arguments.extend(WORKS.map(|work| format!("--only={work}")));
    run(&arguments)
}

/// Runs a command without reporting it on standard output, which is for tables.
fn run_quietly(command: &mut Command) -> Result {
    let status = command.status().map_err(|error| format!("cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("the benchmark failed ({status})")) }
}

/// Installs peers into a folder in the target directory; nothing else on the machine changes.
fn install(folder: &Path) -> Result {
    println!("setup: peers in Python and Node.js, into {}", folder.display());
    disk::create_folder(folder)?;
    Environment::new(folder.join("python")).install([PYTHON])?;
    let node = folder.join("node");
    let npm = ["install", "--silent", "--no-audit", "--no-fund", "--prefix"];
    execute(program("npm", npm).arg(node).arg(NODE))
}
