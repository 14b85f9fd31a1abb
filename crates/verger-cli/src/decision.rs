//! The evidence of a live answer in words.

use std::fmt;

use verger_fetch::decision::{Decision, Source};

use crate::last_copy::last_try;
use crate::time::time;

/// The evidence in a few words, for the line of an answer.
pub(crate) struct InWords<'a> {
    pub(crate) decision: &'a Decision,
    /// Nothing is fetched: there is no next try.
    pub(crate) offline: bool,
}

impl fmt::Display for InWords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(record) = self.decision.record() else {
            return f.write_str("nothing fetched");
        };
        if self.decision.fault().is_some() {
            f.write_str("not answered: ")?;
        }
        let status = self.decision.last().and_then(|last| last.status);
        match (self.decision.failure(), status) {
            (Some(failure), _) => write!(f, "{failure}")?,
            (None, Some(status)) => write!(f, "status {status}")?,
            (None, None) => f.write_str("fetched")?,
        }
        let state = self.decision.state();
        let has_failed = state.failing_since().is_some() || record.has_fault();
        // A fresh file outlives a failed fetch.
        let fresh =
            self.decision.file().filter(|_| !has_failed && self.decision.failure().is_some());
        match self.decision.last().and_then(last_try) {
            Some(tried) if has_failed || fresh.is_some() => write!(f, ", last try {tried}")?,
            Some(tried) => write!(f, ", {tried}")?,
            None => {}
        }
        if self.decision.source() == Source::Store {
            f.write_str(", from the store")?;
        }
        if let (Some(_), Some(fetched)) = (self.decision.access().stale(), state.fetched_at()) {
            write!(f, ", by the copy of {}", time(fetched.seconds()))?;
        }
        if let Some(file) = fresh {
            write!(f, ", by the file of {}", time(file.fetched_at.seconds()))?;
        }
        // REP-ACCESS-35: it is read all the same.
        if self.decision.file().is_some_and(|file| file.html) {
            f.write_str(", looks like a page")?;
        }
        // A fault of the client is not stored, so another process would try at once.
        if state.failing_since().is_some() && !self.offline && !record.has_fault() {
            let next = self.decision.next_try().unwrap_or_default();
            write!(f, ", next try {}", time(next.seconds()))?;
        }
        Ok(())
    }
}
