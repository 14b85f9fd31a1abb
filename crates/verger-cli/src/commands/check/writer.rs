//! Answers and errors, written and counted.

use std::io::{self, Write};

use verger_json::{AnswerError, Id, Values};

use super::tally::Tally;
use crate::answer::Answer;
use crate::args::Format;
use crate::console::{Console, Out, Palette};
use crate::error::Error;
use crate::output::TextWriter;

/// Name of a list, escaped, and number of a line.
pub(super) type Line<'a> = (&'a str, u64);

/// Answers for URLs of lists and arguments, as text or JSON.
pub(in crate::commands) struct AnswerWriter {
    pub(in crate::commands) tally: Tally,
    /// `None` for text.
    pub(in crate::commands) json: Option<Values>,
    text: TextWriter,
}

impl AnswerWriter {
    /// `offline`: see [`TextWriter`].
    pub(in crate::commands) fn new(format: Format, palette: Palette, offline: bool) -> Self {
        let text = TextWriter { palette, offline };
        Self { tally: Tally::default(), json: format.values(), text }
    }

    pub(super) fn answer(&mut self, answer: &Answer<'_>, out: &mut Out) -> io::Result<()> {
        self.tally.question(!answer.is_unanswered());
        self.tally.answer(answer);
        match &mut self.json {
            None => self.text.write(out, answer),
            Some(values) => values.write(out, &answer.keys()),
        }
    }

    /// Reports an error: in JSON in place of the answer, in text as a message.
    pub(in crate::commands) fn fail(
        &mut self,
        url: Option<&[u8]>,
        line: Option<Line<'_>>,
        error: &Error,
        console: &mut Console,
    ) -> io::Result<()> {
        self.tally.question(false);
        self.tally.error();
        if let Some(values) = &mut self.json {
            return values
                .write(&mut console.out, &failure(url, line.map(|(_, line)| line), error));
        }
        // On a terminal, the message appears between the answers.
        console.out.flush()?;
        let place = line.map(|(name, line)| format!("{name}:{line}: "));
        console.messages.error_at(&place.unwrap_or_default(), error);
        Ok(())
    }

    /// Ends the output.
    pub(in crate::commands) fn finish(&self, out: &mut Out) -> io::Result<()> {
        if let Some(values) = &self.json {
            values.finish(out)?;
        }
        out.flush()
    }
}

fn failure<'a>(url: Option<&'a [u8]>, line: Option<u64>, error: &Error) -> AnswerError<'a> {
    AnswerError::new(url, line, error.to_string()).with_reason(error.reason())
}

/// JSON answers, for any output. The caller counts questions: a line of a batch can have many
/// answers.
#[derive(Debug)]
pub(super) struct JsonWriter {
    pub(super) values: Values,
    pub(super) tally: Tally,
}

impl JsonWriter {
    pub(super) fn new(values: Values) -> Self {
        Self { values, tally: Tally::default() }
    }

    pub(super) fn answer(&mut self, answer: &Answer<'_>, out: &mut impl Write) -> io::Result<()> {
        self.tally.answer(answer);
        self.values.write(out, &answer.keys())
    }

    /// Writes an error in place of an answer for a URL, or of all answers for a line.
    pub(super) fn fail(
        &mut self,
        (id, line): (Option<&Id>, u64),
        url: Option<&[u8]>,
        error: &Error,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.tally.error();
        self.values.write(out, &failure(url, Some(line), error).with_id(id))
    }

    /// Writes values of another thread, one on each line, and adds their tally.
    pub(super) fn lines(
        &mut self,
        json: &[u8],
        tally: Tally,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.tally.add(tally);
        self.values.write_lines(out, json)
    }
}
