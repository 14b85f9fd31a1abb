//! Typed extensions: delays, rates, sitemaps.

use std::time::Duration;

use url::Url;
use verger::diagnostic::DiagnosticKind;
use verger::extension::{MinuteOfDay, Sitemap};
use verger::{Dialect, limits};
use verger_testkit::hostile::{AGENT, Delay, Rate, SITEMAP_MAX, SitemapLine, SitemapUrl, Sitemaps};

use crate::judge::Complaints;
use crate::notices::kinds;
use crate::verdicts::{BOTH, excerpt};

/// The crawl delay of the `*` group.
pub(crate) fn crawl_delay(bytes: &[u8], expected: Delay, complaints: &mut Complaints) {
    for dialect in BOTH {
        let robots = dialect.parse(bytes);
        let found = robots.crawl_delay(AGENT);
        let longest = Duration::from_secs(limits::CRAWL_DELAY_SECONDS);
        let expected_millis = match expected {
            Delay::Invalid => None,
            Delay::Exactly(delay) => Some(delay.as_millis()),
            Delay::OneDay => Some(longest.as_millis()),
        };
        let millis = found.map(|delay| delay.as_millis());
        complaints.unless_equal(&format!("{dialect}: crawl delay"), millis, expected_millis);
        invalid_is_reported(&robots, expected == Delay::Invalid, complaints);
    }
}

/// The request rate of the `*` group.
pub(crate) fn request_rate(bytes: &[u8], expected: Rate, complaints: &mut Complaints) {
    for dialect in BOTH {
        let robots = dialect.parse(bytes);
        let found = robots.request_rates(AGENT);
        let is_right = match (expected, &*found) {
            (Rate::Invalid | Rate::Huge, []) => true,
            (Rate::Huge, [rate]) => rate.documents == u32::MAX,
            (Rate::Every { documents, seconds, window }, [rate]) => {
                let found_window = rate.window.map(|window| (clock(window.from), clock(window.to)));
                u64::from(rate.documents) == documents
                    && rate.period == Duration::from_secs(seconds)
                    && found_window == window
            }
            (Rate::Invalid | Rate::Huge | Rate::Every { .. }, _) => false,
        };
        complaints
            .unless(is_right, || format!("{dialect}: expected {expected:?}, but found {found:?}"));
        invalid_is_reported(&robots, found.is_empty(), complaints);
    }
}

/// `HHMM` as a number.
fn clock(time: MinuteOfDay) -> u16 {
    let minutes = time.since_midnight();
    minutes / 60 * 100 + minutes % 60
}

fn invalid_is_reported(robots: &verger::Robots, is_invalid: bool, complaints: &mut Complaints) {
    let is_reported =
        kinds(robots).iter().any(|(kind, _)| matches!(kind, DiagnosticKind::InvalidValue(_)));
    let dialect = robots.dialect();
    complaints.unless_equal(&format!("{dialect}: invalid value reported"), is_reported, is_invalid);
}

/// The sitemaps, in order, without duplicates, in both dialects.
pub(crate) fn sitemaps(bytes: &[u8], expected: &Sitemaps, complaints: &mut Complaints) {
    for (dialect, lines) in BOTH.into_iter().zip([&expected.rfc9309, &expected.google]) {
        let robots = dialect.parse(bytes);
        let found: Vec<_> = robots.sitemaps().collect();
        complaints.unless_equal(&format!("{dialect}: sitemaps"), found.len(), lines.len());
        for (found, line) in found.iter().zip(lines) {
            let raw = line.raw.bytes();
            complaints.unless_equal(&format!("{dialect}: sitemap"), found.raw(), &raw);
            sitemap_url(dialect, found, line, &raw, complaints);
            let is_reported =
                kinds(&robots).iter().any(|(kind, _)| *kind == DiagnosticKind::SitemapNotAbsolute);
            complaints.unless(is_reported || found.url().is_some(), || {
                format!("{dialect}: `{}` gives no URL, and nothing is reported", excerpt(&raw))
            });
        }
    }
}

fn sitemap_url(
    dialect: Dialect,
    found: &Sitemap<'_>,
    line: &SitemapLine,
    raw: &[u8],
    complaints: &mut Complaints,
) {
    let url = found.url();
    let is_right = match line.url {
        SitemapUrl::Absent => url.is_none(),
        SitemapUrl::AsWritten => url.map(str::as_bytes) == Some(raw),
        SitemapUrl::Becomes { parsed: wanted, offered } => {
            parsed(raw).as_deref() == Some(wanted)
                && url.map(str::as_bytes) == offered.then_some(raw)
        }
        SitemapUrl::NoHost => parsed(raw).is_none() && url.map(str::as_bytes) == Some(raw),
        SitemapUrl::TooLong => raw.len() > SITEMAP_MAX && url.is_none(),
    };
    complaints.unless(is_right, || {
        let shown = url.map(|url| excerpt(url.as_bytes()));
        format!("{dialect}: expected {:?}, but found {shown:?} for `{}`", line.url, excerpt(raw))
    });
}

fn parsed(text: &[u8]) -> Option<String> {
    let url = Url::parse(std::str::from_utf8(text).ok()?).ok()?;
    Some(url.into())
}

/// Number of sitemaps, all different.
pub(crate) fn sitemap_count(bytes: &[u8], count: usize, complaints: &mut Complaints) {
    for dialect in BOTH {
        let found = dialect.parse(bytes).sitemaps().count();
        complaints.unless_equal(&format!("{dialect}: sitemaps"), found, count);
    }
}
