//! Every status (H095 to H158), by REP-ACCESS-24, REP-AMB-17, REP-AMB-23 and the table of outcomes.
//! Retry-After, and freshness of an answer (H159 to H178).

use std::time::Duration;

use crate::server::{RULES, ScriptedResponse};

use super::entry::{Attack, ids, rules};
use super::expect::{Claim, Class};

/// A body that allows everything, for a status that disallows.
const ALLOWING: &[u8] = b"User-agent: *\nAllow: /\n";

const INTERIM: [u16; 4] = [100, 101, 102, 103];
const GOOD: [u16; 10] = [200, 201, 202, 203, 204, 205, 206, 207, 226, 299];
const MOVED: [u16; 5] = [300, 304, 305, 306, 399];
const CLIENT: [u16; 27] = [
    400, 401, 403, 404, 405, 406, 407, 408, 409, 410, 411, 413, 414, 415, 416, 417, 418, 421, 422,
    423, 425, 426, 428, 429, 431, 451, 499,
];
const SERVER: [u16; 15] =
    [500, 501, 502, 503, 504, 505, 507, 508, 511, 520, 521, 522, 525, 530, 599];
const BEYOND: [u16; 3] = [600, 700, 999];

pub(super) fn entries() -> Vec<Attack> {
    let all =
        INTERIM.iter().chain(&GOOD).chain(&MOVED).chain(&CLIENT).chain(&SERVER).chain(&BEYOND);
    ids('H', 95).zip(all).map(|(id, &status)| entry(id, status)).collect()
}

fn entry(id: &'static str, status: u16) -> Attack {
    let body = if status >= 500 { ALLOWING } else { RULES };
    // A final interim response, an unrequested 206, a redirect without a destination: none of these
    // says that there is no robots.txt.
    let classes: &[Class] = match status {
        204 | 205 => &[Class::Rules, Class::Allow],
        429 | 100..=199 | 206 | 300..=399 | 500.. => &[Class::Unreachable],
        200..=299 => &[Class::Rules],
        _ => &[Class::Allow],
    };
    let script = ScriptedResponse::new(status).body(body).script();
    let entry = Attack::http(id, format!("status {status} with a body"), script, classes)
        .claim(Claim::Requests(1, 1));
    // REP-CACHE-15: for Yandex, only a 200 is a file.
    let entry = match status {
        201..=299 => entry.elsewhere("yandex", Class::Allow),
        _ => entry,
    };
    match status {
        204 | 205 => entry.claim(Claim::Body(Vec::new())),
        // REP-AMB-46.
        206 => entry.elsewhere("google", Class::Rules).elsewhere("google-old", Class::Rules),
        429 => entry.elsewhere("rep2019", Class::Allow),
        401 | 403 => entry.forbidden(),
        _ => entry.claim(Claim::Body(rules())),
    }
}

/// The limits of freshness (REP-AMB-18): five minutes, which prevents constant requests, and a day.
const LEAST: Duration = Duration::from_secs(5 * 60);
const MOST: Duration = Duration::from_secs(24 * 60 * 60);

/// Values of Retry-After, and whether they are valid.
const RETRY_AFTER: [(&str, bool); 9] = [
    ("99999999999999999999", true),
    ("-1", false),
    ("abc", false),
    ("", false),
    ("0", true),
    ("Fri, 31 Dec 9999 23:59:59 GMT", true),
    ("Thu, 01 Jan 1970 00:00:00 GMT", false),
    ("1.5", false),
    ("1e9", false),
];

/// Values of Cache-Control, and the maximum freshness for each.
const CACHE_CONTROL: [(&str, Duration); 11] = [
    ("max-age=99999999999999999999", MOST),
    ("max-age=-1", MOST),
    ("max-age=0", LEAST),
    ("no-store", LEAST),
    ("no-cache", MOST),
    ("private", MOST),
    ("max-age=60, max-age=90", MOST),
    ("s-maxage=1", MOST),
    ("immutable", MOST),
    ("max-age=\"60\"", MOST),
    ("max-age", MOST),
];

pub(super) fn times() -> Vec<Attack> {
    let retries = ids('H', 159).zip(RETRY_AFTER).map(|(id, (value, is_time))| {
        let script = ScriptedResponse::new(503).field("Retry-After", value).script();
        Attack::http(id, format!("Retry-After: {value}"), script, &[Class::Unreachable])
            .claim(if is_time { Claim::RetryWithinDay } else { Claim::RetryIgnored })
    });
    let fresh = ids('H', 168).zip(CACHE_CONTROL).map(|(id, (value, most))| {
        let script = ScriptedResponse::rules().field("Cache-Control", value).script();
        Attack::http(id, format!("Cache-Control: {value}"), script, &[Class::Rules])
            .claim(Claim::Body(rules()))
            .claim(Claim::Fresh(LEAST, most))
    });
    retries.chain(fresh).collect()
}
