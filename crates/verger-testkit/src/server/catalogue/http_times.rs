//! Retry-After, and freshness of an answer (H159 to H178).

use std::time::Duration;

use crate::server::Answer;

use super::{Claim, Class, Entry, ids, rules};

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

pub(super) fn entries() -> Vec<Entry> {
    let retries = ids('H', 159).zip(RETRY_AFTER).map(|(id, (value, is_time))| {
        let script = Answer::new(503).field("Retry-After", value).script();
        Entry::http(id, format!("Retry-After: {value}"), script, &[Class::Unreachable])
            .claim(if is_time { Claim::RetryWithinDay } else { Claim::RetryIgnored })
    });
    let fresh = ids('H', 168).zip(CACHE_CONTROL).map(|(id, (value, most))| {
        let script = Answer::rules().field("Cache-Control", value).script();
        Entry::http(id, format!("Cache-Control: {value}"), script, &[Class::Rules])
            .claim(Claim::Body(rules()))
            .claim(Claim::Fresh(LEAST, most))
    });
    retries.chain(fresh).collect()
}
