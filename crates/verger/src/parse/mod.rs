//! The push parser: bytes in, events out. It never fails (REP-SYNTAX-1).
//!
//! # Flow
//!
//! `input.rs` turns bytes into the text that counts (encoding, size); `line.rs` cuts the text into
//! lines; `field.rs` cuts a line into key and value and names the key; [`parse`] sends each line as
//! one event to a [`Receiver`]. Nothing is allocated on the way, but for a text in UTF-16. Everything
//! that reads a robots.txt reads events: the tables of [`Robots`](crate::Robots) and the one-shot answer
//! receive them, diagnostics and extensions pull them.
//!
//! # Scope
//!
//! Which group a record belongs to is decided one storey up, in `group.rs`.

mod event;
mod field;
mod input;
mod line;

pub use event::{Field, Piece, Receiver, RuleKind, Spelling};
pub use input::{Encoding, Input};

pub(crate) use event::{Event, is_space};
pub(crate) use field::{is_mistakable, is_usual_key};

use crate::Dialect;
use field::{Content, Key};

/// Reads a text line by line and tells the receiver what stands there.
///
/// The text is what [`Input::read`] gave; spans refer to it.
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
pub fn parse<'t, R: Receiver<'t>>(input: &'t Input<'_>, dialect: &Dialect, receiver: &mut R) {
    for event in events(input.text(), input.start(), dialect) {
        match event {
            Event::UserAgent(field) => receiver.user_agent(field),
            Event::Rule(kind, field) => receiver.rule(kind, field),
            Event::OversizedRule(field) => receiver.oversized_rule(field),
            Event::Sitemap(field) => receiver.sitemap(field),
            Event::Other(field) => receiver.other(field),
            Event::Blank(line) => receiver.blank(line),
            Event::Comment(line) => receiver.comment(line),
            Event::Junk(line) => receiver.junk(line),
        }
    }
}

/// The events of a text whose reading has been remembered: `start` is where its first line begins.
pub(crate) fn events<'t>(
    text: &'t [u8],
    start: usize,
    dialect: &Dialect,
) -> impl Iterator<Item = Event<'t>> + use<'t> {
    let dialect = *dialect;
    line::lines(text, start, &dialect).map(move |line| match field::split(line, &dialect) {
        Content::Blank => Event::Blank(line.piece),
        Content::Comment => Event::Comment(line.piece),
        Content::Junk => Event::Junk(line.piece),
        Content::Field { key, field } => match key {
            Key::UserAgent => Event::UserAgent(field),
            Key::Rule(_) if exceeds(dialect.rule_limit, field.value.bytes) => {
                Event::OversizedRule(field)
            }
            Key::Rule(kind) => Event::Rule(kind, field),
            Key::Sitemap => Event::Sitemap(field),
            Key::Other => Event::Other(field),
        },
    })
}

/// Whether a value has more characters than a limit allows. Continuation bytes of UTF-8 do not count.
fn exceeds(limit: Option<usize>, value: &[u8]) -> bool {
    limit.is_some_and(|limit| {
        value.len() > limit && value.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() > limit
    })
}
