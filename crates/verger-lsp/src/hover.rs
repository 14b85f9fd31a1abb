//! Explanations: of a rule, a crawler or a statement in a line, and of the answer for a URL.

use std::fmt::Write as _;

use verger::extension::{Category, Extension, RecordKind};
use verger::parse::{Event, Field};
use verger::{
    Agent, Crawler, Dialect, Group, Robots, Rule, RuleKind, Span, quoted, without_credentials,
};
use verger_analysis::{Analysis, Budget, DeadCause, OTHERS, PatternState, named_crawlers};
use verger_json::diff::crawler_of;
use verger_registry::{Registry, RobotsPolicy};

use crate::groups::{listed, rule_and_line};
use crate::limits::{HOVER_WORK, LISTED};
use crate::records::meaning;

/// Explains the line at an offset, in Markdown, with the part of the text that is explained.
pub(crate) fn explain(robots: &Robots, offset: usize) -> Option<(String, Span)> {
    let events = robots.events().take_while(|event| event.line().span().start <= offset);
    let event = events.last().filter(|event| offset <= event.line().span().end)?;
    let text = match &event {
        Event::UserAgent(field) => agent(robots, field),
        Event::Rule(kind, field) => rule(robots, *kind, field),
        Event::Sitemap(field) => statement(robots, RecordKind::Sitemap, field),
        Event::Other(field) => statement(robots, RecordKind::of_key(field.key.bytes), field),
        _ => return None,
    };
    Some((text, event.line().span()))
}

/// A rule: its URLs, whether it decides anything, and the rules to which it loses.
fn rule(robots: &Robots, kind: RuleKind, field: &Field<'_>) -> String {
    let pattern = field.value.bytes;
    let is_it = |rule: &Rule<'_>| rule.span() == field.value.span();
    let Some((rule, group)) =
        robots.groups().find_map(|group| Some((group.rules().find(is_it)?, group)))
    else {
        return "This rule has no effect: no `User-agent` line is above it.".to_owned();
    };
    if pattern.is_empty() {
        return without_value(robots, field, group);
    }
    let mut out = in_words(kind, pattern);
    let name = group.agents().find_map(|agent| str::from_utf8(agent.name()).ok());
    let Some(name) = name else { return out };
    let crawler = crawler_of(name, &[robots]);
    let analysis = Analysis::new(robots, &crawler);
    let mut budget = Budget::new(HOVER_WORK);
    let (mut winners, mut is_decisive) = (Vec::new(), false);
    let examples = match analysis.pattern_state(pattern, &mut budget) {
        PatternState::Open { example } | PatternState::Closed { example } => vec![example],
        PatternState::Mixed { open, closed } => vec![open, closed],
        _ => Vec::new(),
    };
    let none = if examples.is_empty() { " none, it matches no URL." } else { "" };
    let _ = writeln!(out, "\n\nExamples for {}:{none}\n", quoted(name));
    for example in examples {
        let _ =
            writeln!(out, "- {} is {}", quoted(example.witness.shown_target()), example.verdict);
        is_decisive |= example.verdict.rule() == Some(rule);
        winners.extend(example.verdict.rule().filter(|winner| *winner != rule));
    }
    out.push_str(if is_decisive {
        "\nThe rule decides such URLs."
    } else {
        let dead = analysis.dead_rules(&mut budget);
        let is_undecided = dead.undecided.iter().any(|(it, _)| *it == rule);
        match dead.found.into_iter().find(|dead| dead.rule == rule).map(|dead| dead.cause) {
            Some(DeadCause::Overridden(by)) => {
                winners.extend(by);
                "\nThe rule decides nothing: other rules decide all of its URLs."
            }
            Some(_) => "\nThe rule decides nothing.",
            None if is_undecided || budget.left() == 0 => {
                "\nIt takes too long to find URLs that it decides."
            }
            None => "\nThe rule decides other URLs.",
        }
    });
    winners.sort_by_key(|rule| rule.span().start);
    winners.dedup();
    for winner in winners.iter().take(LISTED) {
        let _ = write!(out, "\n- It loses to {}.", rule_and_line(*winner));
    }
    out
}

