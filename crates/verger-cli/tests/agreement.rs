//! Answers of `--batch`, compared with the library.

use std::path::Path;

use verger_testkit::agreement::{Urls, agreement, agreement_on_misuse};
use verger_testkit::generate::cases;
use verger_testkit::shared::say;
use verger_testkit::suite::CommandLine;

#[test]
fn batch_agrees_with_the_library_in_every_dialect() {
    let program = Path::new(env!("CARGO_BIN_EXE_verger"));
    let mut batch = CommandLine::start(program).expect("the program starts");
    let found = agreement(&mut batch, Urls::Text, 7, cases(2_000));
    assert!(found.differences.is_empty(), "{}", found.differences.join("\n\n"));
    // All dialects but one reject invalid hosts.
    assert!(found.refused * 5 < found.answered, "{} of {}", found.refused, found.answered);
    say(&format!(
        "agreement: {} answers of library and batch are equal, {} hosts refused",
        found.answered, found.refused
    ));
}

#[test]
fn batch_answers_misuse_as_the_library_in_every_dialect() {
    let program = Path::new(env!("CARGO_BIN_EXE_verger"));
    let mut batch = CommandLine::start(program).expect("the program starts");
    let found = agreement_on_misuse(&mut batch, 18, cases(2_500));
    assert!(found.differences.is_empty(), "{}", found.differences.join("\n\n"));
    assert!(found.refused * 5 < found.answered, "{} of {}", found.refused, found.answered);
    say(&format!(
        "misuse: {} answers of library and batch are equal, {} hosts refused",
        found.answered, found.refused
    ));
}
