//! A decision as it was saved: the question, the verdict, and the evidence that can be verified.

use std::collections::HashSet;
use std::fmt;
use std::ops::RangeInclusive;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use verger::limits::QUOTED_CHARS;
use verger::{Crawler, Dialect, ProductToken, Untrusted};
use verger_json::NamedCrawler;

use super::shown;
use crate::error::Error;

/// The versions of `decision` that can be read. They differ in keys that are not verified.
const VERSIONS: RangeInclusive<u64> = 1..=2;

/// An answer of `check` with its `decision`, as it was saved.
#[derive(Debug)]
pub(crate) struct SavedDecision {
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
    token: Option<String>,
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

impl SavedDecision {
    /// Reads one answer.
    pub(crate) fn read(text: &str) -> Result<Self, Error> {
        let whole: Value = serde_json::from_str(text).map_err(|error| json_error(&error))?;
        serde_json::from_str::<UniqueKeys>(text).map_err(|error| json_error(&error))?;
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
        let keys = Keys::deserialize(&whole).map_err(|error| json_error(&error))?;
        let decision = DecisionKeys::deserialize(decision)
            .map_err(|error| Error::new(format!("bad `decision`: {}", message(&error))))?;
        let is_named = keys.agents.is_some()
            || [&keys.agent, &keys.token, &keys.crawler].iter().any(|name| name.is_some());
        if !is_named {
            return Err(Error::new("expected `agent`, `token` or `agents`, but found none"));
        }
        Ok(Self { keys, decision, whole })
    }

    /// The crawler by each key that names it. `check` writes one such key.
    ///
    /// Earlier answers have agents as tokens without reading headers or knowing fallbacks.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&'static str, NamedCrawler)> {
        let Keys { agent, token, agents, union, crawler, dialect, .. } = &self.keys;
        let dialect = Dialect::named(dialect).unwrap_or_default();
        let evident = self.evident();
        let or_literal = |named: NamedCrawler| {
            let words = named.words().to_vec();
            let literal = if *union { Crawler::union(words) } else { Crawler::chain(words) };
            let is_literal = evident.as_ref() == Some(&literal);
            if is_literal { NamedCrawler::of_crawler(literal) } else { named }
        };
        let known = crawler.as_ref().map(|name| ("crawler", NamedCrawler::agent(name, &dialect)));
        let several = if *union { NamedCrawler::union } else { NamedCrawler::chain };
        let agents = agents.as_ref().map(|agents| several(agents.clone(), &dialect));
        let agent = agent.as_ref().map(|agent| NamedCrawler::agent(agent, &dialect));
        let agents = agents.map(|agents| ("agents", or_literal(agents)));
        let agent = agent.map(|agent| ("agent", or_literal(agent)));
        let token = token.as_ref().map(|token| ("token", NamedCrawler::token(token)));
        known.into_iter().chain(agents).chain(agent).chain(token)
    }

    /// The crawler: by the tokens in the evidence, or by the first name.
    pub(crate) fn crawler(&self) -> Option<NamedCrawler> {
        let evident = self.evident().map(NamedCrawler::of_crawler);
        evident.or_else(|| self.names().next().map(|(_, named)| named))
    }

    /// The crawler by the tokens in the evidence.
    fn evident(&self) -> Option<Crawler> {
        let tokens = self.decision.tokens.clone()?;
        let crawler = if self.keys.union { Crawler::union(tokens) } else { Crawler::chain(tokens) };
        let crawler = if self.decision.ignores_star { crawler.without_star() } else { crawler };
        Some(if self.decision.ignores_robots { crawler.without_robots() } else { crawler })
    }
}

/// The tokens of a crawler in JSON.
pub(crate) fn tokens(crawler: &NamedCrawler) -> Value {
    crawler.crawler().tokens().iter().map(ProductToken::as_str).collect()
}

/// An error about a text that is not a valid answer.
pub(crate) fn json_error(error: &serde_json::Error) -> Error {
    let what = if error.is_data() { "bad answer" } else { "bad JSON" };
    Error::new(format!("{what}: {}", message(error)))
}

/// The message of the JSON parser without its position, which is relative to a part of the input.
fn message(error: &serde_json::Error) -> impl fmt::Display {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = text.strip_suffix(&place).unwrap_or(&text);
    Untrusted::new(text).limited_to(2 * QUOTED_CHARS).to_string()
}

/// Any JSON value, discarded. A duplicate key in an object is an error that names the key: readers
/// differ in which duplicate they use, so one could be verified and the other one read.
struct UniqueKeys;

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

/// Methods of a visitor that accept scalars.
macro_rules! accept {
    ($($visit:ident($($scalar:ty)?)),*) => {
        $(fn $visit<E: serde::de::Error>(self $(, _: $scalar)?) -> Result<Self, E> {
            Ok(self)
        })*
    };
}

impl<'de> Visitor<'de> for UniqueKeys {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if let Some(key) = keys.replace(key) {
                return Err(A::Error::custom(format_args!("duplicate field `{key}`")));
            }
            map.next_value::<Self>()?;
        }
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self, A::Error> {
        while seq.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    accept!(visit_bool(bool), visit_i64(i64), visit_u64(u64), visit_f64(f64), visit_str(&str));
    accept!(visit_unit());
}
