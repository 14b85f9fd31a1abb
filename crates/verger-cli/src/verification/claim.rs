//! The claims of an answer: the question, the verdict, and the evidence that can be verified.

use std::fmt;
use std::ops::RangeInclusive;

use serde::Deserialize;
use serde_json::Value;
use verger::limits::QUOTED_CHARS;
use verger::{Crawler, ProductToken, Untrusted};

use super::distinct::Distinct;
use super::shown;
use crate::asker::Asker;
use crate::error::Error;

/// The versions of `decision` that can be read. They differ in keys that are not verified.
const VERSIONS: RangeInclusive<u64> = 1..=2;

/// An answer of `check` with its `decision`, as it was given.
#[derive(Debug)]
pub(crate) struct Claim {
    pub(crate) keys: Keys,
    pub(crate) decision: DecisionKeys,
    /// The whole answer, to compare with.
    pub(crate) whole: Value,
}

/// The question and the verdict. Other keys are ignored.
#[derive(Debug, Deserialize)]
pub(crate) struct Keys {
    pub(crate) url: String,
    agent: Option<String>,
    agents: Option<Vec<String>>,
    #[serde(default)]
    union: bool,
    crawler: Option<String>,
    pub(crate) dialect: String,
    pub(crate) allowed: bool,
    pub(crate) reason: String,
}

/// The evidence that can be verified. Other keys are ignored.
#[derive(Debug, Deserialize)]
pub(crate) struct DecisionKeys {
    pub(crate) verger: String,
    pub(crate) checked_url: String,
    pub(crate) tokens: Option<Vec<String>>,
    #[serde(default)]
    ignores_star: bool,
    #[serde(default)]
    ignores_robots: bool,
    pub(crate) access: String,
    pub(crate) decided_at: u64,
    pub(crate) valid_until: u64,
    pub(crate) origin: Option<String>,
    pub(crate) tried_at: Option<u64>,
    pub(crate) fetched_at: Option<u64>,
    pub(crate) fresh_until: Option<u64>,
    pub(crate) failing_since: Option<u64>,
    #[serde(default)]
    pub(crate) truncated: bool,
    pub(crate) bytes: Option<u64>,
    pub(crate) sha256: Option<String>,
}

impl Claim {
    /// Reads one answer.
    pub(crate) fn read(text: &str) -> Result<Self, Error> {
        let whole: Value = serde_json::from_str(text).map_err(|error| unreadable(&error))?;
        serde_json::from_str::<Distinct>(text).map_err(|error| unreadable(&error))?;
        if whole.get("error").is_some() {
            return Err(Error::new("expected an answer, but found an error in its place"));
        }
        let Some(decision) = whole.get("decision").filter(|_| whole.is_object()) else {
            let message = "expected an answer with a `decision`, but found none";
            return Err(Error::new(message).with_hint(
                "`verger check` without `--robots` writes one, with `--format json` or `jsonl`",
            ));
        };
        let version = &decision["version"];
        if !version.as_u64().is_some_and(|version| VERSIONS.contains(&version)) {
            let (first, last, found) = (VERSIONS.start(), VERSIONS.end(), shown(version));
            let versions = format!("a decision of version {first} to {last}");
            return Err(Error::new(format!("expected {versions}, but found {found}")));
        }
        let keys = Keys::deserialize(&whole).map_err(|error| unreadable(&error))?;
        let decision = DecisionKeys::deserialize(decision)
            .map_err(|error| Error::new(format!("bad `decision`: {}", message(&error))))?;
        if keys.agent.is_none() && keys.agents.is_none() && keys.crawler.is_none() {
            return Err(Error::new("expected `agent`, `agents` or `crawler`, but found none"));
        }
        Ok(Self { keys, decision, whole })
    }

    /// The crawler by each key that names it, `None` for an unknown name. `check` writes one such key.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&'static str, Option<Asker>)> {
        let Keys { agent, agents, union, crawler, .. } = &self.keys;
        let crawler = crawler.as_ref().map(|name| ("crawler", Asker::named(name)));
        let several = if *union { Asker::union } else { Asker::chain };
        let agents = agents.as_ref().map(|agents| ("agents", Some(several(agents.clone()))));
        let agent = agent.as_ref().map(|it| ("agent", Some(Asker::chain(vec![it.clone()]))));
        crawler.into_iter().chain(agents).chain(agent)
    }

    /// The crawler to ask for: by the tokens in the evidence, else by the first known name.
    pub(crate) fn asker(&self) -> Option<Asker> {
        let Some(tokens) = self.decision.tokens.clone() else {
            return self.names().find_map(|(_, asker)| asker);
        };
        let crawler = if self.keys.union { Crawler::union(tokens) } else { Crawler::chain(tokens) };
        let crawler = if self.decision.ignores_star { crawler.without_star() } else { crawler };
        let ignores = self.decision.ignores_robots;
        Some(Asker::of_crawler(if ignores { crawler.without_robots() } else { crawler }))
    }
}

/// The tokens of a crawler in JSON.
pub(crate) fn tokens(asker: &Asker) -> Value {
    asker.crawler().tokens().iter().map(ProductToken::as_str).collect()
}

/// The error of a text that cannot be read as an answer.
pub(crate) fn unreadable(error: &serde_json::Error) -> Error {
    let what = if error.is_data() { "bad answer" } else { "bad JSON" };
    Error::new(format!("{what}: {}", message(error)))
}

/// The message of the reader without its position, which is relative to a part of the input.
fn message(error: &serde_json::Error) -> impl fmt::Display {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = text.strip_suffix(&place).unwrap_or(&text);
    Untrusted::new(text).limited_to(2 * QUOTED_CHARS).to_string()
}
