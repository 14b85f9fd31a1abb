//! The main thread: the session, open files, and work for the second thread.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use std::{mem, thread};

use crossbeam_channel::{Receiver, Sender, at, never, select, unbounded};
use lsp_server::{
    Connection, ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError,
};
use lsp_types::{MessageType, Position, Range, TextDocumentContentChangeEvent};
use serde_json::{Value, json};
use url::Url;
use verger::Untrusted;
use verger_lint::Report;

use crate::actions::FIX_ALL;
use crate::answer::{CHECK, COMPARE, Failure, METHODS, NO_METHOD, answer, read, uri_of};
use crate::limits::PAUSE;
use crate::snapshot::{Snapshot, has_tests};
use crate::text::Text;
use crate::worker::{Depth, Done, work};

/// Serves an editor until it ends the session. Returns whether it did so in order: `shutdown`, then
/// `exit` or the end of its messages.
pub fn serve(connection: &Connection) -> bool {
    // Earlier requests get an error, and earlier notifications are dropped.
    let Ok((id, params)) = connection.initialize_start() else { return false };
    let offered = params.pointer("/capabilities/general/positionEncodings");
    // Bytes need no conversion.
    let is_utf8 = offered.and_then(Value::as_array).is_some_and(|it| it.contains(&json!("utf-8")));
    let [(quick, to_pass), (full, to_analyse)] = [unbounded(), unbounded()];
    let (done, results) = unbounded();
    // The end of its work ends it. Nobody waits for it: the program may end during an analysis.
    thread::spawn(move || work(&to_pass, &to_analyse, &done));
    let mut server = Server {
        sender: connection.sender.clone(),
        quick,
        full,
        is_utf8,
        is_shut_down: false,
        files: HashMap::new(),
        pending: Vec::new(),
    };
    server.respond(id, Ok(capabilities(is_utf8)));
    server.run(&connection.receiver, &results);
    server.is_shut_down
}

/// The capabilities of the server, for the editor.
fn capabilities(is_utf8: bool) -> Value {
    let capabilities = json!({
        "positionEncoding": if is_utf8 { "utf-8" } else { "utf-16" },
        "textDocumentSync": { "openClose": true, "change": 2, "save": true },
        "hoverProvider": true,
        "completionProvider": { "triggerCharacters": [":", " ", ",", "#", "\""] },
        "codeActionProvider": { "codeActionKinds": ["quickfix", "refactor.rewrite", FIX_ALL] },
        "documentFormattingProvider": true,
        "documentSymbolProvider": true,
        "executeCommandProvider": { "commands": [CHECK, COMPARE] },
    });
    let info = json!({ "name": "verger-lsp", "version": env!("CARGO_PKG_VERSION") });
    json!({ "capabilities": capabilities, "serverInfo": info })
}

/// An open file.
struct File {
    path: Option<PathBuf>,
    /// The version, as the editor counts.
    version: Value,
    text: Arc<Text>,
    /// That of the snapshots of this text, with these settings.
    is_outdated: Arc<AtomicBool>,
    /// The time of the next check.
    due: Option<(Instant, Depth)>,
    /// The report of the analysis of this text.
    report: Option<Report>,
    /// Diagnostics of the last pass over the text.
    quick: Vec<Value>,
    /// Diagnostics that need the last analysis, where their lines are now.
    slow: Vec<Value>,
    /// Diagnostics of a comparison, until the next change.
    compared: Vec<Value>,
}

impl File {
    /// Ends the work for this text or these settings.
    fn touch(&mut self) {
        mem::take(&mut self.is_outdated).store(true, Ordering::Relaxed);
        self.due = Some((Instant::now(), Depth::Quick));
        self.report = None;
    }

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
    quick: Sender<Arc<Snapshot>>,
    full: Sender<Arc<Snapshot>>,
    is_utf8: bool,
    /// Whether the editor has sent `shutdown`.
    is_shut_down: bool,
    /// Open files, by URI as the editor writes it.
    files: HashMap<String, File>,
    /// Requests that need the analysis.
    pending: Vec<(Request, Arc<Snapshot>)>,
}

