//! One answer, or one error in its place, as JSON: the contract of `docs/json.md`.
//!
//! The fields stand in the order in which they are written. Foreign text is as in `foreign.rs`.

use serde::Serialize;
use verger::{Agent, Contender, Explanation, Group, Rule};

use crate::asker::AskerKeys;
use crate::decision::DecisionKeys;
use crate::foreign::Foreign;
use crate::id::Id;
use crate::limits::ANSWER_AGENTS;
use crate::reply::Reply;
use crate::robots_file::RobotsFile;

/// An answer.
#[derive(Debug, Serialize)]
pub(crate) struct Answer<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Id>,
    #[serde(flatten)]
    url: Foreign<&'a [u8]>,
    #[serde(flatten)]
    asker: AskerKeys<'a>,
    dialect: &'static str,
    allowed: bool,
    reason: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unanswered: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<RuleKeys<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<GroupKeys<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<DecisionKeys<'a>>,
    #[serde(flatten)]
    explanation: Option<ExplanationKeys<'a>>,
}

impl<'a> Answer<'a> {
    /// A reply as JSON.
    pub(crate) fn of(reply: &'a Reply<'a>) -> Self {
        let Reply { id, url, asker, file, verdict, explanation, decision } = reply;
        Self {
            id: *id,
            url: Foreign::new("url", url),
            asker: asker.keys(),
            dialect: file.robots().dialect().name,
            allowed: verdict.is_allowed(),
            reason: verdict.reason().name(),
            unanswered: reply.is_unanswered(),
            rule: verdict.rule().map(RuleKeys::of),
            group: verdict.group().map(|group| GroupKeys::of(group, file)),
            truncated: file.robots().is_truncated(),
            decision: decision.map(DecisionKeys::of),
            explanation: explanation.as_ref().map(ExplanationKeys::of),
        }
    }
}

/// An error in the place of an answer.
#[derive(Debug, Serialize)]
pub(crate) struct Failure<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Id>,
    #[serde(flatten)]
    url: Foreign<Option<&'a [u8]>>,
    error: FailureKeys,
}

#[derive(Debug, Serialize)]
struct FailureKeys {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    message: String,
}

impl<'a> Failure<'a> {
    pub(crate) fn new(url: Option<&'a [u8]>, line: Option<u64>, message: String) -> Self {
        Self { id: None, url: Foreign::new("url", url), error: FailureKeys { line, message } }
    }

    /// The same for a question that has a name.
    #[must_use]
    pub(crate) const fn with_id(mut self, id: Option<&'a Id>) -> Self {
        self.id = id;
        self
    }
}

/// A rule and its place.
#[derive(Debug, Serialize)]
pub(crate) struct RuleKeys<'a> {
    #[serde(skip)]
    pub(crate) rule: Rule<'a>,
    kind: &'static str,
    #[serde(flatten)]
    pattern: Foreign<&'a [u8]>,
    pub(crate) line: usize,
    column: usize,
    span: [usize; 2],
}

impl<'a> RuleKeys<'a> {
    pub(crate) fn of(rule: Rule<'a>) -> Self {
        let position = rule.position();
        Self {
            rule,
            kind: rule.kind().name(),
            pattern: Foreign::new("pattern", rule.pattern()),
            line: position.line,
            column: position.column,
            span: [rule.span().start, rule.span().end],
        }
    }
}

/// A group and its place.
#[derive(Debug, Serialize)]
struct GroupKeys<'a> {
    #[serde(flatten)]
    agents: Foreign<Vec<&'a [u8]>>,
    /// How many there are, where these are not all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    agents_total: Option<usize>,
    line: usize,
    /// The user-agent line that joins the group after the one that names the crawler.
    #[serde(skip_serializing_if = "Option::is_none")]
    joined_by: Option<JoinKeys>,
}

/// A user-agent line that joins a group across a record, and the option of the dialect that separates them.
#[derive(Debug, Serialize)]
struct JoinKeys {
    line: usize,
    across: &'static str,
    option: &'static str,
}

impl JoinKeys {
    fn of(agent: Agent<'_>, file: &RobotsFile) -> Option<Self> {
        let record = agent.joins_across()?;
        Some(Self {
            line: file.position(agent.span().start).line,
            across: record.key(),
            option: record.option(),
        })
    }
}

impl<'a> GroupKeys<'a> {
    fn of(group: Group<'a>, file: &RobotsFile) -> Self {
        let values = group.agents().map(|agent| agent.value()).take(ANSWER_AGENTS);
        let total = group.agents().count();
        Self {
            agents: Foreign::new("agents", values.collect()),
            agents_total: (total > ANSWER_AGENTS).then_some(total),
            line: group.position().line,
            joined_by: group.joined_by().and_then(|agent| JoinKeys::of(agent, file)),
        }
    }
}

/// What `--explain` adds.
#[derive(Debug, Serialize)]
struct ExplanationKeys<'a> {
    #[serde(flatten)]
    target: Foreign<Option<&'a [u8]>>,
    matches: Vec<MatchKeys<'a>>,
}

