//! Writing answers.

mod excerpt;
mod inspection;
mod kept;
mod page;
mod text;
mod verified;

use std::io;

pub(crate) use inspection::write_inspection;
pub(crate) use kept::{write_escaped, write_fetched, write_kept, write_listed};
pub(crate) use page::write_page;
pub(crate) use text::TextAnswers;
use verger_json::{AnswerError, Values};
pub(crate) use verified::write_verified;

use crate::args::Format;
use crate::console::{Out, Palette};
use crate::reply::Reply;

/// How answers leave.
pub(crate) enum Answers {
    Text(TextAnswers),
    Json(Values),
}

impl Answers {
    /// `offline`: nothing is fetched, now or later.
    pub(crate) fn of(format: Format, palette: Palette, offline: bool) -> Self {
        let text = || Self::Text(TextAnswers::new(palette, offline));
        format.values().map_or_else(text, Self::Json)
    }

    pub(crate) fn write(&mut self, out: &mut Out, reply: &Reply<'_>) -> io::Result<()> {
        match self {
            Self::Text(text) => text.write(out, reply),
            Self::Json(json) => json.write(out, &reply.answer()),
        }
    }

    /// Puts an error in the place of an answer. In text nothing stands there, the error is talk.
    pub(crate) fn write_failure(
        &mut self,
        out: &mut Out,
        failure: &AnswerError<'_>,
    ) -> io::Result<()> {
        match self {
            Self::Text(_) => Ok(()),
            Self::Json(json) => json.write(out, failure),
        }
    }

    /// Writes what belongs behind the last answer.
    pub(crate) fn finish(&self, out: &mut Out) -> io::Result<()> {
        match self {
            Self::Text(_) => Ok(()),
            Self::Json(json) => json.finish(out),
        }
    }

    pub(crate) const fn is_text(&self) -> bool {
        matches!(self, Self::Text(_))
    }
}
