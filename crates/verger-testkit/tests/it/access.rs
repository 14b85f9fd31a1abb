//! Access: the cases of `testdata/`, and the vectors of the semantic reference, in every profile.

use std::path::Path;

use verger_testkit::shared::{Lacking, shared, skip_loudly};
use verger_testkit::suite::{
    ExpectedFailures, Question, Report, Suite, load, load_vectors, run_statements,
};

/// Runs the questions about access; returns their number and the report.
fn run(mut suite: Suite) -> (usize, Report) {
    suite.statements.retain(|statement| {
        let question = &statement.question;
        matches!(question, Question::Fetch(_) | Question::Fresh(_) | Question::Retry(_))
    });
    let mut report = Report::default();
    run_statements(&suite, &mut report);
    (suite.statements.len(), report)
}

#[test]
fn every_answer_of_the_suite_is_correct() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let (cases, report) = run(load(&folder).expect("the suite loads"));
    assert!(cases > 100, "{cases} cases");
    let wrong = report.unexpected(&ExpectedFailures::default());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_vector_of_the_reference_is_correct() {
    let Some(vectors) = shared("spec/access-vectors.jsonl") else {
        let why = "../shared/spec/access-vectors.jsonl is not here";
        return skip_loudly("the vectors of access", Lacking::Data, why);
    };
    let lines =
        std::fs::read_to_string(&vectors).expect("vectors that can be read").lines().count();
    let folder = vectors.parent().expect("a file is in a folder");
    let (cases, report) = run(load_vectors(folder).expect("the vectors load"));
    assert_eq!(cases, lines);
    let wrong = report.unexpected(&ExpectedFailures::default());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
