//! A proposal of tests for a robots.txt.
//!
//! # Flow
//!
//! Each crawler has the patterns of its rules that are entirely open or closed, and its statements.
//! Then each line is removed in turn. If that changes an answer and all tests still pass, an example
//! of a changed URL becomes a further expectation. So the removal of any line that has an effect
//! makes a test fail.

use std::collections::HashSet;
use std::fmt::Write as _;

use verger::{Crawler, Robots, RuleKind, Untrusted};
use verger_analysis::{Analysis, Budget, OTHERS, PatternState, compare_files, named_crawlers};

use super::crawler_of;
use super::statement::AppliedLines;
use crate::limits::{
    PROPOSAL_WORK, PROPOSED_CRAWLERS, PROPOSED_EXPECTATIONS, PROPOSED_NAMES, REMOVAL_BYTES,
    REMOVED_LINES,
};
use crate::sentence::all_of;

/// Proposes tests that pass now, as the text of a file. `name` is the name of the robots.txt for the key
/// `robots`. The removal of any line that has an effect makes a test fail, unless a limit was reached; then
/// a comment says so.
///
/// # Complexity
///
/// Linear in the file, with at most [`REMOVAL_BYTES`] parsed and
/// [`PROPOSAL_WORK`].
pub(crate) fn proposal(robots: &Robots, name: Option<&str>) -> String {
    let mut out = String::from(
        "# Tests for robots.txt, proposed by `verger test --init`. Keep what must stay true.\n",
    );
    if let Some(name) = name {
        // Writing to a string does not fail.
        let _ = writeln!(out, "robots = {}", string(name));
    }
    let proposal = Proposal::of(robots);
    if proposal.is_cut {
        out.push_str("# The robots.txt is long: these tests do not protect all of its lines.\n");
    }
    let mut titles = HashSet::new();
    for (crawlers, expected) in proposal.joined() {
        let mut title = title(&crawlers);
        while !titles.insert(title.clone()) {
            title.push_str(" (another test)");
        }
        let crawlers: Vec<String> = crawlers.into_iter().map(string).collect();
        let crawlers = crawlers.join(", ");
        let _ = write!(out, "\n[[test]]\nname = {}\ncrawlers = [{crawlers}]\n", string(&title));
        for (key, list) in expected.lists() {
            let list: Vec<String> = list.iter().map(|item| string(item)).collect();
            if !list.is_empty() {
                let _ = writeln!(out, "{key} = [{}]", list.join(", "));
            }
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
    out
}

/// Expectations for the crawlers of a file.
struct Proposal<'r> {
    robots: &'r Robots,
    names: Vec<&'r str>,
    crawlers: Vec<Crawler>,
    /// For each crawler.
    expected: Vec<Expected>,
    /// The rest of the work for proofs.
    budget: Budget,
    /// Whether a limit was reached.
    is_cut: bool,
}

/// The expectations for a crawler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Expected {
    allow: Vec<String>,
    disallow: Vec<String>,
    open: Vec<String>,
    closed: Vec<String>,
    statements: Vec<String>,
}

impl<'r> Proposal<'r> {
    fn of(robots: &'r Robots) -> Self {
        let named = named_crawlers(&[robots]);
        let is_cut = named.len() >= PROPOSED_CRAWLERS;
        let names: Vec<&str> = [OTHERS].into_iter().chain(named).take(PROPOSED_CRAWLERS).collect();
        let crawlers: Vec<Crawler> = names.iter().map(|name| crawler_of(name, robots)).collect();
        let (expected, budget) = (Vec::new(), Budget::new(PROPOSAL_WORK));
        let mut proposal = Self { robots, names, crawlers, expected, budget, is_cut };
        proposal.add_rules();
        proposal.add_statements();
        proposal.add_examples();
        proposal
    }

    /// Adds the start page, and the patterns of rules that are entirely open or closed.
    fn add_rules(&mut self) {
        for crawler in &self.crawlers {
            let analysis = Analysis::new(self.robots, crawler);
            let mut expected = Expected::default();
            let all = analysis.pattern_state("/", &mut self.budget);
            if all.is_closed() {
                expected.closed.push("/".to_owned());
                self.expected.push(expected);
                continue;
            }
            let is_allowed = self.robots.is_allowed(crawler, "/");
            let root = if is_allowed { &mut expected.allow } else { &mut expected.disallow };
            root.push("/".to_owned());
            for rule in analysis.rules() {
                let Ok(pattern) = str::from_utf8(rule.pattern()) else { continue };
                let list = match rule.kind() {
                    RuleKind::Allow => &mut expected.open,
                    RuleKind::Disallow => &mut expected.closed,
                };
                if !pattern.starts_with(['/', '*']) {
                    continue;
                }
                if list.len() >= PROPOSED_EXPECTATIONS {
                    self.is_cut = true;
                    continue;
                }
                match (rule.kind(), analysis.pattern_state(pattern, &mut self.budget)) {
                    (RuleKind::Allow, PatternState::Open { .. })
                    | (RuleKind::Disallow, PatternState::Closed { .. }) => {
                        self.is_cut |= !push(list, pattern);
                    }
                    (_, PatternState::Undecided(_)) => self.is_cut = true,
                    _ => {}
                }
            }
            self.expected.push(expected);
        }
    }

