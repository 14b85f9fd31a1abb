//! Problems of files in TOML, in the words of this project.

use std::fmt;

use verger::limits::QUOTED_CHARS;
use verger::{LineIndex, Position, Untrusted};

use crate::limits::NAMES_LISTED;
use crate::similar::did_you_mean;

/// A problem of a file in TOML, such as `verger.toml`. `Display` writes one sentence with escaped
/// foreign text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TomlError {
    position: Position,
    message: String,
    unknown: Option<(String, Vec<String>)>,
}

impl TomlError {
    /// An error of the reader of TOML, at an offset of a text.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_lint::TomlError;
    ///
    /// let error = TomlError::new("a = 1\nb = 2\n", 6, "unknown field `b`, expected `a`");
    /// assert_eq!(error.to_string(), "expected a key, but found `b`");
    /// assert_eq!(error.position().line, 2);
    /// assert_eq!(error.unknown_name(), Some(("b", &["a".to_owned()][..])));
    /// ```
    pub fn new(text: &str, offset: usize, message: &str) -> Self {
        Self::of_sets(text, offset, message, &[])
    }

    /// The same, if values are names of these sets, which have a description.
    pub(crate) fn of_sets(
        text: &str,
        offset: usize,
        message: &str,
        sets: &[(&str, Vec<&str>)],
    ) -> Self {
        let position = LineIndex::new(text.as_bytes()).position(offset);
        let (message, unknown) = in_plain_words(message, sets);
        Self { position, message, unknown }
    }

    /// The error of a text that is not UTF-8.
    pub(crate) fn not_utf_8(text: &[u8], offset: usize) -> Self {
        let position = LineIndex::new(text).position(offset);
        Self {
            position,
            message: "expected UTF-8, but found other bytes".to_owned(),
            unknown: None,
        }
    }

    /// Line and column of the place, from 1; the column is in bytes.
    pub const fn position(&self) -> Position {
        self.position
    }

    /// If a name is unknown: the name, and all known names, for a suggestion.
    pub fn unknown_name(&self) -> Option<(&str, &[String])> {
        self.unknown.as_ref().map(|(name, known)| (name.as_str(), known.as_slice()))
    }

    /// If a name is unknown: a phrase with similar known names; otherwise with all known names, if
    /// they are few.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_lint::TomlError;
    ///
    /// let error = |name| TomlError::new("", 0, &format!("unknown field `{name}`, expected `lint`"));
    /// assert_eq!(error("lnit").suggestion().unwrap(), "did you mean `lint`?");
    /// assert_eq!(error("b").suggestion().unwrap(), "known names: lint");
    /// ```
    pub fn suggestion(&self) -> Option<String> {
        let (name, known) = self.unknown_name()?;
        let near = did_you_mean(name, known.iter().map(String::as_str));
        let are_few = known.len() <= NAMES_LISTED;
        near.or_else(|| are_few.then(|| format!("known names: {}", known.join(", "))))
    }
}

impl fmt::Display for TomlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TomlError {}

fn shown(text: &str) -> Untrusted<'_> {
    Untrusted::new(text).limited_to(QUOTED_CHARS)
}

/// A message of the reader in other words, and an unknown name with the known ones.
fn in_plain_words(
    message: &str,
    sets: &[(&str, Vec<&str>)],
) -> (String, Option<(String, Vec<String>)>) {
    let missing = message.strip_prefix("missing field `").and_then(|it| it.strip_suffix('`'));
    if let Some(name) = missing {
        return (format!("missing the key {} in this table", shown(name).quoted()), None);
    }
    // The text of the file is before it.
    let Some((found, expected)) = message.rsplit_once(", expected ") else {
        return (Untrusted::new(message).to_string(), None);
    };
    let name = |start| found.strip_prefix(start).and_then(|rest| rest.strip_suffix('`'));
    let known: Vec<_> = expected.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    let unknown = |what: &str, name: &str| {
        let message = format!("expected {what}, but found {}", shown(name).quoted());
        (message, Some((name.to_owned(), known.clone())))
    };
    if let Some(name) = name("unknown field `") {
        return unknown("a key", name);
    }
    if let Some(name) = name("unknown variant `") {
        let set = sets.iter().find(|(_, names)| *names == known);
        return set.map_or_else(
            || (format!("expected {expected}, but found {}", shown(name).quoted()), None),
            |(what, _)| unknown(what, name),
        );
    }
    let start = ["invalid type: ", "invalid value: "];
    let Some(found) = start.iter().find_map(|start| found.strip_prefix(start)) else {
        return (Untrusted::new(message).to_string(), None);
    };
    let found = match found {
        "sequence" => "an array".to_owned(),
        "map" => "a table".to_owned(),
        found if found.starts_with("string ") => "a string".to_owned(),
        found => format!("the {}", shown(found)),
    };
    let expected = match expected {
        expected if expected.starts_with("struct ") => "a table".to_owned(),
        expected => expected.replace("a sequence", "an array").replace("a map", "a table"),
    };
    (format!("expected {expected}, but found {found}"), None)
}
