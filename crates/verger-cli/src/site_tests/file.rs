//! The file of tests.

use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;
use toml::Spanned;
use verger::{Dialect, LineIndex, Position, Untrusted};

use crate::diff_report::OTHERS;
use crate::error::Error;
use crate::sentence::quoted;
use crate::url_check;

/// Tests and the robots.txt that they are for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TestFile {
    /// A file, a URL, or a revision.
    pub(crate) robots: Option<String>,
    #[serde(default, rename = "test")]
    pub(crate) tests: Vec<Test>,
}

/// A test for one or more crawlers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Test {
    pub(crate) name: Spanned<String>,
    #[serde(default = "others")]
    pub(crate) crawlers: Vec<String>,
    /// URLs and paths that are allowed.
    #[serde(default)]
    pub(crate) allow: Vec<Spanned<String>>,
    /// URLs and paths that are disallowed.
    #[serde(default)]
    pub(crate) disallow: Vec<Spanned<String>>,
    /// Patterns of which all URLs are allowed.
    #[serde(default)]
    pub(crate) open: Vec<Spanned<String>>,
    /// Patterns of which all URLs are disallowed.
    #[serde(default)]
    pub(crate) closed: Vec<Spanned<String>>,
    /// Sitemaps of which all URLs are allowed.
    #[serde(default)]
    pub(crate) sitemaps: Vec<Spanned<String>>,
    /// Lines that apply to the crawlers.
    #[serde(default)]
    pub(crate) statements: Vec<Spanned<String>>,
    /// Header fields of the responses of URLs.
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, Vec<Spanned<String>>>,
}

fn others() -> Vec<String> {
    vec![OTHERS.to_owned()]
}

impl TestFile {
    /// Reads the text of a file. `place` is its name in messages. Errors have the form
    /// `FILE:LINE:COLUMN: message`.
    pub(crate) fn parse(text: &str, place: &str, dialect: &Dialect) -> Result<Self, Error> {
        let lines = LineIndex::new(text.as_bytes());
        let at = |offset: usize, message: &str| {
            let Position { line, column } = lines.position(offset);
            Error::new(format!("{place}:{line}:{column}: {message}"))
        };
        let file: Self = toml::from_str(text).map_err(|error| {
            let message = Untrusted::new(error.message()).to_string();
            at(error.span().map_or(0, |span| span.start), &message)
        })?;
        if file.tests.is_empty() {
            return Err(at(0, "expected a test, such as `[[test]]`, but found none"));
        }
        let mut names = HashSet::new();
        for test in &file.tests {
            test.check(dialect).map_err(|(offset, message)| at(offset, &message))?;
            if !names.insert(test.name.get_ref()) {
                let name = quoted(test.name.get_ref());
                let message = format!("expected different names of tests, but found {name} twice");
                return Err(at(test.name.span().start, &message));
            }
        }
        Ok(file)
    }
}

impl Test {
    /// An error is its offset and a sentence.
    fn check(&self, dialect: &Dialect) -> Result<(), (usize, String)> {
        let start = self.name.span().start;
        if self.name.get_ref().trim().is_empty() {
            return Err((start, "expected a name, but found an empty text".to_owned()));
        }
        if self.crawlers.iter().any(|name| name.trim().is_empty()) || self.crawlers.is_empty() {
            return Err((start, "expected crawlers, but found none or an empty text".to_owned()));
        }
        let lists = [
            &self.allow,
            &self.disallow,
            &self.open,
            &self.closed,
            &self.sitemaps,
            &self.statements,
        ];
        if lists.iter().all(|list| list.is_empty()) && self.headers.values().all(Vec::is_empty) {
            let keys =
                "`allow`, `disallow`, `open`, `closed`, `sitemaps`, `statements` or `headers`";
            return Err((start, format!("expected {keys} in this test, but found none")));
        }
        for url in self.allow.iter().chain(&self.disallow) {
            url_check::check(url.get_ref().as_bytes(), dialect)
                .map_err(|error| (url.span().start, error.to_string()))?;
        }
        for pattern in self.open.iter().chain(&self.closed) {
            if !pattern.get_ref().starts_with(['/', '*']) {
                let found = quoted(pattern.get_ref());
                let message =
                    format!("expected a pattern that begins with `/` or `*`, but found {found}");
                return Err((pattern.span().start, message));
            }
        }
        for field in self.statements.iter().chain(self.headers.values().flatten()) {
            if field.get_ref().split_once(':').is_none_or(|(key, _)| key.trim().is_empty()) {
                let found = quoted(field.get_ref());
                let message = format!("expected a line such as `Key: value`, but found {found}");
                return Err((field.span().start, message));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = TestFile::parse(text, "t.toml", &Dialect::RFC9309).expect_err("an error");
        assert!(found.to_string().starts_with(expected), "{found}");
    }

    #[test]
    fn errors_have_a_place() {
        check("", "t.toml:1:1: expected a test, such as `[[test]]`, but found none");
        check("x = 1\n", "t.toml:1:1: unknown field `x`, expected");
        check(
            "[[test]]\nname = \"a\"\nalow = []\n",
            "t.toml:3:1: unknown field `alow`, expected one of `name`",
        );
        check("[[test]]\nallow = [1]\n", "t.toml:2:10: invalid type: integer `1`, expected");
        check("[[test]]\nallow = [\n", "t.toml:");
        check("[[test]]\nallow = []\n", "t.toml:1:1: missing field `name`");
        check("[[test]]\nname = \"a\"\n", "t.toml:2:8: expected `allow`, `disallow`, `open`");
        check("[[test]]\nname = \" \"\n", "t.toml:2:8: expected a name, but found an empty text");
        check("[[test]]\nname = \"a\"\nallow = [\"/a\", \"b\"]\n", "t.toml:3:16: ");
        check(
            "[[test]]\nname = \"a\"\nopen = [\"b\\u001b\"]\n",
            "t.toml:3:9: expected a pattern that begins with `/` or `*`, but found `b\\x1b`",
        );
        check(
            "[[test]]\nname = \"a\"\nstatements = [\"b\"]\n",
            "t.toml:3:15: expected a line such as `Key: value`, but found `b`",
        );
        let test = "[[test]]\nname = \"a\"\nopen = [\"/\"]\n";
        check(
            &format!("{test}{test}"),
            "t.toml:5:8: expected different names of tests, but found `a` twice",
        );
        check(
            "[[test]]\nname = \"a\"\nopen = [\"/\"]\ncrawlers = []\n",
            "t.toml:2:8: expected crawlers",
        );
    }
}
