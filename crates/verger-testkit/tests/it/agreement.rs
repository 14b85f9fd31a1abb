//! `check`, `explain`, the one-shot answer and compiled policies agree in every published dialect.

use verger_testkit::agreement::{Urls, agreement, agreement_on_misuse};
use verger_testkit::generate::cases;
use verger_testkit::shared::say;
use verger_testkit::suite::{Adapter, Compiled, OneShot};

#[test]
fn policies_agree_with_files_in_every_dialect() {
    let found = agreement(&mut Compiled, Urls::Bytes, 17, cases(1_500));
    assert!(found.differences.is_empty(), "{}", found.differences.join("\n\n"));
    assert_eq!(found.refused, 0);
    say(&format!("agreement: {} answers of check and policy are equal", found.answered));
}

#[test]
fn check_explain_and_one_shot_agree_in_every_dialect() {
    let found = agreement(&mut OneShot, Urls::Bytes, 16, cases(1_500));
    assert!(found.differences.is_empty(), "{}", found.differences.join("\n\n"));
    assert_eq!(found.refused, 0);
    say(&format!("agreement: {} answers of check, explain and one-shot are equal", found.answered));
}

#[test]
fn misuse_is_answered_alike_in_every_dialect() {
    for adapter in [&mut Compiled as &mut dyn Adapter, &mut OneShot] {
        let found = agreement_on_misuse(adapter, 18, cases(1_000));
        assert!(found.differences.is_empty(), "{}", found.differences.join("\n\n"));
        assert_eq!(found.refused, 0);
        say(&format!(
            "misuse: {} answers of check and {} are equal",
            found.answered,
            adapter.name()
        ));
    }
}
