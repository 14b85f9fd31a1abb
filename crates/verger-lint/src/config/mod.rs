//! Settings from a `verger.toml`.
//!
//! # Flow
//!
//! `key.rs` has the keys as data. [`Config::parse`] reads a file by that table, so an unknown key
//! or name is an error with its position. [`schema()`] writes the same table as a JSON schema for
//! editors. Finding the file is up to the caller.

mod exclude;
mod key;
mod read;
mod schema;
pub mod serve;

use std::collections::BTreeMap;
use std::fmt;

use verger::diagnostic::Severity;
use verger::{Dialect, LineIndex, Origin, Position, Span};

pub use self::schema::schema;
use crate::profile::Profile;
use crate::settings::Settings;

/// The contents of a `verger.toml`, or the flags of a command line. Absent values are `None`.
///
/// # Examples
///
/// ```
/// use verger_lint::config::Config;
///
/// let config = Config::parse("[lint]\nignore = ['policy']\n[lint.severity]\nnul = 'error'\n")?;
/// let flags = Config { ignore: Some(vec!["syntax".to_owned()]), ..Config::default() };
/// // Flags replace values of the file.
/// let settings = flags.or(config).settings();
/// assert_eq!(settings.ignore, ["syntax"]);
/// assert_eq!(settings.severity.len(), 1);
/// # Ok::<(), verger_lint::config::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "a command line has the same values")]
pub struct Config {
    /// Settings for one reader of the file, which the other values change.
    pub profile: Option<Profile>,
    /// The rules or categories to run, by name, in place of those of the profile.
    pub select: Option<Vec<String>>,
    /// The rules or categories to skip, by name, in addition to those of the profile.
    pub ignore: Option<Vec<String>>,
    /// Severities of rules, by code.
    pub severity: BTreeMap<String, Severity>,
    /// Dialects that must read the file as RFC 9309 does, in place of those of the profile.
    pub portable: Option<Vec<Dialect>>,
    /// The origin of the file, such as `https://shop.example`.
    pub origin: Option<Origin>,
    /// Patterns for the paths of files that are skipped; see [`excludes`](Self::excludes).
    pub exclude: Option<Vec<String>>,
    /// Settings of the service, by the names of [`serve::SERVE`]. The linter ignores them.
    pub serve: BTreeMap<&'static str, Vec<String>>,
}

impl Config {
    /// Reads a `verger.toml`.
    ///
    /// # Errors
    ///
    /// The first problem in the file: wrong syntax, an unknown key or name, or a value of another
    /// type.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        read::config(text)
    }

    /// These values, and those of `other` where this has none.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let mut severity = other.severity;
        severity.extend(self.severity);
        let mut serve = other.serve;
        serve.extend(self.serve);
        Self {
            profile: self.profile.or(other.profile),
            select: self.select.or(other.select),
            ignore: self.ignore.or(other.ignore),
            severity,
            portable: self.portable.or(other.portable),
            origin: self.origin.or(other.origin),
            exclude: self.exclude.or(other.exclude),
            serve,
        }
    }

    /// Whether files with this path are skipped in a search. The path is relative to the folder of
    /// the `verger.toml`, with `/` between its parts.
    ///
    /// A pattern without `/` means all files and folders of this name. One with `/` means a path from
    /// the folder of the `verger.toml`. A `*` means any characters except `/`.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_lint::config::Config;
    ///
    /// let config = Config::parse("lint.exclude = ['fixtures', 'sites/*-test']")?;
    /// assert!(config.excludes("a/fixtures/robots.txt"));
    /// assert!(config.excludes("sites/shop-test/robots.txt"));
    /// assert!(!config.excludes("sites/shop/robots.txt"));
    /// # Ok::<(), verger_lint::config::ConfigError>(())
    /// ```
    pub fn excludes(&self, path: &str) -> bool {
        exclude::excludes(self.exclude.as_deref().unwrap_or_default(), path)
    }

    /// The settings of the linter.
    pub fn settings(self) -> Settings {
        let mut settings = self.profile.map(Profile::settings).unwrap_or_default();
        if let Some(select) = self.select {
            settings.select = select;
        }
        settings.ignore.extend(self.ignore.unwrap_or_default());
        settings.severity.extend(self.severity);
        if let Some(portable) = self.portable {
            settings.portable = portable;
        }
        settings.origin = self.origin;
        settings
    }
}

/// A problem of a `verger.toml`. `Display` writes one sentence with escaped foreign text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    span: Span,
    position: Position,
    message: String,
    unknown: Option<(String, Vec<&'static str>)>,
}

impl ConfigError {
    fn new(text: &str, span: std::ops::Range<usize>, message: impl Into<String>) -> Self {
        let span = Span { start: span.start, end: span.end };
        let position = LineIndex::new(text.as_bytes()).position(span.start);
        Self { span, position, message: message.into(), unknown: None }
    }

    /// The place in the file.
    pub const fn span(&self) -> Span {
        self.span
    }

    /// Line and column of the place, from 1; the column is in bytes.
    pub const fn position(&self) -> Position {
        self.position
    }

    /// If a name is unknown: the name, and all known names, for a suggestion.
    pub fn unknown_name(&self) -> Option<(&str, &[&'static str])> {
        self.unknown.as_ref().map(|(name, known)| (name.as_str(), known.as_slice()))
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ConfigError {}
