//! Robots texts without a group: no bytes, one unusual byte, a comment, another format.

use super::check::ALLOWED;
use super::claim::answers;
use super::expect::{Expect, Notice};
use super::recipe::{Recipe, repeat, text};
use super::{Entry, LIMIT, robots};

pub(super) fn entries() -> Vec<Entry> {
    let mut all: Vec<Entry> = ONE_THING
        .iter()
        .map(|&(id, what, bytes, notice)| {
            entry(id, format!("nothing but {what}"), text(bytes), notice)
        })
        .collect();
    all.push(entry(
        "R195",
        "an error page on one line, sent as robots.txt",
        b"<!DOCTYPE html><html><body>User-agent: * <br>Disallow: /</body></html>".into(),
        Some(Notice::Html),
    ));
    all.push(entry(
        "R196",
        "a JSON object, sent as robots.txt",
        br#"{"User-agent":"*","Disallow":"/"}"#.into(),
        None,
    ));
    all.push(entry("R208", "one comment as long as the size limit", repeat(b"#", LIMIT), None));
    all
}

fn entry(
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
