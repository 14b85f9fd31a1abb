//! Robots texts at, across and far beyond the size limit, and lines around Google's line limit.
//!
//! The default dialect stops at 512 000 bytes and drops the incomplete last line (REP-AMB-22).
//! Dialect `google` has no size limit, but cuts each line to 16 663 bytes.

use super::check::{ALLOWED, DISALLOWED, GOOGLE_ALLOWS, RFC9309_ALLOWS};
use super::entry::{EVERYBODY, Entry, LIMIT, robots};
use super::expect::{Expect, Probe, answers, probes};
use super::recipe::{Recipe, repeat, text};

/// Maximum length of a line in Google's library, in bytes.
const GOOGLE_LINE: usize = 16_663;

pub(super) fn entries() -> Vec<Entry> {
    let mut all = at_the_limit();
    all.extend(far_beyond());
    all.extend(google_lines());
    all
}

/// Returns a group with a comment so long that `before` bytes of `tail` precede byte `end`.
fn padded(end: usize, before: usize, tail: &'static [u8]) -> Recipe {
    text(EVERYBODY).then(repeat(b"#", end - EVERYBODY.len() - before)).then(tail)
}

fn at_the_limit() -> Vec<Entry> {
    let cut = |probe: &[Probe]| {
        let mut expect = vec![Expect::Groups(1), Expect::Truncated(true)];
        expect.extend(probes(probe));
        expect
    };
    vec![
        robots(
            "R043",
            "exactly as long as the limit; the last line is a rule without line end",
            padded(LIMIT, 13, b"\nDisallow: /x"),
            vec![
                Expect::Groups(1),
                Expect::Truncated(false),
                answers(b"/x", DISALLOWED),
                answers(b"/y", ALLOWED),
            ],
        ),
        robots(
            "R044",
            "one byte longer than the limit: the rule would shrink to the whole site",
            padded(LIMIT + 1, 13, b"\nDisallow: /x"),
            cut(&[(b"/x", RFC9309_ALLOWS), (b"/y", ALLOWED)]),
        ),
        robots(
            "R045",
            "the limit cuts the path of a rule to its slash",
            padded(LIMIT, 12, b"\nDisallow: /private\n"),
            cut(&[(b"/private", RFC9309_ALLOWS), (b"/y", ALLOWED)]),
        ),
        robots(
            "R046",
            "the limit falls inside a character",
            padded(LIMIT, 13, b"\nDisallow: /\xc3\xa4\n"),
            cut(&[(b"/%C3%A4", RFC9309_ALLOWS), (b"/%C3", ALLOWED), (b"/y", ALLOWED)]),
        ),
        robots(
            "R047",
            "the limit falls between CR and LF",
            padded(LIMIT, 1, b"\r\nDisallow: /x\n"),
            cut(&[(b"/x", RFC9309_ALLOWS), (b"/y", ALLOWED)]),
        ),
    ]
}

fn far_beyond() -> Vec<Entry> {
    const TWENTY_MILLION: usize = 20_000_000;
    vec![
        robots(
            "R048",
            "one line of 20 MB",
            text(EVERYBODY).then(b"Disallow: /").then(repeat(b"a", TWENTY_MILLION)),
            vec![Expect::Groups(1), Expect::Truncated(true), answers(b"/a", ALLOWED)],
        ),
        robots(
            "R049",
            "twenty million times LF",
            repeat(b"\n", TWENTY_MILLION),
            vec![Expect::Groups(0), Expect::Truncated(true), answers(b"/", ALLOWED)],
        ),
        robots(
            "R050",
            "twenty million times CR",
            repeat(b"\r", TWENTY_MILLION),
            vec![Expect::Groups(0), Expect::Truncated(true), answers(b"/", ALLOWED)],
        ),
        robots(
            "R054",
            "one rule of 5 MB that is not UTF-8",
            text(EVERYBODY).then(b"Disallow: /").then(repeat(b"\xff", 5_000_000)).then(b"\n"),
            vec![
                Expect::Groups(1),
                Expect::Truncated(true),
                answers(b"/%FF", ALLOWED),
                answers(b"/", ALLOWED),
            ],
        ),
    ]
}

fn google_lines() -> Vec<Entry> {
    // The pattern, slash included, begins at byte 10 of the line.
    let kept = GOOGLE_LINE - 11;
    let line = |id, length: usize| {
        let rule = text(EVERYBODY).then(b"Disallow: /").then(repeat(b"a", length - 11)).then(b"\n");
        let path = |letters| text(b"/").then(repeat(b"a", letters));
        let expect = vec![
            answers(path(length - 11), DISALLOWED),
            answers(path(kept), RFC9309_ALLOWS),
            answers(path(kept - 1), ALLOWED),
        ];
        robots(id, format!("a line of {length} bytes, which Google's library cuts"), rule, expect)
    };
    let characters = |count| text(b"/").then(repeat(b"%EF%BF%BD", count));
    vec![
        line("R051", GOOGLE_LINE + 1),
        line("R052", GOOGLE_LINE + 2),
        robots(
            "R053",
            "a long line whose cut falls inside a character of three bytes",
            text(EVERYBODY).then(b"Disallow: /").then(repeat(b"\xef\xbf\xbd", 8000)).then(b"\n"),
            vec![
                answers(characters(8000), DISALLOWED),
                answers(text(b"/").then(repeat(b"%ef%bf%bd", 8000)), GOOGLE_ALLOWS),
                answers(characters(kept / 3 + 1), RFC9309_ALLOWS),
                answers(characters(kept / 3), ALLOWED),
            ],
        ),
    ]
}
