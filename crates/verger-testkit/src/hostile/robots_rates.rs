//! Crawl-delay and Request-rate values, each in a group that disallows everything: the rule applies
//! for all values.

use std::time::Duration;

use super::check::DISALLOWED;
use super::entry::{EVERYBODY, Entry, robots};
use super::expect::{Delay, Expect, Rate, answers};
use super::recipe::{Recipe, repeat, text};

pub(super) fn entries() -> Vec<Entry> {
    let mut all = Vec::new();
    all.extend(DELAYS.iter().map(|&(id, value, delay)| crawl_delay(id, value.into(), delay)));
    all.push(crawl_delay("R144", repeat(b"9", 5000), Delay::OneDay));
    all.push(crawl_delay("R145", text(b"0.").then(repeat(b"1", 400)), millis(111)));
    all.extend(RATES.iter().map(|&(id, value, rate)| {
        let claim = Expect::RequestRate(rate);
        entry(id, b"Request-rate: ", value.into(), claim)
    }));
    all
}

fn crawl_delay(id: &'static str, value: Recipe, delay: Delay) -> Entry {
    entry(id, b"Crawl-delay: ", value, Expect::CrawlDelay(delay))
}

fn entry(id: &'static str, key: &'static [u8], value: Recipe, claim: Expect) -> Entry {
    let what = {
        let value = value.bytes();
        let start = &value[..value.len().min(30)];
        format!("{}{}", key.escape_ascii(), start.escape_ascii())
    };
    let recipe = text(EVERYBODY).then(key).then(value).then(b"\nDisallow: /\n");
    let expect = vec![Expect::Groups(1), claim, answers(b"/x", DISALLOWED)];
    robots(id, what, recipe, expect)
}

const fn millis(millis: u64) -> Delay {
    Delay::Exactly(Duration::from_millis(millis))
}

/// Rows of id, value, meaning: a decimal without sign, exponent or unit; text after white space is
/// ignored (REP-EXT-4).
const DELAYS: &[(&str, &[u8], Delay)] = &[
    ("R135", b"\xc2\xb2", Delay::Invalid),
    ("R136", b"1e999", Delay::Invalid),
    ("R137", b"nan", Delay::Invalid),
    ("R138", b"inf", Delay::Invalid),
    ("R139", b"-1", Delay::Invalid),
    ("R140", b"-0", Delay::Invalid),
    ("R141", b"0x10", Delay::Invalid),
    ("R142", b"1_000", Delay::Invalid),
    ("R143", b"1,5", Delay::Invalid),
    ("R146", b"18446744073709551616", Delay::OneDay),
    ("R147", b"9223372036854775808", Delay::OneDay),
    ("R148", b"1e-400", Delay::Invalid),
    ("R149", b"", Delay::Invalid),
    ("R150", b"5 10", millis(5000)),
    ("R151", b"5s", Delay::Invalid),
    ("R152", b"\xef\xbc\x95", Delay::Invalid),
    ("R153", b"+5", Delay::Invalid),
    ("R154", b".5", millis(500)),
    ("R155", b"5.", millis(5000)),
];

const fn every(documents: u64, seconds: u64, window: Option<(u16, u16)>) -> Rate {
    Rate::Every { documents, seconds, window }
}

/// Rows of id, value, meaning (REP-EXT-11). An invalid window invalidates the record: without the
/// window, the rate would apply all day, contrary to the author's intention.
const RATES: &[(&str, &[u8], Rate)] = &[
    ("R156", b"1/0", Rate::Invalid),
    ("R157", b"0/0", Rate::Invalid),
    ("R158", b"/", Rate::Invalid),
    ("R159", b"1/\xc2\xb2", Rate::Invalid),
    ("R160", b"1/5s", every(1, 5, None)),
    ("R161", b"10/60", every(10, 60, None)),
    ("R162", b"1/10 0600-0845", every(1, 10, Some((600, 845)))),
    ("R163", b"1/10 9999-9999", Rate::Invalid),
    ("R164", b"99999999999999999999999999999999999999999999999999/1", Rate::Huge),
    ("R165", b"1\x1c/5", Rate::Invalid),
    ("R166", b"-1/5", Rate::Invalid),
    ("R167", b"1/5x", Rate::Invalid),
];
