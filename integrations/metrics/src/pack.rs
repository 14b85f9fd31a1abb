//! Metric packs by name, and tallies of them.

use std::fmt;
use std::str::FromStr;

use verger::{Dialect, UnknownName};

use crate::consent::{Consent, Consents};
use crate::crawlers::{Accessibility, CrawlerAccess};
use crate::statements::{Statements, Vocabularies};
use crate::table::Table;

/// A set of metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
/// Sums do not depend on the order of files. Memory is proportional to the distinct names of agents.
#[derive(Clone, Debug)]
pub struct Tally {
    dialect: Dialect,
    sums: Sums,
}

#[derive(Clone, Debug)]
enum Sums {
    Consent(Consents),
    Crawlers(Accessibility),
    Statements(Vocabularies),
}

impl Tally {
    /// An empty tally of a pack in a dialect.
    pub fn new(pack: Pack, dialect: Dialect) -> Self {
        let sums = match pack {
            Pack::Consent => Sums::Consent(Consents::default()),
            Pack::Crawlers => Sums::Crawlers(Accessibility::default()),
            Pack::Statements => Sums::Statements(Vocabularies::default()),
        };
        Self { dialect, sums }
    }

    /// Adds the file of a site.
    pub fn add(&mut self, body: &[u8]) {
        match &mut self.sums {
            Sums::Consent(sums) => sums.add(&Consent::of(body, self.dialect)),
            Sums::Crawlers(sums) => sums.add(&CrawlerAccess::of(body, self.dialect)),
            Sums::Statements(sums) => sums.add(&Statements::of(body, self.dialect)),
        }
    }

    /// The tables of the pack.
    pub fn tables(&self) -> Vec<Table> {
        match &self.sums {
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
        let expected =
            "expected a metric pack (consent, crawlers, statements), but found `almanac`";
        assert_eq!(error.to_string(), expected);
    }
}
