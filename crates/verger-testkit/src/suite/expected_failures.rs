//! The list of cases that are known to fail. A stale entry is a failure.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::error::LoadError;

/// Case and dialect, as listed.
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
