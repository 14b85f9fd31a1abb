//! The file of tests.

use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;
use toml::Spanned;
use verger::{Dialect, LineIndex, Untrusted};
use verger_analysis::OTHERS;

use crate::error::Error;
use crate::limits::CHECKS;
use crate::sentence::{did_you_mean, quoted_url as quoted};
use crate::url_check;

/// The tests of a file, in TOML.
#[derive(Clone, Debug)]
pub(crate) struct TestFile {
    /// The name of the robots.txt: a file, a URL, or what the caller understands.
    pub(crate) robots: Option<String>,
    pub(crate) tests: Vec<Test>,
    /// Names of crawlers that are product tokens, without documented fallbacks.
    pub(crate) tokens: Vec<String>,
    pub(crate) lines: LineIndex,
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

/// A problem: its offset and a sentence.
type Problem = (usize, String);

impl TestFile {
    /// Reads the text of a file. URLs and patterns are those of a dialect.
    ///
    /// # Errors
    ///
    /// The first problem in the file, after its place: wrong syntax, an unknown key, a value of
    /// another type, a text that is no URL, two tests with one name, or more than [`CHECKS`].
    pub(crate) fn parse(text: &str, name: &str, dialect: &Dialect) -> Result<Self, Error> {
        let lines = LineIndex::new(text.as_bytes());
        let located = |offset, error: Error| error.at(name, lines.position(offset));
        let at = |(offset, message): Problem| located(offset, Error::new(message));
        let keys: Keys = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            located(start, in_plain_words(error.message()))
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
                url_check::check(url.get_ref().as_bytes(), dialect)
                    .map_err(|error| located(url.span().start, error))?;
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
    pub(crate) fn crawlers(&self) -> impl Iterator<Item = &str> {
        self.tests.iter().flat_map(|test| &test.crawlers).map(String::as_str)
    }
}

impl Test {
    /// The number of checks: one for each crawler and expectation.
    fn checks(&self) -> usize {
        let lists = self.lists().iter().map(|list| list.len()).sum::<usize>();
        let fields = self.headers.values().map(Vec::len).sum::<usize>();
        self.crawlers.len().saturating_mul(lists + fields)
    }

    fn lists(&self) -> [&[Spanned<String>]; 6] {
        [&self.allow, &self.disallow, &self.open, &self.closed, &self.sitemaps, &self.statements]
    }

    fn check(&self) -> Result<(), Problem> {
        let start = self.name.span().start;
        if self.name.get_ref().trim().is_empty() {
            return Err((start, "`name` is empty".to_owned()));
        }
        if self.crawlers.iter().any(|name| name.trim().is_empty()) || self.crawlers.is_empty() {
            return Err((start, "`crawlers` is empty or has an empty name".to_owned()));
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

/// An error of the TOML reader, in the words of this crate.
pub(crate) fn in_plain_words(message: &str) -> Error {
    let quoted_name = |text: &str| text.split('`').nth(1).map(str::to_owned);
    if let Some(rest) = message.strip_prefix("unknown field ") {
        let name = quoted_name(rest).unwrap_or_default();
        // The known keys are the other names in backticks.
        let known: Vec<&str> = rest.split('`').skip(3).step_by(2).collect();
        let near = did_you_mean(&name, known.iter().copied());
        let hint = near.unwrap_or_else(|| format!("known keys: {}", known.join(", ")));
        let message = format!("expected a key, but found {}", quoted(&name));
        return Error::new(message).with_hint(hint);
    }
    if let Some(name) = message.strip_prefix("missing field ").and_then(quoted_name) {
        let name = quoted(&name);
        return Error::new(format!("missing the key {name} in this table"));
    }
    let variants = message.strip_prefix("unknown variant ");
    if let Some((found, expected)) = variants.and_then(|rest| rest.split_once(", expected ")) {
        let message = format!("expected {expected}, but found {found}");
        return Error::new(Untrusted::new(&message).to_string());
    }
    let types =
        message.strip_prefix("invalid type: ").and_then(|rest| rest.split_once(", expected "));
    if let Some((found, expected)) = types {
        let expected = match expected {
            "a sequence" => "an array",
            "a map" => "a table",
            expected if expected.starts_with("struct ") => "a table",
            expected => expected,
        };
        let found = match found {
            "sequence" => "an array".to_owned(),
            "map" => "a table".to_owned(),
            found if found.starts_with("string ") => "a string".to_owned(),
            found => format!("the {found}"),
        };
        let message = format!("expected {expected}, but found {found}");
        return Error::new(Untrusted::new(&message).to_string());
    }
    Error::new(Untrusted::new(message).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = TestFile::parse(text, "t", &Dialect::RFC9309).expect_err("an error");
        let found = found.to_string();
        assert!(found.starts_with(&format!("t:{expected}")), "{found}");
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
            "2:8: `crawlers` is empty",
        );
    }

    #[test]
    fn an_unknown_key_has_similar_ones_or_all_as_hint() {
        let hint = |text| {
            let error = TestFile::parse(text, "t", &Dialect::RFC9309).expect_err("an error");
            error.hint().map(str::to_owned)
        };
        let similar = hint("[[test]]\nname = \"a\"\nalow = []\n");
        assert_eq!(similar.as_deref(), Some("did you mean `allow`?"));
        assert_eq!(hint("x = 1\n").as_deref(), Some("known keys: robots, test"));
        assert_eq!(hint("x = \n"), None);
    }

    #[test]
    fn a_text_that_is_no_url_is_an_error() {
        let text = "[[test]]\nname = \"a\"\nallow = [\"/a\", \"b\"]\n";
        check(
            text,
            "3:16: bad URL `b`: expected a URL with scheme and host, or a path that begins",
        );
        check("[[test]]\nname = \"a\"\nallow = [\"http://a:x/\"]\n", "3:10: bad URL `http://a:x/`");
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
        assert!(TestFile::parse(&fine, "t", &Dialect::RFC9309).is_ok());
        let expected = format!("6:8: expected at most {CHECKS} checks, one for each");
        check(&format!("{}{}", test("a", most - 1), test("b", 2)), &expected);
    }
}
