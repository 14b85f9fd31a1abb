//! The main thread: open files, diagnostics at once, and requests for the worker.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crossbeam_channel::{Receiver, Sender, select, unbounded};
use lsp_server::{
    Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response,
};
use lsp_types::{
    Diagnostic, DidChangeTextDocumentParams, DidOpenTextDocumentParams, MessageType, Range,
    TextDocumentContentChangeEvent, Uri,
};
use serde_json::{Value, json};
use url::Url;
use verger::Untrusted;

use crate::actions::FIX_ALL;
use crate::answer::{Answer, CHECK, COMPARE, Failure, answer, uri_of};
use crate::config::settings_of;
use crate::snapshot::Snapshot;
use crate::tests_file::has_tests;
use crate::text::Text;
use crate::worker::{Done, Job, Worker};

/// Serves an editor until it ends the session. Returns whether it did so in order: `shutdown`, then
/// `exit`.
///
/// # Errors
///
/// A message that the protocol does not allow at this point.
pub fn serve(connection: &Connection) -> Result<bool, ProtocolError> {
    let (id, params) = connection.initialize_start()?;
    let offered = params.pointer("/capabilities/general/positionEncodings");
    // Bytes need no conversion.
    let is_utf8 = offered.and_then(Value::as_array).is_some_and(|it| it.contains(&json!("utf-8")));
    let capabilities = json!({
        "positionEncoding": if is_utf8 { "utf-8" } else { "utf-16" },
        "textDocumentSync": { "openClose": true, "change": 2, "save": true },
        "hoverProvider": true,
        "completionProvider": { "triggerCharacters": [":", " ", ",", "#"] },
        "codeActionProvider": { "codeActionKinds": ["quickfix", "refactor.rewrite", FIX_ALL] },
        "documentFormattingProvider": true,
        "documentSymbolProvider": true,
        "executeCommandProvider": { "commands": [CHECK, COMPARE] },
    });
    let info = json!({ "name": "verger-lsp", "version": env!("CARGO_PKG_VERSION") });
    let result = json!({ "capabilities": capabilities, "serverInfo": info });
    connection.initialize_finish(id, result)?;
    let (jobs, to_do) = unbounded();
    let (done, results) = unbounded();
    // The end of its jobs ends it. Nobody waits for it: the program ends in the middle of an analysis.
    thread::spawn(move || Worker::new(to_do, done).run());
    let mut server = Server {
        sender: connection.sender.clone(),
        jobs,
        is_utf8,
        files: HashMap::new(),
        waiting: HashSet::new(),
    };
    server.run(connection, &results)
}

/// An open file.
struct File {
    uri: Uri,
    path: Option<PathBuf>,
    version: i32,
    text: Arc<Text>,
    /// The number of the last change, different in all files of a session with the same URI.
    last: Arc<AtomicU64>,
    /// Diagnostics that need the last analysis, where their lines are now.
    slow: Vec<Diagnostic>,
    /// Diagnostics of a comparison, until the next change.
    compared: Vec<Diagnostic>,
}

impl File {
    /// Applies a change. Diagnostics below it move, and those that it touches go.
    fn apply(&mut self, change: TextDocumentContentChangeEvent) {
        let Range { start, end } = change.range.unwrap_or(self.text.whole());
        let before = self.text.line_count();
        Arc::make_mut(&mut self.text).apply(change);
        let after = self.text.line_count();
        let is_above = |it: &Diagnostic| it.range.end.line < start.line;
        self.slow.retain(|it| is_above(it) || it.range.start.line > end.line);
        for it in self.slow.iter_mut().filter(|it| !is_above(it)) {
            for line in [&mut it.range.start.line, &mut it.range.end.line] {
                *line = (*line + after).saturating_sub(before);
            }
        }
    }
}

/// The state of the main thread.
struct Server {
    sender: Sender<Message>,
    jobs: Sender<Job>,
    is_utf8: bool,
    /// Open files, by URI.
    files: HashMap<String, File>,
    /// Requests that the worker answers.
    waiting: HashSet<RequestId>,
}

impl Server {
    fn run(
        &mut self,
        connection: &Connection,
        results: &Receiver<Done>,
    ) -> Result<bool, ProtocolError> {
        loop {
            select! {
                recv(connection.receiver) -> message => match message {
                    Ok(Message::Request(request)) => {
                        if connection.handle_shutdown(&request)? {
                            return Ok(true);
                        }
                        self.request(request);
                    }
                    Ok(Message::Notification(it)) if it.method == "exit" => return Ok(false),
                    Ok(Message::Notification(it)) => self.notification(it),
                    Ok(Message::Response(_)) => {}
                    Err(_) => return Ok(false),
                },
                recv(results) -> done => match done {
                    Ok(done) => self.done(done),
                    // The worker is gone: editors start the server again.
                    Err(_) => return Ok(false),
                },
            }
        }
    }

    fn send(&self, message: impl Into<Message>) {
        // If the writer is gone, the input ends, too.
        let _ = self.sender.send(message.into());
    }

    fn publish(&self, uri: &Uri, version: Option<i32>, found: &[Diagnostic]) {
        let params = json!({ "uri": uri, "version": version, "diagnostics": found });
        self.send(Notification::new("textDocument/publishDiagnostics".to_owned(), params));
    }

