//! Extensions: records beside the rules, typed. They never change a verdict (REP-EXT-1).
//!
//! # Flow
//!
//! [`Robots::records`](crate::Robots::records) reads the text again and returns every record that
//! is neither a user-agent line nor a rule, including unknown ones, with its group.
//! [`Record::extension`] reads the value. Other methods of `Robots` return the values for a
//! crawler: `crawl_delay`, `request_rates`, `content_usage` and so on. Parsing a file reads no
//! extension, so they cost nothing unless requested.
//!
//! # Scope
//!
//! A record belongs to its group or to the file (REP-EXT-2): `Sitemap`, `Agentmap`, `Schemamap`,
//! `Host` and `Clean-param` always belong to the file, and so does `License` before the first
//! user-agent line. `Crawl-delay`, `Request-rate`, `Max-Crawl-Rate` and `Visit-time` belong to the
//! user-agent lines directly above them, not to the other agents of the group (REP-AMB-4).

mod address;
mod clean_param;
mod record;
mod records;
mod signal;
mod structured;
mod timing;
mod usage;
mod value;

pub use address::{Host, License, SignatureAgent, Sitemap};
pub use clean_param::CleanParam;
pub(crate) use record::KEYED;
pub use record::{Record, RecordKind};
pub use signal::{ContentSignal, Extent, Signals};
pub use timing::{MinuteOfDay, RequestRate, Window};
pub use usage::{Category, ContentUsage, Preference, Usage};
pub use value::InvalidValue;

use core::time::Duration;

/// The typed value of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Extension<'r> {
    /// `Sitemap` (REP-SYNTAX-40).
    Sitemap(Sitemap<'r>),
    /// `Agentmap` (REP-AMB-63).
    Agentmap(Sitemap<'r>),
    /// `Schemamap` (REP-AMB-63).
    Schemamap(Sitemap<'r>),
    /// `Crawl-delay` (REP-EXT-4).
    CrawlDelay(Duration),
    /// `Request-rate` (REP-EXT-10, REP-EXT-11).
    RequestRate(RequestRate),
    /// `Visit-time` (REP-EXT-10): permitted times for requests, in UTC.
    VisitTime(Window),
    /// `Robot-version` (REP-EXT-10): the version of the protocol, such as `1.0` or `2.0.0`.
    RobotVersion(&'r [u8]),
    /// `Comment` (REP-EXT-10): a message to the operator of the crawler.
    Comment(&'r [u8]),
    /// `Host` (REP-EXT-22).
    Host(Host<'r>),
    /// `Clean-param` (REP-EXT-20).
    CleanParam(CleanParam<'r>),
    /// `Noindex` (REP-EXT-25): a path. No crawler honours it any more.
    Noindex(&'r [u8]),
    /// `Nofollow` (REP-EXT-25): a path. No crawler honours it any more.
    Nofollow(&'r [u8]),
    /// `Content-Signal` (REP-EXT-30).
    ContentSignal(ContentSignal<'r>),
    /// `Content-Usage` (REP-EXT-33).
    ContentUsage(ContentUsage<'r>),
    /// `License` (REP-EXT-40).
    License(License<'r>),
    /// `Signature-Agent` (REP-EXT-42).
    SignatureAgent(SignatureAgent<'r>),
    /// `Max-Crawl-Rate` (REP-EXT-42).
    MaxCrawlRate(RequestRate),
    /// A record with an unknown key.
    Unknown,
}

impl<'r> Record<'r> {
    /// Reads the value.
    ///
    /// # Errors
    ///
    /// If the value does not have the expected form, as in `Crawl-delay: soon`. The record then has
    /// no effect; its raw value is still available.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use verger::{Robots, extension::Extension};
    ///
    /// let robots = Robots::parse("User-agent: *\nCrawl-delay: 2.5\nCrawl-delay: soon\nX-Note: hi\n");
    /// let values: Vec<_> = robots.records().map(|record| record.extension()).collect();
    /// assert_eq!(values[0], Ok(Extension::CrawlDelay(Duration::from_millis(2_500))));
    /// assert!(values[1].is_err());
    /// assert_eq!(values[2], Ok(Extension::Unknown));
    /// ```
    pub fn extension(&self) -> Result<Extension<'r>, InvalidValue> {
        match self.kind() {
            RecordKind::CleanParam => self.clean_param().map(Extension::CleanParam),
            kind => Extension::parse(kind, self.value()),
        }
    }
}

impl<'r> Extension<'r> {
    /// Reads the value of a record of a kind.
    ///
    /// # Errors
    ///
    /// If the value does not have the expected form.
    pub fn parse(kind: RecordKind, value: &'r [u8]) -> Result<Self, InvalidValue> {
        Ok(match kind {
            RecordKind::Sitemap => Extension::Sitemap(Sitemap::new(value)),
            RecordKind::Agentmap => Extension::Agentmap(Sitemap::new(value)),
            RecordKind::Schemamap => Extension::Schemamap(Sitemap::new(value)),
            RecordKind::CrawlDelay => Extension::CrawlDelay(timing::parse_crawl_delay(value)?),
            RecordKind::RequestRate => Extension::RequestRate(RequestRate::parse(value)?),
            RecordKind::VisitTime => Extension::VisitTime(Window::parse(value)?),
            RecordKind::RobotVersion => Extension::RobotVersion(value::version(value)?),
            RecordKind::Comment => Extension::Comment(value),
            RecordKind::Host => Extension::Host(Host::parse(value)?),
            RecordKind::CleanParam => Extension::CleanParam(CleanParam::parse(value)?),
            RecordKind::Noindex => Extension::Noindex(value),
            RecordKind::Nofollow => Extension::Nofollow(value),
            RecordKind::ContentSignal => Extension::ContentSignal(ContentSignal::parse(value)?),
            RecordKind::ContentUsage => Extension::ContentUsage(ContentUsage::parse(value)?),
            RecordKind::License => Extension::License(License::parse(value)?),
            RecordKind::SignatureAgent => Extension::SignatureAgent(SignatureAgent::parse(value)?),
            RecordKind::MaxCrawlRate => {
                Extension::MaxCrawlRate(RequestRate::parse_max_crawl(value)?)
            }
            RecordKind::Unknown => Extension::Unknown,
        })
    }
}

/// Whether a statement about the use of content gives a known use an unknown value, so that it has
/// no effect. `value` is the value of the whole line.
pub(crate) fn has_unknown_preference(extension: &Extension<'_>, value: &[u8]) -> bool {
    match extension {
        Extension::ContentSignal(line) => line.has_unknown_signal(),
        Extension::ContentUsage(_) => usage::has_unknown_preference(value),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
