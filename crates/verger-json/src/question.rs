//! Questions.

use std::fmt;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::Deserialize;
use serde_json::error::Category;
use verger::limits::QUOTED_CHARS;
use verger::{Dialect, Untrusted, quoted};

use crate::crawler::NamedCrawler;
use crate::id::Id;

/// A question: a line of a batch. The crate's documentation has an example.
#[derive(Debug)]
#[non_exhaustive]
pub struct Question {
    /// Repeated by each answer.
    pub id: Option<Id>,
    /// The robots.txt; `None` for that of each URL's origin.
    pub source: Option<QuestionFile>,
    /// The dialect.
    pub dialect: Dialect,
    /// The crawler.
    pub crawler: NamedCrawler,
    /// The URLs, at least one. Each gets an answer.
    pub urls: Vec<Vec<u8>>,
}

/// Source of a robots.txt.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum QuestionFile {
    /// Key `robots`: the text.
    Text(String),
    /// Key `robots_b64`: the bytes in base64, for [`decode_base64`].
    Base64(String),
    /// Key `robots_file`: the path of a file.
    File(String),
}

impl Question {
    /// Reads a line. `default` is the dialect of a question without one.
    ///
    /// # Errors
    ///
    /// If it is not a JSON object with the keys of a question, or a name in it is unknown.
    pub fn read(line: &[u8], default: &Dialect) -> Result<Self, QuestionError> {
        // The deserializer would accept an array as an object without keys.
        if line.trim_ascii_start().first() != Some(&b'{') {
            let found = quoted(line);
            return Err(QuestionError::new(format!("expected a JSON object, but found {found}")));
        }
        let keys: Keys = serde_json::from_slice(line).map_err(|error| unreadable(&error))?;
        let source = at_most_one([
            ("robots", keys.robots.map(QuestionFile::Text)),
            ("robots_b64", keys.robots_b64.map(QuestionFile::Base64)),
            ("robots_file", keys.robots_file.map(QuestionFile::File)),
        ])?;
        let union = keys.union.unwrap_or_default();
        if union && keys.agents.is_none() {
            return Err(QuestionError::new("`union` needs `agents`"));
        }
        let dialect = keys.dialect.map_or(Ok(*default), |name| name.parse::<Dialect>());
        let dialect = dialect.map_err(|error| QuestionError::new(error.to_string()))?;
        let crawler = one([
            ("agent", keys.agent.map(|agent| Ok(NamedCrawler::agent(agent, &dialect)))),
            ("token", keys.token.map(|token| Ok(NamedCrawler::token(token)))),
            ("agents", keys.agents.map(|agents| several(agents, union, &dialect))),
        ])??;
        let bytes = |urls: Vec<String>| Ok(urls.into_iter().map(String::into_bytes).collect());
        let urls = one([
            ("url", keys.url.map(|url| bytes(vec![url]))),
            ("url_b64", keys.url_b64.map(|url| Ok(vec![decode_base64("url_b64", &url)?]))),
            ("urls", keys.urls.map(bytes)),
        ])??;
        if urls.is_empty() {
            return Err(QuestionError::new("`urls` is empty"));
        }
        Ok(Self { id: keys.id, source, dialect, crawler, urls })
    }

    /// Approximate number of bytes of its URLs and agents.
    pub fn bytes(&self) -> usize {
        let urls = self.urls.iter().map(|url| url.capacity() + size_of::<Vec<u8>>());
        urls.sum::<usize>() + self.crawler.bytes()
    }
}

/// Decodes the value of a key whose name ends in `_b64`. Padding is optional.
///
/// # Errors
///
/// If it is not base64.
pub fn decode_base64(key: &str, text: &str) -> Result<Vec<u8>, QuestionError> {
    // Padding is optional, because text without it is unambiguous.
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &STANDARD,
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    let error = || QuestionError::new(format!("`{key}` is not base64"));
    LENIENT.decode(text).map_err(|_| error())
}

/// A line that is not a question.
///
/// Its [`Display`](fmt::Display) is a sentence for people: foreign text in it is escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionError(String);

