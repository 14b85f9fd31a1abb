//! The parser: bytes in, events out. It never fails (REP-SYNTAX-1).
//!
//! # Flow
//!
//! `input.rs` decodes bytes and applies the size limit; `line.rs` cuts the text into lines, whose
//! ends `line_ends.rs` finds block by block; `field.rs` cuts a line into key and value, and `key.rs`
//! recognises the key. Each line is one [`Event`]. Only a text in UTF-16 needs an allocation. All
//! readers of a robots.txt use these events: the tables of [`Robots`](crate::Robots) receive those
//! that form groups, diagnostics, extensions and [`Robots::events`](crate::Robots::events) iterate
//! over all of them.
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
use field::Skipped;
use line::Lines;

/// Sends the events that form groups to a receiver. It is asked before each line whether rules may
/// be skipped for now.
///
/// # Complexity
///
/// Linear in the bytes of the text; no recursion, no allocation.
#[inline]
pub(crate) fn for_groups<R>(
    input: &Input<'_>,
    dialect: &Dialect,
    receiver: &mut R,
    skips_rules: impl Fn(&R) -> bool,
    receive: impl Fn(&mut R, Event<'_>),
) {
    for line in Lines::new(input.text(), input.start(), dialect) {
        let skipped = Skipped::Others { rules: skips_rules(receiver) };
        field::send(line, dialect, skipped, |event| receive(receiver, event));
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
        field::send(line, &dialect, Skipped::Nothing, |found| event = Some(found));
        event
    })
}
