//! Endless heads and trailers (H035 to H043).

use crate::server::{Answer, Script, Step};

use super::{Claim, Class, Entry};

pub(super) fn entries() -> Vec<Entry> {
    let head = || Script::text("HTTP/1.1 200 OK\r\n");
    let chunked = || Answer::new(200).field("Transfer-Encoding", "chunked").head();
    let field = || b"X-A: 1\r\n".to_vec();
    let mut cookie = b"Set-Cookie: a=".to_vec();
    cookie.extend([b'x'; 4000]);
    cookie.extend(b"\r\n");
    let end = "Content-Length: 0\r\n\r\n";
    [
        (
            "H035",
            "a field of 10 MB",
            head().then_text("X-A: ").then(times(b"a", 10_000_000)),
            false,
        ),
        ("H036", "a hundred thousand fields", head().then(Step::Times(field(), 100_000)), false),
        (
            "H037",
            "101 fields and a length",
            head().then(Step::Times(field(), 101)).then_text(end),
            false,
        ),
        (
            "H038",
            "a head of more than 64 KiB",
            head().then_text("X-A: ").then(times(b"a", 65_537)).then_text("\r\n\r\n"),
            false,
        ),
        ("H039", "a million times 100", endless("HTTP/1.1 100 Continue\r\n\r\n"), true),
        (
            "H040",
            "a million times 103",
            endless("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
            true,
        ),
        (
            "H041",
            "a chunk extension of 10 MB",
            chunked().then_text("5;").then(times(b"a", 10_000_000)),
            false,
        ),
        (
            "H042",
            "trailers without end",
            chunked().then_text("1\r\n#\r\n0\r\n").then(Step::Forever(field())),
            true,
        ),
        (
            "H043",
            "ninety cookies of 4 KB",
            head().then(Step::Times(cookie, 90)).then_text(end),
            false,
        ),
    ]
    .map(|(id, what, script, is_endless)| {
        // A client at its limit closes the connection; another client waits for more.
        let script = if is_endless { script } else { script.then_never() };
        Entry::http(id, what, script, &[Class::Unreachable]).claim(Claim::BeforeDeadline)
    })
    .into()
}

fn times(bytes: &[u8], times: usize) -> Step {
    Step::Times(bytes.to_vec(), times)
}

fn endless(text: &str) -> Script {
    Script::of(Step::Times(text.as_bytes().to_vec(), 1_000_000)).then_never()
}
