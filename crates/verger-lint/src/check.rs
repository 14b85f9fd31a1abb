//! Checks of rules.

use verger::Span;
use verger::diagnostic::Diagnostic;

use crate::file::File;
use crate::finding::Finding;
use crate::rule::Rule;

/// The way to find problems.
#[derive(Clone, Copy)]
pub(crate) enum Check {
    /// The engine's parser reports the problem under the same code; the function adds a fix, or
    /// drops the finding (`None`) because another rule has a better one.
    Diagnostic(fn(&File<'_>, Diagnostic, Finding) -> Option<Finding>),
    /// Looks at the whole file.
    File(fn(&File<'_>, &mut Findings<'_>)),
}

/// The check of a diagnostic that is reported as it is.
pub(crate) fn keep(_file: &File<'_>, _found: Diagnostic, finding: Finding) -> Finding {
    finding
}

/// Receives the findings of one rule.
pub(crate) struct Findings<'a> {
    pub(crate) rule: &'static Rule,
    pub(crate) list: &'a mut Vec<Finding>,
}

impl Findings<'_> {
    pub(crate) fn add(
        &mut self,
        span: Span,
        message: impl Into<String>,
        details: impl FnOnce(Finding) -> Finding,
    ) {
        self.list.push(details(Finding::new(self.rule, span, message)));
    }
}
