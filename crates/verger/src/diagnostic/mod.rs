//! Diagnostics: remarks about a robots.txt. They are reported beside the result and never change an
//! answer.
//!
//! # Flow
//!
//! `notice.rs` is another reader of the events: [`Robots::diagnose`] reads the text again and
//! reports each finding to a [`Sink`]. They cost nothing unless requested. Diagnostics cover
//! problems of single lines and groups; problems in the combination of rules (dead rules,
//! conflicts) are for a linter.

mod kind;
mod look_alike;
mod notice;

pub use kind::{Diagnostic, DiagnosticKind, Diagnostics, Severity, Sink};
pub use look_alike::is_foreign_space;

use crate::robots::Robots;

impl Robots {
    /// The diagnostics of the file, up to [`DIAGNOSTICS`](crate::limits::DIAGNOSTICS) findings.
    ///
    /// # Complexity
    ///
    /// One pass over the text; memory for the stored findings.
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

    /// Reports all diagnostics of the file.
    ///
    /// # Complexity
    ///
    /// One pass over the text, plus the cost of the sink.
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
