//! # other-reading
//!
//! A dialect answers otherwise than RFC 9309 for a URL.
//!
//! ## Why is this a problem?
//!
//! The file means one thing to crawlers that follow RFC 9309, and another to readers of this
//! dialect. Usual reasons are wildcards, which readers of the 1990s do not know, the first matching
//! rule in place of the longest one, blank lines that end a group, and escapes.
//!
//! The finding is proved, and its URL shows it: both readers give different answers for it. For the
//! dialect of a search engine, the rule looks at its crawler with its documented fallbacks; for
//! another dialect at unnamed crawlers and at the first ones that the file names. Lines with a more
//! exact finding of this category have no second one.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /*?sort=
//! Disallow: /cart
//! ```
//!
//! Use instead, if old readers count:
//!
//! ```text
//! User-agent: *
//! Disallow: /sorted/
//! Disallow: /cart
//! ```
//!
//! The rule runs for the dialects in the setting `portable`.
//!
//! ## References
//!
//! `docs/dialects.md`; REP-MATCH-10, REP-MATCH-16, REP-AMB-3.

use std::collections::{BTreeMap, HashSet};

use verger::{Crawler, Dialect, Policy, Robots, Rule};
use verger_analysis::{Analysis, Change, Direction, compare, unnamed_crawler};
use verger_registry::Registry;

use super::prelude::*;
use crate::file::{DIALECT, EXAMPLE};
use crate::limits::{FINDINGS_PER_RULE, READERS};
use crate::policies::with_origin;

pub(super) fn check(policies: &Policies<'_>, findings: &mut Findings<'_, '_>) {
    let mut differences = BTreeMap::new();
    let mut known = HashSet::new();
    for dialect in &policies.settings.portable {
        if dialect.name != DIALECT.name && known.insert(dialect.name) {
            compare_with(policies, *dialect, &mut differences);
        }
    }
    for ((_, direction, url), difference) in differences {
        let Difference { at, dialects, here, there, crawler } = difference;
        let (one, other) = match direction {
            Closed::Here => ("disallows", "allow"),
            Closed::There => ("allows", "disallow"),
        };
        let names: Vec<String> = dialects.iter().map(|name| format!("`{name}`")).collect();
        let (noun, verb) = match names.len() {
            1 => ("dialect", format!("{other}s")),
            _ => ("dialects", other.to_owned()),
        };
        let whose =
            crawler.map(|crawler| format!(" for {}", show(crawler.as_bytes()))).unwrap_or_default();
        let message =
            format!("RFC 9309 {one} this URL{whose}, but {noun} {} {verb} it", names.join(", "));
        findings.add(at, message, |mut finding| {
            if let Some(here) = here.filter(|here| *here != at) {
                finding = finding.label(here, "decides by RFC 9309");
            }
            if let Some(there) = there.filter(|there| *there != at) {
                finding = finding.label(there, format!("decides in {}", names[0]));
            }
            finding.url(policies.file.url(&url))
        });
    }
}

/// Which reader disallows the URL.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Closed {
    Here,
    There,
}

/// A rule that dialects read otherwise, with the deciding rules of the URL.
struct Difference {
    at: Span,
    dialects: Vec<&'static str>,
    here: Option<Span>,
    there: Option<Span>,
    /// The crawler, if it is not an unnamed one.
    crawler: Option<String>,
}

/// By the start of the rule's line, the reader that disallows, and the URL.
type Differences = BTreeMap<(usize, Closed, String), Difference>;

