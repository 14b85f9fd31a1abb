//! The conformance suite, through the library and the one-shot answer.
//!
//! `cargo xtask conformance` asks the program too, and prints the table.

use std::path::Path;

use verger_testkit::shared::say;
use verger_testkit::suite::{
    Adapter, ExpectedFailures, Library, OneShot, Report, load, run_statements, run_verdicts,
};

#[test]
fn library_and_one_shot_give_every_answer_of_the_suite() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let suite = load(&folder).unwrap();
    let expected = ExpectedFailures::read(&folder.join("expected-failures.txt")).unwrap();
    let mut report = Report::default();
    let faces: [&mut dyn Adapter; 2] = [&mut Library, &mut OneShot];
    for face in faces {
        run_verdicts(&suite, face, &mut report);
    }
    run_statements(&suite, &mut report);
    let unexpected = report.unexpected(&expected);
    assert!(unexpected.is_empty(), "{}", unexpected.join("\n"));
    let tally = report.tally();
    assert!(tally.total > 0);
    assert_eq!(tally.skipped, 0, "both can be asked everything");
    say(&format!("conformance: {} of {} answers", tally.passed, tally.total));
}
