//! The file of tests.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use serde::Deserialize;
use toml::Spanned;
use verger::{LineIndex, Position};
use verger_analysis::OTHERS;
use verger_lint::TomlError;

use super::quoted;
use crate::limits::CHECKS;

/// The keys of a file of tests, with their meaning.
pub const TEST_KEYS: [(&str, &str); 11] = [
    ("robots", "The robots.txt: a file, a URL or `git:REVISION:PATH`. Before the first test."),
    ("test", "A test of the answers for some crawlers."),
    ("name", "The name of the test, which no other one has."),
    ("crawlers", "The crawlers; `*` is one that no group names, and the default."),
    ("allow", "URLs and paths that are allowed."),
    ("disallow", "URLs and paths that are disallowed."),
    ("open", "Patterns of which all URLs are allowed, which is proved."),
    ("closed", "Patterns of which all URLs are disallowed, which is proved."),
    ("sitemaps", "Sitemaps of which all URLs are allowed."),
    ("statements", "Lines that apply to the crawlers, such as `Crawl-delay: 5`."),
    ("headers", "Header fields of the responses of URLs: a table of lists of lines."),
];

/// The tests of a file, in TOML.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TestFile {
    /// The name of the robots.txt: a file, a URL, or what the caller understands.
    pub robots: Option<String>,
    pub(super) tests: Vec<Test>,
    /// Names of crawlers that are product tokens, without documented fallbacks.
    pub tokens: Vec<String>,
    pub(super) lines: LineIndex,
}

/// The keys of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    robots: Option<String>,
    #[serde(default)]
    test: Vec<Test>,
}

/// A test for one or more crawlers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Test {
    pub(super) name: Spanned<String>,
    #[serde(default = "others")]
    pub(super) crawlers: Spanned<Vec<Spanned<String>>>,
    /// URLs and paths that are allowed.
    #[serde(default)]
    pub(super) allow: Vec<Spanned<String>>,
    /// URLs and paths that are disallowed.
    #[serde(default)]
    pub(super) disallow: Vec<Spanned<String>>,
    /// Patterns of which all URLs are allowed.
    #[serde(default)]
    pub(super) open: Vec<Spanned<String>>,
    /// Patterns of which all URLs are disallowed.
    #[serde(default)]
    pub(super) closed: Vec<Spanned<String>>,
    /// Sitemaps of which all URLs are allowed.
    #[serde(default)]
    pub(super) sitemaps: Vec<Spanned<String>>,
    /// Lines that apply to the crawlers.
    #[serde(default)]
    pub(super) statements: Vec<Spanned<String>>,
    /// Header fields of the responses of URLs.
    #[serde(default)]
    pub(super) headers: BTreeMap<String, Vec<Spanned<String>>>,
}

fn others() -> Spanned<Vec<Spanned<String>>> {
    Spanned::new(0..0, vec![Spanned::new(0..0, OTHERS.to_owned())])
}

/// A problem: its offset and a sentence.
type Problem = (usize, String);

