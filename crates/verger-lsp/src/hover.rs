//! The explanation of a line: the URLs of a rule, the crawler of a name, the meaning of a statement.

use std::fmt::Write as _;

use verger::extension::{Category, Extension, Record, RecordKind};
use verger::parse::{Event, Field};
use verger::{Agent, Crawler, Group, Robots, Rule, RuleKind, Span};
use verger_analysis::{Analysis, Budget, DeadCause, Example, PatternState};
use verger_registry::{Registry, RobotsPolicy};

use crate::compare::{crawler_of, listed, quoted};
use crate::limits::{HOVER_WORK, LISTED};

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
    let mut out = format!("**{}: {}**\n\n", kind.key(), code(pattern));
    let is_it = |rule: &Rule<'_>| rule.span() == field.value.span();
    let found = robots.groups().find_map(|group| Some((group, group.rules().find(is_it)?)));
    let Some((group, rule)) = found else {
        return out + "This rule has no effect: no `User-agent` line is above it.\n";
    };
    if pattern.is_empty() {
        return out + "A rule without a value matches no URL, so it has no effect.\n";
    }
    let _ = writeln!(out, "{}\n", in_words(kind, pattern));
    let names: Vec<&[u8]> = group.agents().map(|agent| agent.name()).collect();
    let Some(name) = names.first().and_then(|name| str::from_utf8(name).ok()) else { return out };
    let crawler = crawler_of(name, &[robots]);
    let analysis = Analysis::new(robots, &crawler);
    let mut budget = Budget::new(HOVER_WORK);
    let mut winners = Vec::new();
    let mut is_decisive = false;
    for example in examples(analysis.pattern_state(pattern, &mut budget)) {
        let _ = writeln!(out, "- {} is {}", code(example.witness.shown_target()), example.verdict);
        match example.verdict.rule() {
            Some(winner) if winner == rule => is_decisive = true,
            Some(winner) => winners.push(winner),
            None => {}
        }
    }
    let whom = format!("For {}", quoted(name));
    let effect = if is_decisive {
        format!("{whom}, it decides such URLs.")
    } else {
        let dead = analysis.dead_rules(&mut budget);
        let undecided = dead.undecided.iter().any(|(it, _)| *it == rule);
        match dead.found.into_iter().find(|dead| dead.rule == rule).map(|dead| dead.cause) {
            Some(DeadCause::Overridden(by)) => {
                winners.extend(by);
                format!("{whom}, it decides nothing: other rules decide all of its URLs.")
            }
            Some(DeadCause::MatchesNothing) => format!("{whom}, it matches no URL."),
            Some(_) => format!("{whom}, it decides nothing."),
            None if undecided || budget.left() == 0 => {
                format!("{whom}, it is not known whether it decides anything.")
            }
            None => format!("{whom}, it decides other URLs."),
        }
    };
    let _ = writeln!(out, "\n{effect}");
    winners.sort_by_key(|rule| rule.span().start);
    winners.dedup();
    for winner in winners.iter().take(LISTED) {
        let (key, line) = (winner.kind().key(), winner.position().line);
        let _ = writeln!(
            out,
            "- It loses to {} on line {line}.",
            code(&text_of(key, winner.pattern()))
        );
    }
    if winners.len() > LISTED {
        let _ = writeln!(out, "- It loses to {} further rules.", winners.len() - LISTED);
    }
    out
}

