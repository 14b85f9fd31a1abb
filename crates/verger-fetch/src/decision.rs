//! A decision: a verdict and what it rests on.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use url::Url;
use verger::access::Access;
use verger::{Crawler, Reason, Robots, Verdict};

use crate::record::Record;

/// Whether a crawler may fetch a URL, and the evidence: which file of which bytes, fetched when and by
/// which redirects, read in which dialect and access profile, by which version.
///
/// `Display` is the sentence of the verdict.
#[derive(Clone, Debug)]
pub struct Decision {
    url: Url,
    crawler: Arc<Crawler>,
    access_profile: &'static str,
    access: Access,
    record: Option<Arc<Record>>,
    robots: Arc<Robots>,
    source: Source,
}

/// Where the record of a decision is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// A fetch that the question waited for.
    Fetch,
    /// The store.
    Store,
    /// No record was needed: the URL or the crawler needs no robots.txt.
    Nothing,
}

impl Source {
    /// The name in JSON output: `store`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fetch => "fetch",
            Self::Store => "store",
            Self::Nothing => "nothing",
        }
    }
}

impl Decision {
    pub(crate) fn new(
        url: Url,
        crawler: Arc<Crawler>,
        access_profile: &'static str,
        access: Access,
        record: Option<Arc<Record>>,
        robots: Arc<Robots>,
        source: Source,
    ) -> Self {
        Self { url, crawler, access_profile, access, record, robots, source }
    }

    /// The same, asked by another crawler of a file that was parsed for it.
    pub(crate) fn asked_by(self, crawler: Arc<Crawler>, robots: Arc<Robots>) -> Self {
        Self { crawler, robots, ..self }
    }

    /// Whether the crawler may fetch the URL.
    pub fn is_allowed(&self) -> bool {
        self.verdict().is_allowed()
    }

    /// Why.
    pub fn reason(&self) -> Reason {
        self.verdict().reason()
    }

    /// The verdict, with the rule that decided and its place.
    ///
    /// # Complexity
    ///
    /// As [`Robots::check`]: it is asked, not kept.
    pub fn verdict(&self) -> Verdict<'_> {
        let (crawler, url) = (self.crawler.as_ref(), self.url.as_str());
        let verdict = self.access.verdict(Some(&self.robots), crawler, url);
        // A decision is made only where something is known.
        verdict.unwrap_or_else(|| self.robots.check(crawler, url))
    }

    /// The URL as it was checked: as a client would send it.
    pub const fn url(&self) -> &Url {
        &self.url
    }

    /// The version of the library that decided.
    pub const fn version(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    /// Who asked.
    pub const fn crawler(&self) -> &Arc<Crawler> {
        &self.crawler
    }

    /// What the file was read as.
    pub fn dialect(&self) -> &'static str {
        self.robots.dialect().name
    }

    /// The name of the access profile.
    pub const fn access_profile(&self) -> &'static str {
        self.access_profile
    }

    /// What the fetches so far allow, until when, and whether that is stale and why it may be.
    pub const fn access(&self) -> Access {
        self.access
    }

    /// What is known of the origin: body and hash, status, redirects, times, flags. `None` where no
    /// robots.txt was needed.
    pub const fn record(&self) -> Option<&Arc<Record>> {
        self.record.as_ref()
    }

    /// The parsed file; one without rules where there is none.
    pub const fn robots(&self) -> &Arc<Robots> {
        &self.robots
    }

    /// Where the record is from.
    pub const fn source(&self) -> Source {
        self.source
    }

    /// The pause between two fetches that the file asks this crawler for (REP-EXT-3), as written: who
    /// waits caps it.
    pub fn delay(&self) -> Option<Duration> {
        self.robots.crawl_delay(self.crawler.as_ref())
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.verdict().fmt(f)
    }
}
