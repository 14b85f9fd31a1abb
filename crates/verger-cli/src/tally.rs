//! What has been answered so far.

use crate::exit::ExitStatus;
use crate::reply::Reply;

/// Counts answers, and what they mean for the exit code.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    status: ExitStatus,
    asked: u64,
    failed: u64,
}

impl Tally {
    /// Adds what another has counted.
    pub(crate) fn add(&mut self, other: Self) {
        self.status = self.status.max(other.status);
        self.asked += other.asked;
        self.failed += other.failed;
    }

    /// Counts an answer for the exit code.
    pub(crate) fn reply(&mut self, reply: &Reply<'_>) {
        if reply.is_unanswered() {
            self.error();
        } else {
            self.verdict(reply.verdict.is_allowed());
        }
    }

    /// Counts a verdict for the exit code.
    pub(crate) fn verdict(&mut self, allowed: bool) {
        let status = if allowed { ExitStatus::Success } else { ExitStatus::Finding };
        self.status = self.status.max(status);
    }

    /// Counts an error for the exit code.
    pub(crate) fn error(&mut self) {
        self.status = ExitStatus::Error;
    }

    /// Counts a question, a URL or a line of a batch.
    pub(crate) fn question(&mut self, answered: bool) {
        self.asked += 1;
        self.failed += u64::from(!answered);
    }

    pub(crate) fn asked(&self) -> u64 {
        self.asked
    }

    pub(crate) fn status(&self) -> ExitStatus {
        self.status
    }

    /// The last word on errors; `None` when there were none.
    pub(crate) fn last_word(&self, what: &str) -> Option<String> {
        let Self { failed, asked, .. } = self;
        (*failed > 0).then(|| format!("{failed} of {asked} {what} could not be answered"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_answer_is_the_status_and_errors_are_counted() {
        let mut tally = Tally::default();
        assert_eq!(tally.status(), ExitStatus::Success);
        tally.verdict(false);
        tally.verdict(true);
        tally.question(true);
        assert_eq!((tally.status(), tally.last_word("lines")), (ExitStatus::Finding, None));
        tally.error();
        tally.question(false);
        tally.verdict(true);
        assert_eq!(tally.status(), ExitStatus::Error);
        assert_eq!(tally.last_word("lines").unwrap(), "1 of 2 lines could not be answered");
        let mut all = Tally::default();
        all.question(true);
        all.add(tally);
        assert_eq!(all.status(), ExitStatus::Error);
        assert_eq!(all.last_word("lines").unwrap(), "1 of 3 lines could not be answered");
    }
}
