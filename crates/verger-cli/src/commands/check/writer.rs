//! Answers and errors, written and counted.

use std::io::{self, Write};

use verger_json::{AnswerError, Id, Values};

use super::tally::Tally;
use crate::answer::Answer;
use crate::args::{Check, Format};
use crate::console::{Console, Out, Palette};
use crate::error::Error;
use crate::output::TextWriter;

/// Name of a list, escaped, and number of a line.
pub(super) type Line<'a> = (&'a str, u64);

/// Answers for URLs of lists and arguments, as text or JSON.
pub(super) struct AnswerWriter {
    pub(super) tally: Tally,
    format: OutputFormat,
}

enum OutputFormat {
    Text(TextWriter),
    Json(Values),
}

impl AnswerWriter {
    pub(super) fn new(args: &Check, palette: Palette) -> Self {
        let format = match args.format.unwrap_or(Format::Text).values() {
            None => OutputFormat::Text(TextWriter::new(palette, args.live.offline)),
            Some(values) => OutputFormat::Json(values),
        };
        Self { tally: Tally::default(), format }
    }

    pub(super) fn answer(&mut self, answer: &Answer<'_>, out: &mut Out) -> io::Result<()> {
        self.tally.question(!answer.is_unanswered());
        self.tally.answer(answer);
        match &mut self.format {
            OutputFormat::Text(text) => text.write(out, answer),
            OutputFormat::Json(values) => values.write(out, &answer.keys()),
        }
    }

    /// Reports an error: in JSON in place of the answer, in text as a message.
    pub(super) fn fail(
        &mut self,
        url: Option<&[u8]>,
        line: Option<Line<'_>>,
        error: &Error,
        console: &mut Console,
    ) -> io::Result<()> {
        self.tally.question(false);
        self.tally.error();
        if let OutputFormat::Json(values) = &mut self.format {
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
    pub(super) fn finish(&self, out: &mut Out) -> io::Result<()> {
        if let OutputFormat::Json(values) = &self.format {
            values.finish(out)?;
        }
        out.flush()
    }

    pub(super) const fn is_text(&self) -> bool {
        matches!(self.format, OutputFormat::Text(_))
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
