//! Diagnostics: what there is to notice about a robots.txt. They travel beside the result and never
//! change an answer.
//!
//! # Flow
//!
//! `notice.rs` is one more reader of the events: [`Robots::diagnose`] walks the text again and
//! reports each finding to a [`Sink`]. Nothing of this costs those who do not ask. What is told here
//! is what reading notices line by line; what rules mean together (dead rules, conflicts) is for a
//! linter.

mod kind;
mod notice;

use alloc::vec::{self, Vec};
use core::{fmt, slice};

pub use kind::{DiagnosticKind, Severity};

use crate::limits;
use crate::robots::Robots;
use crate::span::Span;

/// One thing noticed, with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Diagnostic {
    /// What was noticed.
    pub kind: DiagnosticKind,
    /// Where: byte offsets into [`Robots::text`].
    pub span: Span,
}

impl Diagnostic {
    /// How much it matters.
    pub const fn severity(&self) -> Severity {
        self.kind.severity()
    }

    /// A short name that stays the same: `missing-colon`.
    pub const fn code(&self) -> &'static str {
        self.kind.code()
    }
}

impl fmt::Display for Diagnostic {
    /// The message, without the place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.kind, f)
    }
}

/// Takes diagnostics: all of them (`Vec`), the first (`Option`), none (`()`), or by a closure.
pub trait Sink {
    /// Takes one.
    fn report(&mut self, diagnostic: Diagnostic);
}

impl Sink for () {
    fn report(&mut self, _diagnostic: Diagnostic) {}
}

impl Sink for Option<Diagnostic> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.get_or_insert(diagnostic);
    }
}

impl Sink for Vec<Diagnostic> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.push(diagnostic);
    }
}

impl<F: FnMut(Diagnostic)> Sink for F {
    fn report(&mut self, diagnostic: Diagnostic) {
        self(diagnostic);
    }
}

/// Diagnostics up to a limit, and how many there are in all.
///
/// # Examples
///
/// ```
/// use verger::Robots;
/// use verger::diagnostic::Severity;
///
/// let robots = Robots::parse("User-agent: *\nDissalow: /cart\n");
/// let diagnostics = robots.diagnostics();
/// assert_eq!(diagnostics.total, 1);
/// for diagnostic in &diagnostics {
///     assert_eq!(diagnostic.severity(), Severity::Warning);
///     println!("line {}: {diagnostic}", robots.position(diagnostic.span.start).line);
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostics {
    /// The first [`limits::DIAGNOSTICS`] of them, in file order; those about the whole file first.
    pub list: Vec<Diagnostic>,
    /// How many there are.
    pub total: usize,
}

impl Diagnostics {
    /// The diagnostics that are kept, in order.
    pub fn iter(&self) -> slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Sink for Diagnostics {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.total += 1;
        if self.list.len() < limits::DIAGNOSTICS {
            self.list.push(diagnostic);
        }
    }
}

impl Robots {
    /// What there is to notice about the file, up to [`limits::DIAGNOSTICS`] findings.
    ///
    /// # Complexity
    ///
    /// One more walk through the text; memory for the findings that are kept.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Robots, diagnostic::DiagnosticKind};
    ///
    /// let robots = Robots::parse("User-agent: *\nDissalow: /cart\nDisallow: tmp\n");
    /// let found: Vec<_> = robots.diagnostics().iter().map(|found| found.code()).collect();
    /// assert_eq!(found, ["misspelt-key", "pattern-without-slash"]);
    /// ```
    pub fn diagnostics(&self) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        self.diagnose(&mut diagnostics);
        diagnostics
    }

    /// Reports everything there is to notice about the file.
    ///
    /// # Complexity
    ///
    /// One walk through the text; what a sink keeps is its own.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    /// use verger::diagnostic::Diagnostic;
    ///
    /// let robots = Robots::parse("User-agent: *\nDissalow: /cart\n");
    /// let mut lines = Vec::new();
    /// robots.diagnose(&mut |found: Diagnostic| lines.push(robots.position(found.span.start).line));
    /// assert_eq!(lines, [2]);
    ///
    /// // Only the first.
    /// let mut first = None;
    /// robots.diagnose(&mut first);
    /// assert_eq!(first.expect("there is one").code(), "misspelt-key");
    /// ```
    pub fn diagnose(&self, sink: &mut impl Sink) {
        notice::notice(self, sink);
    }
}
