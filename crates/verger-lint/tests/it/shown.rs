//! Robots.txt files in Markdown: stand-ins for bytes and characters that a page cannot show.
//!
//! `␠`, `⇥`, `␀`, `␍` and `␤` are a blank, tab, NUL, CR and LF; `\xE9` is a byte and `\u{feff}` a
//! character; `⟪a×1100⟫` is a text that is repeated.

use std::fmt::Write as _;

/// Stand-ins for single characters.
const SHOWN: [(char, char); 5] = [('␠', ' '), ('⇥', '\t'), ('␀', '\0'), ('␍', '\r'), ('␤', '\n')];

/// The bytes that a block shows.
pub(crate) fn bytes(block: &str) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), block);
    while let Some(first) = rest.chars().next() {
        let (text, length) = stand_in(rest).unwrap_or_else(|| {
            let meant = SHOWN.iter().find(|(shown, _)| *shown == first);
            (meant.map_or(first, |(_, meant)| *meant).to_string().into_bytes(), first.len_utf8())
        });
        out.extend(text);
        rest = &rest[length..];
    }
    out
}

/// The text of a longer stand-in at the start of a text, and the length of the stand-in.
fn stand_in(text: &str) -> Option<(Vec<u8>, usize)> {
    if let Some(digits) = text.strip_prefix("\\x").and_then(|rest| rest.get(..2)) {
        return Some((vec![u8::from_str_radix(digits, 16).ok()?], 4));
    }
    let between = |open: &str, close: char| {
        let (inside, _) = text.strip_prefix(open)?.split_once(close)?;
        Some((inside, open.len() + inside.len() + close.len_utf8()))
    };
    if let Some((digits, length)) = between("\\u{", '}') {
        let shown = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
        return Some((shown.to_string().into_bytes(), length));
    }
    let (inside, length) = between("⟪", '⟫')?;
    let (text, count) = inside.split_once('×')?;
    Some((text.repeat(count.parse().ok()?).into_bytes(), length))
}

/// A text with stand-ins, except for blanks and line feeds.
pub(crate) fn shown(text: &[u8]) -> String {
    let mut out = String::new();
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            let shown = SHOWN[1..4].iter().find(|(_, meant)| *meant == c);
            let c = shown.map_or(c, |(shown, _)| *shown);
            let is_visible =
                matches!(c, '\n' | ' ' | '"' | '\'' | '\\') || c.escape_debug().len() == 1;
            let _ =
                if is_visible { write!(out, "{c}") } else { write!(out, "{}", c.escape_unicode()) };
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02X}");
        }
    }
    out
}
