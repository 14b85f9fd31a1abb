//! The main thread: open files, diagnostics at once, and requests for the worker.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crossbeam_channel::{Receiver, Sender, select, unbounded};
use lsp_server::{
    Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response,
};
use lsp_types::notification::{
    DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument, DidOpenTextDocument,
    DidSaveTextDocument, Notification as _,
};
use lsp_types::request::{
    CodeActionRequest, Completion, DocumentSymbolRequest, ExecuteCommand, Formatting, HoverRequest,
    Request as _,
};
use lsp_types::{
    CodeActionParams, CompletionList, CompletionParams, Diagnostic, DiagnosticSeverity,
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DocumentFormattingParams, DocumentSymbolParams, ExecuteCommandParams, HoverParams, MessageType,
    Position, PublishDiagnosticsParams, Range, ShowMessageParams, TextDocumentContentChangeEvent,
    Uri,
};
use serde_json::{Value, json};
use verger::Untrusted;
use verger_lint::lint_text;

use crate::actions::FIX_ALL;
use crate::compare::Base;
use crate::completion::complete;
use crate::config::Found;
use crate::diagnostics::{diagnostics, remark};
use crate::text::{Encoding, Text};
use crate::worker::{Done, Job, Snapshot, Task, Worker};

/// Serves an editor until it ends the session. Returns whether it did so in order: `shutdown`, then
/// `exit`.
///
/// # Errors
///
/// A message that the protocol does not allow at this point.
pub fn serve(connection: &Connection) -> Result<bool, ProtocolError> {
    let (id, params) = connection.initialize_start()?;
    let offered = params.pointer("/capabilities/general/positionEncodings").cloned();
    let offered: Option<Vec<_>> = offered.and_then(|it| serde_json::from_value(it).ok());
    let encoding = Encoding::of(offered.as_deref());
    let info = json!({ "name": "verger-lsp", "version": env!("CARGO_PKG_VERSION") });
    let result = json!({ "capabilities": capabilities(encoding), "serverInfo": info });
    connection.initialize_finish(id, result)?;
    let can = |pointer: &str| params.pointer(pointer).and_then(Value::as_bool) == Some(true);
    let (jobs, to_do) = unbounded();
    let (done, results) = unbounded();
    let worker = thread::spawn(move || Worker::new(to_do, done).run());
    let mut server = Server {
        sender: connection.sender.clone(),
        jobs,
        encoding,
        files: HashMap::new(),
        wrong_settings: HashMap::new(),
        waiting: HashSet::new(),
    };
    if can("/capabilities/workspace/didChangeWatchedFiles/dynamicRegistration") {
        server.watch();
    }
    let ended = server.run(connection, &results);
    // The end of its jobs ends the worker.
    drop(server);
    // A worker that is in the middle of an analysis is not waited for: the process ends.
    drop(worker);
    ended
}

/// The commands, for [`capabilities`] and [`Server::command`].
const CHECK: &str = "verger.check";
const COMPARE: &str = "verger.compare";
const END_COMPARISON: &str = "verger.endComparison";

fn capabilities(encoding: Encoding) -> Value {
    json!({
        "positionEncoding": encoding.kind(),
        "textDocumentSync": { "openClose": true, "change": 2, "save": true },
        "hoverProvider": true,
        "completionProvider": { "triggerCharacters": [":", " ", ",", "#"] },
        "codeActionProvider": { "codeActionKinds": ["quickfix", "refactor.rewrite", FIX_ALL] },
        "documentFormattingProvider": true,
        "documentSymbolProvider": true,
        "executeCommandProvider": { "commands": [CHECK, COMPARE, END_COMPARISON] },
    })
}

/// An open file.
struct File {
    uri: Uri,
    path: Option<PathBuf>,
    version: i32,
    text: Arc<Text>,
    /// The number of the last change.
    last: Arc<AtomicU64>,
    base: Option<Arc<Base>>,
    /// Diagnostics of the last analysis that need it, at the places where their lines are now.
    slow: Vec<Diagnostic>,
}

impl File {
    fn snapshot(&self, settings: Arc<Found>) -> Snapshot {
        Snapshot {
            uri: self.uri.clone(),
            path: self.path.clone(),
            text: Arc::clone(&self.text),
            settings,
            base: self.base.clone(),
            number: self.last.load(Ordering::Relaxed),
            last: Arc::clone(&self.last),
        }
    }

