//! A proposal of tests for a robots.txt: for each crawler the start page, the answers to the
//! patterns of its rules and of those for `*`, and its statements.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use verger::{Crawler, Robots, Untrusted};
use verger_analysis::{Analysis, Budget, OTHERS, PatternState, named_crawlers};
use verger_json::diff::crawler_of;
use verger_json::site_tests::counting_records;

use crate::limits::{
    PROPOSAL_WORK, PROPOSED_CRAWLERS, PROPOSED_EXPECTATIONS, PROPOSED_NAMES, PROPOSED_TESTS,
};
use crate::sentence::joined;

/// The keys of a test, in the order of its lists.
const KEYS: [&str; 5] = ["allow", "disallow", "open", "closed", "statements"];

/// The expectations of a test, under each of [`KEYS`].
type Expected = [Vec<String>; KEYS.len()];

/// Proposes tests that pass now, as the text of a file, and whether a limit was reached, which a
/// comment says, too. `name` is the name of the robots.txt for the key `robots`.
pub(crate) fn proposal(robots: &Robots, name: Option<&str>) -> (String, bool) {
    let mut out = String::from(
        "# Tests for robots.txt, proposed by `verger test --init`. Keep what must stay true.\n",
    );
    if let Some(name) = name {
        // Writing to a string does not fail.
        let _ = writeln!(out, "robots = {}", string(name));
    }
    let (tests, is_cut) = proposed_tests(robots);
    if is_cut {
        out.push_str("# The robots.txt is long: these tests do not protect all of its lines.\n");
    }
    let mut titles = HashSet::new();
    for (crawlers, expected) in tests {
        let mut title = title(&crawlers);
        while !titles.insert(title.clone()) {
            title.push_str(" (another test)");
        }
        let crawlers: Vec<String> = crawlers.into_iter().map(string).collect();
        let crawlers = crawlers.join(", ");
        let _ = write!(out, "\n[[test]]\nname = {}\ncrawlers = [{crawlers}]\n", string(&title));
        for (key, list) in KEYS.iter().zip(expected).filter(|(_, list)| !list.is_empty()) {
            let list: Vec<String> = list.iter().map(|item| string(item)).collect();
            let _ = writeln!(out, "{key} = [{}]", list.join(", "));
        }
    }
    let maps = robots.sitemaps().filter_map(|map| map.url());
    let maps: Vec<String> = maps.take(PROPOSED_EXPECTATIONS).map(string).collect();
    if !maps.is_empty() {
        let _ = write!(
            out,
            "\n# All URLs of the sitemaps are allowed. They are fetched.\n# [[test]]\n# name = \"sitemaps\"\n# crawlers = [\"Googlebot\"]\n# sitemaps = [{}]\n",
            maps.join(", ")
        );
    }
    (out, is_cut)
}

/// Expectations, each with the crawlers that share them, and whether a limit was reached.
fn proposed_tests(robots: &Robots) -> (Vec<(Vec<&str>, Expected)>, bool) {
    let mut named = named_crawlers(&[robots]);
    // A file of tests has no such name.
    named.retain(|name| !name.trim().is_empty());
    let mut is_cut = named.len() >= PROPOSED_CRAWLERS;
    let mut budget = Budget::new(PROPOSAL_WORK);
    let others = crawler_of(OTHERS, &[robots]);
    let others = Analysis::new(robots, &others);
    let mut tests: Vec<(Vec<&str>, Expected)> = Vec::new();
    // The tests of named crawlers by what decides them: groups, and the places of records, some of
    // which count only for the nearest agents (REP-AMB-4).
    let mut by_lines = HashMap::<[Vec<usize>; 2], usize>::new();
    for name in [OTHERS].into_iter().chain(named).take(PROPOSED_CRAWLERS) {
        let crawler = crawler_of(name, &[robots]);
        let groups = robots.groups_for(&crawler).map(|it| it.index()).collect();
        let records = robots.records_for(&crawler).map(|it| it.span().start).collect();
        let lines = [groups, records];
        if let Some(&at) = by_lines.get(&lines) {
            tests[at].0.push(name);
            continue;
        }
        let mut expected = Expected::default();
        let mut is_complete = add_answers(&mut expected, robots, (&crawler, &others), &mut budget);
        is_complete &= add_statements(&mut expected, robots, &crawler, name == OTHERS);
        let at = match tests.iter().position(|(_, known)| *known == expected) {
            Some(at) => {
                tests[at].0.push(name);
                at
            }
            None if tests.len() == PROPOSED_TESTS => {
                is_cut = true;
                continue;
            }
            None => {
                tests.push((vec![name], expected));
                tests.len() - 1
            }
        };
        is_cut |= !is_complete;
        if name != OTHERS {
            by_lines.insert(lines, at);
        }
    }
    (tests, is_cut)
}