/// Adds the differences of a dialect, at most one for each rule and direction.
fn compare_with(policies: &Policies<'_>, dialect: Dialect, differences: &mut Differences) {
    let file = policies.file;
    let robots = dialect.parse(file.bytes);
    // Size limits and encodings have their own findings.
    if robots.text() != file.text() || robots.is_truncated() || file.robots.is_truncated() {
        return;
    }
    let explained = explained(file, &robots);
    let mut found = HashSet::new();
    let unnamed = unnamed_crawler(&[&file.robots, &robots]);
    for crawler in readers(policies, dialect, &unnamed) {
        let here = with_origin(Analysis::new(&file.robots, &crawler), file);
        let there = with_origin(Analysis::new(&robots, &crawler), file);
        let engines = [&file.robots, &robots].map(|it| it.policy(&crawler).without_explanation());
        let comparison = policies.ask(|budget| compare(&here, &there, budget));
        for change in comparison.changes.iter().take(FINDINGS_PER_RULE) {
            let Some(rule) = change.rule_before().or(change.rule_after()) else { continue };
            let line = file.line(rule.span()).map_or(0, |line| line.span.start);
            let direction = match change.direction() {
                Direction::Opened => Closed::Here,
                Direction::Closed => Closed::There,
            };
            let lines = [change.rule_before(), change.rule_after()].into_iter().flatten();
            let is_explained =
                lines.map(|rule| rule.position().line).any(|it| explained.contains(&it));
            if is_explained
                // It is always allowed by RFC 9309, and nobody means it.
                || change.witness().target() == "/robots.txt"
                || found.contains(&(line, direction))
                || !is_confirmed(&engines, change)
            {
                continue;
            }
            found.insert((line, direction));
            let named = Some(&crawler).filter(|crawler| **crawler != unnamed);
            add(differences, (line, direction), rule, change, dialect, named, &engines[1]);
        }
    }
}

/// Adds a difference to that of an earlier dialect, if both answer alike for its URL.
fn add(
    differences: &mut Differences,
    (line, direction): (usize, Closed),
    rule: Rule<'_>,
    change: &Change<'_, '_>,
    dialect: Dialect,
    crawler: Option<&Crawler>,
    there: &Policy,
) {
    let is_open = direction == Closed::Here;
    let of_line = (line, direction, String::new())..(line, direction, "\u{10ffff}".to_owned());
    let token = crawler.and_then(|crawler| crawler.tokens().first());
    let token = token.map(|token| token.as_str().to_owned());
    let same = differences.range_mut(of_line).find(|((_, _, path), known)| {
        known.crawler == token && there.is_allowed(&format!("{EXAMPLE}{path}")) == is_open
    });
    if let Some((_, known)) = same {
        known.dialects.push(dialect.name);
        return;
    }
    let difference = Difference {
        at: rule.span(),
        dialects: vec![dialect.name],
        here: change.rule_before().map(|rule| rule.span()),
        there: change.rule_after().map(|rule| rule.span()),
        crawler: token,
    };
    differences.insert((line, direction, change.witness().target().to_owned()), difference);
}

/// The lines whose difference has an exact finding: a foreign key, an oversized rule, a cut line.
fn explained(file: &File<'_>, robots: &Robots) -> HashSet<usize> {
    let mut lines = HashSet::new();
    robots.diagnose(|found| {
        if matches!(found.code(), "foreign-key" | "oversized-rule" | "line-too-long") {
            lines.extend(file.line(found.span).map(|line| line.number));
        }
    });
    lines
}

/// Whether the engine gives different answers, too.
fn is_confirmed(engines: &[Policy; 2], change: &Change<'_, '_>) -> bool {
    let [here, there] = engines.each_ref().map(|it| it.is_allowed(change.witness().url()));
    here != there && here == (change.direction() == Direction::Closed)
}

/// The crawlers that read the file in a dialect: that of the search engine, or some of all.
fn readers(policies: &Policies<'_>, dialect: Dialect, unnamed: &Crawler) -> Vec<Crawler> {
    let vendor = match dialect.name {
        "google" => "Googlebot",
        "bing" => "bingbot",
        "yandex" => "YandexBot",
        "baidu" => "Baiduspider",
        _ => "",
    };
    // With its documented fallbacks.
    if let Some(known) = Registry::bundled().find(vendor) {
        return vec![known.rules().clone()];
    }
    let named = policies.list.iter().filter(|policy| policy.name.is_some());
    let named = named.take(READERS).map(|policy| policy.crawler.clone());
    [unnamed.clone()].into_iter().chain(named).collect()
}