    /// Adds the records of the groups, and for `*` those of the whole file.
    fn add_statements(&mut self) {
        for (at, (crawler, expected)) in self.crawlers.iter().zip(&mut self.expected).enumerate() {
            let of_file = self.robots.records().filter(|it| at == 0 && it.kind().is_for_file());
            let known = self
                .robots
                .records_for(crawler)
                .chain(of_file)
                .filter(|record| record.extension().is_ok());
            for record in known {
                if let (Ok(key), Ok(value)) =
                    (str::from_utf8(record.key()), str::from_utf8(record.value()))
                    && !value.is_empty()
                {
                    let statement = format!("{}: {value}", key.trim());
                    self.is_cut |= !push(&mut expected.statements, &statement);
                }
            }
        }
    }

    /// Adds examples for the lines whose removal no test notices yet.
    fn add_examples(&mut self) {
        let robots = self.robots;
        let text = robots.text();
        // One to parse, and one for each crawler with statements.
        let passes = 1 + self.expected.iter().filter(|it| !it.statements.is_empty()).count();
        let mut removed = 0;
        let mut end = 0;
        // CRLF is a line end and a blank line here, and blank lines stay.
        for line in text.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            let start = end;
            end += line.len();
            let line = line.trim_ascii();
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            removed += 1;
            let is_over = removed > REMOVED_LINES || removed * passes * text.len() > REMOVAL_BYTES;
            if is_over || self.budget.left() == 0 {
                self.is_cut = true;
                break;
            }
            let without = [&text[..start], &text[end..]].concat();
            self.add_example(&robots.dialect().parse(&without));
        }
    }

    /// Adds an example of a URL that changes, unless a test notices the change.
    fn add_example(&mut self, changed: &Robots) {
        let (robots, budget) = (self.robots, &mut self.budget);
        let is_noticed = |(crawler, expected): (&Crawler, &Expected)| {
            !expected.statements_hold(changed, crawler)
                || rules(robots, crawler) != rules(changed, crawler)
                    && !expected.holds(changed, crawler, budget)
        };
        if self.crawlers.iter().zip(&self.expected).any(is_noticed) {
            return;
        }
        let comparison = compare_files(robots, changed, &self.crawlers, &mut self.budget);
        for found in &comparison.differences {
            let urls = found.comparison.changes.iter();
            let is_url = |target: &&str| robots.dialect().reads_url(target.as_bytes());
            let Some(target) = urls.map(|change| change.witness().shown_target()).find(is_url)
            else {
                continue;
            };
            for &at in &found.crawlers {
                let is_allowed = robots.is_allowed(&self.crawlers[at], target);
                let expected = &mut self.expected[at];
                let list = if is_allowed { &mut expected.allow } else { &mut expected.disallow };
                self.is_cut |= !push(list, target);
            }
        }
    }

    /// Crawlers with the same expectations are together.
    fn joined(&self) -> Vec<(Vec<&'r str>, &Expected)> {
        let mut joined: Vec<(Vec<&'r str>, &Expected)> = Vec::new();
        for (name, expected) in self.names.iter().zip(&self.expected) {
            match joined.iter_mut().find(|(_, known)| *known == expected) {
                Some((names, _)) => names.push(name),
                None => joined.push((vec![name], expected)),
            }
        }
        joined
    }
}

impl Expected {
    /// The lists with their keys.
    fn lists(&self) -> [(&'static str, &[String]); 5] {
        [
            ("allow", &self.allow),
            ("disallow", &self.disallow),
            ("open", &self.open),
            ("closed", &self.closed),
            ("statements", &self.statements),
        ]
    }

    /// Whether a file meets the expectations.
    fn holds(&self, robots: &Robots, crawler: &Crawler, budget: &mut Budget) -> bool {
        let analysis = Analysis::new(robots, crawler);
        let mut state = |pattern| analysis.pattern_state::<String>(pattern, budget);
        self.allow.iter().all(|url| robots.is_allowed(crawler, url.as_str()))
            && !self.disallow.iter().any(|url| robots.is_allowed(crawler, url.as_str()))
            && self.open.iter().all(|pattern| state(pattern).is_open())
            && self.closed.iter().all(|pattern| state(pattern).is_closed())
            && self.statements_hold(robots, crawler)
    }

    fn statements_hold(&self, robots: &Robots, crawler: &Crawler) -> bool {
        if self.statements.is_empty() {
            return true;
        }
        let applied = AppliedLines::of(robots, crawler);
        self.statements.iter().all(|line| applied.has(line))
    }
}

/// The rules that a crawler obeys, without their positions. Equal ones give equal answers, which
/// takes longer to find out.
fn rules<'r>(robots: &'r Robots, crawler: &Crawler) -> Vec<(RuleKind, &'r [u8])> {
    let groups = robots.groups_for(crawler);
    groups.flat_map(|group| group.rules()).map(|rule| (rule.kind(), rule.pattern())).collect()
}

