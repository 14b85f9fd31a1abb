//! Messages on standard input and output.
//!
//! The reader of lsp-server ends at the first message that is not UTF-8 or not JSON. Editors send
//! such messages: for a lone surrogate (`"\ud800"`), and for bytes of a file that are not UTF-8.
//! Here each of them becomes U+FFFD, one column, and a message that is not JSON is skipped.

use std::io::{self, BufRead, ErrorKind, Read as _, Write as _};
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use lsp_server::{Connection, Message};
use verger::Untrusted;

use crate::limits::{HEADER_BYTES, MESSAGE_BYTES};

/// Connects to standard input and output. The receiver is disconnected after the last answer.
pub(crate) fn stdio() -> (Connection, Receiver<()>) {
    let (sender, to_write) = unbounded::<Message>();
    let (read, receiver) = unbounded();
    let (end, ended) = bounded(0);
    thread::spawn(move || {
        let mut out = io::stdout().lock();
        for message in to_write {
            // The editor is gone: input ends, too.
            if message.write(&mut out).is_err() {
                break;
            }
        }
        drop(end);
    });
    thread::spawn(move || read_all(&mut io::stdin().lock(), &read));
    (Connection { sender, receiver }, ended)
}

/// Reads messages until the end of the input, or until its frames are wrong.
pub(crate) fn read_all(input: &mut dyn BufRead, to: &Sender<Message>) {
    loop {
        let text = match read_frame(input) {
            Ok(Some(bytes)) => decoded(&bytes),
            Ok(None) => return,
            Err(error) => return complain(&format!("could not read a message: {error}")),
        };
        match serde_json::from_str(&text) {
            Ok(message) => {
                if to.send(message).is_err() {
                    return;
                }
            }
            Err(error) => complain(&format!("skipped a message that is not JSON-RPC: {error}")),
        }
    }
}

/// Editors show standard error in their log.
fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "error: {}", Untrusted::new(message));
}

/// The bytes of a message; `None` at the end of the input.
fn read_frame(input: &mut dyn BufRead) -> io::Result<Option<Vec<u8>>> {
    let wrong = |text: String| io::Error::new(ErrorKind::InvalidData, text);
    let mut length = None;
    loop {
        let mut line = Vec::new();
        input.take(HEADER_BYTES).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let (name, value) = match line.trim() {
            "" => break,
            header => header.split_once(':').unwrap_or((header, "")),
        };
        // Others, such as `Content-Type`, say nothing that is needed.
        if name.eq_ignore_ascii_case("Content-Length") {
            let number = value.trim().parse().ok().filter(|it| *it <= MESSAGE_BYTES);
            let found =
                || wrong(format!("expected at most {MESSAGE_BYTES} bytes, but found {value}"));
            length = Some(number.ok_or_else(found)?);
        }
    }
    let none = || wrong("expected the header `Content-Length`, but found none".to_owned());
    let mut bytes = vec![0; length.ok_or_else(none)?];
    input.read_exact(&mut bytes)?;
    Ok(Some(bytes))
}

/// The text of a message: each byte that is not UTF-8, and each lone surrogate, as U+FFFD.
fn decoded(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(chunk) = rest.utf8_chunks().next() {
        text.push_str(chunk.valid());
        let invalid = &rest[chunk.valid().len()..];
        let width = match invalid {
            [] => break,
            // A surrogate as if it were a character: one column in editors.
            [0xED, 0xA0..=0xBF, 0x80..=0xBF, ..] => 3,
            _ => 1,
        };
        text.push(char::REPLACEMENT_CHARACTER);
        rest = &invalid[width..];
    }
    without_lone_escapes(text)
}

/// Replaces escapes of lone surrogates by that of U+FFFD.
fn without_lone_escapes(mut text: String) -> String {
    let code = |text: &str, at: usize| {
        let digits = text.get(at..)?.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut from = 0;
    while let Some(found) = text[from..].find('\\') {
        let at = from + found;
        from = match (code(&text, at), code(&text, at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => at + 12,
            (Some(0xD800..=0xDFFF), _) => {
                text.replace_range(at..at + 6, "\\ufffd");
                at + 6
            }
            // The next character is escaped, or part of an escape.
            _ => text[at + 1..].chars().next().map_or(text.len(), |c| at + 1 + c.len_utf8()),
        };
    }
    text
}
