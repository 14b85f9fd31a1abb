//! An editor in memory.

use std::thread::{self, JoinHandle};
use std::time::Duration;

use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};

/// An editor with one session.
pub(crate) struct Client {
    connection: Connection,
    server: Option<JoinHandle<bool>>,
    number: i32,
    pub(crate) capabilities: Value,
}

/// Long enough for a slow machine: no test waits for it unless it fails.
const LONGEST: Duration = Duration::from_secs(120);

impl Client {
    pub(crate) fn new() -> Self {
        Self::with(&json!(["utf-16"]))
    }

    /// An editor that offers these encodings of positions.
    pub(crate) fn with(encodings: &Value) -> Self {
        let (connection, other) = Connection::memory();
        let server = Some(thread::spawn(move || verger_lsp::serve(&other)));
        let capabilities = Value::Null;
        let mut client = Self { connection, server, number: 0, capabilities };
        let offered = json!({ "general": { "positionEncodings": encodings } });
        let result = client.ask("initialize", json!({ "capabilities": offered })).unwrap();
        client.capabilities = result["capabilities"].clone();
        client.notify("initialized", json!({}));
        client
    }

    pub(crate) fn notify(&self, method: &str, params: Value) {
        let message = Notification::new(method.to_owned(), params);
        self.connection.sender.send(message.into()).unwrap();
    }

    /// Sends a request, and returns its number.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> RequestId {
        self.number += 1;
        let id = RequestId::from(self.number);
        let message = Request::new(id.clone(), method.to_owned(), params);
        self.connection.sender.send(message.into()).unwrap();
        id
    }

    /// Waits for a message, and drops the others.
    #[track_caller]
    pub(crate) fn wait<T>(&mut self, mut is_it: impl FnMut(&Message) -> Option<T>) -> T {
        loop {
            let message = self.connection.receiver.recv_timeout(LONGEST).expect("a message");
            if let Some(found) = is_it(&message) {
                return found;
            }
        }
    }

    #[track_caller]
    pub(crate) fn answer(&mut self, id: &RequestId) -> Result<Value, String> {
        self.wait(|message| match message {
            Message::Response(Response { id: of, response_result }) if of == id => {
                Some(response_result.clone().map_err(|error| error.message))
            }
            _ => None,
        })
    }

    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Result<Value, String> {
        let id = self.request(method, params);
        self.answer(&id)
    }

    /// Asks about a file, at a position if there is one.
    #[track_caller]
    pub(crate) fn ask_about(
        &mut self,
        method: &str,
        uri: &str,
        place: Option<(u32, u32)>,
    ) -> Value {
        let mut params = json!({ "textDocument": { "uri": uri }, "options": {} });
        if let Some((line, character)) = place {
            params["position"] = json!({ "line": line, "character": character });
        }
        self.ask(&format!("textDocument/{method}"), params).unwrap()
    }

    /// Runs a command, and returns its text.
    #[track_caller]
    pub(crate) fn command(&mut self, command: &str, arguments: Value) -> Result<Value, String> {
        self.ask("workspace/executeCommand", json!({ "command": command, "arguments": arguments }))
    }

    /// Opens a long file, and asks for its formatting. Returns the number of the request.
    pub(crate) fn format_long(&mut self, uri: &str, pairs: usize) -> RequestId {
        self.open(uri, &format!("User-agent: *\n{}", "Disallow:/a/\nAllow: /b\n".repeat(pairs)));
        let params = json!({ "textDocument": { "uri": uri }, "options": {} });
        self.request("textDocument/formatting", params)
    }

    pub(crate) fn open(&self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "robots", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    pub(crate) fn change(&self, uri: &str, version: i32, changes: Value) {
        let document = json!({ "uri": uri, "version": version });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.notify("textDocument/didChange", params);
    }

    /// The next diagnostics of a file.
    #[track_caller]
    pub(crate) fn diagnostics(&mut self, uri: &str) -> Vec<Value> {
        self.wait(|message| match message {
            Message::Notification(it)
                if it.method == "textDocument/publishDiagnostics" && it.params["uri"] == uri =>
            {
                it.params["diagnostics"].as_array().cloned()
            }
            _ => None,
        })
    }

    /// The next diagnostics of a version of a file.
    #[track_caller]
    pub(crate) fn diagnosed(&mut self, uri: &str, version: i32) -> Vec<Value> {
        self.wait(|message| match message {
            Message::Notification(it)
                if it.params["uri"] == uri && it.params["version"] == version =>
            {
                it.params["diagnostics"].as_array().cloned()
            }
            _ => None,
        })
    }

    /// Opens a file, and waits for its analysis.
    #[track_caller]
    pub(crate) fn analysed(&mut self, uri: &str, text: &str) -> Vec<Value> {
        self.open(uri, text);
        let _ = self.diagnostics(uri);
        self.diagnostics(uri)
    }

    /// The code actions for a line.
    #[track_caller]
    pub(crate) fn actions(&mut self, uri: &str, line: u32, only: &[&str]) -> Vec<Value> {
        self.actions_for(uri, line, only, &[])
    }

    /// The same, with the diagnostics that the editor has.
    #[track_caller]
    pub(crate) fn actions_for(
        &mut self,
        uri: &str,
        line: u32,
        only: &[&str],
        diagnostics: &[Value],
    ) -> Vec<Value> {
        let place = json!({ "line": line, "character": 0 });
        let mut context = json!({ "diagnostics": diagnostics });
        if !only.is_empty() {
            context["only"] = json!(only);
        }
        let range = json!({ "start": place, "end": place });
        let document = json!({ "uri": uri });
        let params = json!({ "textDocument": document, "range": range, "context": context });
        let found = self.ask("textDocument/codeAction", params).unwrap();
        found.as_array().cloned().unwrap_or_default()
    }

    /// Ends the session in order.
    pub(crate) fn end(mut self) {
        self.ask("shutdown", Value::Null).unwrap();
        self.notify("exit", Value::Null);
        let server = self.server.take().unwrap();
        assert!(server.join().unwrap());
    }
}

/// The codes of diagnostics, in order.
pub(crate) fn codes(diagnostics: &[Value]) -> Vec<&str> {
    diagnostics.iter().map(|it| it["code"].as_str().unwrap_or("")).collect()
}

/// A text with the edits of a code action or of the formatter, from the last to the first. Columns
/// are UTF-16 code units.
pub(crate) fn edited(text: &str, edits: &Value) -> String {
    let mut edits = edits.as_array().unwrap().clone();
    edits.sort_by_key(|edit| std::cmp::Reverse(offset(text, &edit["range"]["start"])));
    let mut text = text.to_owned();
    for edit in edits {
        let [start, end] = ["start", "end"].map(|it| offset(&text, &edit["range"][it]));
        text.replace_range(start..end, edit["newText"].as_str().unwrap());
    }
    text
}

/// The offset of a position in UTF-16: a plain walk over all characters.
pub(crate) fn offset(text: &str, position: &Value) -> usize {
    let wanted = (position["line"].as_u64().unwrap(), position["character"].as_u64().unwrap());
    let (mut line, mut column) = (0, 0);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if (line, column) >= wanted {
            return at;
        }
        let is_end = c == '\n' || (c == '\r' && chars.peek().map(|it| it.1) != Some('\n'));
        let is_before_end = c == '\r' || c == '\n';
        if line == wanted.0 && is_before_end {
            return at;
        }
        if is_end {
            (line, column) = (line + 1, 0);
        } else {
            column += c.len_utf16() as u64;
            // A position inside a character is its start.
            if (line, column) > wanted {
                return at;
            }
        }
    }
    text.len()
}