/// A rule without a value. It can end a list of `User-agent` lines.
fn without_value(robots: &Robots, field: &Field<'_>, group: Group<'_>) -> String {
    let (text, line) = (robots.text(), field.line.span());
    let without = Robots::parse(&[&text[..line.start], &text[line.end..]].concat());
    if without.groups().len() == robots.groups().len() {
        return "A rule without a value matches no URL, so it has no effect.".to_owned();
    }
    format!(
        "A rule without a value matches no URL. This one ends the `User-agent` lines of {}: \
         without it, the rules of the next group would apply there, too.",
        listed(group)
    )
}

/// The URLs of a pattern, in words.
fn in_words(kind: RuleKind, pattern: &[u8]) -> String {
    let verb = match kind {
        RuleKind::Allow => "Allows",
        RuleKind::Disallow => "Disallows",
    };
    let (body, how) = match pattern.strip_suffix(b"$") {
        Some(body) => (body, "is exactly"),
        None => (pattern, "begins with"),
    };
    let star = if body.contains(&b'*') { ", where `*` is any text, also none" } else { "" };
    match pattern {
        b"/" | b"*" | b"/*" => format!("{verb} all URLs."),
        b"/$" => format!("{verb} the home page alone."),
        _ => format!("{verb} URLs whose path with query {how} {}{star}.", quoted(body)),
    }
}

/// A name in a user-agent line: the crawler, and what it may fetch.
fn agent(robots: &Robots, field: &Field<'_>) -> String {
    let line = field.line.span().range();
    let is_it = |agent: &Agent<'_>| line.contains(&agent.span().start);
    let found = robots.groups().find_map(|group| group.agents().find(is_it));
    let Ok(name) = str::from_utf8(found.map_or(field.value.bytes, |agent| agent.name())) else {
        return "This name is not UTF-8, so no crawler has it.".to_owned();
    };
    crawler(robots, name)
}

/// A crawler, and what it may fetch.
pub(crate) fn crawler(robots: &Robots, name: &str) -> String {
    let mut out = format!("**{}**: ", quoted(name));
    if name == "*" {
        out.push_str("all crawlers that no other group names.\n");
    } else if let Some(known) = Registry::bundled().find(name) {
        let operator = known.operator().unwrap_or("unknown operator");
        let _ = writeln!(out, "{operator}; purpose: {}\n", known.purpose().name());
        if known.robots_policy() == RobotsPolicy::Obeys {
            out.push_str("- its operator states that it obeys robots.txt\n");
        }
        let retired = known.retired().map(|date| format!("not used any more since {date}"));
        let note = known.note().map(str::to_owned);
        for phrase in [known.caveat(), known.fallback(), note, retired].into_iter().flatten() {
            let _ = writeln!(out, "- {phrase}");
        }
        if let Some(page) = known.documentation() {
            let _ = writeln!(out, "- [documentation]({page})");
        }
    } else {
        out.push_str("a crawler that verger does not know.\n");
    }
    out + &access(robots, &crawler_of(name, &[robots]))
}

/// The answers of a file for a crawler, in sentences.
fn access(robots: &Robots, crawler: &Crawler) -> String {
    let analysis = Analysis::new(robots, crawler);
    let lines = robots.groups_for(crawler).take(LISTED);
    let lines: Vec<String> = lines.map(|it| format!("line {}", it.position().line)).collect();
    let what = match () {
        () if crawler.ignores_robots() => "It fetches everything, whatever the rules are.",
        () if analysis.allows_all() => "It may fetch everything.",
        () if analysis.blocks_all() => "It may fetch nothing but robots.txt.",
        () => "It may fetch a part of the site.",
    };
    let (rules, lines) = (analysis.rules().len(), lines.join(", "));
    let delay = robots.crawl_delay(crawler).map(|delay| delay.as_secs_f64());
    let delay = delay.map(|it| format!(" `Crawl-delay`: {it} s.")).unwrap_or_default();
    format!("\nIn this file: {what} Groups: {lines}. Rules: {rules}.{delay}")
}

