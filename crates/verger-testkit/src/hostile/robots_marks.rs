//! Robots texts with misleading bytes: byte order marks, spaces, line ends, letters, characters,
//! NUL.

use super::check::{ALLOWED, DISALLOWED, GOOGLE_ALLOWS, RFC9309_ALLOWS};
use super::entry::{EVERYBODY, Entry, robots};
use super::expect::{Expect, Notice, Probe, answers, answers_as, probes};
use super::recipe::text;

pub(super) fn entries() -> Vec<Entry> {
    let mut all = marks_and_spaces();
    all.extend(NO_LINE_END.iter().map(|&(id, what, bytes)| no_line_end(id, what, bytes)));
    all.extend(folding());
    all.extend(BAD_BYTES.iter().map(|&row| bad_bytes(row)));
    all
}

fn marks_and_spaces() -> Vec<Entry> {
    let spaced = |id, what, recipe: &'static [u8]| {
        let expect = vec![
            Expect::Groups(0),
            Expect::Noticed(Notice::Space),
            answers(b"/", ALLOWED),
            answers(b"/x", ALLOWED),
        ];
        robots(id, format!("{what} around key, colon and value"), recipe.into(), expect)
    };
    vec![
        robots(
            "R065",
            "a byte order mark, then rules",
            b"\xef\xbb\xbfUser-agent: *\nDisallow: /\n".into(),
            vec![Expect::Groups(1), answers(b"/x", DISALLOWED)],
        ),
        robots(
            "R066",
            "a byte order mark before the second line, whose key it spoils",
            b"User-agent: *\n\xef\xbb\xbfDisallow: /\n".into(),
            vec![
                Expect::Groups(1),
                Expect::Noticed(Notice::ByteOrderMark),
                answers(b"/x", ALLOWED),
            ],
        ),
        robots(
            "R067",
            "two thirds of a byte order mark: only Google's library drops them",
            b"\xef\xbbUser-agent: *\nDisallow: /\n".into(),
            vec![
                Expect::Groups(0),
                Expect::Noticed(Notice::Encoding),
                answers(b"/x", RFC9309_ALLOWS),
            ],
        ),
        spaced(
            "R068",
            "no-break space",
            b"User-agent\xc2\xa0:\xc2\xa0*\nDisallow\xc2\xa0: /\xc2\xa0\n",
        ),
        spaced("R069", "next line", b"User-agent\xc2\x85:\xc2\x85*\nDisallow\xc2\x85: /\xc2\x85\n"),
        spaced(
            "R070",
            "soft hyphen",
            b"User-agent\xc2\xad:\xc2\xad*\nDisallow\xc2\xad: /\xc2\xad\n",
        ),
    ]
}

/// Rows of id, name and bytes that some parsers take for a line end or a separator.
const NO_LINE_END: &[(&str, &str, &[u8])] = &[
    ("R071", "line separator", b"\xe2\x80\xa8"),
    ("R072", "paragraph separator", b"\xe2\x80\xa9"),
    ("R073", "zero-width space", b"\xe2\x80\x8b"),
    ("R074", "right-to-left override", b"\xe2\x80\xae"),
    ("R075", "ideographic space", b"\xe3\x80\x80"),
    ("R076", "full-width colon", b"\xef\xbc\x9a"),
    ("R077", "FS", b"\x1c"),
    ("R078", "GS", b"\x1d"),
    ("R079", "RS", b"\x1e"),
    ("R080", "US", b"\x1f"),
    ("R081", "VT", b"\x0b"),
    ("R082", "FF", b"\x0c"),
];