impl Server {
    fn run(&mut self, messages: &Receiver<Message>, results: &Receiver<Done>) {
        loop {
            for (request, snapshot) in mem::take(&mut self.pending) {
                self.answer(request, snapshot);
            }
            // One check for all changes that are here.
            if messages.is_empty() {
                self.check_due();
            }
            let next = self.files.values().filter_map(|file| file.due).map(|(due, _)| due).min();
            select! {
                recv(messages) -> message => match message {
                    Ok(Message::Request(request)) => self.request(request),
                    Ok(Message::Notification(it)) if it.method == "exit" => return,
                    Ok(Message::Notification(it)) if !self.is_shut_down => {
                        self.notification(it);
                    }
                    Ok(_) => {}
                    Err(_) => return,
                },
                recv(results) -> done => match done {
                    Ok(done) => self.done(done),
                    // The worker is gone: editors start the server again.
                    Err(_) => return,
                },
                recv(next.map_or_else(never, at)) -> _ => {}
            }
        }
    }

    fn send(&self, message: impl Into<Message>) {
        // If the writer is gone, the input ends, too.
        let _ = self.sender.send(message.into());
    }

    fn publish(&self, uri: &str, version: &Value, found: &[Value]) {
        let params = json!({ "uri": uri, "version": version, "diagnostics": found });
        self.send(Notification::new("textDocument/publishDiagnostics".to_owned(), params));
    }

