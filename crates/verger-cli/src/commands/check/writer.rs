//! Answers and errors, written and counted.

use std::io::{self, Write};

use verger_json::{Failure, Id, NamedCrawler, Values};

use super::tally::Tally;
use crate::answer::Answer;
use crate::args::{Check, Format};
use crate::console::{Console, Out, Palette};
use crate::error::Error;
use crate::hints::VendorHint;
use crate::output::TextWriter;

/// Name of a list, escaped, and number of a line.
pub(super) type Line<'a> = (&'a str, u64);

/// Answers for URLs of lists and arguments, as text or JSON.
pub(super) enum AnswerWriter {
    Text { text: TextWriter, tally: Tally, vendor_hint: Option<VendorHint> },
    Json(JsonWriter),
}

impl AnswerWriter {
    pub(super) fn new(args: &Check, crawler: &NamedCrawler, palette: Palette) -> Self {
        match args.format.unwrap_or(Format::Text).values() {
            None => Self::Text {
                text: TextWriter::new(palette, args.live.offline),
                tally: Tally::default(),
                vendor_hint: VendorHint::new(crawler),
            },
            Some(values) => Self::Json(JsonWriter::new(values)),
        }
    }

    pub(super) fn answer(&mut self, answer: &Answer<'_>, out: &mut Out) -> io::Result<()> {
        let is_answered = !answer.is_unanswered();
        match self {
            Self::Text { text, tally, vendor_hint } => {
                tally.question(is_answered);
                tally.answer(answer);
                if let Some(hint) = vendor_hint {
                    hint.compare(answer);
                }
                text.write(out, answer)
            }
            Self::Json(json) => {
                json.tally.question(is_answered);
                json.answer(answer, out)
            }
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
        match self {
            Self::Text { tally, .. } => {
                tally.question(false);
                tally.error();
                // On a terminal, the message appears between the answers.
                console.out.flush()?;
                let place = line.map(|(name, line)| format!("{name}:{line}: "));
                console.messages.error_at(&place.unwrap_or_default(), error);
                Ok(())
            }
            Self::Json(json) => {
                json.tally.question(false);
                json.fail((None, line.map(|(_, line)| line)), url, error, &mut console.out)
            }
        }
    }

    /// Ends the output.
    pub(super) fn finish(&self, out: &mut Out) -> io::Result<()> {
        match self {
            Self::Text { .. } => Ok(()),
            Self::Json(json) => json.values.finish(out),
        }
    }

    pub(super) const fn is_text(&self) -> bool {
        matches!(self, Self::Text { .. })
    }

    pub(super) const fn tally(&self) -> Tally {
        match self {
            Self::Text { tally, .. } => *tally,
            Self::Json(json) => json.tally,
        }
    }

    /// The hint that the vendor's crawler gets other answers, if it does.
    pub(super) fn vendor_hint(&self) -> Option<String> {
        match self {
            Self::Text { vendor_hint, .. } => vendor_hint.as_ref()?.hint(),
            Self::Json(_) => None,
        }
    }
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
        (id, line): (Option<&Id>, Option<u64>),
        url: Option<&[u8]>,
        error: &Error,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.tally.error();
        let failure = Failure::new(url, line, error.to_string());
        let failure = failure.with_reason(error.reason()).with_id(id);
        self.values.write(out, &failure)
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
