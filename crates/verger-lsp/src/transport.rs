//! Messages on standard input and output.
//!
//! The reader of lsp-server ends at the first message that is not UTF-8 or not JSON. Editors send
//! such messages: for a lone surrogate (`"\ud800"`), and for bytes of a file that are not UTF-8.
//! Here each of them becomes U+FFFD, one column, and a message that is not JSON is skipped.

use std::io::{self, BufRead, Read as _, Write as _};
use std::thread::{self, JoinHandle};

use crossbeam_channel::Sender;
use lsp_server::{Connection, Message};
use verger::Untrusted;

use crate::limits::{HEADER_BYTES, MESSAGE_BYTES};

/// Connects to standard input and output. The writer ends after the last answer.
pub(crate) fn stdio() -> (Connection, JoinHandle<io::Result<()>>) {
    let (connection, editor) = Connection::memory();
    // An error: the editor is gone, and its input ends, too.
    let writer = thread::spawn(move || {
        let mut out = io::stdout().lock();
        editor.receiver.iter().try_for_each(|message| message.write(&mut out))
    });
    thread::spawn(move || read_all(&mut io::stdin().lock(), &editor.sender));
    (connection, writer)
}

/// Reads messages until the end of the input, or until its frames are wrong.
fn read_all(input: &mut dyn BufRead, to: &Sender<Message>) {
    loop {
        let text = match read_frame(input) {
            Ok(Some(bytes)) => decoded(bytes),
            Ok(None) => return,
            Err(error) => return complain(&format!("could not read a message: {error}")),
        };
        match serde_json::from_str(&text) {
            // It fails only when the program ends.
            Ok(message) => drop(to.send(message)),
            Err(error) => complain(&format!("skipped a message that is not JSON-RPC: {error}")),
        }
    }
}

/// Editors show standard error in their log.
pub(crate) fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "error: {}", Untrusted::new(message));
}

/// The bytes of a message; `None` at the end of the input.
fn read_frame(input: &mut dyn BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut length = "none".to_owned();
    loop {
        let mut line = Vec::new();
        if input.take(HEADER_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        match line.trim().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("Content-Length") => {
                value.trim().clone_into(&mut length);
            }
            None if line.trim().is_empty() => break,
            // Others, such as `Content-Type`, say nothing that is needed.
            _ => {}
        }
    }
    let Some(number) = length.parse().ok().filter(|it| *it <= MESSAGE_BYTES) else {
        return Err(io::Error::other(format!(
            "expected the header `Content-Length` with at most {MESSAGE_BYTES} bytes, but found {length}"
        )));
    };
    let mut bytes = vec![0; number];
    input.read_exact(&mut bytes)?;
    Ok(Some(bytes))
}

/// The text of a message: each lone surrogate, and each other byte that is not UTF-8, as U+FFFD.
fn decoded(mut bytes: Vec<u8>) -> String {
    let mut at = 0;
    while at < bytes.len() {
        let rest = &mut bytes[at..];
        let (width, replacement) = match (escaped(rest, 0), escaped(rest, 6), &*rest) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF), _) => (12, ""),
            (Some(0xD800..=0xDFFF), ..) => (6, "\\ufffd"),
            // The next character is escaped, or part of an escape.
            (.., [b'\\', ..]) => (2, ""),
            // As if it were a character.
            (.., [0xED, 0xA0..=0xBF, 0x80..=0xBF, ..]) => (3, "\u{fffd}"),
            _ => (1, ""),
        };
        rest[..replacement.len()].copy_from_slice(replacement.as_bytes());
        at += width;
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text
}

/// The code unit of an escape, such as `\ud800`, at an offset.
fn escaped(text: &[u8], at: usize) -> Option<u16> {
    let digits = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}
