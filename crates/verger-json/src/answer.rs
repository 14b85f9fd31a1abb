//! An answer, or an error in its place.
//!
//! Fields are written in the order of their declaration.

use std::borrow::Cow;
#[cfg(feature = "fetch")]
use std::io;

use serde::Serialize;
#[cfg(feature = "fetch")]
use verger::access::Timestamp;
use verger::{
    Agent, Contender, Explanation, Group, Reason, Robots, Rule, Verdict, without_credentials,
};
#[cfg(feature = "fetch")]
use verger_fetch::decision::Decision;

use crate::crawler::CrawlerKeys;
#[cfg(feature = "fetch")]
use crate::decision::{DecisionKeys, RepeatedDecision};
use crate::foreign::Foreign;
use crate::id::Id;
use crate::limits::ANSWER_AGENTS;
#[cfg(feature = "fetch")]
use crate::values::Values;

/// The answer to a question about one URL. The crate's documentation has an example.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema))]
pub struct Answer<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "_openapi", schema(value_type = Value, required = false))]
    id: Option<&'a Id>,
    #[serde(flatten)]
    #[cfg_attr(feature = "_openapi", schema(schema_with = crate::schema::url))]
    url: Foreign<Cow<'a, [u8]>>,
    #[serde(flatten)]
    crawler: CrawlerKeys<'a>,
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
    #[cfg(feature = "fetch")]
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<DecisionKeys<'a>>,
    #[serde(flatten)]
    #[cfg_attr(feature = "_openapi", schema(value_type = ExplanationKeys))]
    explanation: Option<ExplanationKeys<'a>>,
}

impl<'a> Answer<'a> {
    /// The verdict on a URL, by a parsed file.
    pub fn new(
        url: &'a [u8],
        crawler: CrawlerKeys<'a>,
        robots: &Robots,
        verdict: Verdict<'a>,
    ) -> Self {
        Self {
            id: None,
            url: Foreign::new("url", without_credentials(url)),
            crawler,
            dialect: robots.dialect().name,
            allowed: verdict.is_allowed(),
            reason: verdict.reason().name(),
            unanswered: false,
            rule: verdict.rule().map(RuleKeys::of),
            group: verdict.group().map(GroupKeys::of),
            truncated: robots.is_truncated(),
            #[cfg(feature = "fetch")]
            decision: None,
            explanation: None,
        }
    }

    /// Repeats the `id` of the question.
    #[must_use]
    pub const fn with_id(mut self, id: Option<&'a Id>) -> Self {
        self.id = id;
        self
    }

    /// Adds the target and all matching rules.
    #[must_use]
    pub fn with_explanation(self, explanation: Option<&'a Explanation<'a>>) -> Self {
        Self { explanation: explanation.map(ExplanationKeys::of), ..self }
    }

    /// Adds the evidence of a live answer.
    #[cfg(feature = "fetch")]
    #[must_use]
    pub fn with_decision(mut self, decision: Option<&'a Decision>) -> Self {
        self.unanswered = decision.is_some_and(|decision| decision.fault().is_some());
        self.decision = decision.map(DecisionKeys::of);
        self
    }
}

/// The answer to repeated questions of a crawler about URLs with one deciding rule, by the record
/// in the store: JSON without id, URL and time.
#[cfg(feature = "fetch")]
#[derive(Clone, Debug)]
pub struct RepeatedAnswer {
    json: Box<str>,
    /// The places of the sent URL and the time.
    cuts: [usize; 2],
}

