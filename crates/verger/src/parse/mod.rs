//! The push parser: bytes in, events out. It never fails (REP-SYNTAX-1).
//!
//! # Flow
//!
//! `input.rs` decodes bytes and applies the size limit; `line.rs` cuts the text into lines, whose
//! ends `stops.rs` finds block by block; `field.rs` cuts a line into key and value, and `key.rs`
//! recognises the key; [`parse`] sends each line as one event to a [`Receiver`]. Only a text in
//! UTF-16 needs an allocation. All readers of a robots.txt use these events: the tables of
//! [`Robots`](crate::Robots) and the one-shot answer receive them, diagnostics and extensions
//! iterate over them.
//!
//! # Scope
//!
//! `group.rs` decides to which group a record belongs.

mod event;
mod field;
mod input;
mod key;
mod line;
mod stops;

pub use event::{Field, Piece, Receiver, RuleKind, Spelling};
pub use input::{Encoding, Input};

pub(crate) use event::{Event, is_space};
pub(crate) use key::{is_usual_key, looks_like};

use crate::Dialect;
use line::Lines;

/// Reads a text line by line and sends an event for each line to the receiver.
///
/// Spans refer to the text of [`Input::text`].
///
/// # Complexity
///
/// Linear in the bytes of the text; no recursion, no allocation.
///
/// # Examples
///
/// ```
/// use verger::parse::{Field, Input, Receiver, RuleKind, parse};
///
/// #[derive(Default)]
/// struct Disallowed(Vec<String>);
///
/// impl<'t> Receiver<'t> for Disallowed {
///     fn rule(&mut self, kind: RuleKind, field: Field<'t>) {
///         if kind == RuleKind::Disallow {
///             self.0.push(String::from_utf8_lossy(field.value.bytes).into_owned());
///         }
///     }
/// }
///
/// let dialect = verger::Dialect::RFC9309;
/// let input = Input::read(b"User-agent: *\nDisallow: /a # why\nDisalow /b", &dialect);
/// let mut seen = Disallowed::default();
/// parse(&input, &dialect, &mut seen);
/// assert_eq!(seen.0, ["/a", "/b"]);
/// ```
#[inline]
pub fn parse<'t, R: Receiver<'t>>(input: &'t Input<'_>, dialect: &Dialect, receiver: &mut R) {
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
