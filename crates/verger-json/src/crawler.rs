//! A crawler and the form of its name.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use verger::{Crawler, ProductToken, Vendor};

use crate::foreign::quoted;

/// A crawler and the form of its name: product tokens, or the name of a vendor's crawler.
///
/// # Examples
///
/// ```
/// use verger_json::NamedCrawler;
///
/// let crawler = NamedCrawler::named("Googlebot-Image").expect("a known crawler");
/// assert_eq!(serde_json::to_string(&crawler.keys())?, r#"{"crawler":"Googlebot-Image"}"#);
/// let crawler = NamedCrawler::chain(vec!["ExampleBot".to_owned()]);
/// assert_eq!(serde_json::to_string(&crawler.keys())?, r#"{"agent":"ExampleBot"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NamedCrawler {
    crawler: Arc<Crawler>,
    vendor: Option<&'static Vendor>,
}

impl NamedCrawler {
    /// A crawler with these product tokens, most specific first.
    pub fn chain(tokens: Vec<String>) -> Self {
        Self::of_crawler(Crawler::chain(tokens))
    }

    /// A crawler for which the groups of all these product tokens apply together.
    pub fn union(tokens: Vec<String>) -> Self {
        Self::of_crawler(Crawler::union(tokens))
    }

    /// A crawler described by its product tokens.
    pub fn of_crawler(crawler: Crawler) -> Self {
        Self { crawler: Arc::new(crawler), vendor: None }
    }

    /// A vendor's crawler with its documented fallbacks; `None` for an unknown name.
    pub fn named(name: &str) -> Option<Self> {
        let vendor = Vendor::named(name)?;
        Some(Self { crawler: Arc::new(vendor.crawler()), vendor: Some(vendor) })
    }

    /// The crawler.
    pub fn crawler(&self) -> &Crawler {
        &self.crawler
    }

    /// The crawler, shared with other threads.
    pub fn shared_crawler(&self) -> Arc<Crawler> {
        Arc::clone(&self.crawler)
    }

    /// Approximate number of bytes of its product tokens.
    pub fn bytes(&self) -> usize {
        let tokens = self.crawler.tokens().iter();
        tokens.map(|token| token.as_str().len() + size_of::<ProductToken>()).sum()
    }

    /// The entry of the vendor, if the crawler was given by its name.
    pub const fn vendor(&self) -> Option<&'static Vendor> {
        self.vendor
    }

    /// The product token, if there is exactly one and it is not from a vendor's entry.
    pub fn single_token(&self) -> Option<&str> {
        match (self.vendor, self.crawler.tokens()) {
            (None, [token]) => Some(token.as_str()),
            _ => None,
        }
    }

    /// The crawler as JSON, with the keys of its form.
    pub fn keys(&self) -> CrawlerKeys<'_> {
        match (self.vendor, self.single_token()) {
            (Some(vendor), _) => CrawlerKeys::Crawler {
                crawler: vendor.name,
                note: Some(vendor.note).filter(|note| !note.is_empty()),
            },
            (None, Some(agent)) => CrawlerKeys::Agent { agent },
            (None, None) => CrawlerKeys::Agents {
                agents: self.crawler.tokens().iter().map(ProductToken::as_str).collect(),
                union: self.crawler.is_union(),
            },
        }
    }
}

/// A crawler as JSON: `agent`, or `agents` and perhaps `union`, or `crawler` and perhaps `note`.
///
/// Its [`Display`](fmt::Display) shows the names in backticks.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum CrawlerKeys<'a> {
    /// One product token.
    Agent {
        /// The product token.
        agent: &'a str,
    },
    /// Several product tokens.
    Agents {
        /// The product tokens, most specific first.
        agents: Vec<&'a str>,
        /// Whether the groups of all of them apply together.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        union: bool,
    },
    /// A vendor's crawler.
    Crawler {
        /// Its name.
        crawler: &'static str,
        /// Remark on its fallbacks.
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<&'static str>,
    },
}

impl CrawlerKeys<'_> {
    /// Remark on the fallbacks of a vendor's crawler.
    pub const fn note(&self) -> Option<&'static str> {
        match self {
            Self::Crawler { note, .. } => *note,
            _ => None,
        }
    }
}

impl fmt::Display for CrawlerKeys<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (names, together) = match self {
            Self::Agent { agent } => (std::slice::from_ref(agent), ""),
            Self::Agents { agents, union: true } => (&**agents, " together"),
            Self::Agents { agents, union: false } => (&**agents, ", the first that is named"),
            Self::Crawler { crawler, .. } => (std::slice::from_ref(crawler), ""),
        };
        let names: Vec<_> = names.iter().map(quoted).collect();
        write!(f, "{}{together}", names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(crawler: &NamedCrawler, json: &str) {
        assert_eq!(serde_json::to_string(&crawler.keys()).unwrap(), json);
    }

    #[test]
    fn json_differs_for_tokens_chains_unions_and_known_crawlers() {
        let tokens = || vec!["a".into(), "b".into()];
        check(&NamedCrawler::chain(vec!["a".into()]), r#"{"agent":"a"}"#);
        check(&NamedCrawler::chain(tokens()), r#"{"agents":["a","b"]}"#);
        check(&NamedCrawler::union(tokens()), r#"{"agents":["a","b"],"union":true}"#);
        check(&NamedCrawler::named("googlebot").unwrap(), r#"{"crawler":"Googlebot"}"#);
        check(
            &NamedCrawler::named("GoogleOther-Image").unwrap(),
            r#"{"crawler":"GoogleOther-Image","note":"the fallback to GoogleOther is not confirmed by a source"}"#,
        );
        assert!(NamedCrawler::named("Googlbot").is_none());
    }
}