impl TestFile {
    /// Reads the text of a file. A function checks each URL and path.
    ///
    /// # Errors
    ///
    /// The first problem in the file: wrong syntax, an unknown key, a value of another type, a text
    /// that is no URL, two tests with one name, or more than [`CHECKS`].
    pub fn parse(
        text: &str,
        check_url: &dyn Fn(&[u8]) -> Result<(), UrlProblem>,
    ) -> Result<Self, TestFileError> {
        let lines = LineIndex::new(text.as_bytes());
        let at = |(offset, message): Problem| TestFileError {
            position: lines.position(offset),
            message,
            hint: None,
            unknown: None,
        };
        let keys: Keys = toml::from_str(text).map_err(|error| {
            let offset = error.span().unwrap_or_default().start;
            let error = TomlError::new(text, offset, error.message());
            let unknown =
                error.unknown_name().map(|(name, known)| (name.to_owned(), known.to_vec()));
            let hint = error.suggestion();
            TestFileError { hint, unknown, ..at((offset, error.to_string())) }
        })?;
        if keys.test.is_empty() {
            return Err(at((0, "the file has no test; a test begins with `[[test]]`".to_owned())));
        }
        let mut names = HashSet::new();
        let mut checks = 0_usize;
        for test in &keys.test {
            let start = test.name.span().start;
            // Before the expectations are looked at.
            checks = checks.saturating_add(test.checks());
            if checks > CHECKS {
                let message = format!(
                    "expected at most {CHECKS} checks, one for each crawler and expectation, but found \
                     more with this test"
                );
                return Err(at((start, message)));
            }
            for url in test.allow.iter().chain(&test.disallow) {
                check_url(url.get_ref().as_bytes()).map_err(|UrlProblem { message, hint }| {
                    TestFileError { hint, ..at((url.span().start, message)) }
                })?;
            }
            test.check().map_err(at)?;
            if !names.insert(test.name.get_ref()) {
                let name = quoted(test.name.get_ref());
                let message = format!("two tests have the name {name}");
                return Err(at((start, message)));
            }
        }
        Ok(Self { robots: keys.robots, tests: keys.test, tokens: Vec::new(), lines })
    }

    /// The names of the crawlers of all tests, as they are written, with repetitions.
    pub fn crawlers(&self) -> impl Iterator<Item = &str> {
        let crawlers = self.tests.iter().flat_map(|test| test.crawlers.get_ref());
        crawlers.map(|it| it.get_ref().as_str())
    }
}

impl Test {
    /// The number of checks: one for each crawler and expectation.
    fn checks(&self) -> usize {
        let lists = self.lists().iter().map(|list| list.len()).sum::<usize>();
        let fields = self.headers.values().map(Vec::len).sum::<usize>();
        self.crawlers.get_ref().len().saturating_mul(lists + fields)
    }

    fn lists(&self) -> [&[Spanned<String>]; 6] {
        [&self.allow, &self.disallow, &self.open, &self.closed, &self.sitemaps, &self.statements]
    }

    fn check(&self) -> Result<(), Problem> {
        let start = self.name.span().start;
        if self.name.get_ref().trim().is_empty() {
            return Err((start, "`name` is empty".to_owned()));
        }
        let crawlers = self.crawlers.get_ref();
        if let Some(name) = crawlers.iter().find(|name| name.get_ref().trim().is_empty()) {
            return Err((name.span().start, "`crawlers` has an empty name".to_owned()));
        }
        if crawlers.is_empty() {
            return Err((self.crawlers.span().start, "`crawlers` is empty".to_owned()));
        }
        if self.lists().iter().all(|list| list.is_empty())
            && self.headers.values().all(Vec::is_empty)
        {
            let keys =
                "`allow`, `disallow`, `open`, `closed`, `sitemaps`, `statements` or `headers`";
            return Err((start, format!("this test expects nothing: add {keys}")));
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

/// A problem of a text that should be a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a sentence and a hint")]
pub struct UrlProblem {
    /// A sentence without a final period. Foreign text in it is escaped.
    pub message: String,
    /// A suggestion.
    pub hint: Option<String>,
}

/// A problem of a file of tests. `Display` writes one sentence with escaped foreign text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestFileError {
    position: Position,
    message: String,
    hint: Option<String>,
    unknown: Option<Unknown>,
}

/// An unknown key, and the known ones.
type Unknown = (String, Vec<String>);

impl TestFileError {
    /// Line and column of the place, from 1; the column is in bytes.
    pub const fn position(&self) -> Position {
        self.position
    }

    /// The suggestion about a URL or an unknown key.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// If a key is unknown: the key, and all known ones, for a suggestion.
    pub fn unknown_key(&self) -> Option<(&str, &[String])> {
        self.unknown.as_ref().map(|(name, known)| (name.as_str(), known.as_slice()))
    }
}

impl fmt::Display for TestFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TestFileError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let error = TestFile::parse(text, &url).expect_err("an error");
        let Position { line, column } = error.position();
        let found = format!("{line}:{column}: {error}");
        assert!(found.starts_with(expected), "{found}");
    }