/// Any other record: the meaning of its key, and of its value.
fn statement(robots: &Robots, kind: RecordKind, field: &Field<'_>) -> String {
    let mut out = format!("**{}**: {}\n", quoted(field.key.bytes), meaning(kind));
    let Some(record) = robots.records().find(|it| it.key_span() == field.key.span()) else {
        return out;
    };
    match record.extension() {
        Err(error) => {
            let _ = writeln!(out, "\nThis value has no effect: {error}.");
        }
        Ok(Extension::ContentSignal(signal)) => {
            for (name, value) in signal.signals().stated() {
                let _ = write!(out, "\n- `{name}`: {value}");
            }
        }
        Ok(Extension::ContentUsage(usage)) => {
            for (name, value) in usage.usage.stated() {
                let covers = Category::ALL.iter().find(|it| it.key == name);
                let covers = covers.map_or("", |it| it.covers);
                let _ = write!(out, "\n- `{name}` ({covers}): {value}");
            }
        }
        Ok(_) => {}
    }
    let group = record.group().and_then(|index| robots.groups().nth(index));
    if let Some(group) = group.filter(|_| !record.kind().is_for_file()) {
        let _ = write!(out, "\n\nIt applies to {}.", listed(group));
    }
    out
}

/// Checks a URL for a crawler; without one, for one that no group names.
///
/// # Errors
///
/// The text is neither a URL nor a path.
pub(crate) fn check(robots: &Robots, url: &str, crawler: Option<&str>) -> Result<String, String> {
    let (url, name) = (url.trim(), crawler.map_or(OTHERS, str::trim));
    let shown = shown_url(url)?;
    let explanation = robots.explain(&crawler_of(name, &[robots]), url);
    let verdict = &explanation.verdict;
    let mut out = format!("{shown} for {}: {verdict}", quoted(name));
    let others = explanation.contenders.iter().filter(|it| Some(it.rule) != verdict.rule());
    for contender in others.clone().take(LISTED) {
        let (rule, standing) = (rule_and_line(contender.rule), contender.standing.name());
        let _ = write!(out, "\nalso matches: {rule} ({standing})");
    }
    let further = others.count().saturating_sub(LISTED);
    if further > 0 {
        let _ = write!(out, "\nfurther rules that match: {further}");
    }
    if let Some(typo) = typo(robots, name) {
        let _ = write!(out, "\nnote: {typo}");
    }
    Ok(out)
}

/// A sentence about a name that neither a known crawler nor a group has, if it probably means one.
pub(crate) fn typo(robots: &Robots, name: &str) -> Option<String> {
    let crawler = crawler_of(name, &[robots]);
    // Of a User-Agent header its product token. Several are those of a known crawler, or of a header
    // with several products.
    let [token] = crawler.tokens() else { return None };
    let near = Registry::bundled().similar(token.as_str(), named_crawlers(&[robots]))?;
    let (name, question) = (quoted(token.as_str()), near.question());
    Some(format!("no known crawler and no group has the name {name}; {question}"))
}

/// A URL or path in backticks; a sentence about another text.
pub(crate) fn shown_url(url: &str) -> Result<String, String> {
    let shown = quoted(&without_credentials(url.as_bytes()));
    if Dialect::RFC9309.reads_url(url) {
        return Ok(shown);
    }
    let path = quoted(&format!("/{url}"));
    Err(format!("bad URL {shown}: expected a URL with scheme and host, or a path such as {path}"))
}
