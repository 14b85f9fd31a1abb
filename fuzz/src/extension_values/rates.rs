//! Delays, rates and times of the day.

use std::time::Duration;

use verger::extension::{Extension, MinuteOfDay, RecordKind, Window};

use crate::input::is_space;

/// REP-EXT-4; `found` is the engine's value.
pub(super) fn check_delay(value: &[u8], found: Option<&Extension<'_>>) {
    let Some(&Extension::CrawlDelay(delay)) = found else { return };
    assert!(delay <= Duration::from_secs(24 * 60 * 60), "{delay:?}");
    let number = value.split(is_space).next().unwrap_or_default();
    assert!(number.iter().all(|octet| octet.is_ascii_digit() || *octet == b'.'), "{number:?}");
}

/// REP-EXT-10, REP-EXT-11.
pub(super) fn check_rate(value: &[u8]) {
    let parse = |value| Extension::parse(RecordKind::RequestRate, value);
    let Ok(Extension::RequestRate(rate)) = parse(value) else { return };
    assert!(rate.documents > 0, "{rate:?}");
    assert!(rate.period >= Duration::from_secs(1) && rate.period.subsec_nanos() == 0, "{rate:?}");
    let interval = rate.interval();
    assert!(interval <= rate.period && interval * rate.documents <= rate.period, "{rate:?}");

    // The largest possible unit, so that the number fits in 32 bits.
    let seconds = rate.period.as_secs();
    let units = [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "")];
    let (unit, letter) =
        *units.iter().find(|(unit, _)| seconds.is_multiple_of(*unit)).expect("seconds are whole");
    let window = rate.window.map(|window| format!(" {window}")).unwrap_or_default();
    let written = format!("{}/{}{letter}{window}", rate.documents, seconds / unit);
    assert_eq!(parse(written.as_bytes()), Ok(Extension::RequestRate(rate)), "{written}");
    if let Some(window) = rate.window {
        check(window);
    }
}

/// REP-EXT-12.
pub(super) fn check_window(value: &[u8]) {
    if let Ok(Extension::VisitTime(window)) = Extension::parse(RecordKind::VisitTime, value) {
        assert_eq!(window.to_string().as_bytes(), value);
        check(window);
    }
}

fn check(window: Window) {
    let written = window.to_string();
    let again = Extension::parse(RecordKind::VisitTime, written.as_bytes());
    assert_eq!(again, Ok(Extension::VisitTime(window)));
    assert!(window.from.since_midnight() < DAY && window.to.since_midnight() < DAY, "{window}");
    for time in times() {
        assert_eq!(window.contains(time), is_within(window, time), "{window} at {time}");
    }
}

/// REP-EXT-12: a window extends from its first minute to its last one, also across midnight.
fn is_within(window: Window, time: MinuteOfDay) -> bool {
    let from = window.from.since_midnight();
    let after = |time: MinuteOfDay| (time.since_midnight() + DAY - from) % DAY;
    after(time) <= after(window.to)
}

/// Number of minutes in a day.
const DAY: u16 = 24 * 60;

/// Every minute of the day.
pub(super) fn times() -> impl Iterator<Item = MinuteOfDay> {
    (0..DAY).map(|minute| MinuteOfDay::of_unix_time(u64::from(minute) * 60))
}
