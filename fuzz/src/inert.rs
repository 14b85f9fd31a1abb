//! Displayed text: foreign characters must not move the cursor, hide text, or forge a line.

use std::fmt::{Debug, Display};

/// Checks the displayed form of a value by the documentation of [`verger::Untrusted`].
///
/// # Panics
///
/// If it has a control, invisible or reordering character.
#[track_caller]
pub(crate) fn assert_shown_inert<T: Display + Debug>(value: &T) {
    assert_inert(&value.to_string());
    assert_inert(&format!("{value:?}"));
}

/// Checks a text in the same way.
#[track_caller]
pub(crate) fn assert_inert(text: &str) {
    // The fast path for most texts.
    if text.bytes().all(|octet| matches!(octet, b' '..=b'~')) {
        return;
    }
    let harmful = text.chars().find(|&c| c.is_control() || is_deceptive(c));
    assert_eq!(harmful, None, "in {text:?}");
}

/// Line and paragraph separators, direction marks, zero-width characters, tags.
fn is_deceptive(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e01ef}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_passes() {
        assert_inert("`Disallow: /café` on line 2 …");
    }

    #[test]
    #[should_panic(expected = "202e")]
    fn an_override_of_direction_panics() {
        assert_inert("a\u{202e}b");
    }
}
