//! One line after `User-agent: *`: correct and incorrect ways to write a rule.

use super::check::{ALLOWED, DISALLOWED, GOOGLE_ALLOWS};
use super::claim::{Probe, probes};
use super::recipe::text;
use super::{EVERYBODY, Entry, robots};

/// A row: id, line, probes.
type Row = (&'static str, &'static [u8], &'static [Probe]);

pub(super) fn entries() -> Vec<Entry> {
    LINES.iter().map(|&row| line(row)).collect()
}

fn line((id, line, row): Row) -> Entry {
    let recipe = text(EVERYBODY).then(line).then(b"\n");
    robots(id, format!("line `{}`", line.escape_ascii()), recipe, probes(row))
}

const LINES: &[Row] = &[
    ("R168", b"Disallow", &[(b"/", ALLOWED), (b"/x", ALLOWED)]),
    ("R169", b"Disallow:", &[(b"/", ALLOWED), (b"/x", ALLOWED)]),
    ("R170", b"Disallow :/", &[(b"/", DISALLOWED), (b"/x", DISALLOWED)]),
    ("R171", b"Disallow /x", &[(b"/x", DISALLOWED), (b"/y", ALLOWED)]),
    ("R172", b"Disallow=/x", &[(b"/x", ALLOWED), (b"/", ALLOWED)]),
    ("R173", b"disalow: /x", &[(b"/x", DISALLOWED), (b"/y", ALLOWED)]),
    ("R174", b"dissallow: /x", &[(b"/x", DISALLOWED), (b"/y", ALLOWED)]),
    (
        "R175",
        b"Disallow: /x Disallow: /y",
        &[
            (b"/x Disallow: /y", DISALLOWED),
            (b"/x%20Disallow:%20/y", GOOGLE_ALLOWS),
            (b"/x", ALLOWED),
            (b"/y", ALLOWED),
        ],
    ),
    ("R176", b"Disallow:/x#c", &[(b"/x", DISALLOWED), (b"/x#c", DISALLOWED), (b"/", ALLOWED)]),
    ("R177", b"Disallow: #", &[(b"/", ALLOWED), (b"/x", ALLOWED)]),
    (
        "R178",
        b"Disallow: /a b",
        &[(b"/a b", DISALLOWED), (b"/a%20b", GOOGLE_ALLOWS), (b"/a", ALLOWED)],
    ),
    ("R179", b"Disallow:\t/x", &[(b"/x", DISALLOWED), (b"/y", ALLOWED)]),
    ("R180", b"DISALLOW: /x", &[(b"/x", DISALLOWED), (b"/X", ALLOWED)]),
    ("R181", b"Disallow: x", &[(b"/x", ALLOWED), (b"/", ALLOWED)]),
    (
        "R182",
        b"Disallow: http://h.example/x",
        &[(b"/x", ALLOWED), (b"/http://h.example/x", ALLOWED)],
    ),
    (
        "R183",
        b"Disallow: //h:99999999999/x",
        &[(b"//h:99999999999/x", DISALLOWED), (b"/x", ALLOWED), (b"/", ALLOWED)],
    ),
    ("R184", b"Disallow: //[", &[(b"//[", DISALLOWED), (b"/[", ALLOWED), (b"/", ALLOWED)]),
    ("R185", b"Disallow: ?", &[(b"?", ALLOWED), (b"/?", ALLOWED), (b"/x?y", ALLOWED)]),
    ("R186", b"Disallow: ;", &[(b";", ALLOWED), (b"/;", ALLOWED), (b"/x;y", ALLOWED)]),
    ("R187", b"Disallow: *", &[(b"/", DISALLOWED), (b"/x?y", DISALLOWED)]),
    ("R188", b"Disallow: $", &[(b"/", ALLOWED), (b"/$", ALLOWED)]),
    ("R189", b"Disallow: /$", &[(b"/", DISALLOWED), (b"/x", ALLOWED), (b"/?", ALLOWED)]),
    (
        "R190",
        b"Disallow: /x$y",
        &[(b"/x$y", DISALLOWED), (b"/x%24y", GOOGLE_ALLOWS), (b"/x", ALLOWED)],
    ),
    ("R191", b"Disallow: *$", &[(b"/", DISALLOWED), (b"/x?y", DISALLOWED)]),
    ("R192", b"Disallow: /*$", &[(b"/", DISALLOWED), (b"/x?y", DISALLOWED)]),
    ("R193", b"Disallow: $*", &[(b"/", ALLOWED), (b"/$", ALLOWED), (b"/$x", ALLOWED)]),
];