    /// Applies a change. Diagnostics below it move, and those that it touches go.
    fn apply(&mut self, change: TextDocumentContentChangeEvent) {
        match change.range {
            None => self.slow.clear(),
            Some(range) => {
                let Range { start, end } = range;
                let before = line_count(&self.text);
                Arc::make_mut(&mut self.text).apply(change);
                let after = line_count(&self.text);
                let moved = |line: u32| (line + after).saturating_sub(before);
                self.slow
                    .retain(|it| it.range.end.line < start.line || it.range.start.line > end.line);
                for it in self.slow.iter_mut().filter(|it| it.range.start.line > end.line) {
                    it.range.start.line = moved(it.range.start.line);
                    it.range.end.line = moved(it.range.end.line);
                }
                return;
            }
        }
        Arc::make_mut(&mut self.text).apply(change);
    }
}

fn line_count(text: &Text) -> u32 {
    text.whole().end.line
}

/// The state of the main thread.
struct Server {
    sender: Sender<Message>,
    jobs: Sender<Job>,
    encoding: Encoding,
    /// Open files, by URI.
    files: HashMap<String, File>,
    /// The message about each wrong `verger.toml`.
    wrong_settings: HashMap<PathBuf, String>,
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
                    Ok(Message::Notification(notification)) => self.notification(notification),
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

    fn notify(&self, method: &str, params: &impl serde::Serialize) {
        self.send(Notification::new(method.to_owned(), params));
    }

    /// Asks the editor to report changes of settings.
    fn watch(&self) {
        let watchers = json!({ "watchers": [{ "globPattern": "**/verger.toml" }] });
        let method = DidChangeWatchedFiles::METHOD;
        let registration =
            json!({ "id": "settings", "method": method, "registerOptions": watchers });
        let params = json!({ "registrations": [registration] });
        let id = RequestId::from("watch".to_owned());
        self.send(Request::new(id, "client/registerCapability".to_owned(), params));
    }

    fn notification(&mut self, notification: Notification) {
        let method = notification.method.clone();
        let done = match method.as_str() {
            DidOpenTextDocument::METHOD => notification.extract(&method).map(|it| self.open(it)),
            DidChangeTextDocument::METHOD => {
                notification.extract(&method).map(|it| self.change(it))
            }
            DidCloseTextDocument::METHOD => notification.extract(&method).map(|it| self.close(&it)),
            DidSaveTextDocument::METHOD | DidChangeWatchedFiles::METHOD => {
                self.check_all();
                Ok(())
            }
            "$/cancelRequest" => {
                let id = notification.params.get("id").cloned();
                let id = id.and_then(|id| serde_json::from_value(id).ok());
                if let Some(id) = id.filter(|id| self.waiting.remove(id)) {
                    let (code, message) = (ErrorCode::RequestCanceled, "cancelled".to_owned());
                    self.send(Response::new_err(id, code as i32, message));
                }
                Ok(())
            }
            _ => Ok(()),
        };
        if let Err(error) = done {
            let message = format!("skipped a notification: {error:?}");
            self.log(&message);
        }
    }

    fn log(&self, message: &str) {
        let message = Untrusted::new(message).limited_to(verger::limits::QUOTED_CHARS).to_string();
        let params = json!({ "type": MessageType::WARNING, "message": message });
        self.notify("window/logMessage", &params);
    }

    fn show(&self, typ: MessageType, message: String) {
        self.notify("window/showMessage", &ShowMessageParams { typ, message });
    }

    fn open(&mut self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        let key = document.uri.as_str().to_owned();
        let path = url::Url::parse(&key).ok().and_then(|url| url.to_file_path().ok());
        let file = File {
            uri: document.uri,
            path,
            version: document.version,
            text: Arc::new(Text::new(document.text, self.encoding)),
            last: Arc::default(),
            base: None,
            slow: Vec::new(),
        };
        self.files.insert(key.clone(), file);
        self.check(&key);
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) {
        let key = params.text_document.uri.as_str().to_owned();
        let Some(file) = self.files.get_mut(&key) else { return };
        file.version = params.text_document.version;
        file.last.fetch_add(1, Ordering::Relaxed);
        params.content_changes.into_iter().for_each(|change| file.apply(change));
        self.check(&key);
    }

