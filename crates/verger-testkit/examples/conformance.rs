//! Runs the conformance suite through the library, the one-shot answer and the program. Prints
//! passed/total by file and dialect. The argument is the path of the program `verger`.
//!
//! `cargo xtask conformance` builds both and runs this.
#![expect(clippy::print_stdout, reason = "it prints a table")]

use std::error::Error;
use std::path::Path;

use verger_testkit::shared::shared;
use verger_testkit::suite::{
    Adapter, CommandLine, ExpectedFailures, Library, OneShot, Suite, SuiteReport, load,
    load_vectors, run_statements, run_verdicts,
};

fn main() -> Result<(), Box<dyn Error>> {
    let program = std::env::args_os().nth(1).ok_or("expected the path of the program `verger`")?;
    let program = Path::new(&program);
    let mut command_line =
        CommandLine::start(program).map_err(|error| format!("{}: {error}", program.display()))?;
    let mut adapters: [&mut dyn Adapter; 3] = [&mut Library, &mut OneShot, &mut command_line];

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let suite = load(&folder)?;
    let expected = ExpectedFailures::read(&folder.join("expected-failures.txt"))?;
    println!("testdata/, each case through three interfaces:\n");
    let mut wrong = check(&suite, &mut adapters, &expected);

    match shared("spec") {
        Some(folder) => {
            println!("\nvectors of the semantic reference, likewise:\n");
            let vectors = load_vectors(&folder)?;
            wrong.extend(check(&vectors, &mut adapters, &ExpectedFailures::default()));
        }
        None => println!("\nSKIPPED: vectors of the semantic reference; ../shared/spec is missing"),
    }
    for line in &wrong {
        println!("{line}");
    }
    match wrong.len() {
        0 => Ok(()),
        count => Err(format!("{count} answers are wrong").into()),
    }
}

fn check(
    suite: &Suite,
    adapters: &mut [&mut dyn Adapter],
    expected: &ExpectedFailures,
) -> Vec<String> {
    let mut report = SuiteReport::default();
    for adapter in adapters {
        run_verdicts(suite, *adapter, &mut report);
    }
    run_statements(suite, &mut report);
    println!("{report}");
    let tally = report.tally();
    println!("{} of {} answers, {} skipped", tally.passed, tally.total, tally.skipped);
    report.unexpected(expected)
}
