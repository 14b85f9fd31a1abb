//! Counts of answers, and the end of a run.

use std::io;

use crate::answer::Answer;
use crate::console::{Messages, output_status};
use crate::error::{Error, ExitStatus};

/// Counts of questions, and the exit status so far.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::commands) struct Tally {
    pub(in crate::commands) status: ExitStatus,
    /// Number of questions.
    pub(super) asked: u64,
    failed: u64,
}

impl Tally {
    /// Adds the counts of another tally.
    pub(super) fn add(&mut self, other: Self) {
        self.status = self.status.max(other.status);
        self.asked += other.asked;
        self.failed += other.failed;
    }

    /// Includes an answer in the exit status.
    pub(super) fn answer(&mut self, answer: &Answer<'_>) {
        if answer.is_unanswered() {
            self.error();
        } else {
            self.verdict(answer.verdict.is_allowed());
        }
    }

    pub(in crate::commands) fn verdict(&mut self, allowed: bool) {
        let status = if allowed { ExitStatus::Success } else { ExitStatus::Finding };
        self.status = self.status.max(status);
    }

    /// Includes an error in the exit status.
    pub(super) fn error(&mut self) {
        self.status = ExitStatus::Error;
    }

    /// Counts a question: a URL, or a line of a batch.
    pub(super) fn question(&mut self, is_answered: bool) {
        self.asked += 1;
        self.failed += u64::from(!is_answered);
    }

    /// Number of unanswered questions in words, if there are any.
    fn failures(&self, unit: &str) -> Option<String> {
        let Self { failed, asked, .. } = self;
        (*failed > 0).then(|| format!("{failed} of {asked} {unit} could not be answered"))
    }
}

/// Reason to stop before the last answer.
#[derive(Debug)]
pub(super) enum Stop {
    /// Output failed.
    Write(io::Error),
    /// The run cannot continue, for a reason that no question caused.
    Work(Error),
}

/// Messages after the last answer.
#[derive(Debug)]
pub(super) struct Summary {
    /// The error if there was no question: an upstream program may have failed.
    pub(super) none: Error,
    /// Noun for questions.
    pub(super) unit: &'static str,
    /// Whether the failure of a single question is counted. As text it is visible without a count.
    pub(super) counts_one: bool,
}

/// Shows the final messages of a run, and returns its exit status. A run that stopped early shows
/// its reason only; after a closed pipe it shows nothing.
pub(super) fn end(
    result: Result<(), Stop>,
    tally: Tally,
    summary: &Summary,
    messages: &mut Messages,
) -> ExitStatus {
    match result {
        Ok(()) => {}
        Err(Stop::Write(error)) => return output_status(Err(error), tally.status, messages),
        Err(Stop::Work(error)) => return messages.fail(&error),
    }
    if tally.asked == 0 {
        return messages.fail(&summary.none);
    }
    let counts = summary.counts_one || tally.asked > 1;
    if let Some(count) = tally.failures(summary.unit).filter(|_| counts) {
        messages.error(&Error::new(count));
    }
    tally.status
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Work(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_answer_is_the_status_and_errors_are_counted() {
        let mut tally = Tally::default();
        assert_eq!(tally.status, ExitStatus::Success);
        tally.verdict(false);
        tally.verdict(true);
        tally.question(true);
        assert_eq!((tally.status, tally.failures("lines")), (ExitStatus::Finding, None));
        tally.error();
        tally.question(false);
        tally.verdict(true);
        assert_eq!(tally.status, ExitStatus::Error);
        assert_eq!(tally.failures("lines").unwrap(), "1 of 2 lines could not be answered");
        let mut all = Tally::default();
        all.question(true);
        all.add(tally);
        assert_eq!(all.status, ExitStatus::Error);
        assert_eq!(all.failures("lines").unwrap(), "1 of 3 lines could not be answered");
    }

    #[test]
    fn an_early_stop_a_failed_write_and_no_question_are_errors() {
        let mut tally = Tally::default();
        tally.verdict(false);
        tally.question(true);
        let none = Error::new("no question");
        let summary = Summary { none, unit: "lines", counts_one: true };
        let end_of = |tally, result| end(result, tally, &summary, &mut Messages::stderr());
        let end = |result| end_of(tally, result);
        assert_eq!(end(Ok(())), ExitStatus::Finding);
        assert_eq!(end(Err(Error::new("a thread has died").into())), ExitStatus::Error);
        assert_eq!(end(Err(io::Error::other("full").into())), ExitStatus::Error);
        let closed = io::Error::from(io::ErrorKind::BrokenPipe);
        assert_eq!(end(Err(closed.into())), ExitStatus::Error);
        assert_eq!(end_of(Tally::default(), Ok(())), ExitStatus::Error);
    }
}
