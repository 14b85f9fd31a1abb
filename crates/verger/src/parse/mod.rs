//! The parser: bytes in, events out. It never fails (REP-SYNTAX-1).
//!
//! # Flow
//!
//! `input.rs` decodes bytes and applies the size limit; `line.rs` cuts the text into lines, whose
//! ends `line_ends.rs` finds block by block; `field.rs` cuts a line into key and value, and
//! `key.rs` recognises the key. Each line is one [`Event`]. Only a text in UTF-16 needs an
//! allocation. All readers of a robots.txt use these events: the tables of
//! [`Robots`](crate::Robots) receive those that form groups, diagnostics, extensions and
//! [`Robots::events`](crate::Robots::events) iterate over all of them.
//!
//! # Scope
//!
//! `group.rs` decides to which group a record belongs.

pub(crate) mod event;
mod field;
mod input;
mod key;
mod line;
mod line_ends;

pub use event::{Event, Field, Piece, Spelling};
pub use input::Encoding;

pub(crate) use event::{RuleKind, is_space};
pub(crate) use input::Input;
pub(crate) use key::{is_usual_key, looks_like};

use crate::Dialect;
use line::Lines;

/// A reader of events that keeps a state. Its methods are inlined in the parser, so that events are
/// not written to memory.
pub(crate) trait Receiver<'t> {
    /// The events that do not matter to it now.
    fn skipped(&self) -> Skipped;

    /// Takes the next event.
    fn receive(&mut self, event: Event<'t>);
}

/// Events that the parser may leave out.
#[derive(Clone, Copy)]
pub(crate) enum Skipped {
    Nothing,
    /// Lines that neither form groups nor are rules, as early as possible; of other records at
    /// least those that close a list of agents in some dialect are sent (REP-AMB-4, REP-AMB-5).
    /// Many files served as robots.txt are web pages. With `rules`, also rules whose key has its
    /// usual spelling.
    Others {
        rules: bool,
    },
}

/// Sends an event for each line that matters to the receiver.
///
/// # Complexity
///
/// Linear in the bytes of the text; no recursion, no allocation.
#[inline]
pub(crate) fn parse<'t, R: Receiver<'t>>(
    input: &'t Input<'_>,
    dialect: &Dialect,
    receiver: &mut R,
) {
    for line in Lines::new(input.text(), input.start(), dialect) {
        field::send(line, dialect, receiver);
    }
}

/// The events of a text whose decoding is done: its first line begins at `start`.
pub(crate) fn events<'t>(
    text: &'t [u8],
    start: usize,
    dialect: &Dialect,
) -> impl Iterator<Item = Event<'t>> + use<'t> {
    let dialect = *dialect;
    Lines::new(text, start, &dialect).filter_map(move |line| {
        let mut event = None;
        field::send(line, &dialect, &mut event);
        event
    })
}

impl<'t> Receiver<'t> for Option<Event<'t>> {
    #[inline]
    fn skipped(&self) -> Skipped {
        Skipped::Nothing
    }

    #[inline]
    fn receive(&mut self, event: Event<'t>) {
        *self = Some(event);
    }
}
