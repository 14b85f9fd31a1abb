//! `cargo xtask conformance`: the suite against the library, the one-shot and the command line.

use verger_testkit::suite::{
    Adapter, CommandLine, ExpectedFailures, Library, OneShot, Report, Suite, load, load_vectors,
    run_statements, run_verdicts,
};

use crate::shell::{Result, root, verger};

/// Runs the suite of `testdata/`, and the vectors beside the project where they are.
pub(crate) fn run() -> Result {
    let program = verger()?;
    let mut command_line =
        CommandLine::start(&program).map_err(|error| format!("{}: {error}", program.display()))?;
    let mut adapters: [&mut dyn Adapter; 3] = [&mut Library, &mut OneShot, &mut command_line];

    let folder = root().join("testdata");
    let suite = load(&folder).map_err(|error| error.to_string())?;
    let expected = ExpectedFailures::read(&folder.join("expected-failures.txt"))
        .map_err(|error| error.to_string())?;
    println!("testdata/: every answer is asked of three faces\n");
    let unexpected = check(&suite, &mut adapters, &expected);

    let folder = root().join("../shared/spec");
    let more = if folder.is_dir() {
        let vectors = load_vectors(&folder).map_err(|error| error.to_string())?;
        println!("\nvectors of the semantic reference: likewise\n");
        check(&vectors, &mut adapters, &ExpectedFailures::default())
    } else {
        println!("\nSKIPPED: the vectors of the semantic reference are not here");
        Vec::new()
    };

    let wrong: Vec<_> = unexpected.into_iter().chain(more).collect();
    for line in &wrong {
        println!("{line}");
    }
    match wrong.len() {
        0 => Ok(()),
        count => Err(format!("{count} answers are wrong")),
    }
}

fn check(
    suite: &Suite,
    adapters: &mut [&mut dyn Adapter],
    expected: &ExpectedFailures,
) -> Vec<String> {
    let mut report = Report::default();
    for adapter in adapters {
        run_verdicts(suite, *adapter, &mut report);
    }
    run_statements(suite, &mut report);
    println!("{report}");
    let tally = report.tally();
    println!("{} of {} answers, {} skipped", tally.passed, tally.total, tally.skipped);
    report.unexpected(expected)
}