#[derive(Debug, Serialize)]
struct MatchKeys<'a> {
    #[serde(flatten)]
    rule: RuleKeys<'a>,
    length: usize,
    standing: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    by_directory: bool,
}

impl<'a> ExplanationKeys<'a> {
    fn of(explanation: &'a Explanation<'a>) -> Self {
        let target = explanation.target.as_deref();
        let of_match = |contender: &Contender<'a>| MatchKeys {
            rule: RuleKeys::of(contender.rule),
            length: contender.length,
            standing: contender.standing.name(),
            by_directory: contender.by_directory,
        };
        Self {
            target: Foreign::new("target", target),
            matches: explanation.contenders.iter().map(of_match).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asker::Asker;
    use crate::robots_file::RobotsFile;
    use verger::Dialect;

    const SHOP: &[u8] = b"User-agent: *\nDisallow: /cart\nAllow: /cart/help\nDisallow: /\xff\n";

    #[track_caller]
    fn check(url: &[u8], explain: bool, json: &str) {
        let file = RobotsFile::parse("x".into(), SHOP, &Dialect::RFC9309);
        let asker = Asker::chain(vec!["GPTBot".into()]);
        let reply = Reply::ask(url, &asker, &file, explain);
        assert_eq!(serde_json::to_string(&Answer::of(&reply)).unwrap(), json);
    }

    #[test]
    fn an_answer_has_the_keys_of_the_contract_in_order() {
        check(
            b"https://shop.example/cart",
            false,
            concat!(
                r#"{"url":"https://shop.example/cart","agent":"GPTBot","dialect":"rfc9309","#,
                r#""allowed":false,"reason":"rule","#,
                r#""rule":{"kind":"disallow","pattern":"/cart","line":2,"column":11,"span":[24,29]},"#,
                r#""group":{"agents":["*"],"line":1}}"#
            ),
        );
        check(
            b"mailto:a@shop.example",
            false,
            concat!(
                r#"{"url":"mailto:a@shop.example","agent":"GPTBot","dialect":"rfc9309","#,
                r#""allowed":true,"reason":"no_robots_for_scheme"}"#
            ),
        );
    }

    #[test]
    fn an_explanation_adds_target_and_matches() {
        check(
            b"/cart/help",
            true,
            concat!(
                r#"{"url":"/cart/help","agent":"GPTBot","dialect":"rfc9309","allowed":true,"#,
                r#""reason":"rule","rule":{"kind":"allow","pattern":"/cart/help","line":3,"#,
                r#""column":8,"span":[37,47]},"group":{"agents":["*"],"line":1},"#,
                r#""target":"/cart/help","matches":[{"kind":"disallow","pattern":"/cart","line":2,"#,
                r#""column":11,"span":[24,29],"length":5,"standing":"shorter"},{"kind":"allow","#,
                r#""pattern":"/cart/help","line":3,"column":8,"span":[37,47],"length":10,"#,
                r#""standing":"decides"}]}"#
            ),
        );
    }

    #[test]
    fn bytes_that_are_not_utf8_are_kept_beside_the_string() {
        check(
            b"/\xff",
            false,
            concat!(
                "{\"url\":\"/\u{fffd}\",\"url_b64\":\"L/8=\",",
                r#""agent":"GPTBot","dialect":"rfc9309","allowed":false,"reason":"rule","#,
                "\"rule\":{\"kind\":\"disallow\",\"pattern\":\"/\u{fffd}\",\"pattern_b64\":\"L/8=\",",
                r#""line":4,"column":11,"span":[58,60]},"group":{"agents":["*"],"line":1}}"#
            ),
        );
    }

    #[test]
    fn an_answer_names_so_many_agents_of_its_group_and_counts_all() {
        let group = |agents: usize| {
            let robots = "User-agent: a\nUser-agent: \u{e9}\n".repeat(agents / 2);
            let robots = format!("{robots}Disallow: /\n");
            let file = RobotsFile::parse("x".into(), robots.as_bytes(), &Dialect::RFC9309);
            let asker = Asker::chain(vec!["a".into()]);
            let reply = Reply::ask(b"/", &asker, &file, false);
            serde_json::to_value(Answer::of(&reply)).unwrap()["group"].take()
        };
        let whole = group(ANSWER_AGENTS);
        assert_eq!(whole["agents"].as_array().unwrap().len(), ANSWER_AGENTS);
        assert_eq!(whole.get("agents_total"), None);
        let cut = group(ANSWER_AGENTS + 2);
        assert_eq!(cut["agents"], whole["agents"]);
        assert_eq!(cut["agents_total"], ANSWER_AGENTS + 2);
    }

    #[test]
    fn an_error_names_its_line_and_url_where_it_has_them() {
        let check = |failure: Failure<'_>, json: &str| {
            assert_eq!(serde_json::to_string(&failure).unwrap(), json);
        };
        check(Failure::new(None, Some(7), "m".into()), r#"{"error":{"line":7,"message":"m"}}"#);
        check(Failure::new(Some(b"x"), None, "m".into()), r#"{"url":"x","error":{"message":"m"}}"#);
    }
}
