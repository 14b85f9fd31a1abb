//! The thread for work that takes longer than a key press: findings, analysis after a pause, requests.
//!
//! # Flow
//!
//! Requests come first. Then the findings of one pass over each text, and after [`PAUSE`] its analysis.
//! A change of the file, or a request, ends both; after a request they begin again. The report of the
//! last analysis answers requests about the same text.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Weak};
use std::time::Instant;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use lsp_server::{Request, RequestId};
use lsp_types::Diagnostic;
use verger_lint::{Report, lint_text, lint_while};

use crate::answer::{Answer, Failure, answer, changed};
use crate::diagnostics::diagnostics;
use crate::limits::PAUSE;
use crate::snapshot::Snapshot;
use crate::tests_file::{problem, results};

/// A piece of work.
#[derive(Debug)]
pub(crate) enum Job {
    /// Finds the diagnostics of a file.
    Check(Arc<Snapshot>),
    /// Answers a request, unless it is not wanted any more.
    Answer { request: Request, snapshot: Arc<Snapshot>, wanted: Weak<()> },
}

/// A result.
#[derive(Debug)]
pub(crate) enum Done {
    /// The diagnostics of a file: of one pass, or of the analysis. Then `slow` has those that need it.
    Found {
        snapshot: Arc<Snapshot>,
        all: Vec<Diagnostic>,
        slow: Option<Vec<Diagnostic>>,
    },
    Answered(RequestId, String, Result<Answer, Failure>),
}

/// A check of a file that begins at a time; after the first pass with its diagnostics.
type Check = (Instant, Arc<Snapshot>, Option<Vec<Diagnostic>>);

/// The state of the thread.
pub(crate) struct Worker {
    jobs: Receiver<Job>,
    done: Sender<Done>,
    /// Checks that wait, by URI.
    waiting: BTreeMap<String, Check>,
    /// The last report of each file, with its text and settings.
    reports: HashMap<String, (Arc<Snapshot>, Arc<Report>)>,
}

impl Worker {
    pub(crate) fn new(jobs: Receiver<Job>, done: Sender<Done>) -> Self {
        Self { jobs, done, waiting: BTreeMap::new(), reports: HashMap::new() }
    }

    /// Works until the other side is gone.
    pub(crate) fn run(mut self) {
        loop {
            let first = self.waiting.values().map(|(due, ..)| *due).min();
            let job = match first {
                Some(due) => self.jobs.recv_deadline(due),
                None => self.jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            let done = match job {
                Ok(Job::Check(snapshot)) => {
                    self.waiting.insert(snapshot.uri.clone(), (Instant::now(), snapshot, None));
                    None
                }
                Ok(Job::Answer { wanted, .. }) if wanted.strong_count() == 0 => None,
                Ok(Job::Answer { request, snapshot, wanted }) => {
                    Some(self.answer(request, &snapshot, &wanted))
                }
                Err(RecvTimeoutError::Timeout) => self.check(),
                Err(RecvTimeoutError::Disconnected) => return,
            };
            if done.is_some_and(|done| self.done.send(done).is_err()) {
                return;
            }
        }
    }

    /// Makes the first check whose time has come, unless it is ended.
    fn check(&mut self) -> Option<Done> {
        // Files that were closed or changed.
        self.reports.retain(|_, (snapshot, _)| snapshot.is_current());
        self.waiting.retain(|_, (_, snapshot, _)| snapshot.is_current());
        let first = self.waiting.iter().min_by_key(|(_, (due, ..))| *due);
        let uri = first.map(|(uri, _)| uri.clone())?;
        let (due, snapshot, quick) = self.waiting.remove(&uri)?;
        let jobs = self.jobs.clone();
        let goes_on = || jobs.is_empty() && snapshot.is_current();
        let Some(quick) = quick else {
            let Some(all) = quick_diagnostics(&snapshot, &goes_on) else {
                self.waiting.insert(uri, (due, snapshot, None));
                return None;
            };
            self.waiting.insert(uri, (due + PAUSE, Arc::clone(&snapshot), Some(all.clone())));
            return Some(Done::Found { snapshot, all, slow: None });
        };
        let all = if snapshot.has_tests() {
            results(&snapshot)
        } else {
            let Some(report) = self.report(&snapshot, &goes_on) else {
                self.waiting.insert(uri, (due, snapshot, Some(quick)));
                return None;
            };
            diagnostics(&report, &snapshot)
        };
        let slow = all.iter().filter(|it| !quick.contains(it)).cloned().collect();
        Some(Done::Found { snapshot, all, slow: Some(slow) })
    }

    /// The report of a text. `None` if it changed, or if `goes_on` returned false.
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
        let (settings, _) = snapshot.settings();
        let report = Arc::new(lint_while(snapshot.text.bytes(), settings, goes_on)?);
        self.reports.insert(snapshot.uri.clone(), (Arc::clone(snapshot), Arc::clone(&report)));
        Some(report)
    }

    fn answer(&mut self, request: Request, snapshot: &Arc<Snapshot>, wanted: &Weak<()>) -> Done {
        let Request { id, method, params } = request;
        let goes_on = || wanted.strong_count() > 0 && snapshot.is_current();
        let result = if snapshot.is_current() {
            answer(&method, &params, snapshot, &mut || self.report(snapshot, &goes_on))
        } else {
            Err(changed())
        };
        Done::Answered(id, snapshot.uri.clone(), result)
    }
}

/// The diagnostics that need one pass over the text.
fn quick_diagnostics(snapshot: &Snapshot, goes_on: &dyn Fn() -> bool) -> Option<Vec<Diagnostic>> {
    if snapshot.has_tests() {
        return Some(problem(&snapshot.text).into_iter().collect());
    }
    let (settings, _) = snapshot.settings();
    Some(diagnostics(&lint_text(snapshot.text.bytes(), settings, goes_on)?, snapshot))
}
