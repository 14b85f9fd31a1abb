//! The normal form of octets: percent-encodings that are equal (REP-MATCH-20).
//!
//! # Flow
//!
//! [`Form`] defines the treatment of each octet of one side (pattern or target) in one dialect;
//! [`Octets`] reads a text octet by octet in that form, without a copy. Most texts are already in
//! normal form: [`Form::is_normal`] checks this in one pass, and then the text itself is used. The
//! treatment of each octet is in `table.rs`.

mod octets;
mod table;
mod usual;

use core::fmt;

pub(crate) use octets::Octets;
pub(crate) use usual::is_usual;

use crate::dialect::NormalForm;
use table::{
    AS_WRITTEN, BUT_SLASH, DECODED, GOOGLE_PATTERN, OctetKind, Percent, RFC9309, Row,
    UNSAFE_ESCAPED,
};

/// The normal form of one side of a comparison.
#[derive(Clone, Copy)]
pub(crate) struct Form(&'static Row);

impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Form").field(&self.0.percent).finish()
    }
}

impl Form {
    /// Every escape decoded; a malformed `%` is unchanged.
    pub(crate) const DECODED: Self = Self(&DECODED);

    /// The form of patterns, applied between their operators.
    pub(crate) const fn of_pattern(form: NormalForm) -> Self {
        match form {
            NormalForm::Google => Self(&GOOGLE_PATTERN),
            _ => Self::of_target(form),
        }
    }

    /// The form of targets.
    pub(crate) const fn of_target(form: NormalForm) -> Self {
        Self(match form {
            NormalForm::Rfc9309 => &RFC9309,
            NormalForm::Google => &AS_WRITTEN,
            NormalForm::DecodeAllButSlash => &BUT_SLASH,
            NormalForm::EscapeUnsafe => &UNSAFE_ESCAPED,
        })
    }

    /// Whether an octet represents itself in every context.
    #[inline]
    pub(crate) fn is_plain(self, octet: u8) -> bool {
        self.0.kinds[usize::from(octet)] == OctetKind::Plain
    }

    /// Whether a text is its own normal form.
    #[inline]
    pub(crate) fn is_normal(self, text: &[u8]) -> bool {
        let rest = &text[self.plain_start(text)..];
        rest.is_empty() || self.is_normal_with_escapes(rest)
    }

    fn is_normal_with_escapes(self, text: &[u8]) -> bool {
        let mut rest = text;
        while let [first, tail @ ..] = rest {
            rest = tail;
            match self.0.kinds[usize::from(*first)] {
                OctetKind::Plain => {}
                OctetKind::Encoded => return false,
                OctetKind::Percent => match self.escape(tail) {
                    EscapeForm::Copy => {}
                    EscapeForm::Upper([high, low]) if [high, low] == tail[..2] => rest = &tail[2..],
                    _ => return false,
                },
            }
        }
        true
    }

    /// Number of octets at the start of a text that represent themselves, rounded down to whole
    /// strides.
    #[inline]
    fn plain_start(self, text: &[u8]) -> usize {
        plain_start(text, |octet| self.is_plain(octet))
    }

    /// Treatment of the `%` before `tail`.
    fn escape(self, tail: &[u8]) -> EscapeForm {
        let [high, low, ..] = *tail else {
            return self.malformed();
        };
        let (upper, lower) = (HEX_VALUES[usize::from(high)], HEX_VALUES[usize::from(low)]);
        if upper == NO_DIGIT || lower == NO_DIGIT {
            return self.malformed();
        }
        let octet = upper << 4 | lower;
        let decoded = match self.0.percent {
            Percent::DecodeUnreserved => is_unreserved(octet),
            Percent::DecodeAllButSlash => octet != b'/',
            Percent::DecodeAll => true,
            Percent::Keep | Percent::UpperCase => false,
        };
        if decoded {
            EscapeForm::Decode(octet)
        } else {
            EscapeForm::Upper([high.to_ascii_uppercase(), low.to_ascii_uppercase()])
        }
    }

    fn malformed(self) -> EscapeForm {
        match self.0.percent {
            Percent::DecodeUnreserved => EscapeForm::Encode,
            _ => EscapeForm::Copy,
        }
    }
}

/// Number of plain octets at the start of a text, rounded down to whole strides, so that most texts
/// are read without a branch for each octet.
#[inline]
pub(crate) fn plain_start(text: &[u8], is_plain: impl Fn(u8) -> bool) -> usize {
    let all_plain =
        |stride: &[u8]| stride.iter().fold(true, |plain, &octet| plain & is_plain(octet));
    let (strides, rest) = text.as_chunks::<STRIDE>();
    if let Some(stride) = strides.iter().position(|stride| !all_plain(stride)) {
        return stride * STRIDE;
    }
    // The last stride may overlap those before: then it is one comparison for a rest of any length.
    let last = text.last_chunk::<STRIDE>().map_or(rest, |last| last);
    if all_plain(last) { text.len() } else { text.len() - rest.len() }
}

