//! Headers about time: `Cache-Control`, `Expires`, `Date`, `Age`, `Retry-After`.
//!
//! # References
//!
//! RFC 9110 sections 5.6.7 and 10.2.3, RFC 9111 sections 4.2 and 5.

use core::time::Duration;

use super::time::Timestamp;

/// The freshness of a response according to its headers, as numbers (REP-CACHE-2).
///
/// # Examples
///
/// ```
/// use verger::access::{Fetched, Outcome, Timestamp};
///
/// let now = Timestamp::from_seconds(1_700_000_000);
/// let freshness =
///     |headers: &[(&str, &str)]| Fetched::of(Outcome::Success, headers.iter().copied(), now).freshness;
/// let headers = [("cache-control", "public, max-age=\"3600\""), ("age", "600")];
/// assert_eq!(freshness(&headers).stated_lifetime(now), Some(3000));
/// // An unreadable value is stale at once; a missing one is unknown.
/// assert_eq!(freshness(&[("expires", "0")]).stated_lifetime(now), Some(0));
/// assert_eq!(freshness(&[("cache-control", "private")]).stated_lifetime(now), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "values of a response; users construct it")]
pub struct Freshness {
    /// `Cache-Control: max-age` in seconds; 0 if it is not a number. `s-maxage` is for shared
    /// caches and ignored.
    pub max_age: Option<u64>,
    /// `Expires`; 1970, and so expired, if it is not a date.
    pub expires: Option<Timestamp>,
    /// `Date`, if it is a date.
    pub date: Option<Timestamp>,
    /// `Age` in seconds, if it is a number.
    pub age: Option<u64>,
    /// `Cache-Control: no-store`, or `no-cache` unless it applies only to named fields.
    pub no_cache: bool,
}

impl Freshness {
    /// Lifetime in seconds from `received` on, according to the headers: `max-age`, else `Expires`
    /// minus `Date`; minus `Age`. `None` without such headers.
    ///
    /// Without `Date`, `Expires` is compared with `received`.
    /// [`Profile::lifetime`](super::Profile::lifetime) applies the limits of a profile.
    pub fn stated_lifetime(&self, received: Timestamp) -> Option<u64> {
        if self.no_cache {
            return Some(0);
        }
        let until_expiry =
            |expires: Timestamp| expires.since(self.date.unwrap_or(received)).as_secs();
        let stated = self.max_age.or_else(|| self.expires.map(until_expiry))?;
        Some(stated.saturating_sub(self.age.unwrap_or(0)))
    }
}

/// The headers of one response.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Headers {
    pub(super) freshness: Freshness,
    retry: Option<Retry>,
    age_is_read: bool,
}

#[derive(Clone, Copy, Debug)]
enum Retry {
    In(u64),
    At(Timestamp),
}

/// Reads the headers in their order.
pub(super) fn read<N: AsRef<[u8]>, V: AsRef<[u8]>>(
    headers: impl IntoIterator<Item = (N, V)>,
    now: Timestamp,
) -> Headers {
    let mut read = Headers::default();
    for (name, value) in headers {
        read.header(name.as_ref(), value.as_ref().trim_ascii(), now);
    }
    read
}

impl Headers {
    /// REP-CACHE-21: a date is relative to the server's `Date`, so that a wrong clock does not
    /// matter.
    pub(super) fn retry_after(&self, now: Timestamp) -> Option<Duration> {
        self.retry.map(|retry| match retry {
            Retry::In(seconds) => Duration::from_secs(seconds),
            Retry::At(time) => time.since(self.freshness.date.unwrap_or(now)),
        })
    }

    fn header(&mut self, name: &[u8], value: &[u8], now: Timestamp) {
        let freshness = &mut self.freshness;
        if name.eq_ignore_ascii_case(b"cache-control") {
            self.cache_control(value);
        } else if name.eq_ignore_ascii_case(b"expires") {
            // RFC 9111 5.3: an invalid date, such as "0", has expired.
            let time = || Timestamp::from_http_date(value, now).unwrap_or(Timestamp::EPOCH);
            freshness.expires.get_or_insert_with(time);
        } else if name.eq_ignore_ascii_case(b"date") {
            freshness.date = freshness.date.or_else(|| Timestamp::from_http_date(value, now));
        } else if name.eq_ignore_ascii_case(b"age") {
            // RFC 9111 5.1: `Age` is not a list; the first member counts, and is ignored if it is
            // not a number.
            if !self.age_is_read {
                self.age_is_read = true;
                let first = value.split(|&octet| octet == b',').next().unwrap_or_default();
                freshness.age = seconds(first.trim_ascii());
            }
        } else if name.eq_ignore_ascii_case(b"retry-after") {
            let at = || Timestamp::from_http_date(value, now).map(Retry::At);
            self.retry = self.retry.or_else(|| seconds(value).map(Retry::In).or_else(at));
        }
    }