/// Adds an expectation, unless it is there. False if the list is full.
fn push(list: &mut Vec<String>, item: &str) -> bool {
    if list.iter().any(|known| known == item) {
        return true;
    }
    if list.len() < PROPOSED_EXPECTATIONS {
        list.push(item.to_owned());
        return true;
    }
    false
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
    all_of(&names).unwrap_or_default()
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
    use super::*;
    use crate::site_tests::TestFile;
    use verger::Dialect;

    fn proposed(robots: &[u8]) -> String {
        proposal(&Robots::parse(robots), Some("robots.txt"))
    }

    #[test]
    fn a_proposal_has_a_test_for_each_kind_of_crawler() {
        let robots = "Sitemap: https://h.example/s.xml\nUser-agent: a\nUser-agent: b\nDisallow: /\n\n\
                      User-agent: *\nCrawl-delay: 5\nDisallow: /admin/\nDisallow: /shop\nAllow: /shop/a\n";
        assert_eq!(
            proposed(robots.as_bytes()),
            "# Tests for robots.txt, proposed by `verger test --init`. Keep what must stay true.\n\
             robots = \"robots.txt\"\n\n[[test]]\nname = \"other crawlers\"\ncrawlers = [\"*\"]\n\
             allow = [\"/\"]\ndisallow = [\"/shop\"]\nopen = [\"/shop/a\"]\nclosed = [\"/admin/\"]\n\
             statements = [\"Crawl-delay: 5\", \"Sitemap: https://h.example/s.xml\"]\n\n\
             [[test]]\nname = \"a and b\"\ncrawlers = [\"a\", \"b\"]\nclosed = [\"/\"]\n\n\
             # All URLs of the sitemaps are allowed. They are fetched.\n# [[test]]\n# name = \"sitemaps\"\n\
             # crawlers = [\"Googlebot\"]\n# sitemaps = [\"https://h.example/s.xml\"]\n"
        );
    }

    /// Files with their numbers of lines whose removal changes an answer or a statement.
    const FILES: [(&str, usize); 6] = [
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
    ];

    #[test]
    fn the_removal_of_any_line_with_an_effect_makes_a_test_fail() {
        for (text, expected) in FILES {
            let robots = &Robots::parse(text);
            let text_of_tests = proposal(robots, None);
            let tests = TestFile::parse(&text_of_tests, "t", &Dialect::RFC9309).expect("tests");
            let passes = |robots: &Robots| {
                tests.tests.iter().all(|test| {
                    let list = |list: &[toml::Spanned<String>]| -> Vec<String> {
                        list.iter().map(|it| it.get_ref().clone()).collect()
                    };
                    let expected = Expected {
                        allow: list(&test.allow),
                        disallow: list(&test.disallow),
                        open: list(&test.open),
                        closed: list(&test.closed),
                        statements: list(&test.statements),
                    };
                    test.crawlers.iter().all(|name| {
                        let crawler = crawler_of(name, robots);
                        expected.holds(robots, &crawler, &mut Budget::default())
                    })
                })
            };
            assert!(passes(robots), "{text_of_tests}");
            let names = named_crawlers(&[robots]);
            let names = [OTHERS].into_iter().chain(names);
            let crawlers: Vec<Crawler> = names.map(|name| crawler_of(name, robots)).collect();
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
        let proposal = Proposal::of(&robots);
        assert!(proposal.is_cut);
        assert_eq!(proposal.expected[0].closed.len(), PROPOSED_EXPECTATIONS);
        let tests = proposed(text.as_bytes());
        assert!(tests.contains("these tests do not protect all of its lines"), "{tests}");
        TestFile::parse(&tests, "t", &Dialect::RFC9309).expect("a file of tests");
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
        let file = TestFile::parse(&text, "t", &Dialect::RFC9309).expect("a file of tests");
        let closed: Vec<&str> =
            file.tests[0].closed.iter().map(|it| it.get_ref().as_str()).collect();
        assert_eq!(closed[0], "/\"]\\\u{1b}\u{202e}", "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    }
}
