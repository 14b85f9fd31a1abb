//! A proposal of tests for a robots.txt.

use std::fmt::Write as _;

use verger::{RuleKind, Untrusted};
use verger_analysis::{Analysis, PatternState, named_crawlers};

use crate::crawler::of_name;
use crate::diff_report::OTHERS;
use crate::robots_file::RobotsFile;

/// Maximum crawlers with a test, so that the proposal is read.
const CRAWLERS: usize = 20;

/// Maximum patterns of a list.
const PATTERNS: usize = 8;

/// A file of tests that pass now: for each crawler the start page, and rules whose patterns are
/// entirely open or closed. `name` is the name of the robots.txt for the key `robots`.
pub(crate) fn proposal(file: &RobotsFile, name: Option<&str>) -> String {
    let robots = file.robots();
    let mut out = String::from(
        "# Tests for robots.txt, proposed by `verger test --init`. Keep what must stay true.\n",
    );
    if let Some(name) = name {
        // Writing to a string does not fail.
        let _ = writeln!(out, "robots = {}", string(name));
    }
    let others = [OTHERS];
    let named = named_crawlers(&[robots]);
    let mut crawlers: Vec<(String, String)> = Vec::new();
    for name in others.iter().copied().chain(named).take(CRAWLERS) {
        let tests = tests_of(file, name);
        match crawlers.iter_mut().find(|(_, known)| *known == tests) {
            Some((names, _)) => {
                let _ = write!(names, ", {}", string(name));
            }
            None => crawlers.push((string(name), tests)),
        }
    }
    for (at, (names, tests)) in crawlers.iter().enumerate() {
        let title = if names.starts_with("\"*\"") {
            "other crawlers".to_owned()
        } else {
            format!("crawlers {}", at + 1)
        };
        let _ = write!(out, "\n[[test]]\nname = {}\ncrawlers = [{names}]\n{tests}", string(&title));
    }
    let maps: Vec<String> =
        robots.sitemaps().filter_map(|map| map.url()).take(PATTERNS).map(string).collect();
    if !maps.is_empty() {
        let _ = write!(
            out,
            "\n# All URLs of the sitemaps are allowed. They are fetched.\n# [[test]]\n# name = \"sitemaps\"\n# crawlers = [\"Googlebot\"]\n# sitemaps = [{}]\n",
            maps.join(", ")
        );
    }
    out
}

/// The expectations for a crawler.
fn tests_of(file: &RobotsFile, name: &str) -> String {
    let robots = file.robots();
    let crawler = of_name(name);
    let analysis = Analysis::new(robots, &crawler);
    let mut lists = [
        ("allow", Vec::new()),
        ("disallow", Vec::new()),
        ("open", Vec::new()),
        ("closed", Vec::new()),
        ("statements", Vec::new()),
    ];
    let [(_, allow), (_, disallow), (_, open), (_, closed), (_, statements)] = &mut lists;
    if analysis.blocks_all() {
        closed.push(string("/"));
    } else {
        let root = if analysis.blocks_root() { disallow } else { allow };
        root.push(string("/"));
        for rule in analysis.rules() {
            let Ok(pattern) = str::from_utf8(rule.pattern()) else { continue };
            let list = match (rule.kind(), analysis.pattern_state(pattern)) {
                (RuleKind::Allow, PatternState::Open { .. }) => &mut *open,
                (RuleKind::Disallow, PatternState::Closed { .. }) => &mut *closed,
                _ => continue,
            };
            let item = string(pattern);
            if pattern.starts_with(['/', '*']) && list.len() < PATTERNS && !list.contains(&item) {
                list.push(item);
            }
        }
    }
    for record in robots.records_for(&crawler).filter(|record| record.extension().is_ok()) {
        let (key, value) = (record.key(), record.value());
        if let (Ok(key), Ok(value)) = (str::from_utf8(key), str::from_utf8(value))
            && statements.len() < PATTERNS
            && !value.is_empty()
        {
            statements.push(string(&format!("{}: {value}", key.trim())));
        }
    }
    let mut out = String::new();
    for (key, list) in lists.iter().filter(|(_, list)| !list.is_empty()) {
        let _ = writeln!(out, "{key} = [{}]", list.join(", "));
    }
    out
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
        let file = RobotsFile::parse("robots.txt".into(), robots, &Dialect::RFC9309);
        proposal(&file, Some("robots.txt"))
    }

    #[test]
    fn a_proposal_has_a_test_for_each_kind_of_crawler() {
        let robots = "Sitemap: https://h.example/s.xml\nUser-agent: a\nUser-agent: b\nDisallow: /\n\n\
                      User-agent: *\nCrawl-delay: 5\nDisallow: /admin/\nDisallow: /shop\nAllow: /shop/a\n";
        assert_eq!(
            proposed(robots.as_bytes()),
            "# Tests for robots.txt, proposed by `verger test --init`. Keep what must stay true.\n\
             robots = \"robots.txt\"\n\n[[test]]\nname = \"other crawlers\"\ncrawlers = [\"*\"]\n\
             allow = [\"/\"]\nopen = [\"/shop/a\"]\nclosed = [\"/admin/\"]\nstatements = [\"Crawl-delay: 5\"]\n\n\
             [[test]]\nname = \"crawlers 2\"\ncrawlers = [\"a\", \"b\"]\nclosed = [\"/\"]\n\n\
             # All URLs of the sitemaps are allowed. They are fetched.\n# [[test]]\n# name = \"sitemaps\"\n\
             # crawlers = [\"Googlebot\"]\n# sitemaps = [\"https://h.example/s.xml\"]\n"
        );
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
