//! The formatter on files of the corpus: idempotent, and no meaning changes. The default suite
//! takes one of eight.

use verger_lint::{Formatted, is_same_meaning};
use verger_testkit::corpus::corpus;
use verger_testkit::generate::one_in;
use verger_testkit::shared::{Lacking, skip_loudly};

#[test]
fn formatting_the_corpus_is_idempotent_and_keeps_the_meaning() {
    let Some(files) = corpus().unwrap() else {
        return skip_loudly("the formatter on real files", Lacking::Data, "no ../shared/corpus");
    };
    for (name, text) in files.into_iter().step_by(one_in(8)) {
        let formatted = Formatted::of(&text).text;
        assert!(is_same_meaning(&text, &formatted), "{name}");
        assert!(Formatted::of(&formatted).text == formatted, "{name}: another run changes it");
    }
}
