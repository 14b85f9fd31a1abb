//! Access: the vectors of the semantic reference, in every profile.

use verger_testkit::shared::{Lacking, shared, skip_loudly};
use verger_testkit::suite::{
    ExpectedFailures, Question, SuiteReport, load_vectors, run_statements,
};

#[test]
fn every_vector_of_the_reference_is_correct() {
    let Some(vectors) = shared("spec/access-vectors.jsonl") else {
        let why = "../shared/spec/access-vectors.jsonl is not here";
        return skip_loudly("the vectors of access", Lacking::Data, why);
    };
    let lines =
        std::fs::read_to_string(&vectors).expect("vectors that can be read").lines().count();
    let folder = vectors.parent().expect("a file is in a folder");
    let mut suite = load_vectors(folder).expect("the vectors load");
    suite.statements.retain(|statement| {
        let question = &statement.question;
        matches!(question, Question::Fetch(_) | Question::Fresh(_) | Question::Retry(_))
    });
    assert_eq!(suite.statements.len(), lines);
    let mut report = SuiteReport::default();
    run_statements(&suite, &mut report);
    let wrong = report.unexpected(&ExpectedFailures::default());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
