//! The conformance suite, through the library, the one-shot answer and compiled policies.
//!
//! `cargo xtask conformance` also runs the program, and prints the table.

use std::fs;
use std::path::Path;

use verger_testkit::shared::{Lacking, say, shared, skip_loudly};
use verger_testkit::suite::{
    Adapter, Compiled, ExpectedFailures, Library, OneShot, Suite, SuiteReport, load, load_vectors,
    run_statements, run_verdicts,
};

#[test]
fn library_one_shot_and_policies_give_every_answer_of_the_suite() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let expected = ExpectedFailures::read(&folder.join("expected-failures.txt")).unwrap();
    check("conformance", &load(&folder).unwrap(), &expected);
}

#[test]
fn they_give_every_answer_of_the_vectors_of_the_reference() {
    let what = "vectors of the semantic reference";
    let Some(folder) = shared("spec") else {
        return skip_loudly(what, Lacking::Data, "../shared/spec is not here");
    };
    let vectors = load_vectors(&folder).unwrap();
    for name in ["access", "page", "scope", "usage"].map(|it| format!("{it}-vectors.jsonl")) {
        let lines = fs::read_to_string(folder.join(&name)).unwrap().lines().count();
        let loaded = vectors.statements.iter().filter(|it| it.file == name).count();
        assert_eq!(loaded, lines, "{name}");
    }
    check(what, &vectors, &ExpectedFailures::default());
}

/// Checks all answers, and prints their number.
fn check(what: &str, suite: &Suite, expected: &ExpectedFailures) {
    let mut report = SuiteReport::default();
    let adapters: [&mut dyn Adapter; 3] = [&mut Library, &mut OneShot, &mut Compiled];
    for adapter in adapters {
        run_verdicts(suite, adapter, &mut report);
    }
    run_statements(suite, &mut report);
    let unexpected = report.unexpected(expected);
    assert!(unexpected.is_empty(), "{}", unexpected.join("\n"));
    let tally = report.tally();
    assert!(tally.total > 0);
    assert_eq!(tally.skipped, 0, "all can be asked everything");
    say(&format!("{what}: {} of {} answers", tally.passed, tally.total));
}
