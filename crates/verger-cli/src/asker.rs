//! Who asks: a crawler, and how it was named.

use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use verger::{Crawler, Dialect, ProductToken, VENDORS, Vendor};

use crate::agent_text::{self, Remark};
use crate::args::CrawlerArgs;
use crate::error::Error;
use crate::names::did_you_mean;
use crate::quote::quoted;

/// A crawler, and how it was named.
#[derive(Clone, Debug)]
pub(crate) struct Asker {
    crawler: Arc<Crawler>,
    vendor: Option<&'static Vendor>,
}

impl Asker {
    /// Who asks by the arguments; `None` when they do not say.
    pub(crate) fn of(args: &CrawlerArgs) -> Result<Option<Self>, Error> {
        Self::of_names(args.crawler.as_deref(), &args.agents, args.union)
    }

    /// Who asks by a known name, or else by product tokens.
    pub(crate) fn of_names(
        crawler: Option<&str>,
        agents: &[OsString],
        union: bool,
    ) -> Result<Option<Self>, Error> {
        if let Some(name) = crawler {
            return Self::named(name).map(Some);
        }
        if agents.is_empty() {
            return Ok(None);
        }
        let tokens = agents.iter().map(|agent| {
            agent.to_str().map(str::to_owned).ok_or_else(|| {
                let found = quoted(agent.as_encoded_bytes());
                Error::new(format!("expected an agent in UTF-8, but found {found}"))
            })
        });
        let tokens = tokens.collect::<Result<_, _>>()?;
        Ok(Some(if union { Self::union(tokens) } else { Self::chain(tokens) }))
    }

    /// Product tokens, most specific first.
    pub(crate) fn chain(tokens: Vec<String>) -> Self {
        Self::of_crawler(Crawler::chain(tokens))
    }

    /// Product tokens whose groups apply together.
    pub(crate) fn union(tokens: Vec<String>) -> Self {
        Self::of_crawler(Crawler::union(tokens))
    }

    /// A crawler as its evidence has it.
    pub(crate) fn of_crawler(crawler: Crawler) -> Self {
        Self { crawler: Arc::new(crawler), vendor: None }
    }

    /// A vendor's crawler.
    pub(crate) fn named(name: &str) -> Result<Self, Error> {
        let Some(vendor) = Vendor::named(name) else {
            let name_shown = quoted(name);
            let known = known_names(name);
            let hint = format!("{known}; `--agent` asks for any other by its product token");
            let message = format!("expected the name of a known crawler, but found {name_shown}");
            return Err(Error::new(message).with_hint(hint));
        };
        Ok(Self { crawler: Arc::new(vendor.crawler()), vendor: Some(vendor) })
    }

    /// The crawler, to ask the engine with.
    pub(crate) fn crawler(&self) -> &Crawler {
        &self.crawler
    }

    /// The same for a question that is asked elsewhere.
    pub(crate) fn shared_crawler(&self) -> Arc<Crawler> {
        Arc::clone(&self.crawler)
    }

    /// The crawler by its product tokens, for a robots client. It gets the same answers in every dialect
    /// that reads headers.
    ///
    /// # Errors
    ///
    /// An agent has no product token, so no group can name it.
    pub(crate) fn named_crawler(&self) -> Result<Crawler, Error> {
        if self.crawler.check_tokens().is_ok() {
            return Ok(self.crawler.as_ref().clone());
        }
        let mut tokens = Vec::new();
        for agent in self.crawler.tokens() {
            let read = Crawler::from_user_agent(agent.as_str());
            let read = read.map_err(|error| Error::new(error.to_string()))?;
            tokens.extend(read.tokens().iter().map(|token| token.as_str().to_owned()));
        }
        Ok(if self.crawler.is_union() { Crawler::union(tokens) } else { Crawler::chain(tokens) })
    }

    /// Whether some agent is an empty text, or white space.
    pub(crate) fn has_empty_token(&self) -> bool {
        self.crawler.tokens().iter().any(|token| token.as_str().trim().is_empty())
    }

    /// How many bytes its tokens take, about.
    pub(crate) fn bytes(&self) -> usize {
        let tokens = self.crawler.tokens().iter();
        tokens.map(|token| token.as_str().len() + size_of::<ProductToken>()).sum()
    }

