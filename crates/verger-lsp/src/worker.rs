//! The thread for work that takes longer than a key press: analysis after a pause, and requests.
//!
//! # Flow
//!
//! An analysis waits for [`PAUSE`]. A change of the file, or a request, ends it; after a request it
//! begins again. The report of the last analysis answers requests about the same text.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use lsp_server::{ErrorCode, RequestId, Response};
use lsp_types::{
    CodeActionContext, CodeActionOrCommand, Diagnostic, DocumentSymbolResponse, Hover,
    HoverContents, MarkupContent, MarkupKind, Position, Range, Uri,
};
use verger::Robots;
use verger_lint::{Report, lint_text, lint_while};

use crate::actions::{Actions, format};
use crate::check::check;
use crate::compare::Base;
use crate::config::Found;
use crate::diagnostics::diagnostics;
use crate::hover::explain;
use crate::limits::PAUSE;
use crate::symbols::symbols;
use crate::text::Text;

/// A file at one time.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    pub(crate) uri: Uri,
    pub(crate) path: Option<PathBuf>,
    pub(crate) text: Arc<Text>,
    pub(crate) settings: Arc<Found>,
    /// The version to compare with.
    pub(crate) base: Option<Arc<Base>>,
    /// The number of the change, and that of the last one.
    pub(crate) number: u64,
    pub(crate) last: Arc<AtomicU64>,
}

impl Snapshot {
    fn is_current(&self) -> bool {
        self.number == self.last.load(Ordering::Relaxed)
    }
}

/// A piece of work.
#[derive(Debug)]
pub(crate) enum Job {
    /// Finds the diagnostics of a file, after a pause.
    Analyse(Snapshot),
    /// Answers a request.
    Answer(RequestId, Snapshot, Task),
    /// A file was closed.
    Forget(Uri),
}

/// A request.
#[derive(Debug)]
pub(crate) enum Task {
    Hover(Position),
    Actions(Range, CodeActionContext),
    Format,
    Symbols,
    Check { url: String, crawler: String },
    Compare { revision: String },
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
    /// The version with which a file is compared from now on.
    Compared {
        uri: Uri,
        base: Arc<Base>,
    },
    /// The answer of a command, for people.
    Message(String),
    Answer(Response),
}

