//! The differences between two files, for text and Markdown.

use verger::dialect::AgentMatch;
use verger_analysis::{Direction, GroupSwitch, OTHERS};
use verger_json::diff::{ChangeKeys, CrawlersKeys, DeciderKeys, DiffReport, RecordKeys, UrlsKeys};

use super::outline::{Level, Outline, Part, code, words};
use crate::limits::{CHANGES_SHOWN, CRAWLERS_SHOWN};

/// The headings and items of a difference. `are_words`: whether the names of the files are the
/// program's words.
pub(crate) fn outline_of_diff(report: &DiffReport<'_>, are_words: [bool; 2]) -> Outline {
    let mut outline = Outline::default();
    let name = |name, are_words| if are_words { words(name) } else { code(name) };
    let before = name(report.before.file, are_words[0]);
    let after = name(report.after.file, are_words[1]);
    outline.push(Level::Title, [words("robots.txt: from "), before, words(" to "), after]);
    outline.push(Level::Paragraph, [words(summary(report))]);
    let others = others(report);
    for crawlers in &report.crawlers {
        push_crawlers(&mut outline, crawlers, others);
    }
    if !report.records.is_empty() {
        outline.push(Level::Heading, [words("Other lines, for all crawlers")]);
        report.records.iter().for_each(|record| push_record(&mut outline, record));
    }
    if !report.crawlers.is_empty() && !report.unchanged.is_empty() {
        outline.push(Level::Heading, [words("No URL changes for")]);
        outline.push(Level::Item, names(&report.unchanged, others));
        let has_others = report.crawlers.iter().any(|it| it.crawlers.contains(&OTHERS));
        if has_others && report.are_named {
            let text = format!("groups by name apply here, so changes for {others} have no effect");
            outline.push(Level::Item, [words(text)]);
        }
        for (name, [first, last]) in report.added_groups.iter().take(CRAWLERS_SHOWN) {
            let (lines, verb) = if first == last {
                (format!("line {first}"), "adds")
            } else {
                (format!("lines {first} to {last}"), "add")
            };
            let note = [
                words(format!("{lines} {verb} rules for ")),
                code(*name),
                words(", but with its other rules they change no URL"),
            ];
            outline.push(Level::Item, note);
        }
    }
    outline
}

