//! Endless heads and trailers (H035 to H043), misleading lengths and chunks (H044 to H056), and
//! malformed HTTP (H057 to H074).
//!
//! If a parser may tolerate a malformed response, the result is the rules or a failure; otherwise a
//! failure.

use crate::server::{RULES, Script, ScriptedResponse, ServerAction, chunked, gzip};

use super::entry::{Attack, raw, rules};
use super::expect::{Claim, Class};

pub(super) fn heads() -> Vec<Attack> {
    let head = || Script::text("HTTP/1.1 200 OK\r\n");
    let chunked = || ScriptedResponse::new(200).field("Transfer-Encoding", "chunked").head();
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
        (
            "H036",
            "a hundred thousand fields",
            head().then(ServerAction::Times(field(), 100_000)),
            false,
        ),
        (
            "H037",
            "101 fields and a length",
            head().then(ServerAction::Times(field(), 101)).then_text(end),
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
            chunked().then_text("1\r\n#\r\n0\r\n").then(ServerAction::Forever(field())),
            true,
        ),
        (
            "H043",
            "ninety cookies of 4 KB",
            head().then(ServerAction::Times(cookie, 90)).then_text(end),
            false,
        ),
    ]
    .map(|(id, what, script, is_endless)| {
        // A client at its limit closes the connection; another client waits for more.
        let script = if is_endless { script } else { script.then_never() };
        Attack::http(id, what, script, &[Class::Unreachable]).claim(Claim::BeforeDeadline)
    })
    .into()
}

fn times(bytes: &[u8], times: usize) -> ServerAction {
    ServerAction::Times(bytes.to_vec(), times)
}

fn endless(text: &str) -> Script {
    Script::of(ServerAction::Times(text.as_bytes().to_vec(), 1_000_000)).then_never()
}

pub(super) fn ends() -> Vec<Attack> {
    let chunks = |text: &str| {
        ScriptedResponse::new(200).field("Transfer-Encoding", "chunked").head().then_text(text)
    };
    let length = |length: &str| {
        ScriptedResponse::new(200).field("Content-Length", length).head().then_text(RULES)
    };
    let mut all: Vec<Attack> = [
        ("H044", "a chunk size of 68 bits", chunks("FFFFFFFFFFFFFFFFF\r\nx")),
        ("H046", "a negative chunk size", chunks("-5\r\nhello\r\n0\r\n\r\n")),
        ("H047", "chunks that end in the middle", chunks("5\r\nUser-")),
        ("H049", "a length beyond the body", length("1000")),
        ("H050", "a length of 99 TB", length("99999999999999")),
        ("H051", "a negative length", length("-1")),
        ("H052", "a length with a sign", length("+28")),
        (
            "H053",
            "two lengths",
            ScriptedResponse::new(200)
                .field("Content-Length", "5")
                .field("Content-Length", "28")
                .head()
                .then_text(RULES),
        ),
        (
            "H054",
            "a length and chunks",
            ScriptedResponse::new(200)
                .field("Content-Length", "5")
                .field("Transfer-Encoding", "chunked")
                .head()
                .then_text(chunked(RULES, 100)),
        ),
        (
            "H055",
            "a transfer coding in addition to chunked",
            ScriptedResponse::new(200)
                .field("Transfer-Encoding", "gzip, chunked")
                .head()
                .then_text(chunked(&gzip(RULES), 100)),
        ),
        (
            "H056",
            "an unknown transfer coding",
            ScriptedResponse::new(200)
                .field("Transfer-Encoding", "xchunked")
                .head()
                .then_text(RULES),
        ),
    ]
    .map(|(id, what, script)| Attack::http(id, what, script, &[Class::Unreachable]))
    .into();
    let zeros = chunks("").then(ServerAction::Times(vec![b'0'; 1000], 10_000));
    all.push(Attack::http(
        "H045",
        "a chunk size of ten million zeros",
        zeros,
        &[Class::Unreachable],
    ));
    all.push(short_length(length("5")));
    all
}

/// By RFC 9112 the message is complete and the remaining bytes do not belong to it. A client that
/// sees them may reject the whole response.
fn short_length(script: Script) -> Attack {
    Attack::http(
        "H048",
        "a length short of the body: the message is complete, and more follows",
        script,
        &[Class::Unreachable, Class::Rules],
    )
    .claim(Claim::Body(b"User-".to_vec()))
}

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

pub(super) fn malformed() -> Vec<Attack> {
    let mut all: Vec<Attack> = HEADS
        .iter()
        .map(|&(id, what, head, classes)| {
            let script = Script::text(head).then_text(RULES);
            Attack::http(id, what, script, classes).claim(Claim::Body(rules()))
        })
        .collect();
    let banner = |id, what, text: &str| {
        Attack::new(id, what, raw(Script::text(text).then_never()), NEVER.to_vec())
    };
    all.push(banner("H058", "speaks SSH", "SSH-2.0-OpenSSH_9.9\r\n"));
    all.push(banner("H059", "speaks SMTP", "220 shop.example ESMTP\r\n"));
    let long = Script::text("HTTP/1.1 200 ")
        .then(ServerAction::Times(b"a".to_vec(), 1_000_000))
        .then_text("\r\nContent-Length: 27\r\n\r\n")
        .then_text(RULES);
    all.push(Attack::http("H065", "a status line of 1 MB", long, NEVER));
    all
}
