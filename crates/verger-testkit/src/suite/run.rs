//! The runner: every case, every dialect with a known answer, one adapter.

use verger::Dialect;

use super::adapter::{Adapter, AdapterAnswer, AdapterOutcome};
use super::case::{Expected, Suite};
use super::report::{Failure, SuiteReport};
use super::statements;

/// Passes every verdict case to an adapter, in every dialect with a known answer.
pub fn run_verdicts(suite: &Suite, adapter: &mut dyn Adapter, report: &mut SuiteReport) {
    let adapter_name = adapter.name();
    for case in &suite.verdicts {
        for (name, expected) in &case.expect {
            let fail = |message| Failure {
                file: case.file.clone(),
                name: case.name.clone(),
                dialect: name.clone(),
                adapter: adapter_name,
                message,
            };
            let outcome = match Dialect::named(name) {
                None => Err(fail("no such dialect".to_owned())),
                Some(dialect) => match adapter.answer(case, dialect) {
                    AdapterOutcome::Skip(_) => Ok(false),
                    AdapterOutcome::Broken(message) => Err(fail(message)),
                    AdapterOutcome::Answer(answer) => {
                        compare(expected, &answer).map(|()| true).map_err(fail)
                    }
                },
            };
            report.count(&case.file, name, outcome);
        }
        if let Some(default) = &case.contested {
            report.note_contested(&case.name, default);
        }
    }
}

/// Checks the library's answer to every statement, in each dialect or access profile with a known
/// answer.
pub fn run_statements(suite: &Suite, report: &mut SuiteReport) {
    for statement in &suite.statements {
        for (dialect, answer) in statements::answers(&statement.question) {
            let outcome = answer.map(|()| true).map_err(|message| Failure {
                file: statement.file.clone(),
                name: statement.name.clone(),
                dialect: dialect.to_owned(),
                adapter: "library",
                message,
            });
            report.count(&statement.file, dialect, outcome);
        }
        if let Some(default) = &statement.contested {
            report.note_contested(&statement.name, default);
        }
    }
}

/// Compares the values that both the case and the adapter report.
fn compare(expected: &Expected, answer: &AdapterAnswer) -> Result<(), String> {
    let line_differs = matches!((expected.line, answer.line), (Some(a), Some(b)) if a != b);
    let reason_differs = matches!((&expected.reason, &answer.reason), (Some(a), Some(b)) if a != b);
    if expected.allowed == answer.allowed && !line_differs && !reason_differs {
        return Ok(());
    }
    Err(format!("expected {expected:?}, but found {answer:?}"))
}
