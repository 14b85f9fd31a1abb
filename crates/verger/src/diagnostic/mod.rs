//! Diagnostics: remarks about a robots.txt. They are reported beside the result and never change an
//! answer.
//!
//! # Flow
//!
//! `notice.rs` is another reader of the events: [`Robots::diagnose`] reads the text again and
//! reports each finding. They cost nothing unless requested. Diagnostics cover
//! problems of single lines and groups; problems in the combination of rules (dead rules,
//! conflicts) are for a linter.

mod kind;
mod look_alike;
mod notice;

pub use kind::{Diagnostic, DiagnosticKind, Diagnostics, Severity};
pub use look_alike::is_foreign_space;

use crate::limits::DIAGNOSTICS;
use crate::robots::Robots;

impl Robots {
    /// The diagnostics of the file, up to [`DIAGNOSTICS`] findings.
    ///
    /// # Complexity
    ///
    /// One pass over the text; memory for the stored findings.
    pub fn diagnostics(&self) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        self.diagnose(|found| {
            diagnostics.total += 1;
            if diagnostics.list.len() < DIAGNOSTICS {
                diagnostics.list.push(found);
            }
        });
        diagnostics
    }

    /// Reports all diagnostics of the file.
    ///
    /// # Complexity
    ///
    /// One pass over the text.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let robots = Robots::parse("User-agent: *\nDissalow: /cart\n");
    /// let mut lines = Vec::new();
    /// robots.diagnose(|found| lines.push(robots.position(found.span.start).line));
    /// assert_eq!(lines, [2]);
    /// ```
    pub fn diagnose(&self, report: impl FnMut(Diagnostic)) {
        notice::notice(self, report);
    }
}
