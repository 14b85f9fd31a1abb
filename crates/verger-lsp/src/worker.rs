//! The second thread: findings of one pass over a text, findings of its analysis, slow answers.
//!
//! # Flow
//!
//! Passes and formatting come first: they end an analysis, which the main thread sends again. A
//! change of the file ends a pass, too.

use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, select_biased};
use lsp_server::Request;
use serde_json::Value;
use verger_lint::lint_text;

use crate::answer::{Failure, answer};
use crate::diagnostics::diagnostics;
use crate::snapshot::{Snapshot, has_tests};
use crate::tests_file::{problem, results};

/// Something to do about a file.
pub(crate) enum Task {
    /// Finds what needs one pass over the text.
    Pass,
    /// Finds all.
    Analysis,
    Answer(Request),
}

pub(crate) type Job = (Arc<Snapshot>, Task);

/// A job with the diagnostics or the answer; `None` if it was ended.
pub(crate) type Done = (Arc<Snapshot>, Task, Result<Option<Value>, Failure>);

/// Works until the other side is gone.
pub(crate) fn work(short: &Receiver<Job>, long: &Receiver<Job>, done: &Sender<Done>) {
    loop {
        let job = select_biased! { recv(short) -> job => job, recv(long) -> job => job };
        let Ok((snapshot, task)) = job else { return };
        let is_pass = matches!(task, Task::Pass);
        let goes_on = || snapshot.is_current() && (is_pass || short.is_empty());
        let result = result(&snapshot, &task, &goes_on);
        if done.send((snapshot, task, result)).is_err() {
            return;
        }
    }
}

fn result(
    snapshot: &Snapshot,
    task: &Task,
    goes_on: &dyn Fn() -> bool,
) -> Result<Option<Value>, Failure> {
    let text = &snapshot.text;
    let found = match task {
        Task::Answer(request) => return answer(request, snapshot, goes_on),
        Task::Pass if has_tests(&snapshot.uri) => Some(problem(text).into_iter().collect()),
        Task::Analysis if has_tests(&snapshot.uri) => Some(results(snapshot)),
        Task::Pass => {
            let report = lint_text(text.content.as_bytes(), &snapshot.settings().0, goes_on);
            report.map(|report| diagnostics(&report, snapshot))
        }
        Task::Analysis => snapshot.report(goes_on).map(|report| diagnostics(report, snapshot)),
    };
    Ok(found.map(Value::Array))
}