    /// The vendor's entry, when it was asked for by that name.
    pub(crate) fn vendor(&self) -> Option<&'static Vendor> {
        self.vendor
    }

    /// The one agent, when there is just one.
    pub(crate) fn single_token(&self) -> Option<&str> {
        match (self.vendor, self.crawler.tokens()) {
            (None, [token]) => Some(token.as_str()),
            _ => None,
        }
    }

    /// The agents that are unusual in a dialect, each with a remark. What a vendor calls its crawler is none of
    /// the asker's doing.
    pub(crate) fn remarks<'a>(
        &'a self,
        dialect: &'a Dialect,
    ) -> impl Iterator<Item = (&'a str, Remark)> {
        let given = if self.vendor.is_none() { self.crawler.tokens() } else { &[] };
        let is_alone = given.len() == 1;
        given.iter().filter_map(move |token| {
            Some((token.as_str(), agent_text::remark(token, dialect, is_alone)?))
        })
    }

    /// What JSON output says of who asked.
    pub(crate) fn keys(&self) -> AskerKeys<'_> {
        match (self.vendor, self.single_token()) {
            (Some(vendor), _) => AskerKeys::Crawler {
                crawler: vendor.name,
                note: Some(vendor.note).filter(|note| !note.is_empty()),
            },
            (None, Some(agent)) => AskerKeys::Agent { agent },
            (None, None) => AskerKeys::Agents {
                agents: self.crawler.tokens().iter().map(ProductToken::as_str).collect(),
                union: self.crawler.is_union(),
            },
        }
    }
}

/// The known names nearest to an unknown one, and where all of them stand.
pub(crate) fn known_names(unknown: &str) -> String {
    let near = did_you_mean(unknown, VENDORS.iter().map(|vendor| vendor.name));
    let near = near.map(|near| format!("{near} ")).unwrap_or_default();
    format!("{near}`verger check --help` lists the known names")
}

/// Who asked, as JSON: `agent`, or `agents` and perhaps `union`, or `crawler` and perhaps `note`.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum AskerKeys<'a> {
    Agent {
        agent: &'a str,
    },
    Agents {
        agents: Vec<&'a str>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        union: bool,
    },
    Crawler {
        crawler: &'static str,
        /// What else is known of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<&'static str>,
    },
}

impl AskerKeys<'_> {
    /// What else is known of a crawler that was asked for by name.
    pub(crate) const fn note(&self) -> Option<&'static str> {
        match self {
            Self::Crawler { note, .. } => *note,
            _ => None,
        }
    }
}

impl fmt::Display for AskerKeys<'_> {
    /// The names in backticks.
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
    fn check(asker: &Asker, json: &str) {
        assert_eq!(serde_json::to_string(&asker.keys()).unwrap(), json);
    }

    #[test]
    fn json_tells_tokens_chains_unions_and_known_crawlers_apart() {
        check(&Asker::chain(vec!["a".into()]), r#"{"agent":"a"}"#);
        check(&Asker::chain(vec!["a".into(), "b".into()]), r#"{"agents":["a","b"]}"#);
        check(&Asker::union(vec!["a".into(), "b".into()]), r#"{"agents":["a","b"],"union":true}"#);
        check(&Asker::named("googlebot").unwrap(), r#"{"crawler":"Googlebot"}"#);
        check(
            &Asker::named("GoogleOther-Image").unwrap(),
            r#"{"crawler":"GoogleOther-Image","note":"the fallback to GoogleOther is not confirmed by a source"}"#,
        );
    }

    #[test]
    fn an_unknown_name_is_refused_with_near_ones() {
        let error = Asker::named("Googlbot\n").unwrap_err();
        assert_eq!(
            error.to_string(),
            r"expected the name of a known crawler, but found `Googlbot\n`"
        );
        let hint = error.hint().unwrap();
        assert!(hint.starts_with("did you mean `Googlebot`"), "{hint}");
        assert!(hint.contains("`verger check --help` lists the known names"), "{hint}");
    }

    #[test]
    fn the_unusual_tokens_are_told() {
        let asker = Asker::chain(vec!["a".into(), "b/1".into(), "c 2".into()]);
        let told: Vec<&str> = asker.remarks(&Dialect::RFC9309).map(|(token, _)| token).collect();
        assert_eq!(told, ["b/1", "c 2"]);
        assert_eq!(Asker::named("Googlebot").unwrap().remarks(&Dialect::RFC9309).count(), 0);
    }
}
