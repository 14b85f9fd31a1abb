//! Target `fmt`: formatting changes no verdict and no record, and formatting twice changes nothing.

use verger_lint::{Formatted, is_same_meaning};

use crate::input::{Question, published};

/// Checks the formatter.
///
/// # Panics
///
/// If a property is violated.
pub fn property(bytes: &[u8]) {
    let question = Question::read(bytes);
    let text = &question.robots;
    let Formatted { text: formatted, skipped, .. } = Formatted::of(text);
    assert!(is_same_meaning(text, &formatted), "{question:?}");
    assert_eq!(Formatted::of(&formatted).text, formatted, "{question:?}");
    let lines = verger::LineIndex::new(&formatted).line_count();
    assert!(skipped.iter().all(|(line, _)| *line <= lines), "{skipped:?}: {question:?}");
    assert!(skipped.is_sorted_by_key(|(line, _)| *line), "{skipped:?}: {question:?}");
    let crawler = question.crawler.to_crawler();
    for dialect in published() {
        let [before, after] = [text, &formatted].map(|text| {
            let robots = dialect.parse(text);
            let verdict = robots.check(&crawler, &question.url);
            (verdict.is_allowed(), verdict.reason(), robots.crawl_delay(&crawler))
        });
        assert_eq!(before, after, "{dialect}: {question:?}");
    }
}
