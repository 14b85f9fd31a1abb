//! Who asks: a crawler, and how it was named.

use std::ffi::OsString;
use std::fmt;

use serde::Serialize;
use verger::{Crawler, ProductToken, TokenProblem, VENDORS, Vendor};

use crate::args::CrawlerArgs;
use crate::error::{Error, quoted};
use crate::names::did_you_mean;

/// A crawler, and how it was named.
#[derive(Clone, Debug)]
pub(crate) struct Asker {
    crawler: Crawler,
    vendor: Option<&'static Vendor>,
}

impl Asker {
    /// Who asks by the arguments; `None` when they do not say.
    pub(crate) fn of(args: &CrawlerArgs) -> Result<Option<Self>, Error> {
        Self::of_names(args.crawler.as_deref(), &args.agents, args.union)
    }

    /// Who asks by a known name, or else by literal tokens.
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

    /// Literal tokens, most specific first.
    pub(crate) fn chain(tokens: Vec<String>) -> Self {
        Self { crawler: Crawler::chain(tokens), vendor: None }
    }

    /// Literal tokens whose groups apply together.
    pub(crate) fn union(tokens: Vec<String>) -> Self {
        Self { crawler: Crawler::union(tokens), vendor: None }
    }

    /// A vendor's crawler.
    pub(crate) fn named(name: &str) -> Result<Self, Error> {
        let Some(vendor) = Vendor::named(name) else {
            let name_shown = quoted(name);
            let literal =
                format!("{name_shown} can be asked for as a literal token, with `--agent`");
            let hint = match did_you_mean(name, VENDORS.iter().map(|vendor| vendor.name)) {
                Some(near) => format!("{near} Else {literal}"),
                None => literal,
            };
            let message = format!("expected the name of a known crawler, but found {name_shown}");
            return Err(Error::new(message).with_hint(hint));
        };
        Ok(Self { crawler: vendor.crawler(), vendor: Some(vendor) })
    }

    /// The crawler, to ask the engine with.
    pub(crate) fn crawler(&self) -> &Crawler {
        &self.crawler
    }

    /// The vendor's entry, when it was asked for by that name.
    pub(crate) fn vendor(&self) -> Option<&'static Vendor> {
        self.vendor
    }

    /// The one literal token, when there is just one.
    pub(crate) fn single_token(&self) -> Option<&str> {
        match (self.vendor, self.crawler.tokens()) {
            (None, [token]) => Some(token.as_str()),
            _ => None,
        }
    }

    /// The first literal token that is unusual. What a vendor calls its crawler is none of the asker's
    /// doing.
    pub(crate) fn problem(&self) -> Option<(&str, TokenProblem)> {
        let literal = self.vendor.is_none().then(|| self.crawler.tokens());
        literal?.iter().find_map(|token| Some((token.as_str(), token.problem()?)))
    }

    /// What JSON output says of who asked.
    pub(crate) fn keys(&self) -> AskerKeys<'_> {
        match (self.vendor, self.single_token()) {
            (Some(vendor), _) => AskerKeys::Crawler { crawler: vendor.name },
            (None, Some(agent)) => AskerKeys::Agent { agent },
            (None, None) => AskerKeys::Agents {
                agents: self.crawler.tokens().iter().map(ProductToken::as_str).collect(),
                union: self.crawler.is_union(),
            },
        }
    }
}

/// Who asked, as JSON: `agent`, or `agents` and perhaps `union`, or `crawler`.
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
    },
}

impl fmt::Display for AskerKeys<'_> {
    /// The names in backticks.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (names, together) = match self {
            Self::Agent { agent } => (std::slice::from_ref(agent), ""),
            Self::Agents { agents, union: true } => (&**agents, " together"),
            Self::Agents { agents, union: false } => (&**agents, ", the first that is named"),
            Self::Crawler { crawler } => (std::slice::from_ref(crawler), ""),
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
    }

    #[test]
    fn an_unknown_name_is_refused_with_near_ones() {
        let error = Asker::named("Googlbot\n").unwrap_err();
        assert_eq!(
            error.to_string(),
            r"expected the name of a known crawler, but found `Googlbot\n`"
        );
        assert!(error.hint().unwrap().starts_with("did you mean `Googlebot`"));
    }

    #[test]
    fn the_first_unusual_token_is_told() {
        let asker = Asker::chain(vec!["a".into(), "b/1".into(), "c 2".into()]);
        assert_eq!(asker.problem(), Some(("b/1", TokenProblem::NeverNamed { at: 1 })));
        assert_eq!(Asker::named("Googlebot").unwrap().problem(), None);
    }
}
