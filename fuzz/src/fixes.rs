//! Target `fixes`: safe fixes change no verdict; findings are in the text; rendered findings are
//! inert; all fixes can be applied.

use verger::Dialect;
use verger_lint::render::{Colour, concise, full, github};
use verger_lint::{Profile, Safety, lint};

use crate::inert::assert_inert;
use crate::input::{Question, published};

/// Checks the linter.
///
/// # Panics
///
/// If a property is violated.
pub fn property(bytes: &[u8]) {
    let question = Question::read(bytes);
    let text = &question.robots;
    let mut report = lint(text, &Profile::Strict.settings());
    for finding in &report.findings {
        let edits = finding.fix.iter().flat_map(|fix| fix.edits.iter().map(|edit| edit.span));
        let labels = finding.labels.iter().map(|label| label.span);
        for span in [finding.span].into_iter().chain(edits).chain(labels) {
            assert!(span.start <= span.end && span.end <= report.text.len(), "{finding:?}");
        }
    }
    let (fixed, applied) = report.fixed_once(Safety::Safe);
    let crawler = question.crawler.to_crawler();
    // `Safety::Safe` does not speak about crawlers that unite the groups of several names.
    if applied > 0 && !crawler.is_union() {
        for dialect in published() {
            let is_allowed =
                |text: &[u8]| dialect.parse(text).check(&crawler, &question.url).is_allowed();
            assert_eq!(is_allowed(text), is_allowed(&fixed), "{dialect}: {question:?}");
        }
    }
    // Every fix gives a text that can be linted again.
    let (all, _) = report.fixed_once(Safety::Unsafe);
    let _again = lint(&all, &Profile::Strict.settings());
    let _parsed = Dialect::RFC9309.parse(&all);
    let findings = report.findings.len() + report.omitted.len();
    report.name.clone_from(&question.url);
    full(&report, Colour::None).lines().for_each(assert_inert);
    // One line for each finding: none forges another one.
    for shown in [concise(&report, Colour::None), github(&report)] {
        assert_eq!(shown.lines().count(), findings, "{shown}");
        shown.lines().for_each(assert_inert);
    }
}
