//! What an answer claims: what is needed to ask the same question again.

use std::fmt;

use serde::Deserialize;
use serde_json::Value;
use verger::limits::QUOTED_CHARS;
use verger::{Crawler, ProductToken, Untrusted};

use super::distinct::Distinct;
use crate::asker::Asker;
use crate::decision::VERSION;
use crate::error::Error;

/// An answer of `check` with its `decision`, as it was given.
#[derive(Debug)]
pub(crate) struct Claim {
    pub(crate) keys: Keys,
    pub(crate) decision: DecisionKeys,
    /// All of it, to compare with.
    pub(crate) whole: Value,
}

/// The keys of an answer that say what was asked. Others are passed over.
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

/// The evidence.
#[derive(Debug, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "the keys of the contract")]
pub(crate) struct DecisionKeys {
    pub(crate) verger: String,
    pub(crate) checked_url: String,
    pub(crate) tokens: Option<Vec<String>>,
    #[serde(default)]
    ignores_star: bool,
    #[serde(default)]
    ignores_robots: bool,
    pub(crate) access_profile: String,
    pub(crate) access: String,
    pub(crate) source: String,
    pub(crate) decided_at: u64,
    pub(crate) valid_until: u64,
    pub(crate) stale: Option<String>,
    pub(crate) origin: Option<String>,
    pub(crate) status: Option<u16>,
    pub(crate) failure: Option<String>,
    #[serde(default)]
    pub(crate) hops: Vec<HopKeys>,
    pub(crate) final_url: Option<String>,
    pub(crate) tried_at: Option<u64>,
    pub(crate) fetched_at: Option<u64>,
    pub(crate) fresh_until: Option<u64>,
    pub(crate) failing_since: Option<u64>,
    #[serde(default)]
    pub(crate) downgraded: bool,
    #[serde(default)]
    pub(crate) truncated: bool,
    pub(crate) bytes: Option<u64>,
    pub(crate) sha256: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct HopKeys {
    pub(crate) status: u16,
    pub(crate) url: String,
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
        match decision.get("version").and_then(Value::as_u64) {
            Some(version) if version == u64::from(VERSION) => {}
            Some(version) => {
                return Err(Error::new(format!(
                    "expected a decision of version {VERSION}, but found version {version}"
                )));
            }
            None => return Err(Error::new("expected `version` in `decision`, but found none")),
        }
        let keys = Keys::deserialize(&whole).map_err(|error| unreadable(&error))?;
        let decision = DecisionKeys::deserialize(decision)
            .map_err(|error| Error::new(format!("bad `decision`: {}", told(&error))))?;
        if keys.agent.is_none() && keys.agents.is_none() && keys.crawler.is_none() {
            let message = "expected `agent`, `agents` or `crawler`, but found none";
            return Err(Error::new(message));
        }
        Ok(Self { keys, decision, whole })
    }

    /// Who asked, by name; `None` when no crawler of the name is known.
    pub(crate) fn named(&self) -> Option<Asker> {
        self.names().next().and_then(|(_, asker)| asker)
    }

    /// Who asked, by every key that says so. `check` writes one of them.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&'static str, Option<Asker>)> {
        let Keys { agent, agents, union, crawler, .. } = &self.keys;
        let crawler = crawler.as_ref().map(|name| ("crawler", Asker::named(name).ok()));
        let several = if *union { Asker::union } else { Asker::chain };
        let agents = agents.as_ref().map(|agents| ("agents", Some(several(agents.clone()))));
        let agent = agent.as_ref().map(|it| ("agent", Some(Asker::chain(vec![it.clone()]))));
        crawler.into_iter().chain(agents).chain(agent)
    }

    /// Who asked, by the tokens in the evidence, where it has them.
    pub(crate) fn evident(&self) -> Option<Asker> {
        let tokens = self.decision.tokens.clone()?;
        let crawler = if self.keys.union { Crawler::union(tokens) } else { Crawler::chain(tokens) };
        let crawler = if self.decision.ignores_star { crawler.ignoring_star() } else { crawler };
        let ignores = self.decision.ignores_robots;
        Some(Asker::of_crawler(if ignores { crawler.ignoring_robots() } else { crawler }))
    }

    /// Whether a robots.txt was needed for the answer.
    pub(crate) const fn has_record(&self) -> bool {
        self.decision.origin.is_some()
    }
}

impl DecisionKeys {
    /// Whether the last fetch is said to have failed. What is wrong with an outage without a beginning is for
    /// the times to say.
    pub(super) fn claims_outage(&self) -> bool {
        self.failing_since.is_some() || self.stale.as_deref() == Some("during_outage")
    }
}

/// The tokens of a crawler in JSON.
pub(crate) fn tokens(asker: &Asker) -> Value {
    asker.crawler().tokens().iter().map(ProductToken::as_str).collect()
}

/// What is wrong with a text that is no answer.
pub(crate) fn unreadable(error: &serde_json::Error) -> Error {
    let what = if error.is_data() { "bad answer" } else { "bad JSON" };
    Error::new(format!("{what}: {}", told(error)))
}

/// The words of the reader without the place, which is that of a part.
fn told(error: &serde_json::Error) -> impl fmt::Display {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = text.strip_suffix(&place).unwrap_or(&text);
    Untrusted::new(text).limited_to(2 * QUOTED_CHARS).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refuses(text: &str, message: &str) {
        assert_eq!(Claim::read(text).unwrap_err().to_string(), message);
    }

    #[test]
    fn what_is_no_answer_with_a_decision_is_refused() {
        refuses("[1]", "expected an answer with a `decision`, but found none");
        refuses(r#"{"url":"/"}"#, "expected an answer with a `decision`, but found none");
        refuses(
            r#"{"error":{"message":"x"}}"#,
            "expected an answer, but found an error in its place",
        );
        refuses("{", "bad JSON: EOF while parsing an object");
    }

    #[test]
    fn an_unknown_version_is_named_before_anything_else_is_read() {
        refuses(
            r#"{"decision":{"version":2}}"#,
            "expected a decision of version 1, but found version 2",
        );
        refuses(r#"{"decision":{}}"#, "expected `version` in `decision`, but found none");
    }

    #[test]
    fn what_is_missing_or_of_another_type_is_named_and_escaped() {
        refuses(r#"{"decision":{"version":1}}"#, "bad answer: missing field `url`");
        let answer = |decision: &str| {
            format!(
                r#"{{"url":"/","dialect":"x","allowed":true,"reason":"x","decision":{{"version":1,{decision}}}}}"#
            )
        };
        refuses(&answer(r#""verger":"1""#), "bad `decision`: missing field `checked_url`");
        refuses(
            &answer(r#""verger":["\u001b"]"#),
            "bad `decision`: invalid type: sequence, expected a string",
        );
        refuses(
            &answer(r#""status":"\u001b[2J""#),
            r#"bad `decision`: invalid type: string "\u{1b}[2J", expected u16"#,
        );
    }
}