/// Octets that are checked at once.
const STRIDE: usize = 8;

/// Treatment of a `%`.
enum EscapeForm {
    /// Unchanged, alone.
    Copy,
    /// Becomes `%25`, alone.
    Encode,
    /// The `%` and two hex digits become this octet.
    Decode(u8),
    /// Unchanged, with these two hex digits.
    Upper([u8; 2]),
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// The value of each hex digit; [`NO_DIGIT`] for all other octets.
static HEX_VALUES: [u8; 256] = {
    let mut values = [NO_DIGIT; 256];
    let mut value = 0;
    while value < 16 {
        let digit = HEX[value as usize];
        values[digit as usize] = value;
        values[digit.to_ascii_lowercase() as usize] = value;
        value += 1;
    }
    values
};

const NO_DIGIT: u8 = 0xff;

/// RFC 3986 section 2.3.
const fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~')
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    const RFC: Form = Form::of_target(NormalForm::Rfc9309);
    const GOOGLE_PATTERN: Form = Form::of_pattern(NormalForm::Google);
    const GOOGLE_TARGET: Form = Form::of_target(NormalForm::Google);
    const ALL_BUT_SLASH: Form = Form::of_target(NormalForm::DecodeAllButSlash);
    const UNSAFE: Form = Form::of_target(NormalForm::EscapeUnsafe);

    fn normal(form: Form, text: &[u8]) -> String {
        Octets::new(text, form).map(char::from).collect()
    }

    #[track_caller]
    fn check(form: Form, text: &str, expected: &str) {
        let found = normal(form, text.as_bytes());
        assert_eq!(found, expected);
        assert_eq!(form.is_normal(text.as_bytes()), text == expected, "{text:?}");
    }

    #[test]
    fn unreserved_escapes_are_decoded_and_others_upper_cased() {
        check(RFC, "/%61%2d%2E%5f%7e", "/a-._~");
        check(RFC, "/%2f%3a%c3%A9", "/%2F%3A%C3%A9");
        check(RFC, "/%2F%C3%A9", "/%2F%C3%A9");
    }

    #[test]
    fn octets_that_a_url_cannot_contain_are_encoded() {
        check(RFC, "/é a\"<>\\^{|}`\0\x7f", "/%C3%A9%20a%22%3C%3E%5C%5E%7B%7C%7D%60%00%7F");
        check(RFC, "/*$", "/%2A%24");
        check(RFC, "/!'(),:;=?@&+#[]~", "/!'(),:;=?@&+#[]~");
    }

    #[test]
    fn a_malformed_percent_is_encoded_so_that_nothing_decodes_twice() {
        check(RFC, "/%", "/%25");
        check(RFC, "/%4", "/%254");
        check(RFC, "/%zz%%341", "/%25zz%25%341".replace("%34", "4").as_str());
        check(RFC, "/%25%34", "/%254");
        check(RFC, "/%u0041", "/%25u0041");
    }

    #[test]
    fn google_normalises_patterns_only() {
        check(GOOGLE_PATTERN, "/%aa%aG é*$", "/%AA%aG %C3%A9*$");
        check(GOOGLE_PATTERN, "/%7Ejoe%", "/%7Ejoe%");
        check(GOOGLE_TARGET, "/%aa a%", "/%aa a%");
        assert!(GOOGLE_TARGET.is_normal("/é".as_bytes()));
    }

    #[test]
    fn the_form_of_1996_decodes_all_but_the_slash() {
        check(ALL_BUT_SLASH, "/a%3cd%2fb%7E%", "/a<d%2Fb~%");
        check(ALL_BUT_SLASH, "/%2541", "/%41");
        check(ALL_BUT_SLASH, "/%2F", "/%2F");
    }

    #[test]
    fn the_form_of_1994_escapes_as_perl_does() {
        check(UNSAFE, "/a b[%zz]|~'!*$", "/a%20b%5B%zz%5D%7C~'!*$");
    }

    #[test]
    fn output_of_idempotent_forms_is_normal() {
        for form in [RFC, GOOGLE_PATTERN, GOOGLE_TARGET, UNSAFE] {
            for text in ["/%%341", "/%25%2541%zz%", "/é%e", "/%2%66", "/%%%25"] {
                let once: alloc::vec::Vec<u8> = Octets::new(text.as_bytes(), form).collect();
                assert!(form.is_normal(&once), "{text}");
            }
        }
    }

    #[test]
    fn preceded_by_adds_an_octet_in_front() {
        let text: String = Octets::new(b"?%61", RFC).preceded_by(b'/').map(char::from).collect();
        assert_eq!(text, "/?a");
        assert_eq!(Octets::normal(b"%61").count(), 3);
    }
}
