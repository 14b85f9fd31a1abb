//! Findings: a problem with its place, reason and fix.

use verger::Span;
use verger::diagnostic::Severity;

use crate::fix::Fix;
use crate::rule::Rule;

/// A problem of a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// The rule that found it.
    pub rule: &'static Rule,
    /// The severity, which settings can change.
    pub severity: Severity,
    /// The place, in bytes of the linted text. Empty at 0 for the whole file.
    pub span: Span,
    /// One sentence without a final period.
    pub message: String,
    /// Other places of the same text, and why they matter.
    pub labels: Vec<Label>,
    /// A URL that shows the problem.
    pub url: Option<String>,
    /// A hint for the author.
    pub help: Option<String>,
    /// A change that removes the problem.
    pub fix: Option<Fix>,
}

/// A place with a remark.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a label is a place and a text")]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The remark, without a final period.
    pub text: String,
}

impl Finding {
    /// A finding with the rule's own severity.
    pub(crate) fn new(rule: &'static Rule, span: Span, message: impl Into<String>) -> Self {
        Self {
            rule,
            severity: rule.severity,
            span,
            message: message.into(),
            labels: Vec::new(),
            url: None,
            help: None,
            fix: None,
        }
    }

    pub(crate) fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    pub(crate) fn url(mut self, url: impl Into<String>) -> Self {
        self.url = Some(url.into());
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn fix(mut self, fix: impl Into<Option<Fix>>) -> Self {
        self.fix = fix.into();
        self
    }
}
