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

pub use kind::{Diagnostic, DiagnosticKind, Diagnostics, Severity, Sink};

use crate::robots::Robots;

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
