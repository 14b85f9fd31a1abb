//! The conformance suite, through the library, the one-shot answer and compiled policies.
//!
//! `cargo xtask conformance` also runs the program, and prints the table.

use std::path::Path;

use verger_testkit::shared::say;
use verger_testkit::suite::{
    Adapter, Compiled, ExpectedFailures, Library, OneShot, SuiteReport, load, run_statements,
    run_verdicts,
};

#[test]
fn library_one_shot_and_policies_give_every_answer_of_the_suite() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let suite = load(&folder).unwrap();
    let expected = ExpectedFailures::read(&folder.join("expected-failures.txt")).unwrap();
    let mut report = SuiteReport::default();
    let adapters: [&mut dyn Adapter; 3] = [&mut Library, &mut OneShot, &mut Compiled];
    for adapter in adapters {
        run_verdicts(&suite, adapter, &mut report);
    }
    run_statements(&suite, &mut report);
    let unexpected = report.unexpected(&expected);
    assert!(unexpected.is_empty(), "{}", unexpected.join("\n"));
    let tally = report.tally();
    assert!(tally.total > 0);
    assert_eq!(tally.skipped, 0, "all can be asked everything");
    say(&format!("conformance: {} of {} answers", tally.passed, tally.total));
}