    fn cache_control(&mut self, value: &[u8]) {
        for directive in Directives(value) {
            let end = directive.iter().position(|&octet| octet == b'=');
            let (name, argument) = match end {
                // White space before `=` is invalid, but the name is clear; the value is then
                // unreadable.
                Some(end) => (directive[..end].trim_ascii_end(), Some(&directive[end + 1..])),
                None => (directive, None),
            };
            if name.eq_ignore_ascii_case(b"no-store") {
                self.freshness.no_cache = true;
            } else if name.eq_ignore_ascii_case(b"no-cache") {
                // RFC 9111 5.2.2.4: with an argument it applies to header fields, not to the body.
                self.freshness.no_cache |= argument.is_none();
            } else if name.eq_ignore_ascii_case(b"max-age") {
                // RFC 9111 4.2.1: the first of several counts; a value that is not a number is
                // stale.
                let age = || argument.map(unquoted).and_then(seconds).unwrap_or(0);
                self.freshness.max_age.get_or_insert_with(age);
            }
        }
    }
}

/// The members of a comma-separated list, which may contain quoted commas.
struct Directives<'a>(&'a [u8]);

impl<'a> Iterator for Directives<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.0.is_empty() {
            return None;
        }
        let mut is_quoted = false;
        let mut is_escaped = false;
        let end = self.0.iter().position(|&octet| {
            match octet {
                _ if is_escaped => is_escaped = false,
                b'\\' if is_quoted => is_escaped = true,
                b'"' => is_quoted = !is_quoted,
                _ => {}
            }
            octet == b',' && !is_quoted
        });
        let (member, rest) = match end {
            Some(end) => (&self.0[..end], &self.0[end + 1..]),
            None => (self.0, &self.0[self.0.len()..]),
        };
        self.0 = rest;
        Some(member.trim_ascii())
    }
}

fn unquoted(argument: &[u8]) -> &[u8] {
    let inner = argument.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
    inner.unwrap_or(argument)
}

/// A number of seconds: only digits. A number that is too large becomes the largest one.
fn seconds(text: &[u8]) -> Option<u64> {
    let digit = |sum: u64, octet: &u8| {
        let digit = octet.is_ascii_digit().then(|| u64::from(octet - b'0'))?;
        Some(sum.saturating_mul(10).saturating_add(digit))
    };
    if text.is_empty() { None } else { text.iter().try_fold(0, digit) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_700_000_000);

    fn freshness(headers: &[(&str, &str)]) -> Freshness {
        read(headers.iter().copied(), NOW).freshness
    }

    #[test]
    fn quoted_commas_do_not_end_directives() {
        let found = freshness(&[("CACHE-CONTROL", r#"x="a,no-store,\",no-store", max-age=60 ,,"#)]);
        assert_eq!(found, Freshness { max_age: Some(60), ..Freshness::default() });
        let found = freshness(&[("cache-control", r#"x="never closed, no-store, max-age=60"#)]);
        assert_eq!(found, Freshness::default());
    }

    #[test]
    fn numbers_are_digits_and_saturate() {
        for (text, expected) in [
            ("60", Some(60)),
            ("007", Some(7)),
            ("99999999999999999999999", Some(u64::MAX)),
            ("", None),
            ("+1", None),
            ("-1", None),
            ("1.5", None),
            ("1e9", None),
            ("1 2", None),
        ] {
            assert_eq!(seconds(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn the_first_of_several_counts() {
        let found = freshness(&[
            ("cache-control", "max-age=1"),
            ("cache-control", "max-age=2, no-cache=\"set-cookie\""),
            ("age", "x"),
            ("age", "5"),
            ("date", "x"),
            ("date", "Thu, 01 Jan 1970 00:00:09 GMT"),
        ]);
        let date = Some(Timestamp::from_seconds(9));
        assert_eq!(found, Freshness { max_age: Some(1), date, ..Freshness::default() });
        assert_eq!(freshness(&[("age", "5, 6")]).age, Some(5));
    }
}
