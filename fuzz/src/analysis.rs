//! Target `analysis`: claims about all URLs hold for the URL of the input, and each witness shows
//! its claim.

use verger::{Dialect, Robots};
use verger_analysis::{Analysis, Budget, PatternState, compare, limits};

use crate::input::{Question, published};

/// Rules beyond this number make a comparison of many pairs take seconds.
const RULES: usize = 40;

/// Checks analyses.
///
/// # Panics
///
/// If a property is violated.
pub fn property(bytes: &[u8]) {
    let question = Question::read(bytes);
    let crawler = question.crawler.to_crawler();
    // A second file: without the first line of the first that has a rule.
    let shorter = without_a_line(&question.robots, question.url.len());
    for dialect in published() {
        let robots = dialect.parse(&question.robots);
        let analysis = Analysis::new(&robots, &crawler);
        if analysis.rules().len() > RULES {
            return;
        }
        let url = &question.url;
        // The targets of the analysis are those that a client sends.
        let is_sent = |octet: &u8| octet.is_ascii_graphic() && !b"\"<>#".contains(octet);
        let is_target = dialect.reads_url(url) && url.iter().all(is_sent);
        let verdict = robots.check(&crawler, url);
        let by_file = verdict.reason().is_by_file();
        for dead in analysis.dead_rules(&mut Budget::default()).found {
            if !is_target {
                break;
            }
            let decides = verdict.rule().is_some_and(|rule| rule.span() == dead.rule.span());
            assert!(!decides, "{dialect}: {question:?}");
        }
        if is_target && by_file && url.starts_with(b"/") {
            assert!(!analysis.allows_all() || verdict.is_allowed(), "{dialect}: {question:?}");
            assert!(!analysis.blocks_all() || !verdict.is_allowed(), "{dialect}: {question:?}");
        }
        check_states(&robots, &analysis, dialect);
        let same = compare(&analysis, &analysis, &mut Budget::default());
        assert!(same.changes.is_empty(), "{dialect}: {question:?}");
        let other = dialect.parse(&shorter);
        check_comparison(&analysis, &Analysis::new(&other, &crawler), url, is_target && by_file);
    }
}

/// The examples of a rule's pattern have their verdicts.
fn check_states(robots: &Robots, analysis: &Analysis<'_>, dialect: Dialect) {
    for rule in analysis.rules() {
        let state = analysis.pattern_state(rule.pattern(), &mut Budget::default());
        let (open, closed) = match &state {
            PatternState::Open { example } => (Some(example), None),
            PatternState::Closed { example } => (None, Some(example)),
            PatternState::Mixed { open, closed } => (Some(open), Some(closed)),
            _ => continue,
        };
        assert!(open.is_none_or(|it| it.verdict.is_allowed()), "{dialect}: {rule}");
        assert!(closed.is_none_or(|it| !it.verdict.is_allowed()), "{dialect}: {rule}");
        for example in [open, closed].into_iter().flatten() {
            assert!(robots.dialect().reads_url(example.witness.url()), "{dialect}: {rule}");
        }
    }
}

/// Equal policies give the same answer for a URL, and witnesses show a difference.
fn check_comparison(before: &Analysis<'_>, after: &Analysis<'_>, url: &[u8], is_target: bool) {
    let comparison = compare(before, after, &mut Budget::default());
    assert!(comparison.changes.len() <= limits::CHANGES);
    for change in &comparison.changes {
        let [one, other] = [change.verdict_before(), change.verdict_after()];
        assert_ne!(one.is_allowed(), other.is_allowed(), "{change}");
        assert_eq!(one.rule().map(|rule| rule.span()), change.rule_before().map(|it| it.span()));
        assert_eq!(other.rule().map(|rule| rule.span()), change.rule_after().map(|it| it.span()));
    }
    if comparison.is_equal() && is_target && url.starts_with(b"/") {
        let mut changes = verger_analysis::UrlChanges::new(before, after);
        changes.add(url, 1);
        let changed = (changes.opened().urls, changes.closed().urls);
        assert_eq!(changed, (0, 0), "{}", url.escape_ascii());
    }
}

/// The text without one of its lines.
fn without_a_line(text: &[u8], choice: usize) -> Vec<u8> {
    let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
    let removed = choice % lines.len().max(1);
    let kept = lines.iter().enumerate().filter(|(at, _)| *at != removed);
    kept.flat_map(|(_, line)| line.iter().copied()).collect()
}