/// Adds the answers to the start page and to the patterns of the rules of a crawler and of others.
/// False if some are left out.
fn add_answers(
    [allow, disallow, open, closed, _]: &mut Expected,
    robots: &Robots,
    (crawler, others): (&Crawler, &Analysis<'_>),
    budget: &mut Budget,
) -> bool {
    let analysis = Analysis::new(robots, crawler);
    if analysis.pattern_state("/", budget).is_closed() {
        return push(closed, "/");
    }
    let is_allowed = robots.is_allowed(crawler, "/");
    let mut is_complete = push(if is_allowed { allow } else { disallow }, "/");
    // The crawlers often share rules; a proof is work.
    let mut seen = HashSet::new();
    for rules in [analysis.rules(), others.rules()] {
        is_complete &= rules.len() <= PROPOSED_EXPECTATIONS;
        for rule in rules.iter().take(PROPOSED_EXPECTATIONS) {
            let Ok(pattern) = str::from_utf8(rule.pattern()) else { continue };
            if !pattern.starts_with(['/', '*']) || !seen.insert(pattern) {
                continue;
            }
            is_complete &= match analysis.pattern_state(pattern, budget) {
                PatternState::Open { .. } => push(open, pattern),
                PatternState::Closed { .. } => push(closed, pattern),
                PatternState::Mixed { open, closed } => {
                    let is_url = |url: &str| robots.dialect().reads_url(url.as_bytes());
                    let [open, closed] = [&open, &closed].map(|it| it.witness.shown_target());
                    (!is_url(open) || push(allow, open))
                        & (!is_url(closed) || push(disallow, closed))
                }
                PatternState::Undecided(_) => false,
                _ => true,
            };
        }
    }
    is_complete
}

/// Adds the records that count for a crawler. False if some are left out.
fn add_statements(
    [.., statements]: &mut Expected,
    robots: &Robots,
    crawler: &Crawler,
    with_those_of_file: bool,
) -> bool {
    let records = counting_records(robots, crawler).into_iter();
    let mut is_complete = true;
    for record in records.filter(|it| with_those_of_file || !it.kind().is_for_file()) {
        if let (Ok(key), Ok(value)) = (str::from_utf8(record.key()), str::from_utf8(record.value()))
            && !value.is_empty()
        {
            is_complete &= push(statements, &format!("{}: {value}", key.trim()));
        }
    }
    is_complete
}

/// Adds an expectation, unless it is there. False if the list is full.
fn push(list: &mut Vec<String>, item: &str) -> bool {
    let is_known = list.iter().any(|known| known == item);
    if !is_known && list.len() < PROPOSED_EXPECTATIONS {
        list.push(item.to_owned());
        return true;
    }
    is_known
}

/// The name of a test: its crawlers, the first ones in full.
fn title(crawlers: &[&str]) -> String {
    let mut names: Vec<String> = crawlers
        .iter()
        .take(PROPOSED_NAMES)
        .map(|name| if *name == OTHERS { "other crawlers".to_owned() } else { (*name).to_owned() })
        .collect();
    if let Some(more @ 1..) = crawlers.len().checked_sub(PROPOSED_NAMES) {
        names.push(format!("{more} more"));
    }
    joined(&names, "and").unwrap_or_default()
}

/// A basic string of TOML.
fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        let shown = Untrusted::new(c.encode_utf8(&mut [0; 4])).to_string();
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            _ if shown.chars().eq([c]) => out.push(c),
            c => {
                let _ = write!(out, "\\U{:08X}", u32::from(c));
            }
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use verger::Dialect;
    use verger_analysis::compare_files;

    use super::*;
    use verger_json::site_tests::{Offline, Status, TestFile};

    fn proposed(robots: &[u8]) -> String {
        proposal(&Robots::parse(robots), Some("robots.txt")).0
    }

    #[test]
    fn a_proposal_has_a_test_for_each_kind_of_crawler() {
        let robots = "Sitemap: https://h.example/s.xml\nUser-agent: a\nUser-agent: b\nDisallow: /\n\n\
                      User-agent: *\nCrawl-delay: 5\nCrawl-delay: 9\nDisallow: /admin/\nDisallow: /shop\nAllow: /shop/a\n";
        assert_eq!(
            proposed(robots.as_bytes()),
            "# Tests for robots.txt, proposed by `verger test --init`. Keep what must stay true.\n\
             robots = \"robots.txt\"\n\n[[test]]\nname = \"other crawlers\"\ncrawlers = [\"*\"]\n\
             allow = [\"/\", \"/shop/a\"]\ndisallow = [\"/shop\"]\nopen = [\"/shop/a\"]\nclosed = [\"/admin/\"]\n\
             statements = [\"Crawl-delay: 5\", \"Sitemap: https://h.example/s.xml\"]\n\n\
             [[test]]\nname = \"a and b\"\ncrawlers = [\"a\", \"b\"]\nclosed = [\"/\"]\n\n\
             # All URLs of the sitemaps are allowed. They are fetched.\n# [[test]]\n# name = \"sitemaps\"\n\
             # crawlers = [\"Googlebot\"]\n# sitemaps = [\"https://h.example/s.xml\"]\n"
        );
    }

    /// Files with their numbers of lines whose removal changes an answer or a statement.
    const FILES: [(&str, usize); 8] = [
        ("License: https://h/l\nUser-agent: *\nCrawl-delay: 3\nDisallow: /\n", 4),
        (include_str!("../../../../examples/shop/robots.txt"), 14),
        (
            "User-agent: *\r\nDisallow: /wp-admin/\r\nAllow: /wp-admin/admin-ajax.php\r\nSitemap: https://h/s.xml\r\n",
            4,
        ),
        // The line of the agent makes a difference that the rules do not show.
        ("User-agent: a\nDisallow: /a\n\nUser-agent: *\nDisallow: /a\nDisallow: /b\n", 5),
        ("User-agent: a\nDisallow:\n\nUser-agent: *\nDisallow: /\n", 4),
        (
            "User-agent: *\nDisallow: /*?\nAllow: /*?page=\nDisallow: /*?page=*&\nAllow: /$\nDisallow: /\n",
            5,
        ),
        (
            "User-agent: a\nUser-agent: b\nCrawl-delay: 3\nDisallow: /x*y\nAllow: /x*y$\nHost: h\n",
            6,
        ),
        // REP-AMB-4.
        ("User-agent: a\nCrawl-delay: 5\nUser-agent: b\nDisallow: /x\n", 4),
    ];

    #[test]
    fn the_removal_of_any_line_with_an_effect_makes_a_test_fail() {
        // A group of many crawlers, as `verger generate` writes it, and many groups.
        let lines = |range: std::ops::Range<usize>, rule: &str| {
            let lines = range.map(|number| format!("User-agent: bot-{number}\n{rule}"));
            lines.collect::<Vec<_>>().concat()
        };
        let group = lines(0..60, "") + "Disallow: /\n";
        let groups = lines(60..120, "Disallow: /\n");
        let generated = [(&*group, 61), (&groups, 61)];
        for (text, expected) in FILES.into_iter().chain(generated) {
            let robots = &Robots::parse(text);
            let (text_of_tests, is_cut) = proposal(robots, None);
            assert!(!is_cut, "{text_of_tests}");
            let tests = TestFile::parse(&text_of_tests, &|_| Ok(())).expect("tests");
            let passes = |robots: &Robots| {
                let report = tests.run(robots, None, &mut Offline);
                report.tests.iter().all(|test| test.status == Status::Passed)
            };
            assert!(passes(robots), "{text_of_tests}");
            let names = named_crawlers(&[robots]);
            let names = [OTHERS].into_iter().chain(names);
            let crawlers: Vec<Crawler> = names.map(|name| crawler_of(name, &[robots])).collect();
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            let mut with_effect = 0;
            for at in 0..lines.len() {
                let without = [&lines[..at], &lines[at + 1..]].concat().concat();
                let without = Dialect::RFC9309.parse(&without);
                let found = compare_files(robots, &without, &crawlers, &mut Budget::default());
                if found.differences.is_empty() && found.records.is_empty() {
                    continue;
                }
                with_effect += 1;
                assert!(!passes(&without), "{}: {text_of_tests}", lines[at]);
            }
            assert_eq!(with_effect, expected, "{text}");
        }
    }

    #[test]
    fn the_work_for_a_long_file_is_limited() {
        let mut text = "User-agent: *\n".to_owned();
        for number in 0..20_000 {
            let _ = writeln!(text, "Disallow: /{}*{number}", "section/".repeat(number % 3));
        }
        let robots = Robots::parse(&text);
        let (text_of_tests, is_cut) = proposal(&robots, None);
        assert!(is_cut && text_of_tests.contains("these tests do not protect all of its lines"));
        assert_eq!(first_closed(&text_of_tests).len(), PROPOSED_EXPECTATIONS);
    }

    /// The list `closed` of the first test.
    fn first_closed(text: &str) -> Vec<String> {
        let file: toml::Table = toml::from_str(text).expect("a file of tests");
        let closed = file["test"][0]["closed"].as_array().expect("a list");
        closed.iter().map(|it| it.as_str().expect("a text").to_owned()).collect()
    }

    #[test]
    fn names_of_tests_are_those_of_the_crawlers() {
        assert_eq!(title(&["*"]), "other crawlers");
        assert_eq!(title(&["GPTBot", "ClaudeBot"]), "GPTBot and ClaudeBot");
        assert_eq!(title(&["*", "a", "b", "c", "d"]), "other crawlers, a, b and 2 more");
    }

    #[test]
    fn hostile_patterns_are_strings() {
        let robots = "User-agent: *\nDisallow: /\"]\\\u{1b}\u{202e}\nDisallow: /\u{ff}#\n";
        let text = proposed(robots.as_bytes());
        let closed = first_closed(&text);
        assert_eq!(closed[0], "/\"]\\\u{1b}\u{202e}", "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    }
}
