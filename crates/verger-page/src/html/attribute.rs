//! From an attribute as it stands in the page to its text (REP-PAGE-7).

use std::borrow::Cow;

/// The text of an attribute: line ends as HTML has them, character references decoded.
pub(super) fn text(value: &str) -> String {
    let value = if value.contains('\r') {
        Cow::Owned(value.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(value)
    };
    let value =
        if value.contains('\0') { Cow::Owned(value.replace('\0', "\u{fffd}")) } else { value };
    htmlize::unescape_attribute(value).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_decoded_as_in_attributes() {
        assert_eq!(text("no&#105;nd&#x65;x&comma;&nbsp"), "noindex,\u{a0}");
        assert_eq!(text("?a=b&copy=c&amp;d"), "?a=b&copy=c&d");
        assert_eq!(text("&#0;&#x110000;&nothing;"), "\u{fffd}\u{fffd}&nothing;");
    }

    #[test]
    fn line_ends_and_nul_are_as_html_has_them() {
        assert_eq!(text("a\r\nb\rc\nd\0&#13;"), "a\nb\nc\nd\u{fffd}\r");
    }
}
