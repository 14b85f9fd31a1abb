//! Known crawlers that a file closes the whole site to, by purpose.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use verger::{Crawler as Rules, Dialect};
use verger_analysis::Budget;
use verger_registry::{Crawler, Registry};

use crate::access::{Accesses, Restriction};
use crate::consent::Consent;
use crate::table::{Kind, Table, add, merge, share};

/// The restrictions of one file for every crawler of the registry that reads robots.txt.
///
/// # Examples
///
/// ```
/// use verger::Dialect;
/// use verger_metrics::{CrawlerAccess, Restriction};
///
/// let text = b"User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /cart\n";
/// let access = CrawlerAccess::of(text, Dialect::RFC9309);
/// let gptbot = access.crawlers().find(|(crawler, _)| crawler.token() == "GPTBot").expect("known");
/// assert_eq!(gptbot.1.restriction, Some(Restriction::All));
/// assert!(gptbot.1.is_named);
/// let others = access.crawlers().filter(|(_, it)| it.restriction == Some(Restriction::Some));
/// assert!(others.count() > 100);
/// ```
#[derive(Clone, Debug)]
pub struct CrawlerAccess {
    /// In the order of [`readers`].
    entries: Vec<Access>,
    is_site_closed: Option<bool>,
}

/// The restriction of one crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Access {
    /// The share of the site that it must not fetch; `None` if that was not decided.
    pub restriction: Option<Restriction>,
    /// Whether a group names it, or one of its fallbacks.
    pub is_named: bool,
}

impl CrawlerAccess {
    /// The restrictions of a file.
    ///
    /// # Complexity
    ///
    /// A search for the groups of each crawler; an analysis for each distinct set of groups.
    pub fn of(body: &[u8], dialect: Dialect) -> Self {
        let robots = dialect.parse(body);
        let (mut accesses, mut budget) = (Accesses::of(&robots), Budget::default());
        let entry = |(_, rules): &(&Crawler, Rules)| Access {
            restriction: accesses.of_crawler(rules, &mut budget),
            is_named: accesses.is_named(rules),
        };
        let entries = readers().iter().map(entry).collect();
        let is_site_closed = Consent::closes_site(&mut accesses, &mut budget);
        Self { entries, is_site_closed }
    }

    /// Whether the file closes the whole site to every crawler, named or not; `None` if that was
    /// not decided.
    pub fn is_site_closed(&self) -> Option<bool> {
        self.is_site_closed
    }

    /// The crawlers with their restrictions, in the order of the registry.
    pub fn crawlers(&self) -> impl Iterator<Item = (&'static Crawler, Access)> {
        readers().iter().map(|(crawler, _)| *crawler).zip(self.entries.iter().copied())
    }

    /// Names of the purposes of the crawlers that the file closes the whole site to, sorted.
    pub fn closed_purposes(&self) -> Vec<&'static str> {
        let closed = self.crawlers().filter(|(_, it)| it.restriction == Some(Restriction::All));
        let names: BTreeSet<_> = closed.map(|(crawler, _)| crawler.purpose().name()).collect();
        names.into_iter().collect()
    }
}

/// The crawlers of the registry that read robots.txt, with their rules. The others fetch the same
/// whatever it says.
fn readers() -> &'static [(&'static Crawler, Rules)] {
    static READERS: OnceLock<Vec<(&Crawler, Rules)>> = OnceLock::new();
    READERS.get_or_init(|| {
        let crawlers = Registry::bundled().crawlers().iter();
        let crawlers = crawlers.map(|crawler| (crawler, crawler.rules().clone()));
        crawlers.filter(|(_, rules)| !rules.ignores_robots()).collect()
    })
}

/// Sums over files.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Accessibility {
    sites: u64,
    /// For each reader: files that name it, that close the site to it by its name, and by their
    /// restriction: none, some, all, not decided.
    crawlers: Vec<[u64; 6]>,
    /// Files that close the site to any crawler of a purpose, to any by its name, and to every one.
    purposes: BTreeMap<String, [u64; 3]>,
}

