//! Cutting a line into key and value, and sending its event.

use super::event::{Event, Field, Piece, RuleKind, Spelling};
use super::key::{Key, may_affect_groups, name, usual_key};
use super::line::Line;
use super::{Receiver, Skipped};
use crate::Dialect;
use crate::search::find_octet;

/// Reads one line, in the order of REP-SYNTAX-11 to REP-SYNTAX-16, and sends its event, unless it
/// is skipped.
#[inline]
pub(super) fn send<'t, R: Receiver<'t>>(line: Line<'t>, dialect: &Dialect, receiver: &mut R) {
    match usual_key(line.content().bytes) {
        Some((Key::Rule(kind), length)) if kind == RuleKind::Disallow || dialect.allow => {
            if !matches!(receiver.skipped(), Skipped::Others { rules: true }) {
                send_rule(kind, usual_field(line, length), dialect, receiver);
            }
        }
        Some((Key::UserAgent, length)) => {
            receiver.receive(Event::UserAgent(usual_field(line, length)));
        }
        Some((Key::Sitemap, length)) => receiver.receive(Event::Sitemap(usual_field(line, length))),
        _ => send_any(line, dialect, receiver),
    }
}

#[inline]
fn send_rule<'t, R: Receiver<'t>>(
    kind: RuleKind,
    field: Field<'t>,
    dialect: &Dialect,
    receiver: &mut R,
) {
    if exceeds(dialect.rule_limit, field.value.bytes) {
        receiver.receive(Event::OversizedRule(field));
    } else {
        receiver.receive(Event::Rule(kind, field));
    }
}

/// The field of a line that begins with a key of this length in its usual spelling, and a colon.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "most callers use only the value; the rest is then not built"
)]
fn usual_field(line: Line<'_>, length: usize) -> Field<'_> {
    let (key, value) = line.content().split_at(length);
    let value = value.slice(1, value.bytes.len()).trim_start().trim_line_end();
    Field {
        key,
        value,
        line: line.piece,
        line_number: line.number,
        spelling: Spelling::Exact,
        colon_missing: false,
    }
}

/// As [`send`], for any line.
fn send_any<'t, R: Receiver<'t>>(line: Line<'t>, dialect: &Dialect, receiver: &mut R) {
    let mut content = line.content().trim_indent();
    if content.bytes.first() == Some(&0) {
        content = content.trim_line_end();
    }
    let Some(&first) = content.bytes.first() else {
        return if line.has_comment {
            receiver.receive(Event::Comment(line.piece));
        } else {
            receiver.receive(Event::Blank(line.piece));
        };
    };
    if matches!(receiver.skipped(), Skipped::Others { .. }) && !may_affect_groups(first) {
        return;
    }
    match split(line, content.trim_line_end(), dialect) {
        Some((Key::UserAgent, field)) => receiver.receive(Event::UserAgent(field)),
        Some((Key::Rule(kind), field)) => send_rule(kind, field, dialect, receiver),
        Some((Key::Sitemap, field)) => receiver.receive(Event::Sitemap(field)),
        Some((Key::Other, field)) => receiver.receive(Event::Other(field)),
        None => receiver.receive(Event::Junk(line.piece)),
    }
}

/// Whether a value has more characters than a limit. Continuation bytes of UTF-8 do not count.
#[inline]
fn exceeds(limit: Option<usize>, value: &[u8]) -> bool {
    limit.is_some_and(|limit| {
        value.len() > limit && value.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() > limit
    })
}

/// The key and the value of a line with content; `None` for a line that is not a record.
#[inline(never)]
fn split<'t>(line: Line<'t>, content: Piece<'t>, dialect: &Dialect) -> Option<(Key, Field<'t>)> {
    // REP-SYNTAX-13: the first colon separates.
    let colon = find_octet(content.bytes, b':');
    let separator =
        colon.or_else(|| dialect.missing_colon.then(|| two_words(content)).flatten())?;
    let (key, value) = content.split_at(separator);
    let key = key.trim();
    if key.bytes.is_empty() {
        // REP-SYNTAX-16.
        return None;
    }
    let value = value.slice(usize::from(colon.is_some()), value.bytes.len()).trim();
    let (named, spelling) = name(key.bytes, dialect);
    let colon_missing = colon.is_none();
    let (line, line_number) = (line.piece, line.number);
    Some((named, Field { key, value, line, line_number, spelling, colon_missing }))
}

/// REP-SYNTAX-14: the end of the first of exactly two words that are separated by white space.
///
/// Only SP and HTAB separate, as in Google's library: a VT inside is part of its word.
fn two_words(content: Piece<'_>) -> Option<usize> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let first = content.bytes.iter().position(is_blank)?;
    let rest = &content.bytes[first..];
    let second = rest.iter().position(|byte| !is_blank(byte))?;
    (!rest[second..].iter().any(is_blank)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{Event, events};
    use alloc::format;
    use alloc::string::String;

    /// `key|value`, or the kind of the line.
    fn read(dialect: &Dialect, line: &str) -> String {
        let field = |key: &str, field: Field<'_>| {
            format!(
                "{key}/{:?} {}|{}",
                field.spelling,
                String::from_utf8_lossy(field.key.bytes),
                String::from_utf8_lossy(field.value.bytes),
            )
        };
        match events(line.as_bytes(), 0, dialect).next().expect("a line") {
            Event::Blank(_) => "blank".into(),
            Event::Comment(_) => "comment".into(),
            Event::Junk(_) => "junk".into(),
            Event::UserAgent(read) => field("UserAgent", read),
            Event::Rule(kind, read) => field(kind.key(), read),
            Event::OversizedRule(read) => field("Oversized", read),
            Event::Sitemap(read) => field("Sitemap", read),
            Event::Other(read) => field("Other", read),
        }
    }

    #[track_caller]
    fn check(dialect: &Dialect, line: &str, expected: &str) {
        assert_eq!(read(dialect, line), expected, "{dialect:?} on {line:?}");
    }

    #[test]
    fn comments_white_space_and_the_first_colon() {
        let row = &Dialect::RFC9309;
        check(row, " \t", "blank");
        check(row, "  # x", "comment");
        check(row, "\x0bAllow\x0c :\t /a:b \x0b# c", "Allow/Exact Allow|/a:b");
        check(row, "allow:#", "Allow/Exact allow|");
        check(row, ": /", "junk");
        check(row, "\u{a0}allow: /", "Other/Exact \u{a0}allow|/");
    }

    #[test]
    fn spellings_follow_the_dialect() {
        let typo = "Disallow/Typo DisAlow|/";
        check(&Dialect::RFC9309, "DisAlow: /", typo);
        check(&Dialect::GOOGLE, "DisAlow: /", typo);
        check(&Dialect::YANDEX, "DisAlow: /", "Other/Exact DisAlow|/");
        check(&Dialect::RFC9309, "disallowed: /", "Other/Exact disallowed|/");
        check(&Dialect::GOOGLE, "disallowed: /", "Disallow/Prefix disallowed|/");
        check(&Dialect::GOOGLE, "disalowed: /", "Disallow/Prefix disalowed|/");
        check(&Dialect::GOOGLE, "site-maps: x", "Sitemap/Prefix site-maps|x");
        check(&Dialect::RFC9309, "user agent: x", "UserAgent/Typo user agent|x");
        check(&Dialect::RFC9309, "alow: /", "Other/Exact alow|/");
    }
}
