//! The program over pipes: bytes that are no text, messages that are none, the end of the editor.

use std::io::{BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use lsp_server::Message;
use serde_json::{Value, json};

struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Session {
    fn new() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_verger-lsp"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.arg("--stdio").spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut session = Self { child, input, output };
        session.send(&json!({ "id": 1, "method": "initialize", "params": { "capabilities": {} } }));
        let _ = session.read();
        session.send(&json!({ "method": "initialized", "params": {} }));
        session
    }

    fn write(&mut self, body: &[u8]) {
        let input = self.input.as_mut().unwrap();
        write!(input, "Content-Length: {}\r\n\r\n", body.len()).unwrap();
        input.write_all(body).unwrap();
        input.flush().unwrap();
    }

    fn send(&mut self, message: &Value) {
        let mut message = message.clone();
        message["jsonrpc"] = json!("2.0");
        self.write(message.to_string().as_bytes());
    }

    fn read(&mut self) -> Message {
        Message::read(&mut self.output).unwrap().expect("a message")
    }

    /// The diagnostics after a text in JSON is opened.
    fn open(&mut self, text: &[u8]) -> Value {
        let start = br#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a/robots.txt","languageId":"robots","version":1,"text":""#;
        self.write(&[&start[..], text, b"\"}}}"].concat());
        loop {
            if let Message::Notification(it) = self.read()
                && it.method == "textDocument/publishDiagnostics"
            {
                return it.params["diagnostics"].clone();
            }
        }
    }

    /// The exit code and standard error after the end of the input.
    fn end(mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        let status = self.child.wait().unwrap();
        let mut errors = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        (status.code(), errors)
    }
}

#[test]
fn lone_surrogates_and_other_bytes_are_one_column() {
    let mut session = Session::new();
    for text in [
        &br"User-agent: *\nDisallow: /\ud800 /b\n"[..],
        br"User-agent: *\nDisallow: /\uDFFF /b\n",
        b"User-agent: *\\nDisallow: /\xed\xa0\x80 /b\\n",
        b"User-agent: *\\nDisallow: /\xff /b\\n",
    ] {
        let found = session.open(text);
        let blank = found.as_array().unwrap().iter().find(|it| it["code"] == "pattern-list");
        let range = &blank.unwrap_or_else(|| panic!("{found}"))["range"];
        assert_eq!(range["end"]["character"], 15, "{found}");
    }
    let found = session.open(br"User-agent: *\nDisallow: /\ud83d\ude00 /b\\ud800\n");
    assert!(found.to_string().contains("pattern-list"), "{found}");
    assert_eq!(session.end().0, Some(1));
}

#[test]
fn a_message_that_is_not_json_is_skipped_with_an_error() {
    let mut session = Session::new();
    session.write(b"{ nonsense \x1b[2J");
    assert!(session.open(b"x").to_string().contains("no-record"));
    session.send(&json!({ "id": 2, "method": "shutdown" }));
    let _ = session.read();
    session.send(&json!({ "method": "exit" }));
    let (code, errors) = session.end();
    assert_eq!(code, Some(0));
    assert!(errors.starts_with("error: skipped a message that is not JSON-RPC: "), "{errors}");
    assert!(!errors.contains('\x1b'), "{errors}");
}

#[test]
fn unknown_headers_are_ignored() {
    let mut session = Session::new();
    let frame = b"X-Editor: 1\r\nno colon\r\ncontent-length: 46\r\nContent-Type: x\r\n\r\n";
    session.input.as_mut().unwrap().write_all(frame).unwrap();
    let request = br#"{"jsonrpc":"2.0","id":9,"method":"shutdown"}  "#;
    session.input.as_mut().unwrap().write_all(request).unwrap();
    assert!(matches!(session.read(), Message::Response(it) if it.id == 9.into()));
    session.send(&json!({ "method": "exit" }));
    assert_eq!(session.end().0, Some(0));
}

#[test]
fn wrong_frames_end_the_session_with_an_error() {
    for (frame, message) in [
        (&b"GET / HTTP/1.1\r\n\r\n"[..], "expected the header `Content-Length`"),
        (b"Content-Length: 99999999999999\r\n\r\n", "bytes, but found"),
        (b"Content-Length: x\r\n\r\n", "bytes, but found"),
    ] {
        let mut session = Session::new();
        session.input.as_mut().unwrap().write_all(frame).unwrap();
        let (code, errors) = session.end();
        assert_eq!(code, Some(1));
        assert!(errors.contains(message), "{errors}");
    }
}

#[test]
fn a_killed_server_starts_again_and_two_editors_do_not_disturb_each_other() {
    let mut first = Session::new();
    let mut second = Session::new();
    assert!(first.open(b"x").to_string().contains("no-record"));
    first.child.kill().unwrap();
    first.child.wait().unwrap();
    assert!(second.open(b"x").to_string().contains("no-record"));
    let mut third = Session::new();
    assert!(third.open(b"x").to_string().contains("no-record"));
    assert_eq!((second.end().0, third.end().0), (Some(1), Some(1)));
}

#[test]
fn help_manual_and_completions_are_written() {
    for (argument, expected) in [
        ("--help", "Examples:"),
        ("--version", env!("CARGO_PKG_VERSION")),
        ("--man", "verger\\-lsp"),
        ("--completions=bash", "verger-lsp"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_verger-lsp")).arg(argument).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(expected), "{text}");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_verger-lsp")).arg("--tcp").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
