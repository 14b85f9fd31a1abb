//! Metric packs by name, and tallies of them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use verger::{Dialect, UnknownName};

use crate::consent::{Consent, Consents};
use crate::crawlers::{Accessibility, CrawlerAccess};
use crate::statements::{Statements, Vocabularies};
use crate::table::Table;

/// A set of metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Pack {
    /// [`Consent`], and the share of files that closes a site to each agent.
    Consent,
    /// [`CrawlerAccess`], and shares of sites that are closed to crawlers, by purpose.
    Crawlers,
    /// [`Statements`], and their shares by vocabulary.
    Statements,
}

impl Pack {
    /// All packs.
    pub const ALL: [Self; 3] = [Self::Consent, Self::Crawlers, Self::Statements];

    /// The name on command lines and in Python: `statements`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Consent => "consent",
            Self::Crawlers => "crawlers",
            Self::Statements => "statements",
        }
    }
}

impl FromStr for Pack {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let unknown = || UnknownName::new("a metric pack", name, Self::ALL.map(Self::name));
        Self::ALL.into_iter().find(|pack| pack.name() == name).ok_or_else(unknown)
    }
}

impl fmt::Display for Pack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The sums of a pack over many files.
///
/// Sums do not depend on the order of files. Memory is proportional to the distinct names of
/// agents.
///
/// Its serialised form is for [`merge`](Self::merge): it does not have the dialect.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tally {
    pack: Pack,
    #[serde(skip)]
    dialect: Dialect,
    // Those of other packs are empty.
    consent: Consents,
    crawlers: Accessibility,
    statements: Vocabularies,
}

impl Tally {
    /// An empty tally of a pack in a dialect.
    pub fn new(pack: Pack, dialect: Dialect) -> Self {
        let (consent, crawlers) = (Consents::default(), Accessibility::default());
        Self { pack, dialect, consent, crawlers, statements: Vocabularies::default() }
    }

    /// Adds the file of a site.
    pub fn add(&mut self, body: &[u8]) {
        match self.pack {
            Pack::Consent => self.consent.add(&Consent::of(body, self.dialect)),
            Pack::Crawlers => self.crawlers.add(&CrawlerAccess::of(body, self.dialect)),
            Pack::Statements => self.statements.add(&Statements::of(body, self.dialect)),
        }
    }

    /// Adds the sums of another tally of the same pack.
    pub fn merge(&mut self, other: &Self) {
        self.consent.merge(&other.consent);
        self.crawlers.merge(&other.crawlers);
        self.statements.merge(&other.statements);
    }

    /// The tables of the pack.
    pub fn tables(&self) -> Vec<Table> {
        match self.pack {
            Pack::Consent => self.consent.tables(),
            Pack::Crawlers => self.crawlers.tables(),
            Pack::Statements => self.statements.tables(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_parts_are_those_of_all_files() {
        let files = [
            "User-agent: a\nDisallow: /\nSitemap: /s\n",
            "User-agent: *\nDisallow: /x\nContent-Signal: search=yes\n",
            "User-agent: GPTBot\nDisallow: /\nUser-agent: a\nDisallow: /b\nContent-Signal: search=yes\n",
            "User-agent: *\nDisallow: /\nCrawl-delay: 1\n",
        ];
        for pack in Pack::ALL {
            let tally = |files: &[&str]| {
                let mut tally = Tally::new(pack, Dialect::RFC9309);
                for file in files {
                    tally.add(file.as_bytes());
                }
                tally
            };
            let mut merged = tally(&files[..1]);
            let part = postcard::to_stdvec(&tally(&files[1..])).unwrap();
            merged.merge(&postcard::from_bytes(&part).unwrap());
            assert_eq!(merged.tables(), tally(&files).tables(), "{pack}");
            assert!(postcard::from_bytes::<Tally>(&part[..part.len() / 2]).is_err(), "{pack}");
        }
    }

    #[test]
    fn packs_are_found_by_their_names() {
        for pack in Pack::ALL {
            assert_eq!(pack.to_string().parse(), Ok(pack));
        }
        let error = "almanac".parse::<Pack>().unwrap_err();
        let expected =
            "expected a metric pack (consent, crawlers, statements), but found `almanac`";
        assert_eq!(error.to_string(), expected);
    }
}
