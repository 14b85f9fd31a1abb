//! Robots texts in other encodings and without a valid encoding, and texts without a group: no bytes,
//! one unusual byte, a comment, another format.
//!
//! REP-AMB-20: UTF-16 with its mark is decoded. No other encoding is guessed, and undecodable text
//! must not become a rule.

use super::check::{ALLOWED, Answers, DISALLOWED, GOOGLE_ALLOWS};
use super::entry::{Entry, LIMIT, robots};
use super::expect::{Expect, Notice, answers};
use super::recipe::{Recipe, made, repeat, text};

pub(super) fn entries() -> Vec<Entry> {
    let png = text(b"\x89PNG\r\n\x1a\n").then(repeat(&ALL_BYTES, 4));
    vec![
        whole("R055", "UTF-16LE with its mark", made(|| utf16(u16::to_le_bytes)), GOOGLE_ALLOWS),
        whole("R056", "UTF-16BE with its mark", made(|| utf16(u16::to_be_bytes)), GOOGLE_ALLOWS),
        whole("R057", "UTF-32LE, whose mark begins like UTF-16LE's", made(utf32), ALLOWED),
        whole("R058", "EBCDIC", EBCDIC.into(), ALLOWED),
        whole("R059", "a comment in Shift-JIS before clean lines", SHIFT_JIS.into(), DISALLOWED),
        latin1(),
        utf7(),
        whole("R062", "gzip, sent as it is", GZIP.into(), ALLOWED),
        whole("R063", "the head of a PNG file", png, ALLOWED),
        whole("R064", "all bytes, up to the size limit", repeat(&ALL_BYTES, 2000), ALLOWED),
    ]
}

/// Returns the entry for a text with the same answer for every path.
fn whole(id: &'static str, what: &str, recipe: Recipe, allowed: Answers) -> Entry {
    let expect = vec![
        Expect::Groups(usize::from(!allowed.rfc9309)),
        Expect::Noticed(Notice::Encoding),
        answers(b"/", allowed),
        answers(b"/x", allowed),
    ];
    robots(id, what, recipe, expect)
}

fn latin1() -> Entry {
    let expect = vec![
        Expect::Noticed(Notice::Encoding),
        answers(b"/caf%E9", DISALLOWED),
        answers(b"/caf%e9", GOOGLE_ALLOWS),
        answers(b"/caf%C3%A9", ALLOWED),
    ];
    let recipe = b"User-agent: *\nDisallow: /caf\xe9\n".into();
    robots("R060", "a path in Latin-1, which is escaped byte by byte", recipe, expect)
}

fn utf7() -> Entry {
    // All ASCII, so the encoding cannot be detected: the first key is unknown, and the rule has no
    // group.
    let expect = vec![
        Expect::Groups(0),
        Expect::Noticed(Notice::UnknownKey),
        Expect::Noticed(Notice::RuleBeforeAgent),
        answers(b"/x", ALLOWED),
    ];
    let recipe = b"+AFUAcwBlAHI--agent: *\nDisallow: /\n".into();
    robots("R061", "UTF-7", recipe, expect)
}

/// Two lines that disallow everything for everybody, after a byte order mark.
const FORBID_ALL: &str = "\u{feff}User-agent: *\nDisallow: /\n";

/// The same two lines in EBCDIC, code page 037.
const EBCDIC: &[u8] =
    b"\xe4\xa2\x85\x99`\x81\x87\x85\x95\xa3z@\\%\xc4\x89\xa2\x81\x93\x93\x96\xa6z@a%";

/// The same two lines after the word Japan.
const SHIFT_JIS: &[u8] = b"# \x93\xfa\x96{\nUser-agent: *\nDisallow: /\n";

/// The same two lines, compressed by gzip.
const GZIP: &[u8] = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x0b-N-\xd2MLO\xcd+\xb1R\xd0\
    \xe2r\xc9,N\xcc\xc9\xc9/\xb7R\xd0\xe7\x02\x00B\x84\xa4\x8f\x1a\x00\x00\x00";

const ALL_BYTES: [u8; 256] = {
    let mut bytes = [0; 256];
    let mut byte = u8::MAX;
    while byte > 0 {
        bytes[byte as usize] = byte;
        byte -= 1;
    }
    bytes
};

fn utf16(bytes_of: fn(u16) -> [u8; 2]) -> Vec<u8> {
    FORBID_ALL.encode_utf16().flat_map(bytes_of).collect()
}

fn utf32() -> Vec<u8> {
    FORBID_ALL.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect()
}

pub(super) fn without_group() -> Vec<Entry> {
    let mut all: Vec<Entry> = ONE_THING
        .iter()
        .map(|&(id, what, bytes, notice)| {
            empty(id, format!("nothing but {what}"), text(bytes), notice)
        })
        .collect();
    all.push(empty(
        "R195",
        "an error page on one line, sent as robots.txt",
        b"<!DOCTYPE html><html><body>User-agent: * <br>Disallow: /</body></html>".into(),
        Some(Notice::Html),
    ));
    all.push(empty(
        "R196",
        "a JSON object, sent as robots.txt",
        br#"{"User-agent":"*","Disallow":"/"}"#.into(),
        None,
    ));
    all.push(empty("R208", "one comment as long as the size limit", repeat(b"#", LIMIT), None));
    all
}

fn empty(
    id: &'static str,
    what: impl Into<String>,
    recipe: Recipe,
    notice: Option<Notice>,
) -> Entry {
    let mut expect = vec![
        Expect::Groups(0),
        Expect::Truncated(false),
        answers(b"/", ALLOWED),
        answers(b"/x", ALLOWED),
    ];
    expect.extend(notice.map(Expect::Noticed));
    robots(id, what, recipe, expect)
}

const ONE_THING: &[(&str, &str, &[u8], Option<Notice>)] = &[
    ("R001", "no byte", b"", None),
    ("R002", "LF", b"\n", None),
    ("R003", "CR", b"\r", None),
    ("R004", "CR LF", b"\r\n", None),
    ("R005", "LF CR, which ends two lines", b"\n\r", None),
    ("R006", "a space", b" ", None),
    ("R007", "a tab", b"\t", None),
    ("R008", "NUL", b"\0", Some(Notice::Nul)),
    ("R009", "a byte order mark", b"\xef\xbb\xbf", None),
    ("R010", "two thirds of a byte order mark", b"\xef\xbb", Some(Notice::Encoding)),
    ("R011", "a byte that UTF-8 never has", b"\xff", Some(Notice::Encoding)),
    ("R012", "a hash", b"#", None),
    ("R013", "a colon", b":", None),
    ("R014", "VT", b"\x0b", None),
    ("R015", "FF", b"\x0c", None),
    ("R016", "a no-break space", b"\xc2\xa0", None),
    ("R017", "two byte order marks", b"\xef\xbb\xbf\xef\xbb\xbf", Some(Notice::ByteOrderMark)),
    ("R018", "SUB, the old end of file", b"\x1a", None),
    ("R019", "DEL", b"\x7f", None),
];
