//! Text as JavaScript sees it.

use std::borrow::Cow;

/// Decodes a body as browsers do: UTF-8 whatever the headers say, without its byte order mark.
pub(super) fn decode(body: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body))
}

/// `\s` of a regular expression in JavaScript, and the letters that its `trim` removes.
pub(super) fn is_space(letter: char) -> bool {
    matches!(
        letter,
        '\t'..='\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}'
            | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}'
    )
}

/// Letters that `.` does not match, and at which `^` and `$` match with flag `m`.
pub(super) fn is_line_end(letter: char) -> bool {
    matches!(letter, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// The text without its comments, and their number.
///
/// A comment begins at a `#` after white space or at the beginning of the text, and includes all
/// white space in front of it, with line ends.
pub(super) fn without_comments(text: &str) -> (String, u64) {
    let mut kept = String::with_capacity(text.len());
    let (mut copied, mut searched, mut comments) = (0, 0, 0);
    while let Some(at) = text[searched..].find('#').map(|found| searched + found) {
        if at == 0 || text[..at].ends_with(is_space) {
            kept.push_str(&text[copied..at]);
            kept.truncate(kept.trim_end_matches(is_space).len());
            comments += 1;
            copied = text[at..].find(is_line_end).map_or(text.len(), |end| at + end);
            searched = copied;
        } else {
            searched = at + 1;
        }
    }
    kept.push_str(&text[copied..]);
    (kept, comments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_needs_white_space_or_the_beginning_of_the_text() {
        let cases = [
            ("#a\nb", "\nb", 1),
            ("/x#y", "/x#y", 0),
            ("/x #y", "/x", 1),
            ("/x#y #z\n#w", "/x#y", 2),
            // All white space in front belongs to the comment, also empty lines.
            ("a\n\n  # b\nc", "a\nc", 1),
            ("# a # b\n", "\n", 1),
            ("##\n#", "", 2),
            // No-break space, line separator.
            ("a\u{a0}#b", "a", 1),
            ("a #b\u{2028}c", "a\u{2028}c", 1),
            // NEL is no white space in JavaScript.
            ("a\u{85}#b", "a\u{85}#b", 0),
        ];
        for (text, kept, comments) in cases {
            assert_eq!(without_comments(text), (kept.to_owned(), comments), "{text:?}");
        }
    }

    #[test]
    fn a_body_is_decoded_as_utf_8_without_its_byte_order_mark() {
        assert_eq!(decode(b"\xef\xbb\xbfa\xff"), "a\u{fffd}");
        // One mark only.
        assert_eq!(decode(b"\xef\xbb\xbf\xef\xbb\xbf"), "\u{feff}");
        // A mark of UTF-16 is two broken octets.
        assert_eq!(decode(b"\xff\xfea\0"), "\u{fffd}\u{fffd}a\0");
    }
}
