//! JSON of values that both modules return.

use verger::extension::Record;
use verger::{Crawler, Group, LineIndex, ProductToken, Rule, Span, Verdict};

use crate::arguments::kind;
use crate::json::Json;

pub(crate) fn rule(json: &mut Json, rule: Rule<'_>) {
    let position = rule.position();
    json.object(|json| {
        json.key("kind").text(rule.kind().name());
        json.key("pattern").bytes(rule.pattern());
        json.key("line").count(position.line);
        json.key("column").count(position.column);
        json.key("span").array(ends(rule.span()), Json::count);
    });
}

pub(crate) fn verdict(json: &mut Json, verdict: &Verdict<'_>) {
    json.object(|json| {
        json.key("allowed").bool(verdict.is_allowed());
        json.key("reason").text(verdict.reason().name());
        json.key("rule").option(verdict.rule(), rule);
        json.key("line").option(verdict.line(), Json::count);
        json.key("group").option(verdict.group_line(), |json, line| match verdict.group() {
            Some(group) => place(json, group),
            None => json.object(|json| json.key("line").count(line)),
        });
        json.key("text").text(verdict);
    });
}

/// The place of a group.
pub(crate) fn place(json: &mut Json, group: Group<'_>) {
    json.object(|json| {
        json.key("index").count(group.index());
        json.key("line").count(group.position().line);
    });
}

pub(crate) fn record(json: &mut Json, record: &Record<'_>, lines: &LineIndex) {
    json.object(|json| {
        json.key("kind").text(record.kind().key());
        json.key("key").bytes(record.key());
        json.key("value").bytes(record.value());
        json.key("line").count(lines.position(record.span().start).line);
        json.key("group").option(record.group(), Json::count);
    });
}

/// Entries of a crawler, for `Crawler` of JavaScript.
pub(crate) fn crawler(json: &mut Json, crawler: &Crawler) {
    json.key("kind").number(u64::from(kind(crawler)));
    json.key("tokens").texts(crawler.tokens().iter().map(ProductToken::as_str));
}

#[cfg(feature = "tools")]
pub(crate) fn position(json: &mut Json, span: Span, lines: &LineIndex) {
    let position = lines.position(span.start);
    json.key("line").count(position.line);
    json.key("column").count(position.column);
    json.key("span").array(ends(span), Json::count);
}

fn ends(span: Span) -> [usize; 2] {
    [span.start, span.end]
}