#[cfg(feature = "fetch")]
impl RepeatedAnswer {
    /// The answer to a question with an empty URL and without an id, with the evidence of an
    /// earlier decision.
    pub fn of(answer: &Answer<'_>, decision: &RepeatedDecision) -> Self {
        let mut json = Vec::new();
        // Writing to memory does not fail.
        let _ = Values::write_value(&mut json, answer);
        let json = String::from_utf8_lossy(&json);
        let keys = json.strip_prefix(r#"{"url":"""#).and_then(|rest| rest.strip_suffix('}'));
        let RepeatedDecision([before, between, after]) = decision;
        let mut json = format!(r#"{},"decision":{before}"checked_url":"#, keys.unwrap_or_default());
        let cuts = [json.len(), json.len() + between.len()];
        json.extend([between, after, "}"]);
        Self { json: json.into(), cuts }
    }

    /// Writes the answer for a URL, which has no credentials, without a line end. `sent` is the URL
    /// as a client sends it.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write(
        &self,
        out: &mut Vec<u8>,
        id: Option<&Id>,
        [url, sent]: [&str; 2],
        now: Timestamp,
    ) -> io::Result<()> {
        let Self { json, cuts: [sent_at, time_at] } = self;
        out.push(b'{');
        if let Some(id) = id {
            out.extend_from_slice(br#""id":"#);
            Values::write_value(out, id)?;
            out.push(b',');
        }
        out.extend_from_slice(br#""url":"#);
        write_text(out, url)?;
        out.extend_from_slice(&json.as_bytes()[..*sent_at]);
        write_text(out, sent)?;
        out.extend_from_slice(&json.as_bytes()[*sent_at..*time_at]);
        Values::write_value(out, &now.seconds())?;
        out.extend_from_slice(&json.as_bytes()[*time_at..]);
        Ok(())
    }
}

/// Writes a text that mostly needs no escape.
#[cfg(feature = "fetch")]
fn write_text(out: &mut Vec<u8>, text: &str) -> io::Result<()> {
    let is_plain = |it: u8| matches!(it, b' ' | b'!' | b'#'..=b'[' | b']'..=b'~');
    // A fold has no early end, so the compiler compares many octets at once.
    if !text.bytes().fold(true, |all, it| all & is_plain(it)) {
        return Values::write_value(out, &text);
    }
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
    Ok(())
}

/// An error in place of an answer.
///
/// # Examples
///
/// ```
/// use verger_json::AnswerError;
///
/// let error = AnswerError::new(Some(b"x y"), Some(7), "expected a URL".to_owned());
/// assert_eq!(
///     serde_json::to_string(&error)?,
///     r#"{"url":"x y","error":{"line":7,"message":"expected a URL"}}"#,
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema))]
pub struct AnswerError<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "_openapi", schema(value_type = Value, required = false))]
    id: Option<&'a Id>,
    #[serde(flatten)]
    #[cfg_attr(feature = "_openapi", schema(schema_with = crate::schema::given_url))]
    url: Foreign<Option<Cow<'a, [u8]>>>,
    error: ErrorKeys,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = AnswerErrorKeys))]
struct ErrorKeys {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    message: String,
}

impl<'a> AnswerError<'a> {
    /// An error about a URL or a line of the input, counted from 1. Foreign text in `message` must
    /// be escaped ([`verger::Untrusted`]).
    pub fn new(url: Option<&'a [u8]>, line: Option<u64>, message: String) -> Self {
        Self {
            id: None,
            url: Foreign::new("url", url.map(without_credentials)),
            error: ErrorKeys { line, reason: None, message },
        }
    }

    /// Adds the reason of the engine for the same question, such as `not_a_url`.
    #[must_use]
    pub fn with_reason(mut self, reason: Option<Reason>) -> Self {
        self.error.reason = reason.map(Reason::name);
        self
    }

    /// Repeats the `id` of the question.
    #[must_use]
    pub const fn with_id(mut self, id: Option<&'a Id>) -> Self {
        self.id = id;
        self
    }
}

/// A rule and its position.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = Rule))]
#[non_exhaustive]
pub struct RuleKeys<'a> {
    /// The rule itself, which is not written.
    #[serde(skip)]
    pub rule: Rule<'a>,
    kind: &'static str,
    #[serde(flatten)]
    #[cfg_attr(feature = "_openapi", schema(schema_with = crate::schema::pattern))]
    pattern: Foreign<&'a [u8]>,
    /// Its line, counted from 1.
    pub line: usize,
    column: usize,
    span: [usize; 2],
}