impl QuestionError {
    fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for QuestionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for QuestionError {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    id: Option<Id>,
    robots: Option<String>,
    robots_b64: Option<String>,
    robots_file: Option<String>,
    #[serde(alias = "crawler")]
    agent: Option<String>,
    token: Option<String>,
    agents: Option<Vec<String>>,
    union: Option<bool>,
    url: Option<String>,
    url_b64: Option<String>,
    urls: Option<Vec<String>>,
    dialect: Option<String>,
}

/// The one present value of several exclusive ones.
fn one<T, const N: usize>(values: [(&str, Option<T>); N]) -> Result<T, QuestionError> {
    let names = listed(&values);
    at_most_one(values)?.ok_or_else(|| QuestionError::new(format!("missing {names}")))
}

/// The same, or none of them.
fn at_most_one<T, const N: usize>(
    values: [(&str, Option<T>); N],
) -> Result<Option<T>, QuestionError> {
    let names = listed(&values);
    let mut found = values.into_iter().filter_map(|(name, value)| Some((name, value?)));
    match (found.next(), found.next()) {
        (Some((first, _)), Some((second, _))) => {
            let message = format!("expected one of {names}, but found `{first}` and `{second}`");
            Err(QuestionError::new(message))
        }
        (first, _) => Ok(first.map(|(_, value)| value)),
    }
}

/// `a`, `a or b`, `a, b or c`.
fn listed<T, const N: usize>(values: &[(&str, Option<T>); N]) -> String {
    match &values.each_ref().map(|(name, _)| format!("`{name}`"))[..] {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn several(
    agents: Vec<String>,
    union: bool,
    dialect: &Dialect,
) -> Result<NamedCrawler, QuestionError> {
    if agents.is_empty() {
        return Err(QuestionError::new("`agents` is empty"));
    }
    let named = if union { NamedCrawler::union } else { NamedCrawler::chain };
    Ok(named(agents, dialect))
}

fn unreadable(error: &serde_json::Error) -> QuestionError {
    let text = error.to_string();
    // It counts lines too, but there is only one.
    let column = error.column();
    let text =
        text.strip_suffix(&format!(" at line {} column {column}", error.line())).unwrap_or(&text);
    let text = Untrusted::new(text).limited_to(2 * QUOTED_CHARS);
    let what = match error.classify() {
        Category::Data => "bad question",
        _ => "bad JSON",
    };
    QuestionError::new(format!("{what} at column {column}: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &[u8]) -> Result<Question, QuestionError> {
        Question::read(line, &Dialect::RFC9309)
    }

    #[track_caller]
    fn refuses(line: &str, message: &str) {
        assert_eq!(read(line.as_bytes()).unwrap_err().to_string(), message);
    }

    #[test]
    fn a_question_has_a_source_a_crawler_and_urls() {
        let question = read(
            br#" {"robots":"x","agents":["a","b"],"union":true,"urls":["/1","/2"],"dialect":"bing"}"#,
        )
        .unwrap();
        assert_eq!(question.source, Some(QuestionFile::Text("x".into())));
        assert!(question.crawler.crawler().is_union());
        assert_eq!(question.urls, [b"/1", b"/2"]);
        assert_eq!(question.dialect, Dialect::BING);
    }

    #[test]
    fn a_crawler_is_an_agent_and_a_token_has_no_fallback() {
        let tokens = |key: &str| {
            let line = format!(r#"{{"{key}":"Googlebot-Image","url":"/"}}"#);
            read(line.as_bytes()).unwrap().crawler.crawler().tokens().len()
        };
        assert_eq!(["agent", "crawler", "token"].map(tokens), [2, 2, 1]);
        // Dialect `google` reads headers literally (REP-AMB-13).
        let first = |dialect: &str| {
            let line = format!(r#"{{"agent":"Applebot/1","url":"/","dialect":"{dialect}"}}"#);
            read(line.as_bytes()).unwrap().crawler.crawler().tokens()[0].to_string()
        };
        assert_eq!(["rfc9309", "google"].map(first), ["Applebot", "Applebot/1"]);
    }

    #[test]
    fn exclusive_keys_must_be_present_once() {
        refuses(
            r#"{"robots":"","robots_file":"x","agent":"a","url":"/"}"#,
            "expected one of `robots`, `robots_b64` or `robots_file`, but found `robots` and `robots_file`",
        );
        refuses(r#"{"robots":"","url":"/"}"#, "missing `agent`, `token` or `agents`");
        refuses(r#"{"robots":"","agent":"a"}"#, "missing `url`, `url_b64` or `urls`");
        refuses(r#"{"robots":"","agent":"a","union":true,"url":"/"}"#, "`union` needs `agents`");
        refuses(r#"{"robots":"","agents":[],"url":"/"}"#, "`agents` is empty");
        refuses(r#"{"robots":"","agent":"a","urls":[]}"#, "`urls` is empty");
    }

    #[test]
    fn a_question_without_a_robots_txt_is_about_that_of_the_origin() {
        let question = read(br#"{"agent":"a","url":"/"}"#).unwrap();
        assert_eq!(question.source, None);
    }

    #[test]
    fn unknown_keys_and_names_are_named() {
        refuses(
            r#"{"robot":"","agent":"a","url":"/"}"#,
            "bad question at column 8: unknown field `robot`, expected one of `id`, `robots`, `robots_b64`, \
             `robots_file`, `agent`, `crawler`, `token`, `agents`, `union`, `url`, `url_b64`, `urls`, `dialect`",
        );
        refuses(
            r#"{"robots":"","agent":"a","url":"/","dialect":"x"}"#,
            "expected a dialect (rfc9309, google, koster1996, book, orig1994, rep2019, yandex, baidu, \
             bing), but found `x`",
        );
    }

    #[test]
    fn invalid_json_is_refused_with_its_position() {
        refuses("[1]", "expected a JSON object, but found `[1]`");
        refuses("\u{1b}[2J", r"expected a JSON object, but found `\x1b[2J`");
        refuses("{\"url\" 1}", "bad JSON at column 8: expected `:`");
        refuses("{", "bad JSON at column 1: EOF while parsing an object");
        refuses(
            r#"{"url":5}"#,
            "bad question at column 8: invalid type: integer `5`, expected a string",
        );
        refuses(
            r#"{"id":[1]}"#,
            "bad question at column 10: expected a string or a number of at most 256 bytes as `id`, but \
             found `[1]`",
        );
        refuses(r#"{"url":"/","url":"/"}"#, "bad question at column 16: duplicate field `url`");
        let long = format!("{{\"{}\":1}}", "\x1b".escape_unicode().to_string() + &"a".repeat(9000));
        let message = read(long.replace("u{1b}", "u001b").as_bytes()).unwrap_err();
        assert!(message.to_string().contains(r"unknown field `\x1baaa"), "{message}");
        assert!(message.to_string().len() < 1000);
    }

    #[test]
    fn base64_may_lack_its_padding() {
        assert_eq!(decode_base64("x_b64", "L/8=").unwrap(), b"/\xff");
        assert_eq!(decode_base64("x_b64", "L/8").unwrap(), b"/\xff");
        assert_eq!(decode_base64("x_b64", "L_8").unwrap_err().to_string(), "`x_b64` is not base64");
    }
}
