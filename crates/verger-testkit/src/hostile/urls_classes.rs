//! Equivalence classes of URLs: two spellings are one URL to the matcher if, and only if, their
//! targets have the same normal form (REP-MATCH-20). Then every rule gives them the same verdict.
//!
//! Dialect `google` has no such classes: it compares the unchanged URL.

use super::check::{ALLOWED, Answers, DISALLOWED, GOOGLE_ALLOWS, ORIGIN, RFC9309_ALLOWS};
use super::entry::{Entry, Layer};
use super::expect::{Class, Expect, Live, Offline, Target};
use super::recipe::text;

/// The robots texts, each with one rule, for checking the members of the classes.
pub const CLASS_ROBOTS: [&str; 5] = [
    "User-agent: *\nDisallow: /admin\n",
    "User-agent: *\nDisallow: /a/b\n",
    "User-agent: *\nDisallow: /é\n",
    "User-agent: *\nDisallow: /*\n",
    "User-agent: *\nDisallow: /$\n",
];

/// Indexes in [`CLASS_ROBOTS`].
const ADMIN: usize = 0;
const A_B: usize = 1;
const ACCENT: usize = 2;
const STAR: usize = 3;

/// A row: id, text after the origin, class, answers that differ from those of a path that only the
/// star rule matches, and the sent target if it is not the text without its fragment.
type Row =
    (&'static str, &'static str, &'static str, &'static [(usize, Answers)], Option<&'static str>);

pub(super) fn entries() -> Vec<Entry> {
    MEMBERS.iter().map(|&row| member(row)).collect()
}

fn member((id, path, name, differences, sent): Row) -> Entry {
    let mut allowed = [ALLOWED; 5];
    allowed[STAR] = DISALLOWED;
    for &(rule, answers) in differences {
        allowed[rule] = answers;
    }
    let given = path.split('#').next().unwrap_or(path);
    let target = Target {
        rfc9309: Offline::Target(name.into()),
        google: given.into(),
        live: Live::Request {
            scheme: "http",
            host: "h.example",
            port: 80,
            target: sent.unwrap_or(given).into(),
        },
    };
    Entry::new(
        Layer::Url,
        id,
        format!("{} is of class {name}", path.escape_debug()),
        text(ORIGIN).then(path),
        vec![Expect::Class(Class { name, allowed }), Expect::Target(target)],
    )
}

const MEMBERS: &[Row] = &[
    ("U117", "/admin", "/admin", &[(ADMIN, DISALLOWED)], None),
    ("U118", "/ADMIN", "/ADMIN", &[], None),
    ("U119", "/%61dmin", "/admin", &[(ADMIN, GOOGLE_ALLOWS)], None),
    ("U120", "/%2561dmin", "/%2561dmin", &[], None),
    ("U121", "/adm%69n", "/admin", &[(ADMIN, GOOGLE_ALLOWS)], None),
    ("U122", "/a%2Fb", "/a%2Fb", &[], None),
    ("U123", "/a/b", "/a/b", &[(A_B, DISALLOWED)], None),
    ("U124", "/a//b", "/a//b", &[], None),
    ("U125", "/a/./b", "/a/./b", &[], Some("/a/b")),
    ("U126", "/a/../b", "/a/../b", &[], Some("/b")),
    ("U127", "/a/%2e%2e/b", "/a/../b", &[], Some("/b")),
    ("U128", "/a%5cb", "/a%5Cb", &[], None),
    ("U129", "/a\\b", "/a%5Cb", &[], Some("/a/b")),
    ("U130", "/a;x=1", "/a;x=1", &[], None),
    ("U131", "/a?", "/a?", &[], None),
    ("U132", "/a?b", "/a?b", &[], None),
    ("U133", "/a%3Fb", "/a%3Fb", &[], None),
    ("U134", "/a#b", "/a", &[], None),
    ("U135", "/a%23b", "/a%23b", &[], None),
    ("U136", "/a%00", "/a%00", &[], None),
    ("U137", "/a%20b", "/a%20b", &[], None),
    ("U138", "/a b", "/a%20b", &[], Some("/a%20b")),
    ("U139", "/a+b", "/a+b", &[], None),
    ("U140", "/a%2Bb", "/a%2Bb", &[], None),
    ("U141", "/é", "/%C3%A9", &[(ACCENT, GOOGLE_ALLOWS)], Some("/%C3%A9")),
    ("U142", "/%C3%A9", "/%C3%A9", &[(ACCENT, DISALLOWED)], None),
    ("U143", "/%c3%a9", "/%C3%A9", &[(ACCENT, GOOGLE_ALLOWS)], None),
    ("U144", "/%E9", "/%E9", &[], None),
    // The letter and a combining accent: no Unicode normalisation.
    ("U145", "/e\u{301}", "/e%CC%81", &[], Some("/e%CC%81")),
    ("U146", "/*", "/%2A", &[], None),
    ("U147", "/%2A", "/%2A", &[], None),
    ("U148", "/$", "/%24", &[], None),
    ("U149", "/%24", "/%24", &[], None),
    ("U150", "/a$", "/a%24", &[], None),
    // REP-AMB-10: only this exact target is always allowed, except by Google's library.
    ("U151", "/robots.txt", "/robots.txt", &[(STAR, RFC9309_ALLOWS)], None),
    ("U152", "/robots.txt?x", "/robots.txt?x", &[], None),
    ("U153", "/ROBOTS.TXT", "/ROBOTS.TXT", &[], None),
    ("U154", "/%72obots.txt", "/robots.txt", &[(STAR, RFC9309_ALLOWS)], None),
    ("U155", "/robots.txt/", "/robots.txt/", &[], None),
    ("U156", "//robots.txt", "//robots.txt", &[], None),
];
