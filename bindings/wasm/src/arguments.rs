//! Arguments as values of the engine.

use std::borrow::Cow;

#[cfg(feature = "engine")]
use verger::{AsCrawler, CrawlerRef};
use verger::{Crawler, Dialect};
use wasm_bindgen::prelude::*;

use crate::json::Json;

/// The names of the dialects, in the order of their indices.
#[wasm_bindgen]
pub fn dialects() -> String {
    Json::of(|json| json.texts(Dialect::PUBLISHED.map(|dialect| dialect.name)))
}

/// The dialect of an index of [`Dialect::PUBLISHED`]. JavaScript checks the name.
pub(crate) fn dialect(index: usize) -> Dialect {
    Dialect::PUBLISHED.get(index).copied().unwrap_or(Dialect::RFC9309)
}

/// The agent of a question.
pub(crate) enum Agent<'a> {
    /// A product token, or a User-Agent header.
    Text(Cow<'a, str>),
    Crawler(Crawler),
}

impl<'a> Agent<'a> {
    /// The agent of an argument: a text, or for other kinds than 0 the tokens of a crawler.
    pub(crate) fn of(kind: u8, text: &'a [u8]) -> Self {
        let text = String::from_utf8_lossy(text);
        if kind == 0 {
            return Self::Text(text);
        }
        let tokens = text.split('\n');
        let mut crawler =
            if kind & UNION == 0 { Crawler::chain(tokens) } else { Crawler::union(tokens) };
        if kind & WITHOUT_STAR != 0 {
            crawler = crawler.without_star();
        }
        if kind & WITHOUT_ROBOTS != 0 {
            crawler = crawler.without_robots();
        }
        Self::Crawler(crawler)
    }

    #[cfg(feature = "engine")]
    pub(crate) fn as_ref(&self) -> CrawlerRef<'_> {
        match self {
            Self::Text(text) => text.as_crawler(),
            Self::Crawler(crawler) => crawler.as_crawler(),
        }
    }

    #[cfg(feature = "engine")]
    pub(crate) fn into_owned(self) -> Agent<'static> {
        match self {
            Self::Text(text) => Agent::Text(Cow::Owned(text.into_owned())),
            Self::Crawler(crawler) => Agent::Crawler(crawler),
        }
    }
}

/// The kind of a crawler as an argument; 0 is text.
pub(crate) fn kind(crawler: &Crawler) -> u8 {
    let flag = |is_set, flag| if is_set { flag } else { 0 };
    CRAWLER
        | flag(crawler.is_union(), UNION)
        | flag(crawler.ignores_star(), WITHOUT_STAR)
        | flag(crawler.ignores_robots(), WITHOUT_ROBOTS)
}

const CRAWLER: u8 = 1;
const UNION: u8 = 2;
const WITHOUT_STAR: u8 = 4;
const WITHOUT_ROBOTS: u8 = 8;

/// One byte for each line of URLs: 1 if it is allowed, else 0.
#[cfg(feature = "engine")]
pub(crate) fn answers(lines: &[u8], mut is_allowed: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    urls(lines).map(|url| u8::from(is_allowed(url))).collect()
}

/// The lines of a text, without their ends.
pub(crate) fn urls(lines: &[u8]) -> impl Iterator<Item = &[u8]> {
    let text = lines.strip_suffix(b"\n").unwrap_or(lines);
    let count = if lines.is_empty() { 0 } else { usize::MAX };
    let lines = text.split(|&byte| byte == b'\n').take(count);
    lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

#[cfg(test)]
mod tests {
    use verger::ProductToken;

    use super::*;

    #[test]
    fn lines_end_with_lf_or_crlf() {
        let found = |text: &'static [u8]| urls(text).collect::<Vec<_>>();
        assert!(found(b"").is_empty());
        assert_eq!(found(b"/a\r\n/b\n"), [b"/a", b"/b"]);
        assert_eq!(found(b"\n\n/c"), [&b""[..], b"", b"/c"]);
    }

    #[test]
    fn a_crawler_survives_the_way_to_javascript_and_back() {
        let chain = Crawler::chain(["Googlebot-News", "Googlebot"]);
        for crawler in
            [chain.clone(), Crawler::union(["a", "b"]).without_star(), chain.without_robots()]
        {
            let tokens: Vec<_> = crawler.tokens().iter().map(ProductToken::as_str).collect();
            let text = tokens.join("\n");
            let Agent::Crawler(found) = Agent::of(kind(&crawler), text.as_bytes()) else {
                panic!("expected a crawler");
            };
            assert_eq!(found, crawler);
        }
    }
}
