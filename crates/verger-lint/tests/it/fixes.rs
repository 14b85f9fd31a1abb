//! Safe fixes change no verdict in any published dialect, on all files of the corpus and on
//! generated ones. On the corpus a few runs lead to a file that a further run does not change.
//!
//! `VERGER_CASES` multiplies the number of generated files.

use std::collections::BTreeSet;

use verger::{Crawler, Dialect, Robots};
use verger_lint::{Safety, Settings, is_same_meaning, lint};
use verger_testkit::corpus::corpus;
use verger_testkit::generate::{case, cases, one_in, url_for};
use verger_testkit::parallel::map;
use verger_testkit::shared::{Lacking, say, skip_loudly};

/// Maximum number of URLs for each file: the patterns of files with more are sampled evenly.
const URLS: usize = 120;

/// Step of the default suite's sample of the corpus.
const SAMPLE: usize = 20;

/// Maximum number of runs with fixes.
const RUNS: usize = 40;

#[test]
fn safe_fixes_change_no_verdict_and_are_stable() {
    let Some(files) = corpus().unwrap() else {
        return skip_loudly("safe fixes of real files", Lacking::Data, "no ../shared/corpus");
    };
    let shares = map(files.iter().step_by(one_in(SAMPLE)), |(name, text)| {
        let mut counts = Counts::default();
        counts.add(name, text);
        counts
    });
    let sum = |count: fn(&Counts) -> usize| shares.iter().map(count).sum::<usize>();
    say(&format!(
        "{} safe fixes in {} files, {} verdicts compared, at most {} runs",
        sum(|it| it.applied),
        sum(|it| it.files),
        sum(|it| it.compared),
        shares.iter().map(|it| it.longest).max().unwrap_or_default(),
    ));
}

/// Numbers of fixes and compared verdicts.
#[derive(Default)]
struct Counts {
    files: usize,
    applied: usize,
    compared: usize,
    /// Highest number of runs until nothing changes.
    longest: usize,
}

impl Counts {
    /// Fixes a file until nothing changes, and compares the verdicts after each run.
    fn add(&mut self, name: &str, text: &[u8]) {
        let (fixed, applied) = lint(text, &Settings::default()).fixed_once(Safety::Safe);
        // Without fixes the file stays as it is; the text of the report may be cut or decoded.
        if applied == 0 {
            return;
        }
        self.files += 1;
        self.applied += applied;
        if !is_same_meaning(text, &fixed) {
            self.compared += same_verdicts(name, text, &fixed);
        }
        // Without a rule, another one may become redundant.
        let (mut last, mut runs) = (fixed, 1);
        loop {
            let (again, applied) = lint(&last, &Settings::default()).fixed_once(Safety::Safe);
            if applied == 0 {
                assert!(again == last, "{name}");
                break;
            }
            runs += 1;
            assert!(runs <= RUNS, "{name}: still {applied} fixes after {RUNS} runs");
            self.compared += same_verdicts(name, text, &again);
            last = again;
        }
        self.longest = self.longest.max(runs);
    }
}

#[test]
fn all_fixes_together_leave_one_of_equal_rules() {
    for text in [
        "User-agent: *\nDisallow: /cart\nDisallow: /cart\n",
        "User-agent: *\nDisallow: /cart*\nDisallow: /cart\n",
        "User-agent: *\nDissalow: /cart\nDisallow: cart\n",
        "User-agent: *\nDisallow: /a\nDisallow: /%61\nDisallow: /%61*\n",
    ] {
        let mut fixed = text.as_bytes().to_vec();
        for _ in 0..5 {
            fixed = lint(&fixed, &Settings::default()).fixed_once(Safety::Unsafe).0;
        }
        let rule = fixed.strip_prefix(b"User-agent: *\nDisallow: /");
        let shown = String::from_utf8_lossy(&fixed);
        assert!(rule.is_some_and(|rule| rule.ends_with(b"\n") && rule.len() > 1), "{shown}");
        assert_eq!(shown.lines().count(), 2, "{shown}");
    }
}

#[test]
fn fixes_of_more_findings_than_a_report_has_are_all_applied() {
    // More than the passes could fix by 1,000.
    let text = format!("User-agent: *\nDisallow: /a\n{}", "Allow:/\n".repeat(45_000));
    let settings = Settings::default();
    let report = lint(text.as_bytes(), &settings);
    assert!(report.omitted.iter().any(|(rule, _)| rule.code == "repeated-rule"));
    let (fixed, report, fixes) = report.fixed_until_none(&settings, Safety::Safe).unwrap();
    assert_eq!(fixed, b"User-agent: *\nDisallow: /a\nAllow:/\n");
    assert_eq!((report.omitted.len(), fixes), (0, 44_999));
}

#[test]
fn safe_fixes_of_generated_files_change_no_verdict() {
    let (mut fixes, mut compared) = (0, 0);
    for index in 0..cases(200) {
        let case = case(23, index);
        let text = spoilt(&case.robots, index);
        let report = lint(&text, &Settings::default());
        let (fixed, applied) = report.fixed_once(Safety::Safe);
        if applied == 0 {
            continue;
        }
        fixes += applied;
        let crawler = Crawler::chain(case.tokens.iter().map(String::as_str));
        let mut urls = vec![case.url];
        urls.extend((0..8).map(|at| url_for(&text, 24, 8 * index + at)));
        for dialect in Dialect::PUBLISHED {
            let (left, right) = (dialect.parse(&text), dialect.parse(&fixed));
            for url in &urls {
                let (before, after) = (left.check(&crawler, url), right.check(&crawler, url));
                let is_same = before.is_allowed() == after.is_allowed();
                let shown = String::from_utf8_lossy(&text);
                assert!(is_same, "{index}, {dialect}, {}: {shown}", String::from_utf8_lossy(url));
                compared += 1;
            }
        }
    }
    say(&format!("{fixes} safe fixes of generated files, {compared} verdicts compared"));
}

/// A file with repeated lines, NULs and bytes that are not UTF-8, after which safe fixes look.
fn spoilt(text: &[u8], seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut dice = |sides: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % sides
    };
    let (mut out, mut earlier) = (Vec::new(), Vec::new());
    for line in text.split_inclusive(|&octet| octet == b'\n' || octet == b'\r') {
        let mut line = line.to_vec();
        let at = usize::try_from(dice(1 + line.len() as u64)).unwrap_or_default();
        match dice(12) {
            0 => line.insert(at, 0),
            1 => line.insert(at, 0xE9),
            2 => line.splice(at..at, *b"%E9").for_each(drop),
            _ => {}
        }
        out.extend_from_slice(&line);
        earlier.push(line);
        if dice(3) == 0 {
            let again = usize::try_from(dice(earlier.len() as u64)).unwrap_or_default();
            out.extend_from_slice(&earlier[again]);
        }
    }
    out
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
