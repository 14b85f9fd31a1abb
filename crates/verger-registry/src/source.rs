//! Sources of facts.

use core::fmt;

use crate::Date;

/// A page, a release or a file in which a fact was read.
///
/// [`Display`](fmt::Display) writes the URL and the date.
///
/// # Examples
///
/// ```
/// use verger_registry::{Field, Registry};
///
/// let crawler = Registry::bundled().find("bingbot").expect("a known crawler");
/// let source = crawler.source_of(Field::Chain).expect("a documented chain");
/// assert!(source.url().starts_with("https://blogs.bing.com/"));
/// assert_eq!(source.date().to_string(), "2010-06");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactSource {
    pub(crate) url: String,
    pub(crate) published: Option<Date>,
    pub(crate) read: Date,
}

impl FactSource {
    /// The URL, with scheme https.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The date of the text: its release, its revision or its copy. If the text has no date, the
    /// day on which it was read.
    pub fn date(&self) -> Date {
        self.published.unwrap_or(self.read)
    }

    /// Whether the text has a date. Without one, it can be older than [`date`](Self::date).
    pub const fn is_dated(&self) -> bool {
        self.published.is_some()
    }

    /// The day on which the text was read for this data.
    pub const fn read(&self) -> Date {
        self.read
    }
}

impl fmt::Display for FactSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let undated = if self.is_dated() { "" } else { "undated, read " };
        write!(f, "{} ({undated}{})", self.url, self.date())
    }
}
