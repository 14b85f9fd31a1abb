//! Metric packs by name, and tallies of them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize as _, Deserializer, Serialize, Serializer};
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
/// Sums do not depend on the order of files. Memory is proportional to the distinct names of
/// agents.
///
/// Its serialised form has the sums alone, for [`merge`](Self::merge).
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

    /// Adds the sums of another tally of the same pack, from its serialised form.
    ///
    /// # Errors
    ///
    /// If the form is that of something else.
    pub fn merge<'de, D: Deserializer<'de>>(&mut self, serialized: D) -> Result<(), D::Error> {
        match &mut self.sums {
            Sums::Consent(sums) => sums.merge(Consents::deserialize(serialized)?),
            Sums::Crawlers(sums) => sums.merge(Accessibility::deserialize(serialized)?),
            Sums::Statements(sums) => sums.merge(Vocabularies::deserialize(serialized)?),
        }
        Ok(())
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

impl Serialize for Tally {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.sums {
            Sums::Consent(sums) => sums.serialize(serializer),
            Sums::Crawlers(sums) => sums.serialize(serializer),
            Sums::Statements(sums) => sums.serialize(serializer),
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
            merged.merge(&mut postcard::Deserializer::from_bytes(&part)).unwrap();
            assert_eq!(merged.tables(), tally(&files).tables(), "{pack}");
            let cut = &mut postcard::Deserializer::from_bytes(&part[..part.len() / 2]);
            assert!(merged.merge(cut).is_err(), "{pack}");
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
