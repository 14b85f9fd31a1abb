//! URL texts: parts of URLs, other schemes, misleading authorities, and bytes that are invalid in
//! URLs. Also long ones: hosts that are too long for DNS, paths of megabytes, runs of escapes and of
//! dot segments.

use super::entry::{Entry, Layer};
use super::expect::{Expect, Live, Offline, Target};
use super::recipe::{Recipe, each, repeat, text};

use Read::{Both, Differ, NoRobots, NotAUrl};
use Sent::{Invalid, NotText, Nowhere, To};

/// A row: id, URL text, offline, live.
type Row = (&'static str, &'static [u8], Read, Sent);

/// Expected offline targets, as constants of a table.
#[derive(Clone, Copy)]
enum Read {
    /// One target in both dialects.
    Both(&'static [u8]),
    /// A target in `rfc9309`, another one in `google`.
    Differ(&'static [u8], &'static [u8]),
    /// No robots.txt in `rfc9309`, a target in `google`.
    NoRobots(&'static [u8]),
    /// Not a URL in `rfc9309`, a target in `google`.
    NotAUrl(&'static [u8]),
}

/// [`Live`] as a constant of a table.
#[derive(Clone, Copy)]
enum Sent {
    /// Scheme, host, port and target of the request.
    To(&'static str, &'static str, u16, &'static [u8]),
    Nowhere,
    Invalid,
    NotText,
}

const fn http(host: &'static str, target: &'static [u8]) -> Sent {
    To("http", host, 80, target)
}

pub(super) fn entries() -> Vec<Entry> {
    [
        ("part of a URL, or another scheme", PARTS),
        ("misleading authority", CONFUSED),
        ("control or bad byte", BYTES),
        ("outside the scope of http://h.example", OTHER_ORIGINS),
    ]
    .iter()
    .flat_map(|(what, rows)| rows.iter().map(|&row| form(what, row)))
    .collect()
}

fn form(what: &str, (id, url, read, sent): Row) -> Entry {
    let (rfc9309, google) = match read {
        Both(target) => (Offline::Target(target.into()), target),
        Differ(target, google) => (Offline::Target(target.into()), google),
        NoRobots(google) => (Offline::NoRobots, google),
        NotAUrl(google) => (Offline::NotAUrl, google),
    };
    let live = match sent {
        To(scheme, host, port, target) => {
            Live::Request { scheme, host, port, target: target.into() }
        }
        Nowhere => Live::NoRobots,
        Invalid => Live::Invalid,
        NotText => Live::NotText,
    };
    let what = format!("{what}: {}", url.escape_ascii());
    let target = Target { rfc9309, google: google.into(), live };
    let mut entry = entry(id, what, url.into(), target);
    if OTHER_ORIGINS.iter().any(|&(other, ..)| other == id) {
        entry.expect.push(Expect::OutOfScope { origin: super::ORIGIN });
    }
    entry
}

/// Returns an entry with a claim about its target.
pub(super) fn entry(id: &'static str, what: String, url: Recipe, target: Target) -> Entry {
    Entry::new(Layer::Url, id, what, url, vec![Expect::Target(target)])
}

const PARTS: &[Row] = &[
    ("U001", b"", NotAUrl(b"/"), Invalid),
    ("U002", b"/", Both(b"/"), Invalid),
    ("U003", b"//", Differ(b"//", b"/"), Invalid),
    ("U004", b"///", Differ(b"///", b"/"), Invalid),
    ("U005", b"////", Differ(b"////", b"//"), Invalid),
    ("U006", b"?", Both(b"/?"), Invalid),
    ("U007", b"#", NotAUrl(b"/"), Invalid),
    ("U008", b"/?", Both(b"/?"), Invalid),
    ("U009", b"/#", Both(b"/"), Invalid),
    ("U010", b"/?#", Both(b"/?"), Invalid),
    ("U011", b"http", NotAUrl(b"/"), Invalid),
    ("U012", b"http:", NotAUrl(b"/"), Invalid),
    ("U013", b"http:/", NotAUrl(b"/"), Invalid),
    ("U014", b"http://", NotAUrl(b"/"), Invalid),
    ("U015", b"http:///", NotAUrl(b"/"), Invalid),
    ("U016", b"http:///x", NotAUrl(b"/x"), http("x", b"/")),
    ("U017", b"http:c", NotAUrl(b"/"), http("c", b"/")),
    ("U018", b"http:\\\\c\\x", NotAUrl(b"/"), http("c", b"/x")),
    ("U019", b"h/x", NotAUrl(b"/x"), Invalid),
    ("U020", b"//h/x", Differ(b"//h/x", b"/x"), Invalid),
    ("U021", b"javascript:alert(1)", NoRobots(b"/"), Nowhere),
    ("U022", b"data:text/plain,x", NoRobots(b"/plain,x"), Nowhere),
    ("U023", b"file:///etc/passwd", NoRobots(b"/etc/passwd"), Nowhere),
    ("U024", b"ftp://h/x", Both(b"/x"), To("ftp", "h", 21, b"/x")),
    ("U025", b"mailto:a@b", NoRobots(b"/"), Nowhere),
    ("U026", b"ws://h/", Both(b"/"), To("ws", "h", 80, b"/")),
    ("U027", b"about:blank", NoRobots(b"/"), Nowhere),
    ("U028", b"blob:http://h/1", NoRobots(b"/1"), Nowhere),
    ("U029", b"view-source:http://h/", NotAUrl(b"/"), Nowhere),
    ("U030", b"HTTP://H/X", Both(b"/X"), http("h", b"/X")),
    ("U031", b"hTTp://h", Both(b"/"), http("h", b"/")),
    ("U032", b"http://h", Both(b"/"), http("h", b"/")),
    ("U033", b"http://h?q", Both(b"/?q"), http("h", b"/?q")),
    ("U034", b"http://h#f", Both(b"/"), http("h", b"/")),
    ("U035", b"http://h;p", Differ(b"/", b"/;p"), http("h;p", b"/")),
    ("U036", b"http://h/;p?q#f", Both(b"/;p?q"), http("h", b"/;p?q")),
];

const CONFUSED: &[Row] = &[
    ("U068", b"http://u@h/", Both(b"/"), http("h", b"/")),
    ("U069", b"http://u:p@h/", Both(b"/"), http("h", b"/")),
    ("U070", b"http://a@b@c/", Both(b"/"), http("c", b"/")),
    ("U071", b"http://a:b@h:80@evil/x", Both(b"/x"), http("evil", b"/x")),
    ("U072", b"http://h\\@evil/", Both(b"/"), http("h", b"/@evil/")),
    ("U073", b"http://h%40evil/", Both(b"/"), Invalid),
    ("U074", b"http://h%2Fevil/", Both(b"/"), Invalid),
    ("U075", b"http://h%00evil/", Both(b"/"), Invalid),
    ("U076", b"http://h%0d%0aX:1/", Both(b"/"), Invalid),
    (
        "U077",
        b"http://h/..%5c..%5c",
        Differ(b"/..%5C..%5C", b"/..%5c..%5c"),
        http("h", b"/..%5c..%5c"),
    ),
    ("U078", b"http://%68/", Both(b"/"), http("h", b"/")),
    ("U079", b"http://h .evil/", Both(b"/"), Invalid),
    ("U080", b"http://h#@evil/", Both(b"/"), http("h", b"/")),
    ("U081", b"http://h?@evil/", Both(b"/?@evil/"), http("h", b"/?@evil/")),
    ("U082", b"http://h;@evil/", Differ(b"/", b"/;@evil/"), http("evil", b"/")),
];

const BYTES: &[Row] = &[
    // Google's library uses the path unchanged, and passes it to its matcher as a C string.
    ("U157", b"http://h.example/a\x00b", Differ(b"/a%00b", b"/a"), http("h.example", b"/a%00b")),
    ("U158", b"http://h.example/a\x09b", Differ(b"/a%09b", b"/a\x09b"), http("h.example", b"/ab")),
    ("U159", b"http://h.example/a\x0ab", Differ(b"/a%0Ab", b"/a\x0ab"), http("h.example", b"/ab")),
    ("U160", b"http://h.example/a\x0db", Differ(b"/a%0Db", b"/a\x0db"), http("h.example", b"/ab")),
    (
        "U161",
        b"http://h.example/a\x1bb",
        Differ(b"/a%1Bb", b"/a\x1bb"),
        http("h.example", b"/a%1Bb"),
    ),
    (
        "U162",
        b"http://h.example/a\x7fb",
        Differ(b"/a%7Fb", b"/a\x7fb"),
        http("h.example", b"/a%7Fb"),
    ),
    ("U163", b"http://h.example/a\xffb", Differ(b"/a%FFb", b"/a\xffb"), NotText),
    ("U164", b"http://h.example/a\xc0\xafb", Differ(b"/a%C0%AFb", b"/a\xc0\xafb"), NotText),
    (
        "U165",
        b"http://h.example/a\xed\xa0\x80b",
        Differ(b"/a%ED%A0%80b", b"/a\xed\xa0\x80b"),
        NotText,
    ),
    ("U166", b"\x01 http://h/x \x1f", NotAUrl(b"/x \x1f"), http("h", b"/x")),
];

const OTHER_ORIGINS: &[Row] = &[
    ("U167", b"http://other.example/x", Both(b"/x"), http("other.example", b"/x")),
    ("U168", b"https://h.example/x", Both(b"/x"), To("https", "h.example", 443, b"/x")),
    ("U169", b"http://h.example:8080/x", Both(b"/x"), To("http", "h.example", 8080, b"/x")),
];

pub(super) fn long_urls() -> Vec<Entry> {
    let mut all = hosts();
    all.extend(PATHS.iter().map(|&(id, letters)| {
        let path = text(b"/").then(repeat(b"a", letters));
        long(
            id,
            format!("path of {letters} letters"),
            path.clone(),
            path.clone(),
            path.clone(),
            path,
        )
    }));
    all.extend(runs());
    all
}

/// Rows of id and length of the path after its slash.
const PATHS: &[(&str, usize)] =
    &[("U105", 2083), ("U106", 8192), ("U107", 65_536), ("U108", 1_000_000), ("U109", 10_000_000)];

/// Returns an entry with the host `h`: the text after the host, and its interpretations.
fn long(
    id: &'static str,
    what: impl Into<String>,
    written: Recipe,
    rfc9309: Recipe,
    google: Recipe,
    sent: Recipe,
) -> Entry {
    let live = Live::Request { scheme: "http", host: "h", port: 80, target: sent };
    let target = Target { rfc9309: Offline::Target(rfc9309), google, live };
    entry(id, what.into(), text(b"http://h").then(written), target)
}

fn hosts() -> Vec<Entry> {
    // Offline, the host is ignored. The URL parser accepts all but the last.
    let host = |id, what: &str, host: Recipe| {
        let target = Target {
            rfc9309: Offline::Target(b"/".into()),
            google: b"/".into(),
            live: Live::HostTooLong,
        };
        entry(
            id,
            format!("host too long for the DNS: {what}"),
            text(b"http://").then(host).then(b"/"),
            target,
        )
    };
    let labels = each(5, |i| format!("{}{}", if i == 0 { "" } else { "." }, "a".repeat(60)));
    vec![
        host("U101", "a label of 64 bytes", repeat(b"a", 64).then(b".com")),
        host("U102", "five labels of 60 bytes", labels),
        host("U103", "a label of 1 MB", repeat(b"a", 1_000_000)),
        host("U104", "100 KB of Punycode", text(b"xn--").then(repeat(b"a", 100_000))),
    ]
}

fn runs() -> Vec<Entry> {
    const MILLION: usize = 1_000_000;
    let path = |run: &'static [u8], times| text(b"/").then(repeat(run, times));
    let query = || text(b"/?").then(repeat(b"q=1&", 250_000));
    let escapes = || path(b"%25", 333_333);
    let slashes = || path(b"/", 100_000);
    vec![
        long("U110", "query of 1 MB", query(), query(), query(), query()),
        long(
            "U111",
            "fragment of 1 MB",
            text(b"/x#").then(repeat(b"a", MILLION)),
            b"/x".into(),
            b"/x".into(),
            b"/x".into(),
        ),
        long(
            "U112",
            "a million percent signs, none of them an escape",
            path(b"%", MILLION),
            path(b"%25", MILLION),
            path(b"%", MILLION),
            path(b"%", MILLION),
        ),
        long("U113", "333 333 escaped percent signs", escapes(), escapes(), escapes(), escapes()),
        // REP-MATCH-4: only the live interpretation removes dot segments, and stops at the root.
        long(
            "U114",
            "100 000 times ../",
            path(b"../", 100_000),
            path(b"../", 100_000),
            path(b"../", 100_000),
            b"/".into(),
        ),
        long(
            "U115",
            "100 000 times ./",
            path(b"./", 100_000),
            path(b"./", 100_000),
            path(b"./", 100_000),
            b"/".into(),
        ),
        long("U116", "100 000 slashes, all preserved", slashes(), slashes(), slashes(), slashes()),
    ]
}