fn no_line_end(id: &'static str, what: &str, bytes: &'static [u8]) -> Entry {
    // `/a` is a rule only if these bytes end a line. `/b` is a clean line, but the agent above it
    // is a star followed by these bytes. That is an agent only if they are white space (VT, FF).
    let clean = if matches!(bytes, b"\x0b" | b"\x0c") { DISALLOWED } else { ALLOWED };
    robots(
        id,
        format!("{what} between an agent and a rule on one line"),
        text(b"User-agent: *").then(bytes).then(b"Disallow: /a\nDisallow: /b\n"),
        vec![Expect::Groups(1), answers(b"/a", ALLOWED), answers(b"/b", clean)],
    )
}

fn folding() -> Vec<Entry> {
    vec![
        robots(
            "R083",
            "capital I with a dot in key and agent: its lower case has another length",
            "\u{130}ser-agent: *\nUser-agent: \u{130}bot\nDisallow: /\n".into(),
            vec![
                Expect::Groups(1),
                answers(b"/x", ALLOWED),
                answers_as("\u{130}bot", b"/x", GOOGLE_ALLOWS),
                answers_as("ibot", b"/x", ALLOWED),
                answers_as("i\u{307}bot", b"/x", ALLOWED),
            ],
        ),
        robots(
            "R084",
            "the Kelvin sign as agent: only ASCII letters fold",
            "User-agent: \u{212a}\nDisallow: /\n".into(),
            vec![
                answers_as("k", b"/x", ALLOWED),
                answers_as("K", b"/x", ALLOWED),
                answers_as("\u{212a}", b"/x", GOOGLE_ALLOWS),
            ],
        ),
        robots(
            "R085",
            "long s in the key",
            "u\u{17f}er-agent: *\nDisallow: /\n".into(),
            vec![Expect::Groups(0), Expect::Noticed(Notice::UnknownKey), answers(b"/x", ALLOWED)],
        ),
    ]
}

fn bad_bytes((id, what, lines, notice, row): BadBytes) -> Entry {
    let mut expect = probes(row);
    expect.push(Expect::Noticed(notice));
    robots(id, what, text(EVERYBODY).then(lines), expect)
}

/// A row: id, name, lines after the agent, the expected diagnostic, and probes.
type BadBytes = (&'static str, &'static str, &'static [u8], Notice, &'static [Probe]);

const BAD_BYTES: &[BadBytes] = &[
    (
        "R086",
        "a surrogate encoded as if it were a character",
        b"Disallow: /\xed\xa0\x80\n",
        Notice::Encoding,
        &[(b"/%ED%A0%80", DISALLOWED), (b"/%ed%a0%80", GOOGLE_ALLOWS), (b"/", ALLOWED)],
    ),
    (
        "R087",
        "an overlong slash: no slash, so the pattern never matches",
        b"Disallow: \xc0\xafadmin\n",
        Notice::Encoding,
        &[(b"/admin", ALLOWED), (b"/%C0%AFadmin", ALLOWED)],
    ),
    (
        "R088",
        "a sequence of five bytes",
        b"Disallow: /\xf8\x88\x80\x80\x80\n",
        Notice::Encoding,
        &[(b"/%F8%88%80%80%80", DISALLOWED), (b"/", ALLOWED)],
    ),
    (
        "R089",
        "a character cut off by the end of the file",
        b"Disallow: /\xe4\xbd",
        Notice::Encoding,
        &[(b"/%E4%BD", DISALLOWED), (b"/%E4%BD%A0", DISALLOWED), (b"/", ALLOWED)],
    ),
    (
        "R090",
        "NUL inside a path: data, no end (REP-AMB-21)",
        b"Disallow: /a\0b\nDisallow: /x\n",
        Notice::Nul,
        &[
            (b"/a%00b", DISALLOWED),
            (b"/a", RFC9309_ALLOWS),
            (b"/ac", RFC9309_ALLOWS),
            (b"/x", DISALLOWED),
        ],
    ),
    (
        "R091",
        "NUL before a key, which it spoils",
        b"\0Disallow: /y\nDisallow: /x\n",
        Notice::Nul,
        &[(b"/y", ALLOWED), (b"/x", DISALLOWED)],
    ),
];
