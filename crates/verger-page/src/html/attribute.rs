//! The text of an attribute (REP-PAGE-7).

use std::borrow::Cow;

use super::reference;

/// Returns the text of an attribute as HTML reads it: line ends normalised, NUL replaced, character
/// references decoded.
pub(super) fn text(value: &str) -> String {
    let value = if value.contains('\r') {
        Cow::Owned(value.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(value)
    };
    let mut text = String::with_capacity(value.len());
    let mut rest = &*value;
    while let Some(at) = rest.find(['&', '\0']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match rest.strip_prefix('&') {
            None => {
                text.push(char::REPLACEMENT_CHARACTER);
                1
            }
            Some(after) => match reference::decode(after, &mut text) {
                0 => {
                    text.push('&');
                    1
                }
                length => 1 + length,
            },
        };
        rest = &rest[length..];
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_decoded_as_in_attributes() {
        assert_eq!(text("no&#105;nd&#x65;x&comma;&nbsp"), "noindex,\u{a0}");
        assert_eq!(text("?a=b&copy=c&amp;d"), "?a=b&copy=c&d");
        assert_eq!(text("&#0;&#x110000;&nothing;"), "\u{fffd}\u{fffd}&nothing;");
        assert_eq!(text("&&amp&&#&#x&#xg;"), "&&&&#&#x&#xg;");
    }

    #[test]
    fn references_are_those_of_another_reader() {
        let mut random = fastrand::Rng::with_seed(7);
        let pieces = ["&", "#", "x", "X", ";", "=", "0", "9", "80", "9F", "a", "é", " ", "not"];
        let names: Vec<&str> = reference::names().collect();
        for _ in 0..100_000 {
            let mut value = String::new();
            for _ in 0..random.usize(1..6) {
                if random.u8(..3) == 0 {
                    let name = names[random.usize(..names.len())];
                    value.push('&');
                    value.push_str(&name[..random.usize(1..=name.len())]);
                } else {
                    value.push_str(pieces[random.usize(..pieces.len())]);
                }
            }
            assert_eq!(text(&value), htmlize::unescape_attribute(&value), "{value}");
        }
    }

    #[test]
    fn line_ends_and_nul_are_as_html_has_them() {
        assert_eq!(text("a\r\nb\rc\nd\0&#13;"), "a\nb\nc\nd\u{fffd}\r");
    }
}
