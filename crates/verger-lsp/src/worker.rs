//! The thread for work that takes longer than a key press: analysis after a pause, and requests.
//!
//! # Flow
//!
//! An analysis waits for [`PAUSE`]. A change of the file, or a request, ends it; after a request it
//! begins again. The report of the last analysis answers requests about the same text.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Instant;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use lsp_server::{ErrorCode, Request, RequestId};
use lsp_types::{Diagnostic, Uri};
use verger_lint::{Report, lint_while};

use crate::answer::{Answer, Failure, answer};
use crate::limits::PAUSE;
use crate::snapshot::Snapshot;

/// A piece of work.
#[derive(Debug)]
pub(crate) enum Job {
    /// Finds the diagnostics of a file, after a pause.
    Analyse(Snapshot),
    /// Answers a request.
    Answer(Request, Snapshot),
}

/// A result.
#[derive(Debug)]
pub(crate) enum Done {
    /// The diagnostics of a file, and those of them that need the analysis.
    Analysed {
        snapshot: Snapshot,
        all: Vec<Diagnostic>,
        slow: Vec<Diagnostic>,
    },
    Answered(RequestId, Uri, Result<Answer, Failure>),
}

/// The state of the thread.
pub(crate) struct Worker {
    jobs: Receiver<Job>,
    done: Sender<Done>,
    /// Analyses that wait, with the time when they begin.
    waiting: BTreeMap<Uri, (Instant, Snapshot)>,
    /// The last report of each file, with its text and settings.
    reports: HashMap<String, (Snapshot, Arc<Report>)>,
}

impl Worker {
    pub(crate) fn new(jobs: Receiver<Job>, done: Sender<Done>) -> Self {
        Self { jobs, done, waiting: BTreeMap::new(), reports: HashMap::new() }
    }

    /// Works until the other side is gone.
    pub(crate) fn run(mut self) {
        loop {
            let first = self.waiting.values().map(|(due, _)| *due).min();
            let job = match first {
                Some(due) => self.jobs.recv_deadline(due),
                None => self.jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            let done = match job {
                Ok(Job::Analyse(snapshot)) => {
                    let due = Instant::now() + PAUSE;
                    self.waiting.insert(snapshot.uri.clone(), (due, snapshot));
                    None
                }
                Ok(Job::Answer(request, snapshot)) => Some(self.answer(request, &snapshot)),
                Err(RecvTimeoutError::Timeout) => self.analyse(),
                Err(RecvTimeoutError::Disconnected) => return,
            };
            if done.is_some_and(|done| self.done.send(done).is_err()) {
                return;
            }
        }
    }

    /// Makes the first analysis whose time has come, unless it is ended.
    fn analyse(&mut self) -> Option<Done> {
        // Files that were closed or changed.
        self.reports.retain(|_, (snapshot, _)| snapshot.is_current());
        let first = self.waiting.iter().min_by_key(|(_, (due, _))| *due);
        let uri = first.map(|(uri, _)| uri.clone())?;
        let (due, snapshot) = self.waiting.remove(&uri)?;
        if snapshot.has_tests() {
            let all = snapshot.results();
            return Some(Done::Analysed { snapshot, slow: all.clone(), all });
        }
        let jobs = self.jobs.clone();
        let Some(report) = self.report(&snapshot, &|| jobs.is_empty()) else {
            if snapshot.is_current() {
                self.waiting.insert(uri, (due, snapshot));
            }
            return None;
        };
        let quick = snapshot.quick();
        let all = snapshot.diagnostics(&report);
        let slow = all.iter().filter(|it| !quick.contains(it)).cloned().collect();
        Some(Done::Analysed { snapshot, all, slow })
    }

    /// The report of a text. `None` if it changed, or if `goes_on` returned false.
    fn report(&mut self, snapshot: &Snapshot, goes_on: &dyn Fn() -> bool) -> Option<Arc<Report>> {
        let key = snapshot.uri.as_str();
        if let Some((old, report)) = self.reports.get(key)
            && old.number == snapshot.number
            // A file that was closed and opened has its own count.
            && Arc::ptr_eq(&old.last, &snapshot.last)
        {
            return Some(Arc::clone(report));
        }
        let goes_on = || snapshot.is_current() && goes_on();
        let text = snapshot.text.bytes();
        let report = Arc::new(lint_while(text, &snapshot.settings, &goes_on)?);
        self.reports.insert(key.to_owned(), (snapshot.clone(), Arc::clone(&report)));
        Some(report)
    }

    fn answer(&mut self, request: Request, snapshot: &Snapshot) -> Done {
        let Request { id, method, params } = request;
        let result = if snapshot.is_current() {
            answer(&method, &params, snapshot, &mut || self.report(snapshot, &|| true))
        } else {
            Err((ErrorCode::ContentModified, "the file was changed meanwhile".to_owned()))
        };
        Done::Answered(id, snapshot.uri.clone(), result)
    }
}