    fn url(text: &[u8]) -> Result<(), UrlProblem> {
        let problem = || UrlProblem { message: "bad URL".into(), hint: Some("a path".into()) };
        text.starts_with(b"/").then_some(()).ok_or_else(problem)
    }

    #[test]
    fn errors_have_a_place() {
        check("", "1:1: the file has no test; a test begins with `[[test]]`");
        check("x = 1\n", "1:1: expected a key, but found `x`");
        check("[[test]]\nname = \"a\"\nalow = []\n", "3:1: expected a key, but found `alow`");
        check("[[test]]\nallow = [1]\n", "2:10: expected a string, but found the integer `1`");
        check("[[test]]\nallow = \"/\"\n", "2:9: expected an array, but found a string");
        check("test = 1\n", "1:8: expected an array, but found the integer `1`");
        check("[[test]]\nallow = [\n", "");
        check("[[test]]\nallow = []\n", "1:1: missing the key `name` in this table");
        check("[[test]]\nname = \"a\"\n", "2:8: this test expects nothing: add `allow`");
        check("[[test]]\nname = \" \"\n", "2:8: `name` is empty");
        check(
            "[[test]]\nname = \"a\"\nopen = [\"b\\u001b\"]\n",
            "3:9: expected a pattern that begins with `/` or `*`, but found `b\\x1b`",
        );
        check(
            "[[test]]\nname = \"a\"\nstatements = [\"b\"]\n",
            "3:15: expected a line such as `Key: value`, but found `b`",
        );
        let test = "[[test]]\nname = \"a\"\nopen = [\"/\"]\n";
        check(&format!("{test}{test}"), "5:8: two tests have the name `a`");
        check(
            "[[test]]\nname = \"a\"\nopen = [\"/\"]\ncrawlers = []\n",
            "4:12: `crawlers` is empty",
        );
        check(
            "[[test]]\nname = \"a\"\nopen = [\"/\"]\ncrawlers = [\"b\",\n  \" \"]\n",
            "5:3: `crawlers` has an empty name",
        );
    }

    #[test]
    fn an_unknown_key_has_the_known_ones() {
        let error = |text| TestFile::parse(text, &url).expect_err("an error");
        let unknown = error("[[test]]\nname = \"a\"\nalow = []\n");
        let (name, known) = unknown.unknown_key().expect("an unknown key");
        assert!(name == "alow" && known.iter().any(|it| it == "allow"), "{known:?}");
        assert_eq!(unknown.hint(), Some("did you mean `allow`?"));
        assert_eq!(error("x = \n").unknown_key(), None);
    }

    #[test]
    fn the_list_of_keys_is_that_of_the_reader() {
        let known = |text| {
            let error = TestFile::parse(text, &url).expect_err("an error");
            error.unknown_key().expect("an unknown key").1.to_vec()
        };
        let names = TEST_KEYS.map(|(key, _)| key);
        assert_eq!([known("x = 1\n"), known("[[test]]\nx = 1\n")].concat(), names);
    }

    #[test]
    fn a_text_that_is_no_url_is_an_error_with_a_hint() {
        let text = "[[test]]\nname = \"a\"\nallow = [\"/a\", \"b\"]\n";
        check(text, "3:16: bad URL");
        let error = TestFile::parse(text, &url).expect_err("an error");
        assert_eq!(error.hint(), Some("a path"));
    }

    #[test]
    fn too_many_checks_are_an_error_with_the_line_of_the_test() {
        let names = |number: usize| vec!["\"a\""; number].join(", ");
        let test = |name: &str, crawlers: usize| {
            format!(
                "[[test]]\nname = \"{name}\"\nallow = [\"/a\", \"/b\"]\ncrawlers = [{}]\n",
                names(crawlers)
            )
        };
        let most = CHECKS / 2;
        let fine = format!("{}{}", test("a", most - 1), test("b", 1));
        assert!(TestFile::parse(&fine, &url).is_ok());
        let expected = format!("6:8: expected at most {CHECKS} checks, one for each");
        check(&format!("{}{}", test("a", most - 1), test("b", 2)), &expected);
    }
}
