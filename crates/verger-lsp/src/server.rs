//! The main thread: the session, open files, and work for the second thread.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;
use std::{mem, thread};

use crossbeam_channel::{Receiver, Sender, at, never, select, unbounded};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{Position, Range, TextDocumentContentChangeEvent};
use serde_json::{Value, json};
use url::Url;

use crate::actions::FIX_ALL;
use crate::answer::{CHECK, COMPARE, FORMAT, Failure, METHODS, answer, command, read, uri_of};
use crate::limits::PAUSE;
use crate::snapshot::{Snapshot, has_tests};
use crate::text::Text;
use crate::transport::complain;
use crate::worker::{Done, Job, Task, work};

/// Serves an editor until it ends the session. Returns whether it did so in order: `shutdown`, then
/// `exit` or the end of its messages.
pub fn serve(connection: &Connection) -> bool {
    // Earlier requests get an error, and earlier notifications are dropped.
    let Ok((id, params)) = connection.initialize_start() else { return false };
    let offered = params.pointer("/capabilities/general/positionEncodings");
    // Bytes need no conversion.
    let is_utf8 = offered.and_then(Value::as_array).is_some_and(|it| it.contains(&json!("utf-8")));
    let [(short, first), (long, second)] = [unbounded(), unbounded()];
    let (done, results) = unbounded();
    // The end of its work ends it. Nobody waits for it: the program may end during an analysis.
    thread::spawn(move || work(&first, &second, &done));
    let mut server = Server {
        sender: connection.sender.clone(),
        short,
        long,
        is_utf8,
        is_shut_down: false,
        files: HashMap::new(),
        waiting: HashSet::new(),
    };
    server.respond(id, Ok(Some(capabilities(is_utf8))));
    server.run(&connection.receiver, &results);
    for id in mem::take(&mut server.waiting) {
        server.respond(id, Err((ErrorCode::ServerCancelled, "the session has ended".into())));
    }
    server.is_shut_down
}

/// The server and its capabilities, for the editor.
fn capabilities(is_utf8: bool) -> Value {
    json!({
        "capabilities": {
            "positionEncoding": if is_utf8 { "utf-8" } else { "utf-16" },
            "textDocumentSync": { "openClose": true, "change": 2, "save": true },
            "hoverProvider": true,
            "completionProvider": { "triggerCharacters": [":", " ", ",", "#", "\""] },
            "codeActionProvider": { "codeActionKinds": ["quickfix", "refactor.rewrite", FIX_ALL] },
            "documentFormattingProvider": true,
            "documentSymbolProvider": true,
            "executeCommandProvider": { "commands": [CHECK, COMPARE] },
        },
        "serverInfo": { "name": "verger-lsp", "version": env!("CARGO_PKG_VERSION") },
    })
}

/// An open file.
#[derive(Default)]
struct File {
    /// The version, as the editor counts.
    version: Value,
    text: Arc<Text>,
    /// The file for the answers, and for the other thread.
    snapshot: Arc<Snapshot>,
    /// The next check, and its time.
    due: Option<(Instant, Task)>,
    /// Diagnostics of the last pass over the text.
    quick: Vec<Value>,
    /// Diagnostics that need the last analysis, where their lines are now.
    slow: Vec<Value>,
    /// Diagnostics of a comparison, until the next change.
    compared: Vec<Value>,
}

impl File {
    /// Applies a change; one without a range replaces the whole text. Diagnostics and other places
    /// below it move, and those that it touches go.
    fn apply(&mut self, change: &TextDocumentContentChangeEvent) {
        let whole = Range::new(Position::default(), Position::new(u32::MAX, 0));
        let range = change.range.unwrap_or(whole);
        let before = self.text.line_count();
        Arc::make_mut(&mut self.text).replace(range, &change.text);
        let after = self.text.line_count();
        let is_left = |place: &mut Value| {
            let Ok(Range { mut start, mut end }) = read(place, "") else { return false };
            if start.line <= range.end.line {
                return end.line < range.start.line;
            }
            for it in [&mut start, &mut end] {
                it.line = (it.line + after).saturating_sub(before);
            }
            *place = json!(Range { start, end });
            true
        };
        self.slow.retain_mut(|it| {
            if let Some(Value::Array(related)) = it.get_mut("relatedInformation") {
                related.retain_mut(|it| is_left(&mut it["location"]["range"]));
            }
            is_left(&mut it["range"])
        });
    }
}