/// The state of the thread.
pub(crate) struct Worker {
    jobs: Receiver<Job>,
    done: Sender<Done>,
    /// Analyses that wait, with the time when they begin.
    waiting: BTreeMap<Uri, (Instant, Snapshot)>,
    /// The last report of each file, with the number of its change.
    reports: HashMap<String, (u64, Arc<Report>)>,
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
            let sent = match job {
                Ok(Job::Analyse(snapshot)) => {
                    let due = Instant::now() + PAUSE;
                    self.waiting.insert(snapshot.uri.clone(), (due, snapshot));
                    true
                }
                Ok(Job::Answer(id, snapshot, task)) => {
                    let answer = self.answer(id, &snapshot, task);
                    self.done.send(Done::Answer(answer)).is_ok()
                }
                Ok(Job::Forget(uri)) => {
                    self.waiting.remove(&uri);
                    self.reports.remove(uri.as_str());
                    true
                }
                Err(RecvTimeoutError::Timeout) => self.analyse(),
                Err(RecvTimeoutError::Disconnected) => false,
            };
            if !sent {
                return;
            }
        }
    }

    /// Makes the first analysis whose time has come. False if nobody wants the result.
    fn analyse(&mut self) -> bool {
        let now = Instant::now();
        let next = self.waiting.iter().find(|(_, (due, _))| *due <= now);
        let Some(uri) = next.map(|(uri, _)| uri.clone()) else { return true };
        let Some((due, snapshot)) = self.waiting.remove(&uri) else { return true };
        let jobs = self.jobs.clone();
        let Some(report) = self.report(&snapshot, &|| jobs.is_empty()) else {
            if snapshot.is_current() {
                self.waiting.insert(uri, (due, snapshot));
            }
            return true;
        };
        let quick = lint_text(snapshot.text.bytes(), &snapshot.settings.settings);
        let quick = diagnostics(&quick, &snapshot.text, &uri);
        let mut all = diagnostics(&report, &snapshot.text, &uri);
        if let Some(base) = &snapshot.base {
            all.extend(base.changes(&snapshot.text).0);
        }
        let slow = all.iter().filter(|it| !quick.contains(it)).cloned().collect();
        self.done.send(Done::Analysed { snapshot, all, slow }).is_ok()
    }

    /// The report of a text. `None` if it changed, or if `goes_on` returned false.
    fn report(&mut self, snapshot: &Snapshot, goes_on: &dyn Fn() -> bool) -> Option<Arc<Report>> {
        let key = snapshot.uri.as_str();
        if let Some((number, report)) = self.reports.get(key)
            && *number == snapshot.number
        {
            return Some(Arc::clone(report));
        }
        let goes_on = || snapshot.is_current() && goes_on();
        let settings = &snapshot.settings.settings;
        let report = Arc::new(lint_while(snapshot.text.bytes(), settings, &goes_on)?);
        self.reports.insert(key.to_owned(), (snapshot.number, Arc::clone(&report)));
        Some(report)
    }

    fn answer(&mut self, id: RequestId, snapshot: &Snapshot, task: Task) -> Response {
        let Snapshot { uri, text, settings, .. } = snapshot;
        let changed = |id| {
            let message = "the file was changed meanwhile".to_owned();
            Response::new_err(id, ErrorCode::ContentModified as i32, message)
        };
        if !snapshot.is_current() {
            return changed(id);
        }
        match task {
            Task::Hover(position) => {
                let robots = Robots::parse(text.as_str());
                let offset = text.offset(position);
                let found = explain(&robots, offset).filter(|_| is_read(&robots, text));
                let hover = found.map(|(value, span)| Hover {
                    contents: HoverContents::Markup(MarkupContent {
                        kind: MarkupKind::Markdown,
                        value,
                    }),
                    range: Some(text.range(span)),
                });
                Response::new_ok(id, hover)
            }
            Task::Actions(range, context) => {
                let Some(report) = self.report(snapshot, &|| true) else { return changed(id) };
                let settings = &settings.settings;
                let actions = Actions { uri, text, report: &report, settings };
                let actions = actions.at(range, &context).into_iter();
                let actions = actions.map(CodeActionOrCommand::CodeAction);
                Response::new_ok(id, actions.collect::<Vec<_>>())
            }
            Task::Format => Response::new_ok(id, format(text)),
            Task::Symbols => {
                let robots = Robots::parse(text.as_str());
                let found =
                    if is_read(&robots, text) { symbols(&robots, text) } else { Vec::new() };
                Response::new_ok(id, DocumentSymbolResponse::Nested(found))
            }
            Task::Check { url, crawler } => self.say(id, check(text, &url, &crawler)),
            Task::Compare { revision } => {
                let no_path = || "this file has no path, so git has no version of it".to_owned();
                let base = snapshot.path.as_deref().ok_or_else(no_path);
                let answer = base.and_then(|path| Base::committed(path, &revision)).map(|base| {
                    let base = Arc::new(base);
                    let _ = self
                        .done
                        .send(Done::Compared { uri: uri.clone(), base: Arc::clone(&base) });
                    base.changes(text).1
                });
                self.say(id, answer)
            }
        }
    }

    /// Answers a command. Editors show the message.
    fn say(&self, id: RequestId, answer: Result<String, String>) -> Response {
        match answer {
            Ok(text) => {
                let _ = self.done.send(Done::Message(text.clone()));
                Response::new_ok(id, text)
            }
            Err(message) => Response::new_err(id, ErrorCode::InvalidParams as i32, message),
        }
    }
}

/// Whether the engine reads this text, and not a decoded one (UTF-16).
fn is_read(robots: &Robots, text: &Text) -> bool {
    text.bytes().starts_with(robots.text())
}
