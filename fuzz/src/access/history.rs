//! Conversion of any bytes to a profile and a history of fetches.
//!
//! The first line names profiles: one, and others that replace its freshness, its ladders and its
//! waits. Each further line is a fetch, with tabs between the fields: seconds since the last one
//! (`-60` goes back, `@0` is an absolute time), outcome (a status or a word), headers. Invalid
//! fields also have a meaning.

use verger::access::{Fetched, Outcome, Profile, Timestamp};

/// The profile and its history.
#[derive(Clone, Debug)]
pub(super) struct History {
    pub(super) profile: Profile,
    pub(super) events: Vec<Event>,
}

/// A finished fetch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) now: Timestamp,
    pub(super) fetched: Fetched,
    pub(super) jitter: u64,
}

/// Maximum number of fetches; enough for every event to happen twice.
const LONGEST: usize = 64;

impl History {
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut lines = bytes.split(|&octet| octet == b'\n');
        let profile = profile(lines.next().unwrap_or_default());
        let mut now = Timestamp::from_seconds(1_700_000_000);
        let events = lines
            .take(LONGEST)
            .map(|line| {
                let event = event(line, now);
                now = event.now;
                event
            })
            .collect();
        Self { profile, events }
    }
}

fn profile(line: &[u8]) -> Profile {
    let mut rows = line.split(|&octet| octet == b' ').map(|name| {
        let named = std::str::from_utf8(name).ok().and_then(Profile::named);
        let any = usize::try_from(mixed(name) % 11).unwrap_or_default();
        named.unwrap_or(Profile::ALL[any])
    });
    let mut profile = rows.next().unwrap_or_default();
    if let Some(row) = rows.next() {
        profile.default_lifetime = row.default_lifetime;
        profile.floor = row.floor;
        (profile.ceiling, profile.max_age_ceiling) = (row.ceiling, row.max_age_ceiling);
    }
    if let Some(row) = rows.next() {
        profile.outage_with_copy = row.outage_with_copy;
        profile.outage_without_copy = row.outage_without_copy;
        profile.copy_counts_for = row.copy_counts_for;
    }
    if let Some(row) = rows.next() {
        profile.broken_redirect = row.redirect_limit;
        profile = profile.with_5xx_as_404();
    }
    profile
}

fn event(line: &[u8], before: Timestamp) -> Event {
    let mut fields = line.split(|&octet| octet == b'\t');
    let now = time(fields.next().unwrap_or_default(), before);
    let outcome = outcome(fields.next().unwrap_or_default());
    let headers = fields.map(|field| {
        let colon = field.iter().position(|&octet| octet == b':').unwrap_or(field.len());
        (&field[..colon], field.get(colon + 1..).unwrap_or_default())
    });
    Event { now, fetched: Fetched::of(outcome, headers, now), jitter: mixed(line) }
}

fn time(field: &[u8], before: Timestamp) -> Timestamp {
    let text = std::str::from_utf8(field).unwrap_or_default();
    let number = |text: &str| text.parse::<u64>().ok();
    let seconds = if let Some(back) = text.strip_prefix('-').and_then(number) {
        before.seconds().saturating_sub(back)
    } else if let Some(absolute) = text.strip_prefix('@').and_then(number) {
        absolute
    } else {
        before.seconds().saturating_add(number(text).unwrap_or(mixed(field) % 8_000_000))
    };
    Timestamp::from_seconds(seconds)
}

fn outcome(field: &[u8]) -> Outcome {
    match field {
        b"success" => Outcome::Success,
        b"not-modified" => Outcome::NotModified,
        b"redirect-limit" => Outcome::RedirectLimit,
        b"broken-redirect" => Outcome::BrokenRedirect,
        b"disallowed-hop" => Outcome::DisallowedHop,
        b"accepted-empty" => Outcome::AcceptedEmpty,
        b"network" => Outcome::Network,
        b"refused" => Outcome::LocalFault,
        _ => {
            let status = std::str::from_utf8(field).ok().and_then(|text| text.parse().ok());
            let any = u16::try_from(mixed(field) % 700).unwrap_or_default();
            Outcome::Status(status.unwrap_or(any))
        }
    }
}

/// A number that depends on the bytes (FNV-1a).
fn mixed(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &octet| {
        (sum ^ u64::from(octet)).wrapping_mul(0x0100_0000_01b3)
    })
}
