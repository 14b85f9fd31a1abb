//! Results of a run, their table, and the list of expected failures.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;

use super::load::LoadError;

/// Counts and failures of a run.
#[derive(Clone, Debug, Default)]
pub struct SuiteReport {
    /// By file and dialect.
    tallies: BTreeMap<(String, String), Tally>,
    /// All failures.
    pub failures: Vec<Failure>,
    /// Contested cases, with the default for each.
    contested: BTreeMap<String, String>,
}

/// Counts of answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of expected answers.
    pub passed: usize,
    /// Number of questions that the adapter cannot express.
    pub skipped: usize,
    /// Number of all questions.
    pub total: usize,
}

/// A case that failed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The file.
    pub file: String,
    /// The case.
    pub name: String,
    /// The dialect.
    pub dialect: String,
    /// The adapter's name.
    pub adapter: &'static str,
    /// The difference.
    pub message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, name, dialect, adapter, message } = self;
        write!(f, "{file}: {name} ({dialect}, {adapter}): {message}")
    }
}

impl SuiteReport {
    /// Counts one answer.
    pub(super) fn count(&mut self, file: &str, dialect: &str, outcome: Result<bool, Failure>) {
        let tally = self.tallies.entry((file.to_owned(), dialect.to_owned())).or_default();
        tally.total += 1;
        match outcome {
            Ok(true) => tally.passed += 1,
            Ok(false) => tally.skipped += 1,
            Err(failure) => self.failures.push(failure),
        }
    }

    pub(super) fn note_contested(&mut self, name: &str, default: &str) {
        self.contested.insert(name.to_owned(), default.to_owned());
    }

    /// The sum of all counts.
    pub fn tally(&self) -> Tally {
        Tally::sum(self.tallies.values())
    }

    /// Removes the expected failures; the others are problems. An entry that did not fail is stale,
    /// which is also a problem.
    pub fn unexpected(&self, expected: &ExpectedFailures) -> Vec<String> {
        let unlisted = |failure: &&Failure| !expected.contains(&failure.name, &failure.dialect);
        let failed = |name: &str, dialect: &str| {
            self.failures.iter().any(|failure| failure.name == name && failure.dialect == dialect)
        };
        let stale = expected.iter().filter(|(name, dialect)| !failed(name, dialect)).map(
            |(name, dialect)| format!("{name} ({dialect}): listed as failing, but it does not"),
        );
        self.failures.iter().filter(unlisted).map(Failure::to_string).chain(stale).collect()
    }
}

impl fmt::Display for SuiteReport {
    /// Passed and total per file and dialect, then the contested cases with their defaults.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut dialects: Vec<&str> = Vec::new();
        for (_, dialect) in self.tallies.keys() {
            if !dialects.contains(&dialect.as_str()) {
                dialects.push(dialect);
            }
        }
        // The order in which dialects are published, then access profiles that are not dialects.
        let place = |name: &str| {
            let dialects = verger::Dialect::PUBLISHED.map(|row| row.name);
            let profiles = verger::access::Profile::ALL.map(|row| row.name);
            dialects.iter().chain(&profiles).position(|&row| row == name)
        };
        dialects.sort_by_key(|name| place(name));
        let files: Vec<&str> = {
            let mut files: Vec<&str> = self.tallies.keys().map(|(file, _)| file.as_str()).collect();
            files.dedup();
            files
        };
        let width = files.iter().map(|file| file.len()).max().unwrap_or(4).max(4);
        write!(f, "{:width$}", "file")?;
        for dialect in &dialects {
            write!(f, "  {dialect:>10}")?;
        }
        writeln!(f)?;
        for file in files {
            write!(f, "{file:width$}")?;
            for dialect in &dialects {
                let key = (file.to_owned(), (*dialect).to_owned());
                write!(
                    f,
                    "  {:>10}",
                    self.tallies.get(&key).map_or_else(String::new, Tally::to_string)
                )?;
            }
            writeln!(f)?;
        }
        write!(f, "{:width$}", "all")?;
        for dialect in &dialects {
            let of_dialect = self.tallies.iter().filter(|((_, name), _)| name == dialect);
            let sum = Tally::sum(of_dialect.map(|(_, tally)| tally));
            write!(f, "  {:>10}", sum.to_string())?;
        }
        writeln!(f)?;
        if !self.contested.is_empty() {
            writeln!(f, "\ncontested, and the default taken:")?;
            for (name, default) in &self.contested {
                writeln!(f, "  {name}: {default}")?;
            }
        }
        Ok(())
    }
}

impl Tally {
    fn sum<'t>(tallies: impl Iterator<Item = &'t Self>) -> Self {
        tallies.fold(Self::default(), |sum, tally| Self {
            passed: sum.passed + tally.passed,
            skipped: sum.skipped + tally.skipped,
            total: sum.total + tally.total,
        })
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.passed, self.total)?;
        if self.skipped > 0 { write!(f, " -{}", self.skipped) } else { Ok(()) }
    }
}

/// The cases that are known to fail, each with its dialect. A stale entry is a failure.
#[derive(Clone, Debug, Default)]
pub struct ExpectedFailures {
    entries: BTreeSet<(String, String)>,
}

impl ExpectedFailures {
    /// Reads `name dialect` lines; `#` begins a comment line.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, a line is not two words, or an entry occurs twice.
    pub fn read(path: &Path) -> Result<Self, LoadError> {
        let file = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|error| LoadError::new(&file, error))?;
        let mut entries = BTreeSet::new();
        for (number, line) in (1..).zip(text.lines()) {
            let place = || format!("{file}:{number}");
            let mut words = line.split_whitespace();
            let (name, dialect) = match (words.next(), words.next(), words.next()) {
                (None, ..) => continue,
                (Some(comment), ..) if comment.starts_with('#') => continue,
                (Some(name), Some(dialect), None) => (name.to_owned(), dialect.to_owned()),
                _ => return Err(LoadError::new(place(), "expected a case and a dialect")),
            };
            if !entries.insert((name, dialect)) {
                return Err(LoadError::new(place(), "the entry occurs twice"));
            }
        }
        Ok(Self { entries })
    }

    /// Whether a case is known to fail in a dialect.
    pub fn contains(&self, name: &str, dialect: &str) -> bool {
        self.entries.contains(&(name.to_owned(), dialect.to_owned()))
    }

    /// The entries, as `name dialect`.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(name, dialect)| (name.as_str(), dialect.as_str()))
    }
}