    fn notification(&mut self, Notification { method, params }: Notification) {
        let uri = uri_of(&params).unwrap_or_default().to_owned();
        let version = params.pointer("/textDocument/version").cloned().unwrap_or_default();
        let done = match method.as_str() {
            "textDocument/didOpen" => {
                read(&params, "/textDocument/text").map(|text| self.open(uri, version, text))
            }
            "textDocument/didChange" => {
                read(&params, "/contentChanges").map(|changes| self.change(&uri, version, changes))
            }
            "textDocument/didClose" => {
                if let Some(mut file) = self.files.remove(&uri) {
                    file.touch();
                    self.publish(&uri, &Value::Null, &[]);
                }
                self.touch_tests();
                Ok(())
            }
            // Settings may have changed.
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.files.values_mut().for_each(File::touch);
                Ok(())
            }
            _ => Ok(()),
        };
        if let Err((_, error)) = done {
            let message = format!("skipped `{method}`: {error}");
            let message = Untrusted::new(&message).to_string();
            let params = json!({ "type": MessageType::WARNING, "message": message });
            self.send(Notification::new("window/logMessage".to_owned(), params));
        }
    }

    fn open(&mut self, uri: String, version: Value, text: String) {
        if let Some(mut before) = self.files.remove(&uri) {
            before.touch();
        }
        let mut file = File {
            path: Url::parse(&uri).ok().and_then(|url| url.to_file_path().ok()),
            version,
            text: Arc::new(Text::new(text, self.is_utf8)),
            is_outdated: Arc::default(),
            due: None,
            report: None,
            quick: Vec::new(),
            slow: Vec::new(),
            compared: Vec::new(),
        };
        file.touch();
        self.files.insert(uri, file);
        self.touch_tests();
    }

    fn change(&mut self, uri: &str, version: Value, changes: Vec<TextDocumentContentChangeEvent>) {
        let Some(file) = self.files.get_mut(uri) else { return };
        file.version = version;
        file.compared.clear();
        for change in changes {
            file.apply(&change);
        }
        file.touch();
        self.touch_tests();
    }

    /// Ends the work for files of tests: they may test a file that was opened, changed or closed.
    fn touch_tests(&mut self) {
        let tests = self.files.iter_mut().filter(|(uri, _)| has_tests(uri));
        tests.for_each(|(_, file)| file.touch());
    }

    fn check_due(&mut self) {
        let now = Instant::now();
        let due = self.files.iter_mut().filter_map(|(uri, file)| {
            Some((uri.clone(), file.due.take_if(|(due, _)| *due <= now)?.1))
        });
        let due: Vec<_> = due.collect();
        for (uri, depth) in due {
            let to = if depth == Depth::Quick { &self.quick } else { &self.full };
            if let Some(snapshot) = self.snapshot(&uri) {
                // It fails only when the program ends.
                let _ = to.send(snapshot);
            }
        }
    }

    fn snapshot(&self, uri: &str) -> Option<Arc<Snapshot>> {
        let file = self.files.get(uri)?;
        let with_path = |file: &File| Some((file.path.clone()?, Arc::clone(&file.text)));
        let others = self.files.values().filter(|_| has_tests(uri)).filter_map(with_path);
        Some(Arc::new(Snapshot {
            uri: uri.to_owned(),
            path: file.path.clone(),
            text: Arc::clone(&file.text),
            settings: OnceLock::new(),
            others: others.collect(),
            is_outdated: Arc::clone(&file.is_outdated),
        }))
    }

    fn done(&mut self, Done { snapshot, depth, found }: Done) {
        let file = self.files.get_mut(&snapshot.uri);
        let Some(file) = file.filter(|_| snapshot.is_current()) else { return };
        let Some((mut all, report)) = found else {
            file.due = Some((Instant::now(), depth));
            return;
        };
        if depth == Depth::Quick {
            file.due = Some((Instant::now() + PAUSE, Depth::Full));
            file.quick.clone_from(&all);
            all.extend(file.slow.iter().cloned());
        } else {
            let quick: HashSet<&Value> = file.quick.iter().collect();
            file.slow = all.iter().filter(|it| !quick.contains(it)).cloned().collect();
            file.report = report;
        }
        all.extend(file.compared.iter().cloned());
        let version = file.version.clone();
        self.publish(&snapshot.uri, &version, &all);
    }

    fn respond(&self, id: RequestId, result: Result<Value, Failure>) {
        let error = |(code, message)| ResponseError { code: code as i32, message, data: None };
        self.send(Response { id, response_result: result.map_err(error) });
    }

    /// Answers a request about an open file, or postpones it until the analysis is done.
    fn answer(&mut self, request: Request, snapshot: Arc<Snapshot>) {
        if !snapshot.is_current() {
            let message = "the file was changed meanwhile".to_owned();
            return self.respond(request.id, Err((ErrorCode::ContentModified, message)));
        }
        let Some(file) = self.files.get_mut(&snapshot.uri) else { return };
        let (report, mut compared) = (file.report.as_ref(), None);
        let answer =
            answer(&request.method, &request.params, &snapshot, report, &mut compared).transpose();
        if let Some(changes) = compared {
            file.compared = changes;
            file.touch();
        }
        if let Some(answer) = answer {
            return self.respond(request.id, answer);
        }
        // Without a pause.
        if let Some((due, Depth::Full)) = &mut file.due {
            *due = Instant::now();
        }
        self.pending.push((request, snapshot));
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = &request;
        let error = |code: ErrorCode, message: &str| Err((code, message.to_owned()));
        let uri = uri_of(params).unwrap_or_default().to_owned();
        let result = match (method.as_str(), self.snapshot(&uri)) {
            _ if self.is_shut_down => {
                error(ErrorCode::InvalidRequest, "found a request after `shutdown`")
            }
            ("initialize", _) => error(ErrorCode::InvalidRequest, "found `initialize` twice"),
            ("shutdown", _) => {
                self.is_shut_down = true;
                Ok(Value::Null)
            }
            ("workspace/executeCommand", None) => error(
                ErrorCode::InvalidParams,
                "expected `verger.check` or `verger.compare` with the URI of an open file first",
            ),
            (_, Some(snapshot)) => return self.answer(request, snapshot),
            // A file that is not open.
            (name, None) if METHODS.contains(&name) => Ok(Value::Null),
            (_, None) => error(ErrorCode::MethodNotFound, NO_METHOD),
        };
        self.respond(id.clone(), result);
    }
}
