//! Changes between two versions of a file, and their sums over many sites.

use std::collections::BTreeMap;

use verger::Dialect;

use crate::consent::Restriction;
use crate::crawlers::CrawlerAccess;
use crate::statements::Statements;
use crate::table::{Kind, Table, Value};

/// Changes between two versions of a file.
///
/// # Examples
///
/// ```
/// use verger::Dialect;
/// use verger_metrics::{Changes, Restriction};
///
/// let after = b"User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nContent-Signal: ai-train=no\n";
/// let changes = Changes::between(b"", after, Dialect::RFC9309);
/// assert_eq!(changes.crawlers["GPTBot"], (Restriction::None, Restriction::All));
/// assert_eq!(changes.crawlers.len(), 1);
/// assert_eq!(changes.gained, ["Content-Signal"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changes {
    /// Known crawlers whose restriction differs, with both.
    pub crawlers: BTreeMap<&'static str, (Restriction, Restriction)>,
    /// Statements that only the later version has, by the usual spelling of their key.
    pub gained: Vec<&'static str>,
    /// Statements that only the earlier version has.
    pub lost: Vec<&'static str>,
    /// Whether the bytes differ.
    pub is_edited: bool,
}

impl Changes {
    /// The changes from a version to a later one.
    pub fn between(before: &[u8], after: &[u8], dialect: Dialect) -> Self {
        if before == after {
            return Self::default();
        }
        let access = [before, after].map(|file| CrawlerAccess::of(file, dialect));
        let counts = [before, after].map(|file| Statements::of(file, dialect).counts);
        let only = |one: usize| -> Vec<&'static str> {
            counts[one].keys().filter(|key| !counts[1 - one].contains_key(**key)).copied().collect()
        };
        let crawlers = access[0].changes(&access[1]);
        Self {
            crawlers: crawlers
                .map(|(crawler, one, other)| (crawler.token(), (one, other)))
                .collect(),
            gained: only(1),
            lost: only(0),
            is_edited: true,
        }
    }
}

/// Sums of changes over sites with two versions.
///
/// # Examples
///
/// ```
/// use verger::Dialect;
/// use verger_metrics::{ChangeTally, Changes};
///
/// let mut tally = ChangeTally::default();
/// let after = b"User-agent: GPTBot\nDisallow: /\n";
/// tally.add(&Changes::between(b"", after, Dialect::RFC9309));
/// tally.add(&Changes::between(after, after, Dialect::RFC9309));
/// let [sites, crawlers, _] = &tally.tables()[..] else { panic!() };
/// assert_eq!(sites.to_json_lines(), "{\"sites\":2,\"edited\":1,\"pct_edited\":0.5}\n");
/// assert_eq!(
///     crawlers.to_json_lines(),
///     "{\"crawler\":\"GPTBot\",\"closed\":1,\"restricted\":0,\"relaxed\":0,\"opened\":0}\n"
/// );
/// ```
#[derive(Clone, Debug, Default)]
pub struct ChangeTally {
    sites: u64,
    edited: u64,
    /// Closed, restricted, relaxed, opened.
    crawlers: BTreeMap<&'static str, [u64; 4]>,
    /// Gained, lost.
    statements: BTreeMap<&'static str, [u64; 2]>,
}

impl ChangeTally {
    /// Adds a site.
    pub fn add(&mut self, changes: &Changes) {
        self.sites += 1;
        self.edited += u64::from(changes.is_edited);
        for (token, (before, after)) in &changes.crawlers {
            let at = match (before, after) {
                (_, Restriction::All) => 0,
                (Restriction::All, _) => 3,
                (before, after) if before < after => 1,
                _ => 2,
            };
            self.crawlers.entry(token).or_default()[at] += 1;
        }
        for (at, keys) in [&changes.gained, &changes.lost].into_iter().enumerate() {
            for key in keys {
                self.statements.entry(key).or_default()[at] += 1;
            }
        }
    }

    /// Adds the sites of another tally.
    pub fn merge(&mut self, other: Self) {
        self.sites += other.sites;
        self.edited += other.edited;
        for (token, counts) in other.crawlers {
            let sums = self.crawlers.entry(token).or_default();
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        for (key, counts) in other.statements {
            let sums = self.statements.entry(key).or_default();
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
    }

    /// The tables `changed_sites`; `changed_crawlers` with the sites that closed everything to each
    /// crawler, restricted or relaxed it partly, or opened something again; and `changed_statements`.
    pub fn tables(&self) -> Vec<Table> {
        let mut crawlers: Vec<_> = self.crawlers.iter().collect();
        crawlers.sort_by_key(|(_, counts)| std::cmp::Reverse(counts[0]));
        let crawlers = crawlers.into_iter().map(|(token, counts)| {
            let mut row = vec![(*token).into()];
            row.extend(counts.map(Value::Count));
            row
        });
        let statements = self
            .statements
            .iter()
            .map(|(key, [gained, lost])| vec![(*key).into(), (*gained).into(), (*lost).into()]);
        vec![
            Table {
                name: "changed_sites",
                columns: &[
                    ("sites", Kind::Count),
                    ("edited", Kind::Count),
                    ("pct_edited", Kind::Share),
                ],
                rows: vec![vec![
                    self.sites.into(),
                    self.edited.into(),
                    Value::share(self.edited, self.sites),
                ]],
            },
            Table {
                name: "changed_crawlers",
                columns: &[
                    ("crawler", Kind::Text),
                    ("closed", Kind::Count),
                    ("restricted", Kind::Count),
                    ("relaxed", Kind::Count),
                    ("opened", Kind::Count),
                ],
                rows: crawlers.collect(),
            },
            Table {
                name: "changed_statements",
                columns: &[
                    ("statement", Kind::Text),
                    ("gained", Kind::Count),
                    ("lost", Kind::Count),
                ],
                rows: statements.collect(),
            },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_direction_of_a_change_has_its_column() {
        let text = |rules: &str| format!("User-agent: GPTBot\n{rules}\n");
        let versions = [
            ("Disallow: /", "Disallow: /x"),
            ("Disallow:", "Disallow: /"),
            ("Disallow:", "Disallow: /x"),
            ("Disallow: /x", "Disallow:"),
            ("Disallow: /x", "Disallow: /y"),
        ];
        let (mut all, mut merged) = (ChangeTally::default(), ChangeTally::default());
        for (before, after) in versions {
            let [before, after] = [text(before), text(after)];
            let changes = Changes::between(before.as_bytes(), after.as_bytes(), Dialect::RFC9309);
            all.add(&changes);
            let mut one = ChangeTally::default();
            one.add(&changes);
            merged.merge(one);
        }
        let tables = all.tables();
        assert_eq!(tables[1].rows[0][1..], [1, 1, 1, 1].map(Value::Count));
        assert_eq!(tables[0].rows[0][..2], [5, 5].map(Value::Count));
        assert_eq!(merged.tables(), tables);
    }

    #[test]
    fn statements_are_gained_and_lost() {
        let changes =
            Changes::between(b"Host: a\nX: y\n", b"Sitemap: /s\nX: z\n", Dialect::RFC9309);
        assert_eq!((&*changes.gained, &*changes.lost), (&["Sitemap"][..], &["Host"][..]));
    }
}