impl<'a> RuleKeys<'a> {
    /// A rule as JSON.
    pub fn of(rule: Rule<'a>) -> Self {
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

/// A group and its position.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = Group))]
struct GroupKeys<'a> {
    #[serde(flatten)]
    #[cfg_attr(feature = "_openapi", schema(schema_with = crate::schema::agents))]
    agents: Foreign<Vec<&'a [u8]>>,
    /// Number of agents, if not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    agents_total: Option<usize>,
    line: usize,
    /// The user-agent line that joins the group after the one that names the crawler.
    #[serde(skip_serializing_if = "Option::is_none")]
    joined_by: Option<JoinKeys>,
}

/// A user-agent line that joins a group across a record, and the option of the dialect that
/// separates them.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = Join))]
struct JoinKeys {
    line: usize,
    across: &'static str,
    option: &'static str,
}

impl JoinKeys {
    fn of(agent: Agent<'_>) -> Option<Self> {
        let record = agent.joins_across()?;
        let line = agent.position().line;
        Some(Self { line, across: record.key(), option: record.option() })
    }
}

impl<'a> GroupKeys<'a> {
    fn of(group: Group<'a>) -> Self {
        let values = group.agents().map(|agent| agent.value()).take(ANSWER_AGENTS);
        let total = group.agents().count();
        Self {
            agents: Foreign::new("agents", values.collect()),
            agents_total: (total > ANSWER_AGENTS).then_some(total),
            line: group.position().line,
            joined_by: group.joined_by().and_then(JoinKeys::of),
        }
    }
}

/// The explanation (`--explain`).
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = Explanation))]
struct ExplanationKeys<'a> {
    #[serde(flatten)]
    #[cfg_attr(feature = "_openapi", schema(schema_with = crate::schema::target))]
    target: Foreign<Option<&'a [u8]>>,
    #[cfg_attr(feature = "_openapi", schema(required = false))]
    matches: Vec<MatchKeys<'a>>,
    /// The verdict in a sentence for people; its wording can change.
    #[cfg_attr(feature = "_openapi", schema(required = false))]
    sentence: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = Match))]
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
            sentence: explanation.verdict.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NamedCrawler;
    use verger::Dialect;

    const SHOP: &[u8] = b"User-agent: *\nDisallow: /cart\nAllow: /cart/help\nDisallow: /\xff\n";

    #[track_caller]
    fn check(url: &[u8], explain: bool, json: &str) {
        let robots = Dialect::RFC9309.parse(SHOP);
        let crawler = NamedCrawler::agent("GPTBot", &Dialect::RFC9309);
        let explanation = robots.explain(crawler.crawler(), url);
        let answer = Answer::new(url, crawler.keys(), &robots, explanation.verdict);
        let answer = answer.with_explanation(Some(&explanation).filter(|_| explain));
        assert_eq!(serde_json::to_string(&answer).unwrap(), json);
    }

    #[test]
    fn an_answer_has_the_keys_of_the_contract_in_order() {
        check(
            b"https://shop.example/cart",
            false,
            concat!(
                r#"{"url":"https://shop.example/cart","agent":"GPTBot","tokens":["GPTBot"],"dialect":"rfc9309","#,
                r#""allowed":false,"reason":"rule","#,
                r#""rule":{"kind":"disallow","pattern":"/cart","line":2,"column":11,"span":[24,29]},"#,
                r#""group":{"agents":["*"],"line":1}}"#
            ),
        );
        check(
            b"mailto:a@shop.example",
            false,
            concat!(
                r#"{"url":"mailto:a@shop.example","agent":"GPTBot","tokens":["GPTBot"],"dialect":"rfc9309","#,
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
                r#"{"url":"/cart/help","agent":"GPTBot","tokens":["GPTBot"],"dialect":"rfc9309","allowed":true,"#,
                r#""reason":"rule","rule":{"kind":"allow","pattern":"/cart/help","line":3,"#,
                r#""column":8,"span":[37,47]},"group":{"agents":["*"],"line":1},"#,
                r#""target":"/cart/help","matches":[{"kind":"disallow","pattern":"/cart","line":2,"#,
                r#""column":11,"span":[24,29],"length":5,"standing":"shorter"},{"kind":"allow","#,
                r#""pattern":"/cart/help","line":3,"column":8,"span":[37,47],"length":10,"#,
                r#""standing":"decides"}],"sentence":"allowed by `Allow: /cart/help` on line 3, "#,
                r#"in the group for `*` (line 1)"}"#
            ),
        );
    }

    #[test]
    fn bytes_that_are_not_utf8_are_added_to_the_string() {
        check(
            b"/\xff",
            false,
            concat!(
                "{\"url\":\"/\u{fffd}\",\"url_b64\":\"L/8=\",",
                r#""agent":"GPTBot","tokens":["GPTBot"],"dialect":"rfc9309","allowed":false,"reason":"rule","#,
                "\"rule\":{\"kind\":\"disallow\",\"pattern\":\"/\u{fffd}\",\"pattern_b64\":\"L/8=\",",
                r#""line":4,"column":11,"span":[58,60]},"group":{"agents":["*"],"line":1}}"#
            ),
        );
    }

    #[test]
    fn an_answer_lists_a_limited_number_of_agents_and_counts_all() {
        let group = |agents: usize| {
            let robots = "User-agent: a\nUser-agent: \u{e9}\n".repeat(agents / 2);
            let robots = format!("{robots}Disallow: /\n");
            let robots = Dialect::RFC9309.parse(&robots);
            let crawler = NamedCrawler::token("a");
            let verdict = robots.check(crawler.crawler(), "/");
            let answer = Answer::new(b"/", crawler.keys(), &robots, verdict);
            serde_json::to_value(answer).unwrap()["group"].take()
        };
        let whole = group(ANSWER_AGENTS);
        assert_eq!(whole["agents"].as_array().unwrap().len(), ANSWER_AGENTS);
        assert_eq!(whole.get("agents_total"), None);
        let cut = group(ANSWER_AGENTS + 2);
        assert_eq!(cut["agents"], whole["agents"]);
        assert_eq!(cut["agents_total"], ANSWER_AGENTS + 2);
    }

    #[test]
    fn credentials_of_a_url_are_not_repeated() {
        let url = "https://user:secret@shop.example/@x";
        let error = AnswerError::new(Some(url.as_bytes()), None, "m".into());
        let json: serde_json::Value = serde_json::to_value(&error).unwrap();
        assert_eq!(json["url"], "https://shop.example/@x");
    }

    #[test]
    fn an_error_has_its_line_and_url_if_known() {
        let check = |error: AnswerError<'_>, json: &str| {
            assert_eq!(serde_json::to_string(&error).unwrap(), json);
        };
        check(AnswerError::new(None, Some(7), "m".into()), r#"{"error":{"line":7,"message":"m"}}"#);
        check(
            AnswerError::new(Some(b"x"), None, "m".into()),
            r#"{"url":"x","error":{"message":"m"}}"#,
        );
    }
}
