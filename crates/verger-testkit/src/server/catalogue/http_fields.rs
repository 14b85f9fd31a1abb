//! Misleading fields of a good answer (H179 to H201).
//!
//! Each entry has two asks, so that the second request shows the values cached from the first
//! answer.

use crate::server::ScriptedResponse;

use super::entry::{Attack, rules};
use super::expect::{Claim, Class};

/// Maximum length of a cached validator, in bytes.
const LONGEST_VALIDATOR: usize = 1024;

/// The rules of the body apply for all values of the field.
const RULES: &[Class] = &[Class::Rules];
/// The field is so long or unusual that the client may reject the head.
const EITHER: &[Class] = &[Class::Rules, Class::Unreachable];

const FIELDS: &[(&str, &str, &str, &str, &[Class])] = &[
    ("H179", "an age of three thousand years", "Age", "99999999999", RULES),
    ("H180", "a date in 1970", "Date", "Thu, 01 Jan 1970 00:00:00 GMT", RULES),
    ("H181", "a date in 9999", "Date", "Fri, 31 Dec 9999 23:59:59 GMT", RULES),
    ("H182", "an expiry of zero", "Expires", "0", RULES),
    ("H183", "an expiry that is no date", "Expires", "junk", RULES),
    ("H185", "an entity tag with a line end", "ETag", "\"a\r\nX-Injected: 1\"", EITHER),
    ("H186", "changed in the future", "Last-Modified", "Fri, 31 Dec 9999 23:59:59 GMT", RULES),
    ("H187", "varies by everything", "Vary", "*", RULES),
    ("H188", "a media type of HTML", "Content-Type", "text/html", RULES),
    (
        "H189",
        "a charset that is not the body's",
        "Content-Type",
        "text/plain; charset=utf-16",
        RULES,
    ),
    ("H192", "a refresh", "Refresh", "0; url=http://elsewhere.example/robots.txt", RULES),
    ("H193", "another place for the service", "Alt-Svc", "h2=\"elsewhere.example:443\"", RULES),
    ("H194", "wants https from now on", "Strict-Transport-Security", "max-age=99999999", RULES),
    (
        "H195",
        "a file name that climbs",
        "Content-Disposition",
        "attachment; filename=../../x",
        RULES,
    ),
    ("H196", "offers another protocol", "Upgrade", "h2c", RULES),
    ("H197", "sets a cookie", "Set-Cookie", "id=4711", RULES),
    (
        "H198",
        "a Location with status 200",
        "Location",
        "http://elsewhere.example/robots.txt",
        RULES,
    ),
    (
        "H199",
        "content of another host",
        "Content-Location",
        "http://elsewhere.example/robots.txt",
        RULES,
    ),
    ("H200", "a range with status 200", "Content-Range", "bytes 0-4/1000", RULES),
    ("H201", "clears the screen", "Server", "\x1b[2J", EITHER),
];

pub(super) fn entries() -> Vec<Attack> {
    let long = |name: &str, length: usize| (name.to_owned(), "a".repeat(length));
    let mut all: Vec<Attack> = FIELDS
        .iter()
        .map(|&(id, what, name, value, classes)| entry(id, what, name, value, classes))
        .collect();
    for (id, what, (name, value)) in [
        (
            "H184",
            "an entity tag of 1 MB",
            ("ETag".to_owned(), format!("\"{}\"", "a".repeat(1 << 20))),
        ),
        ("H190", "a media type of 64 KB", long("Content-Type", 1 << 16)),
        ("H191", "a link of 64 KB", long("Link", 1 << 16)),
    ] {
        all.push(entry(id, what, &name, &value, EITHER));
    }
    all
}

fn entry(id: &'static str, what: &str, name: &str, value: &str, classes: &[Class]) -> Attack {
    let script = ScriptedResponse::rules().field(name, value).script();
    Attack::http(id, what, script, classes)
        .again(classes)
        .claim(Claim::Body(rules()))
        .claim(Claim::Requests(2, 2))
        .claim(Claim::FieldAtMost("If-None-Match", LONGEST_VALIDATOR))
        .claim(Claim::FieldAtMost("If-Modified-Since", LONGEST_VALIDATOR))
        .claim(Claim::NeverSent("X-Injected"))
}