/// The examples of a pattern's state: one, or an allowed and a disallowed one.
fn examples(state: PatternState<'_>) -> Vec<Example<'_>> {
    match state {
        PatternState::Open { example } | PatternState::Closed { example } => vec![example],
        PatternState::Mixed { open, closed } => vec![open, closed],
        _ => Vec::new(),
    }
}

/// The URLs of a pattern, in words.
fn in_words(kind: RuleKind, pattern: &[u8]) -> String {
    let verb = match kind {
        RuleKind::Allow => "Allows",
        RuleKind::Disallow => "Disallows",
    };
    let (body, is_anchored) = match pattern.strip_suffix(b"$") {
        Some(body) => (body, true),
        None => (pattern, false),
    };
    let body = if is_anchored { body } else { pattern.trim_ascii_end() };
    let star = if body.contains(&b'*') { ", where `*` is any text, also none" } else { "" };
    let shown = code(body);
    match (is_anchored, body) {
        (false, b"/" | b"*" | b"/*") => format!("{verb} all URLs."),
        (true, b"/") => format!("{verb} the home page alone."),
        (true, _) => format!("{verb} URLs whose path with query is exactly {shown}{star}."),
        (false, _) => format!("{verb} URLs whose path with query begins with {shown}{star}."),
    }
}

/// A name in a user-agent line: the crawler, and what it may fetch.
fn agent(robots: &Robots, field: &Field<'_>) -> String {
    let is_it = |agent: &Agent<'_>| {
        let (it, line) = (agent.span(), field.line.span());
        line.start <= it.start && it.end <= line.end
    };
    let found = robots.groups().find_map(|group| group.agents().find(is_it));
    let name = found.map_or(field.value.bytes, |agent| agent.name());
    let Ok(name) = str::from_utf8(name) else {
        return "This name is not UTF-8, so no crawler has it.\n".to_owned();
    };
    let mut out = String::new();
    if name == "*" {
        out.push_str("**`*`**: all crawlers that no other group names.\n");
    } else if let Some(known) = Registry::bundled().find(name) {
        let operator = known.operator().unwrap_or("operator unknown");
        let _ = writeln!(out, "**{}**: {operator}, {}\n", known.token(), known.purpose().name());
        if known.robots_policy() == RobotsPolicy::Obeys {
            out.push_str("Its operator states that it obeys robots.txt.\n");
        }
        for phrase in [known.caveat(), known.fallback(), known.note().map(str::to_owned)] {
            let _ = phrase.map(|phrase| writeln!(out, "- {phrase}"));
        }
        if let Some(date) = known.retired() {
            let _ = writeln!(out, "- not used any more since {date}");
        }
        if let Some(page) = known.documentation() {
            let _ = writeln!(out, "\n[Documentation]({page})");
        }
    } else {
        let _ =
            writeln!(out, "{}: a crawler that the registry of verger does not have.", code(name));
    }
    let _ = write!(out, "\n{}", access(robots, &crawler_of(name, &[robots])));
    out
}

/// The answers of a file for a crawler, in sentences.
fn access(robots: &Robots, crawler: &Crawler) -> String {
    let groups: Vec<Group<'_>> = robots.groups_for(crawler).collect();
    let analysis = Analysis::new(robots, crawler);
    let lines: Vec<String> =
        groups.iter().take(LISTED).map(|group| group.position().line.to_string()).collect();
    let what = match () {
        () if crawler.ignores_robots() => "It fetches everything, whatever the rules are.",
        () if analysis.allows_all() => "It may fetch everything.",
        () if analysis.blocks_all() => "It may fetch nothing but robots.txt.",
        () => "It may fetch a part of the site.",
    };
    let mut out = format!(
        "In this file: {what} Groups that apply begin on line {}; rules: {}.\n",
        lines.join(", "),
        analysis.rules().len(),
    );
    if let Some(delay) = robots.crawl_delay(crawler) {
        let _ = writeln!(out, "`Crawl-delay`: {} seconds.", delay.as_secs_f64());
    }
    out
}