/// The state of the main thread.
struct Server {
    sender: Sender<Message>,
    /// To the other thread: passes and formatting, before all others.
    short: Sender<Job>,
    /// To the other thread: the analysis, and what needs it.
    long: Sender<Job>,
    is_utf8: bool,
    /// Whether the editor has sent `shutdown`.
    is_shut_down: bool,
    /// Open files, by URI as the editor writes it.
    files: HashMap<String, File>,
    /// Requests that the other thread answers.
    waiting: HashSet<RequestId>,
}

impl Server {
    fn run(&mut self, messages: &Receiver<Message>, results: &Receiver<Done>) {
        loop {
            // One check for all changes that are here.
            if messages.is_empty() {
                self.check_due();
            }
            let next = self.files.values().filter_map(|file| Some(file.due.as_ref()?.0)).min();
            select! {
                recv(messages) -> message => match message {
                    Ok(Message::Request(request)) => self.request(request),
                    Ok(Message::Notification(it)) if it.method == "exit" => return,
                    Ok(Message::Notification(it)) if !self.is_shut_down => {
                        if let Err((_, error)) = self.notification(&it) {
                            complain(&format!("skipped `{}`: {error}", it.method));
                        }
                    }
                    Ok(_) => {}
                    Err(_) => return,
                },
                // If the other thread is gone, editors start the server again.
                recv(results) -> done => { let Ok(done) = done else { return }; self.done(done) }
                recv(next.map_or_else(never, at)) -> _ => {}
            }
        }
    }

    fn check_due(&mut self) {
        let now = Instant::now();
        for file in self.files.values_mut() {
            if let Some((_, task)) = file.due.take_if(|(due, _)| *due <= now) {
                let to = if matches!(task, Task::Pass) { &self.short } else { &self.long };
                // It fails only when the program ends.
                let _ = to.send((Arc::clone(&file.snapshot), task));
            }
        }
    }

    fn notification(&mut self, it: &Notification) -> Result<(), Failure> {
        let uri = uri_of(&it.params).unwrap_or_default();
        match it.method.as_str() {
            "textDocument/didOpen" => {
                let text = read(&it.params, "/textDocument")?;
                let file = self.files.entry(uri.to_owned()).or_default();
                file.text = Arc::new(Text::new(String::new(), self.is_utf8));
                self.change(uri, &it.params, vec![text]);
            }
            "textDocument/didChange" => {
                self.change(uri, &it.params, read(&it.params, "/contentChanges")?);
            }
            "textDocument/didClose" => {
                if let Some(file) = self.files.remove(uri) {
                    file.snapshot.is_outdated.store(true, Ordering::Relaxed);
                    self.publish(uri, &Value::Null, &[]);
                }
                self.touch(has_tests);
            }
            // Settings may have changed.
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => self.touch(|_| true),
            _ => {}
        }
        Ok(())
    }

    fn change(&mut self, uri: &str, params: &Value, changes: Vec<TextDocumentContentChangeEvent>) {
        let Some(file) = self.files.get_mut(uri) else { return };
        file.version = params["textDocument"]["version"].clone();
        file.compared.clear();
        for change in changes {
            file.apply(&change);
        }
        self.touch(|it| it == uri || has_tests(it));
    }

    /// Ends the work for old texts or settings of some files, and begins that for the new ones.
    /// Files of tests may test a file that was opened, changed or closed.
    fn touch(&mut self, is_touched: impl Fn(&str) -> bool) {
        let path_of = |uri: &str| Url::parse(uri).ok()?.to_file_path().ok();
        let with_path =
            |(uri, file): (&String, &File)| Some((path_of(uri)?, Arc::clone(&file.text)));
        let all: Vec<_> = self.files.iter().filter_map(with_path).collect();
        for (uri, file) in self.files.iter_mut().filter(|(uri, _)| is_touched(uri)) {
            let others = if has_tests(uri) { all.clone() } else { Vec::new() };
            let (uri, path, text) = (uri.clone(), path_of(uri), Arc::clone(&file.text));
            let new = Arc::new(Snapshot { uri, path, text, others, ..Snapshot::default() });
            let old = mem::replace(&mut file.snapshot, new);
            old.is_outdated.store(true, Ordering::Relaxed);
            file.due = Some((Instant::now(), Task::Pass));
        }
    }

