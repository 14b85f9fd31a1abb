//! HTTP dates, written from a count of days and read back.

use verger::access::Timestamp;

/// Each of the three forms of a time is read as that time.
pub(super) fn are_read_as_written(time: Timestamp) {
    let seconds = time.seconds() % YEAR_10000;
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    // 1 January 1970 was a Thursday.
    let name = DAYS[usize::try_from((days + 3) % 7).expect("seven fit")];
    let (year, month, day) = civil(days);
    let month = MONTHS[month];
    let short = &name[..3];
    let of_day = format!("{hour:02}:{minute:02}:{second:02}");
    let now = Timestamp::from_seconds(seconds);
    for text in [
        format!("{short}, {day:02} {month} {year:04} {of_day} GMT"),
        format!("{name}, {day:02}-{month}-{:02} {of_day} GMT", year % 100),
        format!("{short} {month} {day:2} {of_day} {year:04}"),
    ] {
        assert_eq!(Timestamp::from_http_date(&text, now), Some(now), "{text}");
    }
}

/// Year, month from 0, and day, computed year by year.
fn civil(mut days: u64) -> (u64, usize, u64) {
    // 400 years always have the same number of days.
    let mut year = 1970 + days / 146_097 * 400;
    days %= 146_097;
    let is_leap =
        |year: u64| year.is_multiple_of(400) || year.is_multiple_of(4) && !year.is_multiple_of(100);
    loop {
        let length = 365 + u64::from(is_leap(year));
        if days < length {
            break;
        }
        days -= length;
        year += 1;
    }
    let mut month = 0;
    loop {
        let length = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        if days < length[month] {
            return (year, month, days + 1);
        }
        days -= length[month];
        month += 1;
    }
}

const YEAR_10000: u64 = 253_402_300_800;
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