/// Any other record: the meaning of its key, and of its value.
fn statement(robots: &Robots, kind: RecordKind, field: &Field<'_>) -> String {
    let mut out = format!("**{}**\n\n{}\n", kind_name(kind, field), meaning(kind));
    let is_it = |record: &Record<'_>| record.key_span() == field.key.span();
    let Some(record) = robots.records().find(is_it) else { return out };
    match record.extension() {
        Err(error) => {
            let _ = writeln!(out, "\nThis value has no effect: {error}.");
        }
        Ok(Extension::ContentSignal(signal)) => {
            for (name, value) in signal.signals().stated() {
                let _ = writeln!(out, "- {}", code(&format!("{name}={value}")));
            }
        }
        Ok(Extension::ContentUsage(usage)) => {
            for (name, value) in usage.usage.stated() {
                let covers = Category::ALL.iter().find(|it| it.key == name);
                let covers = covers.map_or("", |it| it.covers);
                let _ = writeln!(out, "- {}: {covers}", code(&format!("{name}={value}")));
            }
        }
        Ok(Extension::CrawlDelay(delay)) => {
            let _ = writeln!(out, "\nHere: {} seconds.", delay.as_secs_f64());
        }
        Ok(_) => {}
    }
    let agents: Vec<String> =
        record.agents().map(|it| String::from_utf8_lossy(it.name()).into_owned()).collect();
    if !record.kind().is_for_file() && !agents.is_empty() {
        let agents: Vec<&str> = agents.iter().map(String::as_str).collect();
        let _ = writeln!(out, "\nApplies to {}.", listed(&agents));
    }
    out
}

fn kind_name(kind: RecordKind, field: &Field<'_>) -> String {
    match kind {
        RecordKind::Unknown => code(field.key.bytes),
        kind => kind.key().to_owned(),
    }
}

/// The meaning of a record, in a sentence.
pub(crate) const fn meaning(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Sitemap => {
            "Absolute URL of a sitemap: a list of the pages to crawl. For all crawlers, wherever it is."
        }
        RecordKind::CrawlDelay => {
            "Seconds between two requests. Not part of RFC 9309: Bing and others obey it, Google and \
             Yandex ignore it."
        }
        RecordKind::ContentSignal => {
            "Preferences for the use of content after it was fetched (Content Signals): `search`, \
             `ai-input`, `ai-train`, each `yes` or `no`. It allows and disallows no fetch."
        }
        RecordKind::ContentUsage => {
            "Preferences for the use of content after it was fetched (IETF AI Preferences): \
             categories with `y` or `n`. It allows and disallows no fetch."
        }
        RecordKind::CleanParam => {
            "Yandex: parameters of queries that do not change the page, and the path for which this \
             holds."
        }
        RecordKind::Host => "Yandex, in the past: the main host of several mirrors.",
        RecordKind::License => "URL of a licence for the content (Really Simple Licensing).",
        RecordKind::RequestRate => "Documents per time, such as `1/10s`. Few crawlers read it.",
        RecordKind::MaxCrawlRate => "Maximum rate of requests. Few crawlers read it.",
        RecordKind::VisitTime => {
            "Time of day in UTC for crawling, such as `0400-0845`. Few read it."
        }
        RecordKind::Noindex => {
            "Never part of the protocol; Google ignores it since 2019. Use the page directive \
             `noindex` instead."
        }
        RecordKind::Nofollow => {
            "Never part of the protocol; crawlers ignore it. Use the page directive `nofollow` instead."
        }
        RecordKind::Agentmap => "URL of a map for AI agents: a proposal.",
        RecordKind::Schemamap => "URL of a map of structured data: a proposal.",
        RecordKind::SignatureAgent => "Origin whose keys sign requests: a proposal.",
        RecordKind::RobotVersion => {
            "Version of the protocol, of a proposal of 1996. No crawler reads it."
        }
        RecordKind::Comment => "A comment for people, of a proposal of 1996. No crawler reads it.",
        _ => "No crawler that verger knows reads this key, so the line has no effect.",
    }
}

fn text_of(key: &str, pattern: &[u8]) -> Vec<u8> {
    [key.as_bytes(), b": ", pattern].concat()
}

/// Foreign text as code in Markdown.
fn code<T: AsRef<[u8]> + ?Sized>(text: &T) -> String {
    quoted(text)
}
