//! Tools about the text of a robots.txt: `explain`, `lint`, `diff`; and `crawlers`.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tokio::sync::watch;
use verger::{Dialect, Origin, OriginError, Robots, Verdict, quoted};
use verger_fetch::client::{CheckError, TurnError};
use verger_json::diff::compared;
use verger_json::known_crawler::KnownCrawlerKeys;
use verger_json::lint::LintReport;
use verger_json::{Answer, NamedCrawler};
use verger_lint::{Settings, lint_while};
use verger_registry::{Purpose, Registry};

use crate::failure::ToolError;
use crate::limits::{FINDINGS, MATCHES};

/// The answer of a file for a URL or a path.
pub(crate) fn explain(
    robots: &str,
    crawler: &NamedCrawler,
    url: &str,
    dialect: &Dialect,
) -> Result<Value, ToolError> {
    if !dialect.reads_url(url) || url.is_empty() {
        return Err(ToolError::new(
            "invalid_url",
            "expected an absolute URL, or a path that begins with `/`",
            "with `robots`, a path such as /a?b=c is enough",
        ));
    }
    check_scheme(url)?;
    let robots = dialect.parse(robots);
    let verdict = robots.check(crawler.crawler(), url);
    Ok(answer(url, crawler, &robots, verdict, verdict.to_string()))
}

/// Refuses a URL that is neither http nor https, unlike a path: `allowed` would be wrong for
/// `file:` or `javascript:`.
pub(crate) fn check_scheme(url: &str) -> Result<(), ToolError> {
    match Origin::of(url) {
        _ if url.starts_with(['/', '?']) => Ok(()),
        Ok(Some(origin)) if matches!(origin.scheme(), "http" | "https") => Ok(()),
        Ok(_) => Err(TurnError::Scheme.into()),
        // Dialect `google` reads any text.
        Err(OriginError::NoScheme) => Ok(()),
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
    // The deciding rule is in `rule`; a hostile file has thousands that match.
    if let Some(Value::Array(matches)) = answer.get_mut("matches")
        && let Some(more @ 1..) = matches.len().checked_sub(MATCHES)
    {
        matches.truncate(MATCHES);
        answer["matches_omitted"] = more.into();
    }
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
                        hops kept_pause matches matches_omitted next_try origin target tokens \
                        tried_at verger version";

/// The progress of a call. It is closed when the call is cancelled.
pub(crate) type Progress = watch::Sender<String>;

/// Findings of the linter; null if it was ended.
pub(crate) fn lint(robots: &[u8], progress: &Progress) -> Value {
    let goes_on = || !progress.is_closed();
    let Some(mut report) = lint_while(robots, &Settings::default(), &goes_on) else {
        return Value::Null;
    };
    let mut counts = BTreeMap::<_, usize>::new();
    report.findings.retain(|finding| {
        let count = counts.entry(finding.rule.code).or_default();
        *count += 1;
        if *count > FINDINGS {
            match report.omitted.iter_mut().find(|(rule, _)| rule.code == finding.rule.code) {
                Some((_, omitted)) => *omitted += 1,
                None => report.omitted.push((finding.rule, 1)),
            }
        }
        *count <= FINDINGS
    });
    value(&LintReport::of(&report))
}

/// The difference of two files by their meaning.
pub(crate) fn diff(before: &str, after: &str, agents: &[String], dialect: &Dialect) -> Value {
    let [before, after] = [before, after].map(|text| dialect.parse(text));
    let files = [("before", &before), ("after", &after)];
    let mut report = compared(files, agents, None, |report| value(report));
    report["truncated"] = (before.is_truncated() || after.is_truncated()).into();
    report
}

/// Known crawlers with a name or a purpose; the names of all without either.
pub(crate) fn crawlers(name: Option<&str>, purpose: Option<&str>) -> Result<Value, ToolError> {
    let registry = Registry::bundled();
    if name.is_none() && purpose.is_none() {
        let of = |purpose: &Purpose| {
            let crawlers = registry.crawlers().iter().filter(|it| it.purpose() == *purpose);
            let tokens: Vec<_> = crawlers.map(verger_registry::Crawler::token).collect();
            json!({"purpose": purpose.name(), "tokens": tokens})
        };
        let crawlers: Vec<_> = Purpose::ALL.iter().map(of).collect();
        let hint = "call with a `purpose` for operators, with a `name` for all about one crawler";
        return Ok(json!({"crawlers": crawlers, "hint": hint}));
    }
    let mut found: Vec<_> = match name.map(|name| (name, registry.find(name))) {
        Some((_, Some(crawler))) => vec![crawler],
        Some((name, None)) => registry.identify(name).collect(),
        None => registry.crawlers().iter().collect(),
    };
    found.retain(|it| purpose.is_none_or(|purpose| it.purpose().name() == purpose));
    if let Some(name) = name.filter(|_| found.is_empty()) {
        let near = registry.similar(name, []).map(|near| format!("; {}", near.question()));
        let with = purpose.map(|it| format!(" and the purpose `{it}`"));
        let [with, near] = [with, near].map(Option::unwrap_or_default);
        let message = format!("no known crawler has the name {}{with}{near}", quoted(name));
        let hint = "call with another `name`, or with a `purpose` alone for a list";
        return Err(ToolError::new("not_found", message, hint));
    }
    let mut crawlers: Vec<_> =
        found.into_iter().map(|it| value(&KnownCrawlerKeys::of(it))).collect();
    if name.is_none() {
        for crawler in crawlers.iter_mut().filter_map(Value::as_object_mut) {
            crawler.retain(|key, _| LISTED.contains(&key.as_str()));
        }
    }
    Ok(json!({ "crawlers": crawlers }))
}

/// Keys of a crawler in a list: those of all crawlers fill some hundred thousand tokens of a model.
const LISTED: [&str; 4] = ["token", "operator", "purpose", "robots"];

/// The JSON of a report.
pub(crate) fn value(of: &impl serde::Serialize) -> Value {
    serde_json::to_value(of).unwrap_or_default()
}