    fn notification(&mut self, Notification { method, params }: Notification) {
        let uri = uri_of(&params).unwrap_or_default().to_owned();
        let done = match method.as_str() {
            "textDocument/didOpen" => serde_json::from_value(params).map(|it| self.open(it)),
            "textDocument/didChange" => serde_json::from_value(params).map(|it| self.change(it)),
            "textDocument/didClose" => {
                if let Some(file) = self.files.remove(&uri) {
                    // The worker ends an analysis of it.
                    file.last.fetch_add(1, Ordering::Relaxed);
                    self.publish(&file.uri, None, &[]);
                }
                Ok(())
            }
            // Settings may have changed.
            "textDocument/didSave" => {
                let keys: Vec<String> = self.files.keys().cloned().collect();
                for key in keys {
                    self.check(&key);
                }
                Ok(())
            }
            "$/cancelRequest" => serde_json::from_value(params["id"].clone()).map(|id| {
                if self.waiting.remove(&id) {
                    let code = ErrorCode::RequestCanceled as i32;
                    self.send(Response::new_err(id, code, "cancelled".to_owned()));
                }
            }),
            _ => Ok(()),
        };
        if let Err(error) = done {
            let message = format!("skipped `{method}`: {error}");
            let message = Untrusted::new(&message).to_string();
            let params = json!({ "type": MessageType::WARNING, "message": message });
            self.send(Notification::new("window/logMessage".to_owned(), params));
        }
    }

    fn open(&mut self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        let key = document.uri.as_str().to_owned();
        let before = self.files.remove(&key);
        let file = File {
            path: Url::parse(&key).ok().and_then(|url| url.to_file_path().ok()),
            uri: document.uri,
            version: document.version,
            text: Arc::new(Text::new(document.text, self.is_utf8)),
            last: before.map(|it| it.last).unwrap_or_default(),
            slow: Vec::new(),
            compared: Vec::new(),
        };
        self.files.insert(key.clone(), file);
        self.check(&key);
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) {
        let key = params.text_document.uri.as_str().to_owned();
        let Some(file) = self.files.get_mut(&key) else { return };
        file.version = params.text_document.version;
        file.compared.clear();
        params.content_changes.into_iter().for_each(|change| file.apply(change));
        self.check(&key);
        // They may test this file.
        let tests = self.files.keys().filter(|it| has_tests(it) && **it != key);
        let tests: Vec<String> = tests.cloned().collect();
        for key in tests {
            self.check(&key);
        }
    }

    /// Publishes the findings of one pass over a file, and asks for its analysis.
    fn check(&mut self, key: &str) {
        if let Some(file) = self.files.get(key) {
            file.last.fetch_add(1, Ordering::Relaxed);
        }
        let Some(snapshot) = self.snapshot(key) else { return };
        let mut found = snapshot.quick();
        if let Some(file) = self.files.get(key) {
            found.extend(file.slow.iter().chain(&file.compared).cloned());
            self.publish(&snapshot.uri, Some(file.version), &found);
        }
        let _ = self.jobs.send(Job::Analyse(snapshot));
    }

    fn snapshot(&self, key: &str) -> Option<Snapshot> {
        let path = self.files.get(key)?.path.clone();
        let (settings, wrong_settings) = settings_of(path.as_deref());
        let with_path = |file: &File| Some((file.path.clone()?, Arc::clone(&file.text)));
        let others = self.files.values().filter(|_| has_tests(key)).filter_map(with_path);
        let others = others.collect();
        let file = self.files.get(key)?;
        Some(Snapshot {
            uri: file.uri.clone(),
            path,
            text: Arc::clone(&file.text),
            settings: Arc::new(settings),
            wrong_settings,
            others,
            number: file.last.load(Ordering::Relaxed),
            last: Arc::clone(&file.last),
        })
    }

    fn done(&mut self, done: Done) {
        match done {
            Done::Analysed { snapshot, mut all, slow } => {
                let file = self.files.get_mut(snapshot.uri.as_str());
                if let Some(file) = file.filter(|_| snapshot.is_current()) {
                    file.slow = slow;
                    all.extend(file.compared.iter().cloned());
                    let version = file.version;
                    self.publish(&snapshot.uri, Some(version), &all);
                }
            }
            Done::Answered(id, uri, result) => {
                if self.waiting.remove(&id) {
                    self.answer(id, uri.as_str(), result);
                }
            }
        }
    }

    fn answer(&mut self, id: RequestId, uri: &str, result: Result<Answer, Failure>) {
        let response = match result {
            Ok(Answer::Value(value)) => Response::new_ok(id, value),
            Ok(Answer::Compared(changes, summary)) => {
                if let Some(file) = self.files.get_mut(uri) {
                    file.compared = changes;
                }
                self.check(uri);
                Response::new_ok(id, summary)
            }
            Err((code, message)) => Response::new_err(id, code as i32, message),
        };
        self.send(response);
    }

    /// Answers a request, or leaves it to the worker. One about a file that is not open has no answer.
    fn request(&mut self, request: Request) {
        let Request { id, method, params } = &request;
        let key = uri_of(params).unwrap_or_default().to_owned();
        let snapshot = self.snapshot(&key);
        match (method.as_str(), snapshot) {
            ("workspace/executeCommand", None) => {
                let message = "expected the URI of an open file as first argument".to_owned();
                let code = ErrorCode::InvalidParams as i32;
                self.send(Response::new_err(request.id, code, message));
            }
            // At once: it needs no analysis.
            ("textDocument/completion", Some(snapshot)) => {
                let answer = answer(method, params, &snapshot, &mut || None);
                self.answer(id.clone(), &key, answer);
            }
            (_, Some(snapshot)) => {
                self.waiting.insert(id.clone());
                let _ = self.jobs.send(Job::Answer(request, snapshot));
            }
            (name, None) if name.starts_with("textDocument/") => {
                self.send(Response::new_ok(request.id, Value::Null));
            }
            (_, None) => {
                let message = "verger-lsp does not have this method".to_owned();
                let code = ErrorCode::MethodNotFound as i32;
                self.send(Response::new_err(request.id, code, message));
            }
        }
    }
}
