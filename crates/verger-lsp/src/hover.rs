//! Explanations: of a rule, a crawler or a statement in a line, and of the answer for a URL.

use std::fmt::Write as _;

use verger::extension::Extension;
use verger::parse::{Event, Field};
use verger::{Agent, Crawler, Dialect, Group, Robots, Rule, Span, quoted, without_credentials};
use verger_analysis::{Analysis, Budget, DeadCause, Example, OTHERS, PatternState, named_crawlers};
use verger_json::diff::crawler_of;
use verger_registry::{Registry, RobotsPolicy};

use crate::groups::{joined, listed, rule_and_line};
use crate::limits::HOVER_WORK;
use crate::records::{meaning, uses};

/// Explains the line at an offset, in Markdown, with the part of the text that is explained.
pub(crate) fn explain(robots: &Robots, offset: usize) -> Option<(String, Span)> {
    let event = robots.events().find(|event| offset <= event.line().span().end)?;
    let text = match &event {
        Event::UserAgent(field) => agent(robots, field),
        Event::Rule(_, field) => rule(robots, field),
        Event::Sitemap(field) | Event::Other(field) => statement(robots, field)?,
        _ => return None,
    };
    Some((text, event.line().span()))
}

/// A rule: its URLs, whether it decides anything, and the rules to which it loses.
fn rule(robots: &Robots, field: &Field<'_>) -> String {
    let is_it = |rule: &Rule<'_>| rule.span() == field.value.span();
    let mut found = robots.groups().filter_map(|group| Some((group.rules().find(is_it)?, group)));
    let Some((rule, group)) = found.next() else {
        return "This rule has no effect: no `User-agent` line is above it.".to_owned();
    };
    if rule.pattern().is_empty() {
        return without_value(robots, field, group);
    }
    let words = in_words(rule);
    let name = group.agents().find_map(|agent| str::from_utf8(agent.name()).ok());
    let Some(name) = name else { return words };
    let crawler = crawler_of(name, &[robots]);
    let analysis = Analysis::new(robots, &crawler);
    let mut budget = Budget::new(HOVER_WORK);
    let examples = match analysis.pattern_state(rule.pattern(), &mut budget) {
        PatternState::Open { example } | PatternState::Closed { example } => vec![example],
        PatternState::Mixed { open, closed } => vec![open, closed],
        _ => Vec::new(),
    };
    let mut winners: Vec<_> = examples.iter().filter_map(|it| it.verdict.rule()).collect();
    let effect = if winners.contains(&rule) {
        "The rule decides such URLs."
    } else {
        let dead = analysis.dead_rules(&mut budget);
        let is_undecided = dead.undecided.iter().any(|(it, _)| *it == rule);
        match dead.found.into_iter().find(|dead| dead.rule == rule).map(|dead| dead.cause) {
            Some(DeadCause::Overridden(by)) => {
                winners.extend(by);
                "The rule decides nothing: other rules decide all of its URLs."
            }
            Some(_) => "The rule decides nothing.",
            None if is_undecided || budget.left() == 0 => {
                "It takes too long to find URLs that it decides."
            }
            None => "The rule decides other URLs.",
        }
    };
    winners.retain(|winner| *winner != rule);
    winners.sort_by_key(|rule| rule.span().start);
    winners.dedup();
    let winners = joined(winners.into_iter().map(rule_and_line));
    let loses = if winners.is_empty() { winners } else { format!("\n- It loses to {winners}.") };
    let example =
        |it: Example<'_>| format!("- {} is {}\n", quoted(it.witness.shown_target()), it.verdict);
    let examples: String = examples.into_iter().map(example).collect();
    let none = if examples.is_empty() { " none, it matches no URL." } else { "" };
    let name = quoted(name);
    format!("{words}\n\nExamples for {name}:{none}\n\n{examples}\n{effect}{loses}")
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

/// The URLs of a rule, in words.
fn in_words(rule: Rule<'_>) -> String {
    let (pattern, verb) = (rule.pattern(), rule.kind().key());
    let (body, how) = match pattern.strip_suffix(b"$") {
        Some(body) => (body, "is exactly"),
        None => (pattern, "begins with"),
    };
    let star = if body.contains(&b'*') { ", where `*` is any text, also none" } else { "" };
    match pattern {
        b"/" | b"*" | b"/*" => format!("{verb}s all URLs."),
        b"/$" => format!("{verb}s the home page alone."),
        _ => format!("{verb}s URLs whose path with query {how} {}{star}.", quoted(body)),
    }
}

/// A name in a user-agent line: the crawler, and what it may fetch.
fn agent(robots: &Robots, field: &Field<'_>) -> String {
    let line = field.line.span().range();
    let is_it = |agent: &Agent<'_>| line.contains(&agent.span().start);
    let found = robots.groups().find_map(|group| group.agents().find(is_it));
    let name = found.map_or(field.value.bytes, |agent| agent.name());
    crawler(robots, &String::from_utf8_lossy(name))
}

/// A crawler, and what it may fetch.
pub(crate) fn crawler(robots: &Robots, name: &str) -> String {
    let about = if name == OTHERS {
        "all crawlers that no other group names.\n".to_owned()
    } else if let Some(known) = Registry::bundled().find(name) {
        let operator = known.operator().unwrap_or("unknown operator");
        let obeys = (known.robots_policy() == RobotsPolicy::Obeys)
            .then(|| "its operator states that it obeys robots.txt".to_owned());
        let note = known.note().map(str::to_owned);
        let retired = known.retired().map(|date| format!("not used any more since {date}"));
        let page = known.documentation().map(|page| format!("[documentation]({page})"));
        // One of the first two is there.
        let phrases = [obeys, known.caveat(), known.fallback(), note, retired, page];
        let phrases: Vec<String> = phrases.into_iter().flatten().collect();
        format!("{operator}; purpose: {}\n\n- {}\n", known.purpose(), phrases.join("\n- "))
    } else {
        "a crawler that verger does not know.\n".to_owned()
    };
    format!("**{}**: {about}{}", quoted(name), access(robots, &crawler_of(name, &[robots])))
}

/// The answers of a file for a crawler, in sentences.
fn access(robots: &Robots, crawler: &Crawler) -> String {
    let analysis = Analysis::new(robots, crawler);
    let lines = robots.groups_for(crawler).map(|it| format!("line {}", it.position().line));
    let what = match () {
        () if crawler.ignores_robots() => "It fetches everything, whatever the rules are.",
        () if analysis.allows_all() => "It may fetch everything.",
        () if analysis.blocks_all() => "It may fetch nothing but robots.txt.",
        () => "It may fetch a part of the site.",
    };
    let (rules, lines) = (analysis.rules().len(), joined(lines));
    let delay = robots.crawl_delay(crawler).map(|delay| delay.as_secs_f64());
    let delay = delay.map(|it| format!(" `Crawl-delay`: {it} s.")).unwrap_or_default();
    format!("\nIn this file: {what} Groups: {lines}. Rules: {rules}.{delay}")
}

/// Any other record: the meaning of its key, and of its value.
fn statement(robots: &Robots, field: &Field<'_>) -> Option<String> {
    let record = robots.records().find(|it| it.key_span() == field.key.span())?;
    let mut out = format!("**{}**: {}\n", quoted(record.key()), meaning(record.kind()));
    let stated: Vec<_> = match record.extension() {
        Ok(Extension::ContentSignal(signal)) => signal.signals().stated().collect(),
        Ok(Extension::ContentUsage(usage)) => usage.usage.stated().collect(),
        Ok(_) => Vec::new(),
        Err(error) => {
            let _ = writeln!(out, "\nThis value has no effect: {error}.");
            Vec::new()
        }
    };
    for (name, value) in stated {
        let covers = uses(record.kind()).into_iter().find(|(key, _)| *key == name);
        let covers = covers.map(|(_, covers)| format!(" ({covers})")).unwrap_or_default();
        let _ = write!(out, "\n- `{name}`: {value}{covers}");
    }
    let group = record.group().and_then(|index| robots.groups().nth(index));
    if let Some(group) = group.filter(|_| !record.kind().is_for_file()) {
        let _ = write!(out, "\n\nIt applies to {}.", listed(group));
    }
    Some(out)
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
    let others = explanation.contenders.iter().filter(|it| Some(it.rule) != verdict.rule());
    let others =
        joined(others.map(|it| format!("{} ({})", rule_and_line(it.rule), it.standing.name())));
    let also = if others.is_empty() { "" } else { "\nalso matches: " };
    let note = typo(robots, name).map(|typo| format!("\nnote: {typo}")).unwrap_or_default();
    Ok(format!("{shown} for {}: {verdict}{also}{others}{note}", quoted(name)))
}

/// A sentence about a name that neither a known crawler nor a group has, if it probably means one.
pub(crate) fn typo(robots: &Robots, name: &str) -> Option<String> {
    let crawler = crawler_of(name, &[robots]);
    // Of a User-Agent header its product token. Several are those of a known crawler, or of a
    // header with several products.
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
