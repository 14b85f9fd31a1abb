//! Answers and errors of a batch, which are JSON wherever they are made.

use std::io::{self, Write};

use verger_json::{AnswerError, Id, Values};

use crate::error::Error;
use crate::reply::Reply;
use crate::tally::Tally;

/// What is written, and what it comes to.
#[derive(Debug)]
pub(super) struct JsonReplies {
    pub(super) answers: Values,
    pub(super) tally: Tally,
}

impl JsonReplies {
    pub(super) fn new(answers: Values) -> Self {
        Self { answers, tally: Tally::default() }
    }

    pub(super) fn answer(&mut self, reply: &Reply<'_>, out: &mut impl Write) -> io::Result<()> {
        self.tally.reply(reply);
        self.answers.write(out, &reply.answer())
    }

    /// Puts an error in the place of an answer about a URL, or of all answers of a line.
    pub(super) fn fail(
        &mut self,
        (id, line): (Option<&Id>, u64),
        url: Option<&[u8]>,
        error: &Error,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.tally.error();
        let failure = AnswerError::new(url, Some(line), error.to_string());
        let failure = failure.with_reason(error.reason()).with_id(id);
        self.answers.write(out, &failure)
    }

    /// Takes in what another thread has written, one value on each line.
    pub(super) fn written(
        &mut self,
        json: &[u8],
        tally: Tally,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.tally.add(tally);
        self.answers.write_lines(out, json)
    }
}
