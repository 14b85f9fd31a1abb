//! Long URL texts: hosts that are too long for DNS, paths of megabytes, runs of escapes and of dot
//! segments.

use super::Entry;
use super::expect::{Live, Offline, Target};
use super::recipe::{Recipe, each, repeat, text};
use super::urls::entry;

pub(super) fn entries() -> Vec<Entry> {
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
        long("U116", "100 000 slashes, all kept", slashes(), slashes(), slashes(), slashes()),
    ]
}
