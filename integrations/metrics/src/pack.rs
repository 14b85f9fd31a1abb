//! Metric packs by name, and tallies of them.

use std::fmt;
use std::str::FromStr;

use verger::Dialect;

use crate::almanac::Almanac;
use crate::common_crawl::{CaptureStatistics, Captures};
use crate::consent::{Consent, Consents};
use crate::crawlers::{Accessibility, CrawlerAccess};
use crate::fetched::{Fetched, TooLarge};
use crate::http_archive::RobotsTxt;
use crate::statements::{Statements, Vocabularies};
use crate::table::Table;

/// A set of metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Pack {
    /// [`RobotsTxt`], and the Web Almanac's tables over it.
    HttpArchive,
    /// [`CaptureStatistics`], and Common Crawl's tables over it.
    CommonCrawl,
    /// [`Consent`], and the table of studies of consent, as published and by the engine.
    Consent,
    /// [`CrawlerAccess`], and shares of sites that are closed to crawlers, by purpose.
    Crawlers,
    /// [`Statements`], and their shares by vocabulary.
    Statements,
}

impl Pack {
    /// All packs.
    pub const ALL: [Self; 5] =
        [Self::HttpArchive, Self::CommonCrawl, Self::Consent, Self::Crawlers, Self::Statements];

    /// The name on command lines and in Python: `http-archive`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HttpArchive => "http-archive",
            Self::CommonCrawl => "common-crawl",
            Self::Consent => "consent",
            Self::Crawlers => "crawlers",
            Self::Statements => "statements",
        }
    }
}

impl FromStr for Pack {
    type Err = UnknownPack;

    fn from_str(name: &str) -> Result<Self, UnknownPack> {
        Self::ALL.into_iter().find(|pack| pack.name() == name).ok_or(UnknownPack)
    }
}

impl fmt::Display for Pack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is that of no pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownPack;

impl fmt::Display for UnknownPack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a metric pack (")?;
        for (at, pack) in Pack::ALL.iter().enumerate() {
            write!(f, "{}`{pack}`", if at == 0 { "" } else { ", " })?;
        }
        f.write_str(")")
    }
}

impl std::error::Error for UnknownPack {}

/// The sums of a pack over many files.
///
/// Sums do not depend on the order of files, nor on how they are split over tallies that are merged.
/// Memory is proportional to the distinct names of agents and of unknown keys.
///
/// # Examples
///
/// ```
/// use verger_metrics::{Fetched, Pack, Tally};
///
/// let mut tally = Tally::new(Pack::Crawlers);
/// tally.add(Some(&Fetched::from(&b"User-agent: GPTBot\nDisallow: /\n"[..])))?;
/// let mut other = Tally::new(Pack::Crawlers);
/// other.add(Some(&Fetched::from(&b""[..])))?;
/// tally.merge(other);
/// let tables = tally.tables();
/// assert_eq!(tables[0].name, "closed_by_purpose");
/// # Ok::<(), verger_metrics::TooLarge>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tally {
    dialect: Dialect,
    sums: Sums,
}

#[derive(Clone, Debug)]
enum Sums {
    HttpArchive(Almanac),
    CommonCrawl(Captures),
    Consent(Consents),
    Crawlers(Accessibility),
    Statements(Vocabularies),
}

impl Tally {
    /// An empty tally of a pack, in the dialect `rfc9309`.
    pub fn new(pack: Pack) -> Self {
        Self::in_dialect(pack, Dialect::RFC9309)
    }

    /// An empty tally of a pack. Packs that are not the engine's ignore the dialect.
    pub fn in_dialect(pack: Pack, dialect: Dialect) -> Self {
        let sums = match pack {
            Pack::HttpArchive => Sums::HttpArchive(Almanac::default()),
            Pack::CommonCrawl => Sums::CommonCrawl(Captures::default()),
            Pack::Consent => Sums::Consent(Consents::default()),
            Pack::Crawlers => Sums::Crawlers(Accessibility::default()),
            Pack::Statements => Sums::Statements(Vocabularies::default()),
        };
        Self { dialect, sums }
    }

    /// Adds a site; `None` if its robots.txt could not be fetched. The engine's packs count such a
    /// site not at all: nothing is known about it.
    ///
    /// # Errors
    ///
    /// If the file is hostile. It is not counted then.
    pub fn add(&mut self, fetched: Option<&Fetched<'_>>) -> Result<(), TooLarge> {
        match (&mut self.sums, fetched) {
            (Sums::HttpArchive(sums), fetched) => {
                sums.add(fetched.map(RobotsTxt::of).transpose()?.as_ref());
            }
            (Sums::CommonCrawl(sums), fetched) => {
                let counts = fetched.map(CaptureStatistics::of).transpose()?;
                sums.add(fetched.zip(counts.as_ref()));
            }
            (_, None) => {}
            (Sums::Consent(sums), Some(file)) => sums.add(&Consent::of(file.body, self.dialect)?),
            (Sums::Crawlers(sums), Some(file)) => {
                sums.add(&CrawlerAccess::of(file.body, self.dialect));
            }
            (Sums::Statements(sums), Some(file)) => {
                sums.add(&Statements::of(file.body, self.dialect));
            }
        }
        Ok(())
    }

    /// Adds the files of another tally.
    ///
    /// # Panics
    ///
    /// If it is of another pack.
    pub fn merge(&mut self, other: Self) {
        match (&mut self.sums, other.sums) {
            (Sums::HttpArchive(sums), Sums::HttpArchive(more)) => sums.merge(more),
            (Sums::CommonCrawl(sums), Sums::CommonCrawl(more)) => sums.merge(more),
            (Sums::Consent(sums), Sums::Consent(more)) => sums.merge(more),
            (Sums::Crawlers(sums), Sums::Crawlers(more)) => sums.merge(more),
            (Sums::Statements(sums), Sums::Statements(more)) => sums.merge(more),
            (sums, more) => panic!("expected tallies of one pack, but found {sums:?} and {more:?}"),
        }
    }

    /// The tables of the pack.
    pub fn tables(&self) -> Vec<Table> {
        match &self.sums {
            Sums::HttpArchive(sums) => sums.tables(),
            Sums::CommonCrawl(sums) => sums.tables(),
            Sums::Consent(sums) => sums.tables(),
            Sums::Crawlers(sums) => sums.tables(),
            Sums::Statements(sums) => sums.tables(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packs_are_found_by_their_names() {
        for pack in Pack::ALL {
            assert_eq!(pack.to_string().parse(), Ok(pack));
        }
        let error = "almanac".parse::<Pack>().unwrap_err();
        assert!(
            error.to_string().starts_with("expected a metric pack (`http-archive`, "),
            "{error}"
        );
    }

    #[test]
    fn a_site_without_a_file_counts_only_where_it_is_published() {
        let total = |pack| -> u64 {
            let mut tally = Tally::new(pack);
            tally.add(None).unwrap();
            let tables = tally.tables();
            let counts = tables.iter().flat_map(|table| &table.rows).flatten();
            counts
                .map(|value| if let crate::Value::Count(it) = value { *it } else { 0 })
                .max()
                .unwrap_or(0)
        };
        assert_eq!(total(Pack::HttpArchive), 1);
        assert_eq!(total(Pack::CommonCrawl), 1);
        assert_eq!(total(Pack::Statements), 0);
    }
}
