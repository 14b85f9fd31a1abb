//! Errors of files of tests.

use std::fmt;

use verger::Position;

/// A problem of a file of tests. `Display` writes one sentence with escaped foreign text, without the
/// place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TestFileError {
    position: Position,
    message: String,
    unknown: Option<(String, Vec<String>)>,
    url: Option<String>,
}

impl TestFileError {
    pub(crate) const fn new(position: Position, message: String) -> Self {
        Self { position, message, unknown: None, url: None }
    }

    pub(crate) fn with_unknown_key(self, key: String, known: Vec<String>) -> Self {
        Self { unknown: Some((key, known)), ..self }
    }

    pub(crate) fn with_url(self, url: String) -> Self {
        Self { url: Some(url), ..self }
    }

    /// Line and column of the place, from 1; the column is in bytes.
    pub(crate) const fn position(&self) -> Position {
        self.position
    }

    /// If a key is unknown: the key, and the known keys of its table, for a suggestion.
    pub(crate) fn unknown_key(&self) -> Option<(&str, &[String])> {
        self.unknown.as_ref().map(|(key, known)| (key.as_str(), known.as_slice()))
    }

    /// The text in place of a URL, if that is the problem.
    pub(crate) fn bad_url(&self) -> Option<&str> {
        self.url.as_deref()
    }
}

impl fmt::Display for TestFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TestFileError {}