    fn request(&mut self, request: Request) {
        let error = |code: ErrorCode, message: &str| Err((code, message.to_owned()));
        let file = uri_of(&request.params).and_then(|uri| self.files.get_mut(uri));
        let result = match (request.method.as_str(), file) {
            _ if self.is_shut_down => {
                error(ErrorCode::InvalidRequest, "found a request after `shutdown`")
            }
            ("initialize", _) => error(ErrorCode::InvalidRequest, "found `initialize` twice"),
            ("shutdown", _) => {
                self.is_shut_down = true;
                Ok(None)
            }
            ("workspace/executeCommand", Some(file)) => {
                // The next check shows what a comparison finds.
                file.due = Some((Instant::now(), Task::Pass));
                command(&request.params, &file.snapshot, &mut file.compared)
                    .map_err(|message| (ErrorCode::InvalidParams, message))
            }
            ("workspace/executeCommand", None) => error(
                ErrorCode::InvalidParams,
                "expected `verger.check` or `verger.compare` with the URI of an open file first",
            ),
            (name, _) if !METHODS.contains(&name) => {
                error(ErrorCode::MethodNotFound, "verger-lsp does not have this method")
            }
            // A file that is not open.
            (_, None) => Ok(None),
            // They take long for a long file.
            ("textDocument/codeAction" | FORMAT, Some(file)) => {
                let snapshot = Arc::clone(&file.snapshot);
                return self.answer_later(snapshot, request);
            }
            (_, Some(file)) => answer(&request, &file.snapshot, &|| true),
        };
        self.respond(request.id, result);
    }

    fn answer_later(&mut self, snapshot: Arc<Snapshot>, request: Request) {
        self.waiting.insert(request.id.clone());
        let to = if request.method == FORMAT { &self.short } else { &self.long };
        let _ = to.send((snapshot, Task::Answer(request)));
    }

    fn done(&mut self, (snapshot, task, result): Done) {
        match (task, result) {
            (Task::Answer(request), _) if !snapshot.is_current() => {
                let is_same = |file: &&File| Arc::ptr_eq(&file.text, &snapshot.text);
                if let Some(file) = self.files.get(&snapshot.uri).filter(is_same) {
                    // Settings or another file may have changed.
                    return self.answer_later(Arc::clone(&file.snapshot), request);
                }
                let message = "the file was changed meanwhile".to_owned();
                self.respond(request.id, Err((ErrorCode::ContentModified, message)));
            }
            _ if !snapshot.is_current() => {}
            // Shorter work ended it.
            (task, Ok(None)) => drop(self.long.send((snapshot, task))),
            (Task::Answer(request), result) => self.respond(request.id, result),
            (task, Ok(Some(Value::Array(found)))) => self.found(&snapshot.uri, &task, found),
            _ => {}
        }
    }

    /// Shows the diagnostics of a check, and those of others.
    fn found(&mut self, uri: &str, task: &Task, found: Vec<Value>) {
        let Some(file) = self.files.get_mut(uri) else { return };
        if matches!(task, Task::Pass) {
            file.due = Some((Instant::now() + PAUSE, Task::Analysis));
            file.quick = found;
        } else {
            // The next pass finds these again.
            let quick: HashSet<Value> = mem::take(&mut file.quick).into_iter().collect();
            (file.quick, file.slow) = found.into_iter().partition(|it| quick.contains(it));
        }
        let all = [&file.quick[..], &file.slow, &file.compared].concat();
        let version = file.version.clone();
        self.publish(uri, &version, &all);
    }

    fn publish(&self, uri: &str, version: &Value, found: &[Value]) {
        let params = json!({ "uri": uri, "version": version, "diagnostics": found });
        self.send(Notification::new("textDocument/publishDiagnostics".to_owned(), params));
    }

    fn respond(&mut self, id: RequestId, result: Result<Option<Value>, Failure>) {
        self.waiting.remove(&id);
        self.send(match result {
            Ok(answer) => Response::new_ok(id, answer),
            Err((code, message)) => Response::new_err(id, code as i32, message),
        });
    }

    fn send(&self, message: impl Into<Message>) {
        // If the writer is gone, the input ends, too.
        let _ = self.sender.send(message.into());
    }
}
