//! How a session or a batch ends.

use std::io;

use crate::console::{Talk, written};
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::tally::Tally;

/// Why it ends before its last answer.
#[derive(Debug)]
pub(super) enum Stop {
    /// Answers could not be written.
    Write(io::Error),
    /// There are none, for a reason that is no fault of a question.
    Work(Error),
}

/// What is said behind the last answer, as far as it is not the same everywhere.
#[derive(Debug)]
pub(super) struct LastWords {
    /// The error if there was no question.
    pub(super) of_none: Error,
    /// What was asked about.
    pub(super) questions: &'static str,
    /// Whether a failure is counted that is the answer to the only question.
    pub(super) counts_one: bool,
}

/// Says what is to be said behind the last answer. Where that was not reached, nothing but why, and not even
/// that to a reader who has left. No question at all is an error: a filter or an upstream program may have
/// failed.
pub(super) fn end(
    result: Result<(), Stop>,
    tally: Tally,
    words: &LastWords,
    talk: &mut Talk,
) -> ExitStatus {
    match result {
        Ok(()) => {}
        Err(Stop::Write(error)) => return written(Err(error), tally.status(), talk),
        Err(Stop::Work(error)) => return talk.fail(&error),
    }
    if tally.asked() == 0 {
        return talk.fail(&words.of_none);
    }
    let counts = words.counts_one || tally.asked() > 1;
    if let Some(count) = tally.last_word(words.questions).filter(|_| counts) {
        talk.error(&Error::new(count));
    }
    talk.finish();
    tally.status()
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
    fn work_that_fails_and_answers_that_are_not_written_are_errors() {
        let mut tally = Tally::default();
        tally.verdict(false);
        tally.question(true);
        let of_none = Error::new("nothing was asked");
        let words = LastWords { of_none, questions: "lines", counts_one: true };
        let end_of = |tally, result| end(result, tally, &words, &mut Talk::stderr());
        let end = |result| end_of(tally, result);
        assert_eq!(end(Ok(())), ExitStatus::Finding);
        assert_eq!(end(Err(Error::new("a thread has died").into())), ExitStatus::Error);
        assert_eq!(end(Err(io::Error::other("full").into())), ExitStatus::Error);
        let left = io::Error::from(io::ErrorKind::BrokenPipe);
        assert_eq!(end(Err(left.into())), ExitStatus::Error);
        assert_eq!(end_of(Tally::default(), Ok(())), ExitStatus::Error);
    }
}