/// The summary, without foreign text.
fn summary(report: &DiffReport<'_>) -> String {
    let text = match (report.text, report.added_lines) {
        ("same", _) => "The files are the same.".to_owned(),
        ("prepended", Some([_, last])) => {
            format!("The old file is unchanged; {} added in front of it.", lines(1, last))
        }
        ("appended", Some([first, last])) => {
            format!("The old file is unchanged; {} added at its end.", lines(first, last))
        }
        _ => String::new(),
    };
    let (opened, closed) = (report.has(Direction::Opened), report.has(Direction::Closed));
    let also = match report.agent_match {
        _ if report.text == "same" => None,
        AgentMatch::NameInToken => Some("whose names contain one of its names"),
        AgentMatch::TokenInName => Some("whose names are a part of one of its names"),
        _ => None,
    };
    let effect = match (opened, closed, report.is_incomplete()) {
        (false, false, true) => "No changed URL was found, but some may be missing.",
        // REP-AMB-1: a crawler may obey the first of several groups that match its name.
        (false, false, false) if also.is_some() => "No URL changes for the compared crawlers.",
        (false, false, false) => "No URL changes for any crawler.",
        (true, false, _) => "URLs were opened.",
        (false, true, _) => "URLs were closed.",
        (true, true, _) => "URLs were opened and closed.",
    };
    let missing = match report.not_compared {
        0 => String::new(),
        number => format!("Crawlers beyond the limit, not compared: {number}."),
    };
    let also = also.map_or(String::new(), |crawlers| {
        format!("In this dialect, a group is also for crawlers {crawlers}.")
    });
    let parts = [text, effect.to_owned(), missing, also];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

fn lines(first: usize, last: usize) -> String {
    if first == last {
        format!("line {first} was")
    } else {
        format!("lines {first} to {last} were")
    }
}

/// Words for the crawlers of [`OTHERS`].
fn others(report: &DiffReport<'_>) -> &'static str {
    match report.agent_match {
        AgentMatch::WholeToken => "all other crawlers",
        _ => "crawlers that no group matches",
    }
}

/// Names of crawlers, the first ones in full.
fn names(names: &[&str], others: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    for (at, name) in names.iter().take(CRAWLERS_SHOWN).enumerate() {
        if at > 0 {
            parts.push(words(", "));
        }
        if *name == OTHERS {
            parts.push(words(format!("{others} (")));
            parts.push(code(OTHERS));
            parts.push(words(")"));
        } else {
            parts.push(code(*name));
        }
    }
    if let Some(more @ 1..) = names.len().checked_sub(CRAWLERS_SHOWN) {
        parts.push(words(format!(" and {more} more")));
    }
    parts
}

fn push_crawlers(outline: &mut Outline, crawlers: &CrawlersKeys<'_>, others: &str) {
    outline.push(Level::Heading, names(&crawlers.crawlers, others));
    if let [first, _, ..] = &*crawlers.crawlers {
        let note = [words("line numbers are those of the group for "), code(*first)];
        outline.push(Level::Item, note);
    }
    let (before, after) = (on_lines(&crawlers.groups_before), on_lines(&crawlers.groups_after));
    let switch = match crawlers.switch {
        None => None,
        Some(GroupSwitch::ToStar) => Some(format!(
            "now follows the rules for {others}, {after}; before: its own group, {before}"
        )),
        Some(_) => Some(format!(
            "now follows only its own group, {after}; before: the rules for {others}, {before}"
        )),
    };
    if let Some(text) = switch {
        outline.push(Level::Item, [words(text)]);
    }
    // One class with all URLs says it itself.
    let is_all = crawlers.is_reversed && crawlers.changes.len() == 1;
    let all_now = crawlers.all_now.filter(|_| !is_all && !crawlers.changes.is_empty());
    if let Some(direction) = all_now {
        let verdict = if direction == Direction::Opened { "allowed" } else { "disallowed" };
        outline.push(Level::Item, [words(format!("now all URLs are {verdict}"))]);
    }
    for change in crawlers.changes.iter().take(CHANGES_SHOWN) {
        push_change(outline, change, is_all);
    }
    if let Some(more @ 1..) = crawlers.changes.len().checked_sub(CHANGES_SHOWN) {
        outline.push(Level::Item, [words(format!("further classes of URLs: {more}"))]);
    }
    if let Some(undecided) = &crawlers.undecided {
        let text = format!("changes may be missing, because {}", undecided.message);
        outline.push(Level::Item, [words(text)]);
    }
    crawlers.records.iter().for_each(|record| push_record(outline, record));
    if let Some(urls) = &crawlers.urls {
        push_urls(outline, urls);
    }
}

/// The lines of groups, as part of a sentence.
fn on_lines(groups: &[usize]) -> String {
    match groups {
        [] => "none".to_owned(),
        [line] => format!("line {line}"),
        [lines @ .., last] => {
            let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
            format!("lines {} and {last}", lines.join(", "))
        }
    }
}

/// `is_all`: the class has all URLs.
fn push_change(outline: &mut Outline, change: &ChangeKeys<'_>, is_all: bool) {
    let mut item = vec![Part::Direction(change.direction)];
    if is_all {
        item.push(words(": all URLs"));
    } else {
        item.extend([words(": URLs such as "), code(&change.shown)]);
    }
    outline.push(Level::Item, item);
    let was_allowed = change.direction == Direction::Closed;
    for (label, decider, is_allowed) in
        [("before: ", &change.before, was_allowed), ("now: ", &change.after, !was_allowed)]
    {
        let mut parts = vec![words(label)];
        parts.extend(reason(decider, is_allowed));
        outline.push(Level::Detail, parts);
    }
}

fn reason(decider: &DeciderKeys<'_>, is_allowed: bool) -> Vec<Part> {
    let verdict = if is_allowed { "allowed" } else { "disallowed" };
    match &decider.rule {
        Some(rule) => {
            let text = [rule.rule.kind().key().as_bytes(), b": ", rule.rule.pattern()].concat();
            let line = format!(" on line {}", rule.line);
            vec![words(format!("{verdict} by ")), code(&text), words(line)]
        }
        None if decider.has_group => vec![words(format!("{verdict}, because no rule matches"))],
        None => vec![words(format!("{verdict}, because no group applies"))],
    }
}

fn push_record(outline: &mut Outline, record: &RecordKeys<'_>) {
    let text = [record.key.text, b": ", record.value.text].concat();
    let line = words(format!(" (line {})", record.line));
    outline.push(Level::Item, [words(format!("{} ", record.change)), code(&text), line]);
}

fn push_urls(outline: &mut Outline, urls: &UrlsKeys) {
    let UrlsKeys { total, opened, closed, unit, .. } = urls;
    let text = format!("of {total} {unit}, {closed} closed and {opened} opened");
    outline.push(Level::Item, [words(text)]);
    for top in &urls.top {
        let times = if top.count > 1 { format!(" ({} times)", top.count) } else { String::new() };
        let parts = [Part::Direction(top.direction), words(" "), code(&top.url.text), words(times)];
        outline.push(Level::Detail, parts);
    }
}
