//! Tools about the text of a robots.txt: answers, `lint`, `diff`; and `crawlers`.

use serde_json::{Value, json};
use verger::{Dialect, Origin, Robots, Verdict, quoted};
use verger_fetch::client::{CheckError, TurnError};
use verger_json::diff::compared;
use verger_json::known_crawler::KnownCrawlerKeys;
use verger_json::lint::LintReport;
use verger_json::{Answer, NamedCrawler};
use verger_lint::{Settings, lint_while};
use verger_registry::{Crawler, Registry};

use crate::failure::ToolError;

/// Refuses a URL that is neither http nor https, unlike a path: `allowed` would be wrong for
/// `file:` or `javascript:`.
pub(crate) fn check_scheme(url: &str) -> Result<(), ToolError> {
    match Origin::of(url) {
        _ if url.starts_with(['/', '?']) => Ok(()),
        Ok(Some(origin)) if matches!(origin.scheme(), "http" | "https") => Ok(()),
        Ok(_) => Err(TurnError::Scheme.into()),
        Err(error) => Err(CheckError::InvalidUrl(error).into()),
    }
}

/// An answer with its matching rules and a sentence.
pub(crate) fn answer(
    url: &str,
    crawler: &NamedCrawler,
    robots: &Robots,
    verdict: Verdict<'_>,
    sentence: String,
) -> Value {
    let explanation = robots.explain(crawler.crawler(), url);
    // The rules of a file that is not in force explain nothing.
    let is_by_rules = explanation.verdict.reason() == verdict.reason();
    let answer = Answer::new(url.as_bytes(), crawler.keys(), robots, verdict);
    let mut answer = value(&answer.with_explanation(Some(&explanation).filter(|_| is_by_rules)));
    answer["sentence"] = sentence.into();
    answer
}

/// An answer without the keys that prove it, or are the same in all of a call.
pub(crate) fn brief(mut answer: Value) -> Value {
    if let Some(answer) = answer.as_object_mut() {
        answer.retain(|key, _| EVIDENCE.split(' ').all(|it| it != key));
    }
    answer
}

/// They fill some hundred tokens of a model for each URL. Of the evidence in a receipt, the file
/// with its hash, status and times is left.
const EVIDENCE: &str = "access_profile agent checked_url decided_at decision dialect fresh_until group \
                        hops kept_pause matches next_try origin target tokens \
                        tried_at verger version";

/// Findings of the linter; null if it was ended.
pub(crate) fn lint(robots: &[u8], goes_on: &dyn Fn() -> bool) -> Value {
    let report = lint_while(robots, &Settings::default(), goes_on);
    report.map_or(Value::Null, |report| value(&LintReport::of(&report)))
}

/// The difference of two files by their meaning.
pub(crate) fn diff(before: &str, after: &str, agents: &[String], dialect: &Dialect) -> Value {
    let [before, after] = [before, after].map(|text| dialect.parse(text));
    let files = [("before", &before), ("after", &after)];
    let mut report = compared(files, agents, None, |report| value(report));
    report["truncated"] = (before.is_truncated() || after.is_truncated()).into();
    report
}

/// Known crawlers with a name, a purpose, or all of them.
pub(crate) fn crawlers(name: Option<&str>, purpose: Option<&str>) -> Result<Value, ToolError> {
    let registry = Registry::bundled();
    let is_asked = |it: &&Crawler| purpose.is_none_or(|purpose| it.purpose().name() == purpose);
    let Some(name) = name else {
        let found = registry.crawlers().iter().filter(is_asked);
        let mut crawlers: Vec<_> = found.map(|it| value(&KnownCrawlerKeys::of(it))).collect();
        let keys = if purpose.is_some() { &LISTED[..] } else { &LISTED[..2] };
        for crawler in crawlers.iter_mut().filter_map(Value::as_object_mut) {
            crawler.retain(|key, _| keys.contains(&key.as_str()));
        }
        return Ok(json!({ "crawlers": crawlers }));
    };
    let mut found: Vec<_> =
        registry.find(name).map_or_else(|| registry.identify(name).collect(), |it| vec![it]);
    found.retain(is_asked);
    if found.is_empty() {
        let near = registry.similar(name, []).map(|near| format!("; {}", near.question()));
        let with = purpose.map(|it| format!(" and the purpose `{it}`"));
        let [with, near] = [with, near].map(Option::unwrap_or_default);
        let message = format!("no known crawler has the name {}{with}{near}", quoted(name));
        let hint = "call with another `name`, or with a `purpose` alone for a list";
        return Err(ToolError::new("not_found", message, hint));
    }
    let crawlers: Vec<_> = found.into_iter().map(|it| value(&KnownCrawlerKeys::of(it))).collect();
    Ok(json!({ "crawlers": crawlers }))
}

/// Keys of a crawler in a list, the first two in that of all: whole entries fill some hundred
/// thousand tokens of a model.
const LISTED: [&str; 4] = ["token", "purpose", "operator", "robots"];

/// The JSON of a report.
pub(crate) fn value(of: &impl serde::Serialize) -> Value {
    serde_json::to_value(of).unwrap_or_default()
}