impl Default for Accessibility {
    fn default() -> Self {
        let crawlers = vec![[0; 6]; readers().len()];
        Self { sites: 0, crawlers, purposes: BTreeMap::new() }
    }
}

impl Accessibility {
    pub(crate) fn add(&mut self, access: &CrawlerAccess) {
        self.sites += 1;
        // By purpose: whether any crawler, any by its name, and every one is closed out.
        let mut purposes: BTreeMap<&'static str, [bool; 3]> = BTreeMap::new();
        for ((crawler, entry), sums) in access.crawlers().zip(&mut self.crawlers) {
            let is_closed = entry.restriction == Some(Restriction::All);
            let by_name = is_closed && entry.is_named;
            sums[0] += u64::from(entry.is_named);
            sums[1] += u64::from(by_name);
            sums[2 + entry.restriction.map_or(3, |it| it as usize)] += 1;
            let [any, any_by_name, every] =
                purposes.entry(crawler.purpose().name()).or_insert([false, false, true]);
            *any |= is_closed;
            *any_by_name |= by_name;
            *every &= is_closed;
        }
        for (name, is) in purposes {
            add(self.purposes.entry(name.to_owned()).or_default(), &is.map(u64::from));
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.sites += other.sites;
        // The readers of one registry.
        self.crawlers.iter_mut().zip(&other.crawlers).for_each(|(sums, it)| add(sums, it));
        merge(&mut self.purposes, &other.purposes);
    }

    pub(crate) fn tables(&self) -> Vec<Table> {
        vec![self.by_purpose(), self.by_crawler()]
    }

    fn by_purpose(&self) -> Table {
        let mut purposes: BTreeMap<&str, u64> = BTreeMap::new();
        for (crawler, _) in readers() {
            *purposes.entry(crawler.purpose().name()).or_default() += 1;
        }
        let mut rows: Vec<_> = purposes
            .into_iter()
            .map(|(name, crawlers)| {
                (name, crawlers, self.purposes.get(name).copied().unwrap_or_default())
            })
            .collect();
        rows.sort_by_key(|(.., [any, ..])| std::cmp::Reverse(*any));
        let row = |(name, crawlers, sums): (&str, u64, [u64; 3])| {
            let sums = sums.into_iter().flat_map(|sum| [sum.into(), share(sum, self.sites)]);
            [name.into(), crawlers.into(), self.sites.into()].into_iter().chain(sums).collect()
        };
        Table {
            name: "closed_by_purpose",
            columns: &[
                ("purpose", Kind::Text),
                ("crawlers", Kind::Count),
                ("sites", Kind::Count),
                ("any_closed", Kind::Count),
                ("pct_any_closed", Kind::Share),
                ("any_closed_by_name", Kind::Count),
                ("pct_any_closed_by_name", Kind::Share),
                ("every_closed", Kind::Count),
                ("pct_every_closed", Kind::Share),
            ],
            rows: rows.into_iter().map(row).collect(),
        }
    }

    fn by_crawler(&self) -> Table {
        let mut rows: Vec<_> =
            readers().iter().map(|(crawler, _)| crawler).zip(&self.crawlers).collect();
        rows.sort_by_key(|(crawler, [.., all, _])| (std::cmp::Reverse(*all), crawler.token()));
        let row = |(crawler, sums): (&&Crawler, &[u64; 6])| {
            let [named, closed_by_name, none, some, all, undecided] = *sums;
            vec![
                crawler.token().into(),
                crawler.operator().into(),
                crawler.purpose().name().into(),
                crawler.robots_policy().name().into(),
                self.sites.into(),
                named.into(),
                all.into(),
                share(all, self.sites),
                closed_by_name.into(),
                some.into(),
                none.into(),
                undecided.into(),
            ]
        };
        Table {
            name: "closed_by_crawler",
            columns: &[
                ("crawler", Kind::Text),
                ("operator", Kind::Text),
                ("purpose", Kind::Text),
                ("robots_policy", Kind::Text),
                ("sites", Kind::Count),
                ("named", Kind::Count),
                ("closed", Kind::Count),
                ("pct_closed", Kind::Share),
                ("closed_by_name", Kind::Count),
                ("partly_closed", Kind::Count),
                ("open", Kind::Count),
                ("undecided", Kind::Count),
            ],
            rows: rows.into_iter().map(row).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Changes;

    const FILES: [&str; 4] = [
        "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n",
        "User-agent: *\nDisallow: /\n",
        "User-agent: *\nDisallow: /x\n",
        "",
    ];

    fn tally(files: &[&str]) -> Accessibility {
        let mut sums = Accessibility::default();
        for file in files {
            sums.add(&CrawlerAccess::of(file.as_bytes(), Dialect::RFC9309));
        }
        sums
    }

    #[test]
    fn a_purpose_is_closed_by_any_crawler_by_name_or_by_every_one() {
        let lines = tally(&FILES).tables()[0].to_json_lines();
        let training: serde_json::Value = lines
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
            .find(|row| row["purpose"] == "training")
            .unwrap();
        assert_eq!(training["any_closed"], 2);
        assert_eq!(training["any_closed_by_name"], 1);
        assert_eq!(training["every_closed"], 1);
        assert_eq!(training["pct_any_closed"], 0.5);
    }

    #[test]
    fn a_crawler_that_ignores_the_star_is_closed_by_its_name_only() {
        let rows = tally(&FILES).tables().swap_remove(1).to_json_lines();
        let of = |name: &str| -> serde_json::Value {
            let rows = rows.lines().map(|line| serde_json::from_str(line).unwrap());
            rows.into_iter().find(|row: &serde_json::Value| row["crawler"] == name).unwrap()
        };
        let counts =
            |name| ["named", "closed", "partly_closed", "open"].map(|it| of(name)[it].clone());
        assert_eq!(counts("GPTBot"), [1, 2, 1, 1]);
        assert_eq!(counts("AdsBot-Google"), [0, 0, 0, 4]);
        assert!(!rows.contains("Google-Safety"), "it ignores robots.txt");
    }

    #[test]
    fn a_closed_site_is_closed_to_named_and_unnamed_crawlers() {
        for (file, expected) in [
            ("User-agent: *\nDisallow: /\n", true),
            ("User-agent: *\nUser-agent: x\nDisallow: /*\nUser-agent: y\nDisallow: /\n", true),
            ("User-agent: *\nDisallow: /\nUser-agent: Googlebot\nDisallow: /x\n", false),
            ("User-agent: *\nDisallow: /\nAllow: /$\n", false),
            ("User-agent: GPTBot\nDisallow: /\n", false),
            ("", false),
        ] {
            let access = CrawlerAccess::of(file.as_bytes(), Dialect::RFC9309);
            assert_eq!(access.is_site_closed(), Some(expected), "{file}");
        }
    }

    #[test]
    fn changes_name_the_crawlers_whose_restriction_differs() {
        let [before, after] = [FILES[0], FILES[2]].map(str::as_bytes);
        let changes = Changes::between(before, after, Dialect::RFC9309).crawlers;
        assert_eq!(changes["GPTBot"], (Restriction::All, Restriction::Some));
        assert_eq!(changes["Googlebot"], (Restriction::None, Restriction::Some));
        assert!(!changes.contains_key("AdsBot-Google"));
        let commented = [before, b"# a comment\n"].concat();
        assert!(Changes::between(before, &commented, Dialect::RFC9309).crawlers.is_empty());
        let access = CrawlerAccess::of(before, Dialect::RFC9309);
        assert_eq!(access.closed_purposes(), ["dataset", "training"]);
    }
}
