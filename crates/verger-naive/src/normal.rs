//! The normal form of rules and targets for comparison (REP-MATCH-20, the one-pass form at its
//! end).

use super::bug::Bug;

/// Normal form of a target. A `*` or `$` in it is an ordinary character.
pub(crate) fn subject(target: &[u8], bug: Option<Bug>) -> Vec<u8> {
    let mut out = Vec::new();
    for piece in pieces(target) {
        match piece {
            // REP-AMB-32: equal to their escapes.
            Piece::Plain(byte @ (b'*' | b'$')) => out.extend(escape(byte)),
            other => out.extend(normal(other, bug)),
        }
    }
    folded(out, bug)
}

/// Normal form of a rule's path. In the result every `*`, and a `$` at the end, is an operator.
pub(crate) fn pattern(raw: &[u8], bug: Option<Bug>) -> Vec<u8> {
    let raw = with_deliberate_mistake(raw, bug);
    let pieces = pieces(&raw);
    let count = pieces.len();
    let mut out = Vec::new();
    for (at, piece) in pieces.into_iter().enumerate() {
        let is_last = at + 1 == count;
        match piece {
            Piece::Plain(b'*') => out.push(b'*'),
            // REP-MATCH-17: special only as the very last character.
            Piece::Plain(b'$') if is_last => out.push(b'$'),
            Piece::Plain(b'$') => out.extend(escape(b'$')),
            other => out.extend(normal(other, bug)),
        }
    }
    folded(out, bug)
}

/// A character of the text as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    /// `%` and two hex digits, with their octet.
    Escape(u8),
    /// Any other octet.
    Plain(u8),
}

/// Splits a text into pieces, in one pass from left to right.
fn pieces(text: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let high = text.get(at + 1).and_then(|&digit| hex_value(digit));
        let low = text.get(at + 2).and_then(|&digit| hex_value(digit));
        match (text[at], high, low) {
            (b'%', Some(high), Some(low)) => {
                pieces.push(Piece::Escape(high * 16 + low));
                at += 3;
            }
            (byte, _, _) => {
                pieces.push(Piece::Plain(byte));
                at += 1;
            }
        }
    }
    pieces
}

/// Normal form of a piece that is not an operator.
fn normal(piece: Piece, bug: Option<Bug>) -> Vec<u8> {
    match piece {
        Piece::Escape(b'/') if bug == Some(Bug::SlashDecoded) => vec![b'/'],
        // Step 1: an escaped unreserved character is that character.
        Piece::Escape(octet) if is_unreserved(octet) && bug != Some(Bug::UnreservedNotDecoded) => {
            vec![octet]
        }
        // Step 1: other escapes remain, with upper-case digits.
        Piece::Escape(octet) => escape(octet),
        // Step 2 (REP-AMB-31): a percent sign that does not begin an escape.
        Piece::Plain(b'%') => escape(b'%'),
        // Step 3: characters that a URL may not contain unescaped.
        Piece::Plain(byte) if needs_escape(byte) => escape(byte),
        // Step 5.
        Piece::Plain(byte) => vec![byte],
    }
}

fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || b"-._~".contains(&octet)
}

fn needs_escape(byte: u8) -> bool {
    byte >= 0x80 || byte <= 0x20 || byte == 0x7F || b"\"<>\\^{|}`".contains(&byte)
}

/// `%` and two upper-case hex digits.
fn escape(octet: u8) -> Vec<u8> {
    format!("%{octet:02X}").into_bytes()
}

fn hex_value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

/// Applies two of the deliberate mistakes, which change the rule before it is read.
fn with_deliberate_mistake(raw: &[u8], bug: Option<Bug>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < raw.len() {
        let is_escaped_star = raw[at..].starts_with(b"%2A") || raw[at..].starts_with(b"%2a");
        if is_escaped_star && bug == Some(Bug::EscapedStarIsWildcard) {
            out.push(b'*');
            at += 3;
            continue;
        }
        out.push(raw[at]);
        if raw[at] == b'$' && bug == Some(Bug::DollarEndsAnywhere) {
            break;
        }
        at += 1;
    }
    out
}

/// Applies the deliberate mistake that ignores case (contrary to REP-MATCH-2).
fn folded(text: Vec<u8>, bug: Option<Bug>) -> Vec<u8> {
    if bug == Some(Bug::PathCaseFolded) { text.to_ascii_lowercase() } else { text }
}