    fn close(&mut self, params: &DidCloseTextDocumentParams) {
        let uri = &params.text_document.uri;
        if let Some(file) = self.files.remove(uri.as_str()) {
            // The worker ends an analysis of it.
            file.last.fetch_add(1, Ordering::Relaxed);
            let _ = self.jobs.send(Job::Forget(uri.clone()));
            self.publish(uri, None, Vec::new());
        }
    }

    /// Checks all files again: settings may have changed.
    fn check_all(&mut self) {
        let keys: Vec<String> = self.files.keys().cloned().collect();
        for key in keys {
            if let Some(file) = self.files.get(&key) {
                file.last.fetch_add(1, Ordering::Relaxed);
            }
            self.check(&key);
        }
    }

    /// Publishes the findings of one pass over a file, and asks for its analysis.
    fn check(&mut self, key: &str) {
        let Some(snapshot) = self.snapshot(key) else { return };
        let report = lint_text(snapshot.text.bytes(), &snapshot.settings.settings);
        let mut found = diagnostics(&report, &snapshot.text, &snapshot.uri);
        if let Some(file) = self.files.get(key) {
            found.extend(file.slow.iter().cloned());
            self.publish(&snapshot.uri, Some(file.version), found);
        }
        let _ = self.jobs.send(Job::Analyse(snapshot));
    }

    fn snapshot(&mut self, key: &str) -> Option<Snapshot> {
        let path = self.files.get(key)?.path.clone();
        let settings = self.settings(path.as_deref());
        Some(self.files.get(key)?.snapshot(settings))
    }

    /// The settings of a file. A wrong `verger.toml` has a diagnostic, and once a message.
    fn settings(&mut self, path: Option<&Path>) -> Arc<Found> {
        let found = Found::of(path);
        let gone = self.wrong_settings.keys().filter(|file| !file.exists());
        let changed: Vec<PathBuf> = gone.chain(found.file.as_ref()).cloned().collect();
        for file in changed {
            let problem = found.problem.as_ref().filter(|_| found.file.as_ref() == Some(&file));
            let message = problem.map(|(_, message)| message);
            if self.wrong_settings.get(&file) == message {
                continue;
            }
            let url = url::Url::from_file_path(&file).ok();
            if let Some(uri) = url.and_then(|url| Uri::from_str(url.as_str()).ok()) {
                self.publish(&uri, None, problem.map(wrong_place).into_iter().collect());
            }
            if let Some((place, message)) = problem {
                let name = Untrusted::new(file.as_os_str().as_encoded_bytes()).to_string();
                let place = format!("{name}:{}:{}", place.line, place.column);
                let result = "files are checked with the defaults";
                self.show(MessageType::WARNING, format!("{place}: {message}; {result}"));
            }
            match message.cloned() {
                Some(message) => self.wrong_settings.insert(file, message),
                None => self.wrong_settings.remove(&file),
            };
        }
        Arc::new(found)
    }

    fn publish(&self, uri: &Uri, version: Option<i32>, diagnostics: Vec<Diagnostic>) {
        let params = PublishDiagnosticsParams { uri: uri.clone(), diagnostics, version };
        self.notify("textDocument/publishDiagnostics", &params);
    }

    fn done(&mut self, done: Done) {
        match done {
            Done::Analysed { snapshot, all, slow } => {
                let Some(file) = self.files.get_mut(snapshot.uri.as_str()) else { return };
                if file.last.load(Ordering::Relaxed) == snapshot.number {
                    file.slow = slow;
                    let version = file.version;
                    self.publish(&snapshot.uri, Some(version), all);
                }
            }
            Done::Compared { uri, base } => self.set_base(uri.as_str(), Some(base)),
            Done::Message(text) => self.show(MessageType::INFO, text),
            Done::Answer(response) => {
                if self.waiting.remove(&response.id) {
                    self.send(response);
                }
            }
        }
    }

    fn set_base(&mut self, key: &str, base: Option<Arc<Base>>) {
        if let Some(file) = self.files.get_mut(key) {
            file.base = base;
            file.slow.clear();
            self.check(key);
        }
    }

