//! Statements by vocabulary: records beside the rules, and preferences for uses of content.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use verger::Dialect;
use verger::extension::Extension;

use crate::table::{Kind, Table, merge, share};

/// The statements of one file.
///
/// # Examples
///
/// ```
/// use verger::Dialect;
/// use verger_metrics::Statements;
///
/// let text = b"User-agent: *\nContent-Signal: search=yes, ai-train=no\nContent-Usage: train-ai=n\nX: y\n";
/// let statements = Statements::of(text, Dialect::RFC9309);
/// assert_eq!(statements.counts["Content-Signal"], 1);
/// assert_eq!(statements.counts["other"], 1);
/// let preferences: Vec<_> = statements.preferences.iter().copied().collect();
/// assert_eq!(
///     preferences,
///     [
///         ("Content-Signal", "ai-train", "no"),
///         ("Content-Signal", "search", "yes"),
///         ("Content-Usage", "train-ai", "n"),
///     ]
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statements {
    /// Records by the usual spelling of their key, such as `Crawl-delay`; `other` for unknown keys.
    pub counts: BTreeMap<&'static str, u64>,
    /// Vocabulary, use and answer of each preference that some line of the file states. A file that
    /// gives different answers for different crawlers or paths has several.
    pub preferences: BTreeSet<(&'static str, &'static str, &'static str)>,
}

impl Statements {
    /// The statements of a file.
    pub fn of(body: &[u8], dialect: Dialect) -> Self {
        let mut statements = Self::default();
        for record in dialect.parse(body).records() {
            let key = record.kind().key();
            let key = if key.is_empty() { "other" } else { key };
            *statements.counts.entry(key).or_default() += 1;
            match record.extension() {
                Ok(Extension::ContentSignal(line)) => {
                    let signals = line.signals();
                    let stated = signals.stated().map(|(key, word)| ("Content-Signal", key, word));
                    statements.preferences.extend(stated);
                }
                Ok(Extension::ContentUsage(line)) => {
                    let stated = line.usage.stated();
                    let stated = stated.map(|(key, token)| ("Content-Usage", key, token));
                    statements.preferences.extend(stated);
                }
                // A value that does not parse states nothing.
                _ => {}
            }
        }
        statements
    }
}

/// Sums over files.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Vocabularies {
    sites: u64,
    /// Records and files.
    counts: BTreeMap<String, [u64; 2]>,
    /// Files.
    preferences: BTreeMap<[String; 3], [u64; 1]>,
}

impl Vocabularies {
    pub(crate) fn add(&mut self, statements: &Statements) {
        self.sites += 1;
        for (key, count) in &statements.counts {
            let [sum, files] = self.counts.entry((*key).to_owned()).or_default();
            (*sum, *files) = (*sum + count, *files + 1);
        }
        for (vocabulary, name, answer) in &statements.preferences {
            let key = [*vocabulary, *name, *answer].map(str::to_owned);
            self.preferences.entry(key).or_default()[0] += 1;
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.sites += other.sites;
        merge(&mut self.counts, &other.counts);
        merge(&mut self.preferences, &other.preferences);
    }

    pub(crate) fn tables(&self) -> Vec<Table> {
        let mut counts: Vec<_> = self.counts.iter().collect();
        counts.sort_by_key(|(_, [_, files])| std::cmp::Reverse(*files));
        let counts = counts.into_iter().map(|(key, [count, files])| {
            let pct = share(*files, self.sites);
            vec![key.as_str().into(), (*count).into(), (*files).into(), pct]
        });
        let preferences = self.preferences.iter().map(|(texts, [files])| {
            let texts = texts.iter().map(|text| text.as_str().into());
            texts.chain([(*files).into(), share(*files, self.sites)]).collect()
        });
        vec![
            Table {
                name: "statements",
                columns: &[
                    ("statement", Kind::Text),
                    ("records", Kind::Count),
                    ("sites", Kind::Count),
                    ("pct", Kind::Share),
                ],
                rows: counts.collect(),
            },
            Table {
                name: "preferences",
                columns: &[
                    ("vocabulary", Kind::Text),
                    ("use", Kind::Text),
                    ("answer", Kind::Text),
                    ("sites", Kind::Count),
                    ("pct", Kind::Share),
                ],
                rows: preferences.collect(),
            },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [&str; 3] = [
        "User-agent: *\nContent-Signal: ai-train=no\nCrawl-delay: 1\nUser-agent: a\nCrawl-delay: 2\n\
         Content-Signal: ai-train=yes\n",
        "User-agent: *\nContent-Usage: train-ai=n, search=y, ai-use=n, bots=n\nContent-Signal: nonsense\n",
        "",
    ];

    fn tally(files: &[&str]) -> Vocabularies {
        let mut sums = Vocabularies::default();
        for file in files {
            sums.add(&Statements::of(file.as_bytes(), Dialect::RFC9309));
        }
        sums
    }

    #[test]
    fn files_count_once_for_each_statement_and_each_answer() {
        let tables = tally(&FILES).tables();
        let third = 1.0 / 3.0;
        let rows = |table: &Table| -> Vec<(String, u64, u64)> {
            let row = |row: &Vec<serde_json::Value>| {
                let [count, files] = [&row[1], &row[2]].map(|it| it.as_u64().unwrap());
                (row[0].as_str().unwrap().to_owned(), count, files)
            };
            table.rows.iter().map(row).collect()
        };
        let expected = [("Content-Signal", 3, 2), ("Content-Usage", 1, 1), ("Crawl-delay", 2, 1)];
        assert_eq!(
            rows(&tables[0]),
            expected.map(|(key, all, files)| (key.to_owned(), all, files))
        );
        let preferences = [
            ("Content-Signal", "ai-train", "no"),
            ("Content-Signal", "ai-train", "yes"),
            ("Content-Usage", "ai-use", "n"),
            ("Content-Usage", "search", "y"),
            ("Content-Usage", "train-ai", "n"),
        ];
        let expected: [Vec<serde_json::Value>; 5] =
            preferences.map(|(vocabulary, name, answer)| {
                vec![vocabulary.into(), name.into(), answer.into(), 1.into(), third.into()]
            });
        assert_eq!(tables[1].rows, expected);
    }
}
