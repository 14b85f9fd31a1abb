//! `Crawl-delay`: seconds between two fetches (REP-EXT-3 to REP-EXT-6).

use core::time::Duration;

use super::InvalidValue;
use super::record::RecordKind;
use super::records::values;
use crate::AsCrawler;
use crate::limits;
use crate::parse::is_space;
use crate::robots::Robots;

impl Robots {
    /// The seconds that a crawler is asked to wait between two fetches: the first valid
    /// `Crawl-delay` of the groups that apply to it (REP-AMB-53). It is not inherited from `*`
    /// (REP-AMB-54).
    ///
    /// # Complexity
    ///
    /// One walk through the text and one selection of groups.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use verger::Robots;
    ///
    /// let robots = Robots::parse("User-agent: a\nCrawl-delay: no\nCrawl-delay: 1.5\nDisallow:\n");
    /// assert_eq!(robots.crawl_delay("a"), Some(Duration::from_millis(1_500)));
    /// assert_eq!(robots.crawl_delay("b"), None);
    /// ```
    pub fn crawl_delay<C: AsCrawler + ?Sized>(&self, crawler: &C) -> Option<Duration> {
        values(self.records_for(crawler), RecordKind::CrawlDelay, |it| parse(it.value())).next()
    }
}

/// REP-EXT-4: a decimal number without sign, exponent or unit; what follows white space is ignored,
/// and a longer delay than a day is a day.
pub(super) fn parse(value: &[u8]) -> Result<Duration, InvalidValue> {
    const EXPECTED: InvalidValue = InvalidValue::expected("seconds such as `10` or `0.5`");
    let end = value.iter().position(|&octet| is_space(octet)).unwrap_or(value.len());
    let number = &value[..end];
    let point = number.iter().position(|&octet| octet == b'.').unwrap_or(number.len());
    let (whole, fraction) = number.split_at(point);
    let fraction = fraction.get(1..).unwrap_or_default();
    let is_number = whole.iter().chain(fraction).all(u8::is_ascii_digit);
    if !is_number || whole.len() + fraction.len() == 0 {
        return Err(EXPECTED);
    }
    let seconds = whole.iter().fold(0_u64, |seconds, digit| {
        seconds.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
    });
    let digits = fraction.iter().copied().chain(core::iter::repeat(b'0')).take(9);
    let nanos = digits.fold(0_u32, |nanos, digit| nanos * 10 + u32::from(digit - b'0'));
    let longest = Duration::from_secs(limits::CRAWL_DELAY_SECONDS);
    Ok(Duration::from_secs(seconds.min(limits::CRAWL_DELAY_SECONDS))
        .saturating_add(Duration::from_nanos(u64::from(nanos)))
        .min(longest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: &str, expected_millis: Option<u64>) {
        let expected = expected_millis.map(Duration::from_millis);
        assert_eq!(parse(value.as_bytes()).ok(), expected, "{value:?}");
    }

    #[test]
    fn decimal_seconds() {
        check("10", Some(10_000));
        check("0.5", Some(500));
        check(".5", Some(500));
        check("5.", Some(5_000));
        check("0", Some(0));
        check("5 10", Some(5_000));
        check("5\t# x", Some(5_000));
        assert_eq!(parse(b"0.1234567899"), Ok(Duration::from_nanos(123_456_789)));
    }

    #[test]
    fn a_longer_delay_than_a_day_is_a_day() {
        check("86401", Some(86_400_000));
        check("86400.5", Some(86_400_000));
        check("18446744073709551616", Some(86_400_000));
        check(&"9".repeat(400), Some(86_400_000));
    }

    #[test]
    fn everything_else_is_no_delay() {
        for value in [
            "", ".", "-1", "-0", "+5", "1e3", "nan", "inf", "0x10", "1_000", "1,5", "5s", "²",
            "５", "1.2.3", "5;", "soon",
        ] {
            check(value, None);
        }
    }
}
