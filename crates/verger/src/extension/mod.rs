//! Extensions: records beside the rules, typed. They never change a verdict (REP-EXT-1).
//!
//! # Flow
//!
//! [`Robots::records`](crate::Robots::records) walks the text again and gives every record that is neither a user-agent line
//! nor a rule, unknown ones included, with the group it stands in. [`Record::extension`] reads its
//! value. The methods beside it answer the usual questions for a crawler: `crawl_delay`,
//! `request_rate`, `content_usage` and so on. Nothing of this is read while a file is parsed, so who
//! does not ask does not pay.
//!
//! # Scope
//!
//! A record belongs to its group or to the file (REP-EXT-2): `Sitemap`, `Agentmap`, `Schemamap`, `Host`
//! and `Clean-param` always belong to the file, and so does `License` before the first user-agent line.
//! `Crawl-delay`, `Request-rate` and `Visit-time` belong to the user-agent lines directly above them, not to
//! the other agents of the group (REP-AMB-4).

mod clean_param;
mod crawl_delay;
mod host;
mod license;
mod number;
mod path;
mod rate;
mod record;
mod records;
mod robot_version;
mod signal;
mod sitemap;
mod structured;
mod usage;
mod window;

pub use clean_param::CleanParam;
pub use host::Host;
pub use license::License;
pub use rate::RequestRate;
pub use record::{Record, RecordKind};
pub use robot_version::RobotVersion;
pub use signal::{ContentSignal, Signal, Signals};
pub use sitemap::Sitemap;
pub use usage::{Category, ContentUsage, Preference, Usage};
pub use window::{MinuteOfDay, Window};

use core::fmt;
use core::time::Duration;

/// The value of a record, read.
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
    /// `Visit-time` (REP-EXT-10): when the crawler may come, in UTC.
    VisitTime(Window),
    /// `Robot-version` (REP-EXT-10).
    RobotVersion(RobotVersion),
    /// `Comment` (REP-EXT-10): a text for the people who run the crawler.
    Comment(&'r [u8]),
    /// `Host` (REP-EXT-22).
    Host(Host<'r>),
    /// `Clean-param` (REP-EXT-20).
    CleanParam(CleanParam<'r>),
    /// `Noindex` (REP-EXT-25): a path. Nobody honours it any more.
    Noindex(&'r [u8]),
    /// `Nofollow` (REP-EXT-25): a path. Nobody honours it any more.
    Nofollow(&'r [u8]),
    /// `Content-Signal` (REP-EXT-30).
    ContentSignal(ContentSignal<'r>),
    /// `Content-Usage` (REP-EXT-33).
    ContentUsage(ContentUsage<'r>),
    /// `License` (REP-EXT-40).
    License(License<'r>),
    /// A record we do not know.
    Unknown,
}

/// The value of a record is not what the record takes; the record then says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InvalidValue {
    expected: &'static str,
}

impl InvalidValue {
    const fn expected(expected: &'static str) -> Self {
        Self { expected }
    }
}

impl fmt::Display for InvalidValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, but found something else", self.expected)
    }
}

impl core::error::Error for InvalidValue {}

impl<'r> Record<'r> {
    /// Reads the value.
    ///
    /// # Errors
    ///
    /// When the value is not what the record takes, as in `Crawl-delay: soon`. The record then says
    /// nothing; its raw value is kept.
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
        let value = self.value();
        Ok(match self.kind() {
            RecordKind::Sitemap => Extension::Sitemap(Sitemap::new(value)),
            RecordKind::Agentmap => Extension::Agentmap(Sitemap::new(value)),
            RecordKind::Schemamap => Extension::Schemamap(Sitemap::new(value)),
            RecordKind::CrawlDelay => Extension::CrawlDelay(crawl_delay::parse(value)?),
            RecordKind::RequestRate => Extension::RequestRate(RequestRate::parse(value)?),
            RecordKind::VisitTime => Extension::VisitTime(Window::parse(value)?),
            RecordKind::RobotVersion => Extension::RobotVersion(RobotVersion::parse(value)?),
            RecordKind::Comment => Extension::Comment(value),
            RecordKind::Host => Extension::Host(Host::parse(value)?),
            RecordKind::CleanParam => Extension::CleanParam(self.clean_param()?),
            RecordKind::Noindex => Extension::Noindex(value),
            RecordKind::Nofollow => Extension::Nofollow(value),
            RecordKind::ContentSignal => Extension::ContentSignal(ContentSignal::parse(value)?),
            RecordKind::ContentUsage => Extension::ContentUsage(ContentUsage::parse(value)?),
            RecordKind::License => Extension::License(License::parse(value)?),
            RecordKind::Unknown => Extension::Unknown,
        })
    }
}

/// Whether a statement about the use of content names a use that is known with a value that is not, so
/// that nothing is stated for it. `value` is that of the whole line.
pub(crate) fn has_unknown_preference(extension: &Extension<'_>, value: &[u8]) -> bool {
    match extension {
        Extension::ContentSignal(line) => line.has_unknown_signal(),
        Extension::ContentUsage(_) => usage::has_unknown_preference(value),
        _ => false,
    }
}
