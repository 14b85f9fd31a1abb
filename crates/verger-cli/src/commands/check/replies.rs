//! Answers and errors of a session, for people or as JSON.

use std::io::{self, Write as _};

use verger_json::AnswerError;

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

/// What an error is about, as far as it is known.
#[derive(Clone, Copy)]
pub(super) struct About<'a> {
    pub(super) url: Option<&'a [u8]>,
    /// The name of the list, escaped, and the number of the line.
    pub(super) line: Option<(&'a str, u64)>,
}

impl Replies {
    pub(super) fn new(answers: Answers) -> Self {
        Self { answers, tally: Tally::default() }
    }

    pub(super) fn answer(&mut self, reply: &Reply<'_>, out: &mut Out) -> io::Result<()> {
        self.tally.reply(reply);
        self.answers.write(out, reply)
    }

    pub(super) fn fail(
        &mut self,
        about: About<'_>,
        error: &Error,
        out: &mut Out,
        talk: &mut Talk,
    ) -> io::Result<()> {
        self.tally.error();
        if self.answers.is_text() {
            // On a screen the error stands where it belongs, between the answers.
            out.flush()?;
            let place = about.line.map(|(name, line)| format!("{name}:{line}: "));
            talk.error_at(&place.unwrap_or_default(), error);
            return Ok(());
        }
        let line = about.line.map(|(_, line)| line);
        let failure =
            AnswerError::new(about.url, line, error.to_string()).with_reason(error.reason());
        self.answers.write_failure(out, &failure)
    }
}
