//! Safe fixes on all files of the corpus: no verdict changes, and a second run changes nothing.

use std::collections::BTreeSet;

use verger::{Crawler, Dialect, Robots};
use verger_lint::fix::Safety;
use verger_lint::{Settings, is_same_meaning, lint};
use verger_testkit::corpus::corpus;
use verger_testkit::shared::{Lacking, say, skip_loudly};

/// Maximum number of URLs for each file: the patterns of files with more are sampled evenly.
const URLS: usize = 120;

#[test]
fn safe_fixes_change_no_verdict_and_are_stable() {
    let Some(files) = corpus().unwrap() else {
        return skip_loudly("safe fixes of real files", Lacking::Data, "no ../shared/corpus");
    };
    let (mut fixed_files, mut applied_fixes, mut compared) = (0, 0, 0);
    for (name, text) in files {
        let (fixed, applied) = lint(&text, &Settings::default()).fixed(Safety::Safe);
        if applied == 0 {
            assert_eq!(fixed, text, "{name}");
            continue;
        }
        fixed_files += 1;
        applied_fixes += applied;
        if !is_same_meaning(&text, &fixed) {
            compared += same_verdicts(&name, &text, &fixed);
        }
        let (again, applied) = lint(&fixed, &Settings::default()).fixed(Safety::Safe);
        assert_eq!((applied, again == fixed), (0, true), "{name}");
    }
    say(&format!(
        "{applied_fixes} safe fixes in {fixed_files} files, {compared} verdicts compared"
    ));
}

/// Compares the verdicts for every named crawler and an unnamed one; returns their number.
fn same_verdicts(name: &str, left: &[u8], right: &[u8]) -> usize {
    let robots = Robots::parse(left);
    let names: BTreeSet<Vec<u8>> = robots
        .groups()
        .flat_map(|group| group.agents().map(|agent| agent.name().to_ascii_lowercase()))
        .collect();
    let names = names.iter().filter_map(|name| str::from_utf8(name).ok());
    let crawlers: Vec<Crawler> = names.chain(["unnamed-crawler"]).map(Crawler::new).collect();
    let urls = urls(&robots);
    let mut compared = 0;
    for dialect in Dialect::PUBLISHED {
        let (left, right) = (dialect.parse(left), dialect.parse(right));
        for crawler in &crawlers {
            let (left, right) = (left.policy(crawler), right.policy(crawler));
            for url in &urls {
                let (before, after) = (left.is_allowed(url), right.is_allowed(url));
                assert_eq!(before, after, "{name}: {dialect} {crawler:?} {url}");
                compared += 1;
            }
        }
    }
    compared
}

/// For patterns of the file: a path that it matches, and one that differs at its end.
fn urls(robots: &Robots) -> Vec<String> {
    let patterns: BTreeSet<&[u8]> =
        robots.groups().flat_map(|group| group.rules().map(|rule| rule.pattern())).collect();
    let step = (2 * patterns.len() / URLS).max(1);
    let mut urls = vec!["/".to_owned(), "/robots.txt".to_owned(), "/index.html".to_owned()];
    for pattern in patterns.into_iter().step_by(step) {
        let text: String = pattern
            .iter()
            .map(|&octet| match octet {
                b'*' => "x/y".to_owned(),
                b'$' | b'#' => String::new(),
                0..0x80 => char::from(octet).to_string(),
                _ => format!("%{octet:02X}"),
            })
            .collect();
        let path = format!("/{}", text.trim_start_matches('/'));
        urls.push(format!("{path}z"));
        urls.push(path);
    }
    urls
}
