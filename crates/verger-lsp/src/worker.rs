//! The thread for work that takes longer than a key press: findings, analysis, requests.
//!
//! # Flow
//!
//! Requests come first. A change of the file, or a request, ends a check; after a request, the main
//! thread sends it again. The report of the last analysis answers requests about the same text.

use std::collections::HashMap;
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, select_biased};
use lsp_server::{Request, RequestId};
use lsp_types::Diagnostic;
use verger_lint::{Report, lint_text, lint_while};

use crate::answer::{Answer, Failure, answer, changed};
use crate::diagnostics::diagnostics;
use crate::snapshot::Snapshot;
use crate::tests_file::{problem, results};

/// The diagnostics that a check finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Those that need one pass over the text.
    Quick,
    /// All.
    Full,
}

/// A check of a file.
pub(crate) type Check = (Arc<Snapshot>, Depth);

/// A result.
#[derive(Debug)]
pub(crate) enum Done {
    /// The diagnostics of a check; `None` if it was ended.
    Checked(Check, Option<Vec<Diagnostic>>),
    Answered(RequestId, String, Result<Answer, Failure>),
}

/// The state of the thread.
pub(crate) struct Worker {
    pub(crate) requests: Receiver<(Request, Arc<Snapshot>)>,
    pub(crate) checks: Receiver<Check>,
    pub(crate) done: Sender<Done>,
    /// The last report of each file, with its text and settings.
    pub(crate) reports: HashMap<String, (Arc<Snapshot>, Arc<Report>)>,
}

impl Worker {
    /// Works until the other side is gone.
    pub(crate) fn run(mut self) {
        loop {
            let done = select_biased! {
                recv(self.requests) -> request => request.map(|it| self.answer(it)),
                recv(self.checks) -> check => check.map(|it| self.check(it)),
            };
            if !done.is_ok_and(|done| self.done.send(done).is_ok()) {
                return;
            }
        }
    }

    fn check(&mut self, (snapshot, depth): Check) -> Done {
        // Files that were closed or changed.
        self.reports.retain(|_, (snapshot, _)| snapshot.is_current());
        let requests = self.requests.clone();
        let goes_on = || requests.is_empty() && snapshot.is_current();
        let text = &snapshot.text;
        let found = match depth {
            Depth::Quick if snapshot.has_tests() => Some(problem(text).into_iter().collect()),
            Depth::Full if snapshot.has_tests() => Some(results(&snapshot)),
            Depth::Quick => lint_text(text.bytes(), &snapshot.settings().0, &goes_on)
                .map(|report| diagnostics(&report, &snapshot)),
            Depth::Full => {
                self.report(&snapshot, &goes_on).map(|report| diagnostics(&report, &snapshot))
            }
        };
        Done::Checked((snapshot, depth), found)
    }

    /// The report of a text. `None` if `goes_on` returned false.
    fn report(
        &mut self,
        snapshot: &Arc<Snapshot>,
        goes_on: &dyn Fn() -> bool,
    ) -> Option<Arc<Report>> {
        if let Some((old, report)) = self.reports.get(&snapshot.uri)
            && old.number == snapshot.number
            // A file that was closed and opened has its own count.
            && Arc::ptr_eq(&old.last, &snapshot.last)
        {
            return Some(Arc::clone(report));
        }
        let report = lint_while(snapshot.text.bytes(), &snapshot.settings().0, goes_on)?;
        let report = Arc::new(report);
        self.reports.insert(snapshot.uri.clone(), (Arc::clone(snapshot), Arc::clone(&report)));
        Some(report)
    }

    fn answer(&mut self, (request, snapshot): (Request, Arc<Snapshot>)) -> Done {
        let goes_on = || snapshot.is_current();
        let result = if goes_on() {
            let report = &mut || self.report(&snapshot, &goes_on);
            answer(&request.method, &request.params, &snapshot, report)
        } else {
            Err(changed())
        };
        Done::Answered(request.id, snapshot.uri.clone(), result)
    }
}