    fn request(&mut self, request: Request) {
        let (id, method) = (request.id.clone(), request.method.clone());
        if let Err(response) = self.dispatch(request) {
            let (code, message) = response;
            let message = format!("{method}: {message}");
            self.send(Response::new_err(id, code as i32, message));
        }
    }

    fn dispatch(&mut self, request: Request) -> Result<(), (ErrorCode, String)> {
        let Request { id, method, params } = request;
        match method.as_str() {
            HoverRequest::METHOD => {
                let it: HoverParams = read(params)?;
                let place = it.text_document_position_params;
                self.ask(id, &place.text_document.uri, Task::Hover(place.position));
            }
            CodeActionRequest::METHOD => {
                let it: CodeActionParams = read(params)?;
                self.ask(id, &it.text_document.uri, Task::Actions(it.range, it.context));
            }
            Formatting::METHOD => {
                let it: DocumentFormattingParams = read(params)?;
                self.ask(id, &it.text_document.uri, Task::Format);
            }
            DocumentSymbolRequest::METHOD => {
                let it: DocumentSymbolParams = read(params)?;
                self.ask(id, &it.text_document.uri, Task::Symbols);
            }
            Completion::METHOD => {
                let it: CompletionParams = read(params)?;
                let place = it.text_document_position;
                let items = self.snapshot(place.text_document.uri.as_str()).map(|snapshot| {
                    let offset = snapshot.text.offset(place.position);
                    let origin = snapshot.settings.settings.origin.as_ref();
                    complete(&snapshot.text, offset, origin)
                });
                let items = items.unwrap_or_default();
                self.send(Response::new_ok(id, CompletionList { is_incomplete: false, items }));
            }
            ExecuteCommand::METHOD => {
                let it: ExecuteCommandParams = read(params)?;
                self.command(id, &it)?;
            }
            _ => {
                let message = "verger-lsp does not have this method".to_owned();
                return Err((ErrorCode::MethodNotFound, message));
            }
        }
        Ok(())
    }

    /// Runs a command: `[URI, URL, CRAWLER]`, `[URI, REVISION]`, or `[URI]`.
    fn command(
        &mut self,
        id: RequestId,
        params: &ExecuteCommandParams,
    ) -> Result<(), (ErrorCode, String)> {
        let wrong = |message: &str| (ErrorCode::InvalidParams, message.to_owned());
        let argument = |at: usize| params.arguments.get(at).and_then(Value::as_str);
        let uri = argument(0).and_then(|uri| self.files.get(uri)).map(|file| file.uri.clone());
        let uri = uri.ok_or_else(|| wrong("expected the URI of an open file as first argument"))?;
        let task = match params.command.as_str() {
            CHECK => {
                let url = argument(1).ok_or_else(|| wrong("expected a URL as second argument"))?;
                let crawler = argument(2).unwrap_or_default().to_owned();
                Task::Check { url: url.to_owned(), crawler }
            }
            COMPARE => {
                let revision = argument(1).filter(|it| !it.is_empty()).unwrap_or("HEAD");
                Task::Compare { revision: revision.to_owned() }
            }
            END_COMPARISON => {
                self.set_base(uri.as_str(), None);
                self.send(Response::new_ok(id, Value::Null));
                return Ok(());
            }
            _ => return Err(wrong("expected a command of verger-lsp")),
        };
        self.ask(id, &uri, task);
        Ok(())
    }

    /// Leaves a request to the worker. One about a file that is not open has no answer.
    fn ask(&mut self, id: RequestId, uri: &Uri, task: Task) {
        match self.snapshot(uri.as_str()) {
            Some(snapshot) => {
                self.waiting.insert(id.clone());
                let _ = self.jobs.send(Job::Answer(id, snapshot, task));
            }
            None => self.send(Response::new_ok(id, Value::Null)),
        }
    }
}

/// The diagnostic of a wrong `verger.toml`.
fn wrong_place((place, message): &(verger::Position, String)) -> Diagnostic {
    let number = |it: usize| u32::try_from(it - 1).unwrap_or(u32::MAX);
    let start = Position::new(number(place.line), number(place.column));
    remark(Range::new(start, start), DiagnosticSeverity::ERROR, message.clone())
}

fn read<T: serde::de::DeserializeOwned>(params: Value) -> Result<T, (ErrorCode, String)> {
    serde_json::from_value(params).map_err(|error| (ErrorCode::InvalidParams, error.to_string()))
}
