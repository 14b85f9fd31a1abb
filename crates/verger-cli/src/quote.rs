//! Foreign text in sentences: escaped, and cut to what a sentence can hold.

use verger::Untrusted;
use verger::limits::QUOTED_CHARS;

/// Foreign text in backticks.
pub(crate) fn quoted<T: AsRef<[u8]> + ?Sized>(text: &T) -> String {
    format!("`{}`", brief(text))
}

/// Foreign text without anything around it.
pub(crate) fn brief<T: AsRef<[u8]> + ?Sized>(text: &T) -> Untrusted<'_> {
    Untrusted::new(text).limited_to(QUOTED_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_escaped_and_cut() {
        assert_eq!(quoted("a\x1b[2J\n"), r"`a\x1b[2J\n`");
        assert_eq!(quoted(&"a".repeat(300)).chars().count(), 203);
        assert_eq!(brief("a\n").to_string(), r"a\n");
    }
}
