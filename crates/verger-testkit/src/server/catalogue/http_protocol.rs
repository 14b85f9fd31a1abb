//! Malformed HTTP (H057 to H074).
//!
//! If a parser may tolerate the defect, the result is the rules or a failure; otherwise a failure.

use crate::server::{RULES, Script, Step};

use super::{Claim, Class, Entry, rules};

const NEVER: &[Class] = &[Class::Unreachable];
const EITHER: &[Class] = &[Class::Unreachable, Class::Rules];

/// The bytes before the body. The body is the rules.
const HEADS: &[(&str, &str, &[u8], &[Class])] = &[
    ("H057", "a body without a head, as in HTTP/0.9", b"", NEVER),
    ("H060", "HTTP/9.9", b"HTTP/9.9 200 OK\r\nContent-Length: 27\r\n\r\n", EITHER),
    ("H061", "a status of letters", b"HTTP/1.1 abc\r\nContent-Length: 27\r\n\r\n", NEVER),
    ("H062", "status 000", b"HTTP/1.1 000 OK\r\nContent-Length: 27\r\n\r\n", NEVER),
    ("H063", "a status of two digits", b"HTTP/1.1 99 OK\r\nContent-Length: 27\r\n\r\n", NEVER),
    ("H064", "a status of four digits", b"HTTP/1.1 1000 OK\r\nContent-Length: 27\r\n\r\n", NEVER),
    ("H066", "NUL in the status line", b"HTTP/1.1 200 O\0K\r\nContent-Length: 27\r\n\r\n", EITHER),
    (
        "H067",
        "NUL in a field",
        b"HTTP/1.1 200 OK\r\nX-A: a\0b\r\nContent-Length: 27\r\n\r\n",
        EITHER,
    ),
    ("H068", "lines that end in LF alone", b"HTTP/1.1 200 OK\nContent-Length: 27\n\n", EITHER),
    (
        "H069",
        "a folded field",
        b"HTTP/1.1 200 OK\r\nX-A: a\r\n b\r\nContent-Length: 27\r\n\r\n",
        EITHER,
    ),
    (
        "H070",
        "a field without a colon",
        b"HTTP/1.1 200 OK\r\nX-A\r\nContent-Length: 27\r\n\r\n",
        EITHER,
    ),
    ("H071", "a space before the colon", b"HTTP/1.1 200 OK\r\nContent-Length : 27\r\n\r\n", EITHER),
    (
        "H072",
        "a field without a name",
        b"HTTP/1.1 200 OK\r\n: a\r\nContent-Length: 27\r\n\r\n",
        EITHER,
    ),
    (
        "H073",
        "ESC in the name of a field",
        b"HTTP/1.1 200 OK\r\nX\x1b[2J: a\r\nContent-Length: 27\r\n\r\n",
        EITHER,
    ),
    (
        "H074",
        "bytes beyond ASCII in a field",
        b"HTTP/1.1 200 OK\r\nX-A: \x80\x9b2J\xff\r\nContent-Length: 27\r\n\r\n",
        EITHER,
    ),
];

pub(super) fn entries() -> Vec<Entry> {
    let mut all: Vec<Entry> = HEADS
        .iter()
        .map(|&(id, what, head, classes)| {
            let script = Script::text(head).then_text(RULES);
            Entry::http(id, what, script, classes).claim(Claim::Body(rules()))
        })
        .collect();
    let banner = |id, what, text: &str| {
        Entry::new(id, what, super::raw(Script::text(text).then_never()), NEVER.to_vec())
    };
    all.push(banner("H058", "speaks SSH", "SSH-2.0-OpenSSH_9.9\r\n"));
    all.push(banner("H059", "speaks SMTP", "220 shop.example ESMTP\r\n"));
    let long = Script::text("HTTP/1.1 200 ")
        .then(Step::Times(b"a".to_vec(), 1_000_000))
        .then_text("\r\nContent-Length: 27\r\n\r\n")
        .then_text(RULES);
    all.push(Entry::http("H065", "a status line of 1 MB", long, NEVER));
    all
}
