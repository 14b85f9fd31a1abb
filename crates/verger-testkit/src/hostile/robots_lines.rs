//! One line in a `*` group: correct and incorrect ways to write a rule, percent-encoding and regex
//! metacharacters.

use super::check::{ALLOWED, DISALLOWED, GOOGLE_ALLOWS, RFC9309_ALLOWS};
use super::entry::{EVERYBODY, Entry, robots};
use super::expect::{Probe, probes};
use super::recipe::text;

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

pub(super) fn rules() -> Vec<Entry> {
    let mut all = Vec::new();
    all.extend(PERCENT.iter().map(|&(id, path, row)| {
        let what =
            format!("rule {}: decoded once at most, operators stay operators", path.escape_ascii());
        rule(id, what, b"Disallow: ", path, row)
    }));
    all.extend(REGEX.iter().map(|&(id, path, row)| {
        rule(id, format!("rule {}: no regex", path.escape_ascii()), b"Disallow: ", path, row)
    }));
    all
}

fn rule(
    id: &'static str,
    what: String,
    key: &'static [u8],
    rest: &'static [u8],
    row: &[Probe],
) -> Entry {
    let recipe = text(EVERYBODY).then(key).then(rest).then(b"\n");
    robots(id, what, recipe, probes(row))
}

/// Rows of id, path of the rule, probes (REP-MATCH-20, normal form N). Google's library does not
/// encode a bare percent sign, so for it such a rule is the start of an escape.
const PERCENT: &[(&str, &[u8], &[Probe])] = &[
    (
        "R092",
        b"/x%",
        &[
            (b"/x%", DISALLOWED),
            (b"/x%25", DISALLOWED),
            (b"/x%41", RFC9309_ALLOWS),
            (b"/x", ALLOWED),
        ],
    ),
    (
        "R093",
        b"/x%2",
        &[(b"/x%2", DISALLOWED), (b"/x%252", DISALLOWED), (b"/x%20", RFC9309_ALLOWS)],
    ),
    ("R094", b"/x%zz", &[(b"/x%zz", DISALLOWED), (b"/x%25zz", GOOGLE_ALLOWS), (b"/x", ALLOWED)]),
    (
        "R095",
        b"/x%u0041",
        &[(b"/x%u0041", DISALLOWED), (b"/x%25u0041", GOOGLE_ALLOWS), (b"/xA", ALLOWED)],
    ),
    ("R096", b"/x%00", &[(b"/x%00", DISALLOWED), (b"/x", ALLOWED), (b"/x0", ALLOWED)]),
    ("R097", b"/x%25", &[(b"/x%25", DISALLOWED), (b"/x%", GOOGLE_ALLOWS), (b"/x%41", ALLOWED)]),
    (
        "R098",
        b"/x%252f",
        &[(b"/x%252f", DISALLOWED), (b"/x%252F", ALLOWED), (b"/x%2f", ALLOWED), (b"/x/", ALLOWED)],
    ),
    (
        "R099",
        b"/x%C3",
        &[
            (b"/x%C3", DISALLOWED),
            (b"/x%C3%A9", DISALLOWED),
            (b"/x%c3", GOOGLE_ALLOWS),
            (b"/x\xc3", GOOGLE_ALLOWS),
        ],
    ),
    ("R100", b"/x%ff", &[(b"/x%FF", DISALLOWED), (b"/x%ff", GOOGLE_ALLOWS), (b"/x", ALLOWED)]),
    (
        "R101",
        b"/x%e0%80%80",
        &[(b"/x%E0%80%80", DISALLOWED), (b"/x%e0%80%80", GOOGLE_ALLOWS), (b"/x", ALLOWED)],
    ),
    (
        "R102",
        b"/x%2a",
        &[
            (b"/x%2A", DISALLOWED),
            (b"/x%2a", GOOGLE_ALLOWS),
            (b"/x*", GOOGLE_ALLOWS),
            (b"/xyz", ALLOWED),
            (b"/x", ALLOWED),
        ],
    ),
    (
        "R103",
        b"/x%24",
        &[
            (b"/x%24", DISALLOWED),
            (b"/x%24y", DISALLOWED),
            (b"/x$", GOOGLE_ALLOWS),
            (b"/x", ALLOWED),
        ],
    ),
    ("R104", b"/x%23", &[(b"/x%23", DISALLOWED), (b"/x#y", ALLOWED), (b"/x", ALLOWED)]),
    ("R105", b"/x%3F", &[(b"/x%3F", DISALLOWED), (b"/x%3f", GOOGLE_ALLOWS), (b"/x?", ALLOWED)]),
    ("R106", b"/x%2F", &[(b"/x%2F", DISALLOWED), (b"/x%2f", GOOGLE_ALLOWS), (b"/x/", ALLOWED)]),
    (
        "R107",
        b"/x%2e%2e%2f",
        &[
            (b"/x%2E%2E%2F", DISALLOWED),
            (b"/x..%2f", GOOGLE_ALLOWS),
            (b"/x../", ALLOWED),
            (b"/", ALLOWED),
        ],
    ),
    (
        "R108",
        b"/x%0d%0aAllow:/",
        &[
            (b"/x%0D%0AAllow:/", DISALLOWED),
            (b"/x%0d%0aAllow:/", GOOGLE_ALLOWS),
            (b"/x", ALLOWED),
            (b"/", ALLOWED),
        ],
    ),
];

/// Rows of id, path of the rule, probes.
const REGEX: &[(&str, &[u8], &[Probe])] = &[
    ("R109", b"/[", &[(b"/[", DISALLOWED), (b"/a", ALLOWED)]),
    ("R110", b"/(", &[(b"/(", DISALLOWED), (b"/", ALLOWED)]),
    ("R111", b"/(a+)+b", &[(b"/(a+)+b", DISALLOWED), (b"/aaab", ALLOWED)]),
    (
        "R112",
        b"/x{99999999}",
        &[(b"/x{99999999}", DISALLOWED), (b"/x%7B99999999%7D", GOOGLE_ALLOWS), (b"/xx", ALLOWED)],
    ),
    ("R113", b"/\\\\", &[(b"/\\\\", DISALLOWED), (b"/%5C%5C", GOOGLE_ALLOWS), (b"/\\", ALLOWED)]),
    ("R114", b"/*[*(", &[(b"/a[b(c", DISALLOWED), (b"/[(", DISALLOWED), (b"/a(", ALLOWED)]),
    (
        "R115",
        b"/^$",
        &[(b"/^", DISALLOWED), (b"/%5E", GOOGLE_ALLOWS), (b"/^x", ALLOWED), (b"/", ALLOWED)],
    ),
    ("R116", b"/.+", &[(b"/.+", DISALLOWED), (b"/aa", ALLOWED)]),
    ("R117", b"/|", &[(b"/|", DISALLOWED), (b"/%7C", GOOGLE_ALLOWS), (b"/", ALLOWED)]),
    (
        "R118",
        b"/?",
        &[(b"/?", DISALLOWED), (b"/?q", DISALLOWED), (b"/", ALLOWED), (b"/a", ALLOWED)],
    ),
    ("R119", b"/[[:alpha:]]", &[(b"/[[:alpha:]]", DISALLOWED), (b"/a", ALLOWED)]),
    ("R120", b"/(?i)x", &[(b"/(?i)x", DISALLOWED), (b"/X", ALLOWED), (b"/x", ALLOWED)]),
    (
        "R121",
        b"/a{0,65535}{0,65535}",
        &[(b"/a{0,65535}{0,65535}", DISALLOWED), (b"/a", ALLOWED), (b"/", ALLOWED)],
    ),
];
