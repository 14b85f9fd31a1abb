//! Destinations of one redirect (D030 to D070).

use crate::server::{Answer, Site};

use super::{Claim, Class, Entry, HOST, REFUSED, Setup, good, ids, rules};

/// No request: a scheme, a name or a port that policy forbids, or an invalid URL.
const NO: &[Class] = REFUSED;
/// The destination gives a good answer.
const YES: &[Class] = &[Class::Rules];
/// The same URL.
const LOOP: &[Class] = &[Class::RedirectLimit];
/// No usable Location, or the same URL.
const NO_OR_LOOP: &[Class] = &[Class::Unreachable, Class::RedirectLimit, Class::Blocked];

const LOCATIONS: [(&str, &[Class]); 41] = [
    ("file:///etc/passwd", NO),
    ("ftp://h/robots.txt", NO),
    ("gopher://127.0.0.1:6379/_x", NO),
    ("data:text/plain,User-agent:*", NO),
    ("javascript:alert(1)", NO),
    ("ws://h/", NO),
    ("mailto:a@b", NO),
    ("about:blank", NO),
    ("blob:x", NO),
    ("ldap://h", NO),
    ("dict://h", NO),
    ("tel:1", NO),
    ("urn:x", NO),
    ("chrome://x", NO),
    ("jar:http://h!/x", NO),
    ("//evil.example/robots.txt", YES),
    ("/robots.txt", LOOP),
    ("robots.txt", LOOP),
    ("?x", YES),
    ("#x", LOOP),
    ("", NO_OR_LOOP),
    ("   ", NO_OR_LOOP),
    (".", YES),
    ("..", YES),
    ("../../../../etc/passwd", YES),
    ("http:", NO_OR_LOOP),
    ("http://", NO),
    ("http:///", NO),
    ("http://[::1", NO),
    ("http://h:99999/", NO),
    ("http://h:0/", NO),
    ("http://h%00/", NO),
    ("http://h%0d%0aX:1/", NO),
    // The names below have one label, so policy forbids them regardless of their addresses.
    ("\\\\evil\\x", NO),
    ("http:\\\\evil", NO),
    ("HTTP://EVIL/", NO),
    ("http://evil@h/", NO),
    ("http://u:p@h/", NO),
    ("http://h@evil/", NO),
    ("//u@evil", NO),
    ("http://xn--/", NO),
];

pub(super) fn entries() -> Vec<Entry> {
    ids('D', 30)
        .zip(LOCATIONS)
        .map(|(id, (location, classes))| {
            let redirect = Answer::redirect(302, location).script();
            let site = if classes == YES {
                Site::new().host_path(HOST, "/robots.txt", redirect).any(good())
            } else {
                Site::new().host(HOST, redirect).any(good())
            };
            let setup = Setup::web(HOST, site).host("evil.example").host("evil").host("h");
            let requests = if classes == YES { (2, 2) } else { (1, 6) };
            let entry = Entry::new(id, format!("Location: {location}"), setup, classes.to_vec())
                .claim(Claim::Requests(requests.0, requests.1))
                .claim(Claim::Body(rules()));
            if classes == NO {
                entry.claim(Claim::Requests(1, 1)).claim(Claim::Dials(1))
            } else {
                entry
            }
        })
        .collect()
}
