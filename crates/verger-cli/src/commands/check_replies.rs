//! Answers and errors of a check, offline and live.

use std::io::{self, Write as _};

use crate::answer::Failure;
use crate::console::{Out, Talk};
use crate::error::Error;
use crate::output::Answers;
use crate::reply::Reply;
use crate::tally::Tally;

/// What is written, and what it comes to.
pub(super) struct Replies {
    pub(super) answers: Answers,
    pub(super) tally: Tally,
}

/// A line of a list of URLs: the name of the list, escaped, and the number of the line.
pub(super) type ListLine<'a> = (&'a str, u64);

impl Replies {
    pub(super) fn new(answers: Answers) -> Self {
        Self { answers, tally: Tally::default() }
    }

    pub(super) fn answer(&mut self, reply: &Reply<'_>, out: &mut Out) -> io::Result<()> {
        self.tally.question(true);
        self.tally.verdict(reply.verdict.is_allowed());
        self.answers.write(out, reply)
    }

    pub(super) fn fail(
        &mut self,
        url: Option<&[u8]>,
        from: Option<ListLine<'_>>,
        error: &Error,
        out: &mut Out,
        talk: &mut Talk,
    ) -> io::Result<()> {
        self.tally.question(false);
        self.tally.error();
        if self.answers.is_text() {
            // On a screen the error stands where it belongs, between the answers.
            out.flush()?;
            let place = from.map(|(list, line)| format!("{list}:{line}: "));
            talk.error_at(&place.unwrap_or_default(), error);
            return Ok(());
        }
        let failure = Failure::new(url, from.map(|(_, line)| line), error.to_string());
        self.answers.write_failure(out, &failure)
    }
}
