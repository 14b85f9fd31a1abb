//! The thread for checks: the findings of one pass over a text, and those of its analysis.
//!
//! # Flow
//!
//! Passes come first: one ends the analysis of another file, which the main thread sends again. A
//! change of the file ends both.

use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, select_biased};
use serde_json::Value;
use verger_lint::{Report, lint_text, lint_while};

use crate::diagnostics::diagnostics;
use crate::snapshot::Snapshot;
use crate::tests_file::{problem, results};

/// The diagnostics that a check finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Those that need one pass over the text.
    Quick,
    /// All.
    Full,
}

/// A result.
pub(crate) struct Done {
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) depth: Depth,
    /// `None` if the check was ended.
    pub(crate) found: Option<Found>,
}

/// Diagnostics, and the report of a robots.txt.
pub(crate) type Found = (Vec<Value>, Option<Report>);

/// Checks files until the other side is gone.
pub(crate) fn work(
    quick: &Receiver<Arc<Snapshot>>,
    full: &Receiver<Arc<Snapshot>>,
    done: &Sender<Done>,
) {
    loop {
        let (snapshot, depth) = select_biased! {
            recv(quick) -> snapshot => (snapshot, Depth::Quick),
            recv(full) -> snapshot => (snapshot, Depth::Full),
        };
        let Ok(snapshot) = snapshot else { return };
        let goes_on = || snapshot.is_current() && (depth == Depth::Quick || quick.is_empty());
        let found = check(&snapshot, depth, &goes_on);
        if done.send(Done { snapshot, depth, found }).is_err() {
            return;
        }
    }
}

fn check(snapshot: &Snapshot, depth: Depth, goes_on: &dyn Fn() -> bool) -> Option<Found> {
    let text = &snapshot.text;
    let report = match (depth, snapshot.has_tests()) {
        (Depth::Quick, true) => return Some((problem(text).into_iter().collect(), None)),
        (Depth::Full, true) => return Some((results(snapshot), None)),
        (Depth::Quick, false) => lint_text(text.bytes(), &snapshot.settings().0, goes_on)?,
        (Depth::Full, false) => lint_while(text.bytes(), &snapshot.settings().0, goes_on)?,
    };
    Some((diagnostics(&report, snapshot), Some(report)))
}
