//! The normal form of octets: which percent-encodings are the same (REP-MATCH-20).
//!
//! # Flow
//!
//! [`Form`] says what happens to each octet of one side (pattern or target) in one dialect;
//! [`Octets`] reads a text octet by octet in that form, without a copy. Most texts are in normal form
//! already: [`Form::is_normal`] finds out in one pass, and then the text itself is used.

use core::fmt;

use crate::dialect::NormalForm;

/// How one side of a comparison is brought into normal form.
#[derive(Clone, Copy)]
pub(crate) struct Form(&'static Row);

struct Row {
    kinds: [Kind; 256],
    percent: Percent,
}

/// What an octet needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Nothing: it stands for itself.
    Plain,
    /// It has to be encoded.
    Encoded,
    /// It begins an escape, or might.
    Percent,
}

/// What happens to a `%`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Percent {
    /// It is an octet like any other.
    Keep,
    /// Hex digits of an escape are upper-cased; a malformed `%` stays.
    UpperCase,
    /// Escapes of unreserved octets are decoded, others upper-cased; a malformed `%` is encoded, so
    /// that a second pass finds nothing to decode.
    DecodeUnreserved,
    /// Every escape is decoded; a malformed `%` stays.
    DecodeAll,
    /// Every escape is decoded but that of `/`, which is upper-cased; a malformed `%` stays.
    DecodeAllButSlash,
}

impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Form").field(&self.0.percent).finish()
    }
}

impl Form {
    /// Every escape decoded, a malformed `%` kept.
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

    /// Whether an octet stands for itself, whatever is around it.
    #[inline]
    pub(crate) fn is_plain(self, octet: u8) -> bool {
        self.0.kinds[usize::from(octet)] == Kind::Plain
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
                Kind::Plain => {}
                Kind::Encoded => return false,
                Kind::Percent => match self.escape(tail) {
                    Step::Copy => {}
                    Step::Upper([high, low]) if [high, low] == tail[..2] => rest = &tail[2..],
                    _ => return false,
                },
            }
        }
        true
    }

    /// How many octets at the start of a text stand for themselves, at least: in whole strides, so that most
    /// texts are read without a branch for each octet.
    #[inline]
    fn plain_start(self, text: &[u8]) -> usize {
        let is_plain =
            |stride: &[u8]| stride.iter().fold(true, |plain, &octet| plain & self.is_plain(octet));
        let (strides, rest) = text.as_chunks::<STRIDE>();
        if let Some(stride) = strides.iter().position(|stride| !is_plain(stride)) {
            return stride * STRIDE;
        }
        // The last stride may overlap those before: then it is one comparison, however long the rest is.
        let last = text.last_chunk::<STRIDE>().map_or(rest, |last| last);
        if is_plain(last) { text.len() } else { text.len() - rest.len() }
    }

    /// What to do with the `%` that stands before `tail`.
    fn escape(self, tail: &[u8]) -> Step {
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
            Step::Decode(octet)
        } else {
            Step::Upper([high.to_ascii_uppercase(), low.to_ascii_uppercase()])
        }
    }

    fn malformed(self) -> Step {
        match self.0.percent {
            Percent::DecodeUnreserved => Step::Encode,
            _ => Step::Copy,
        }
    }
}

/// Octets that are looked at in one go.
const STRIDE: usize = 8;

/// What becomes of a `%`.
enum Step {
    /// It stays as it is, alone.
    Copy,
    /// It becomes `%25`, alone.
    Encode,
    /// It and two hex digits become this octet.
    Decode(u8),
    /// It stays, with these two hex digits.
    Upper([u8; 2]),
}

/// A text read octet by octet in normal form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Octets<'a> {
    rest: &'a [u8],
    form: Form,
    /// Octets that come before `rest`, the first one in the lowest byte: what is left of an escape. None of
    /// them is NUL.
    waiting: u32,
}

impl<'a> Octets<'a> {
    pub(crate) const fn new(text: &'a [u8], form: Form) -> Self {
        Self { rest: text, form, waiting: 0 }
    }

    /// A text that is in normal form already.
    pub(crate) const fn normal(text: &'a [u8]) -> Self {
        Self::new(text, Form(&AS_WRITTEN))
    }

    /// The same with one octet, in normal form, put in front.
    pub(crate) const fn preceded_by(mut self, octet: u8) -> Self {
        self.waiting = octet as u32;
        self
    }

    /// The octets written down; `None` when the buffer is too short.
    pub(crate) fn written(mut self, buffer: &mut [u8]) -> Option<&[u8]> {
        let mut length = 0;
        while self.waiting != 0 {
            *buffer.get_mut(length)? = self.next()?;
            length += 1;
        }
        loop {
            let plain = self.form.plain_start(self.rest);
            let (start, rest) = self.rest.split_at(plain);
            buffer.get_mut(length..length + plain)?.copy_from_slice(start);
            length += plain;
            self.rest = rest;
            // At least one octet is not plain, within this stride.
            for _ in 0..STRIDE {
                match self.read_one() {
                    Some(Read::One(octet)) => {
                        *buffer.get_mut(length)? = octet;
                        length += 1;
                    }
                    Some(Read::Three(octets)) => {
                        *buffer.get_mut(length..)?.first_chunk_mut()? = octets;
                        length += 3;
                    }
                    None => return buffer.get(..length),
                }
            }
        }
    }

    /// Reads an octet or an escape.
    #[inline]
    fn read_one(&mut self) -> Option<Read> {
        let (&first, tail) = self.rest.split_first()?;
        self.rest = tail;
        Some(match self.form.0.kinds[usize::from(first)] {
            Kind::Plain => Read::One(first),
            Kind::Encoded => Read::Three(encoded(first)),
            Kind::Percent => match self.form.escape(tail) {
                Step::Copy => Read::One(first),
                Step::Encode => Read::Three(encoded(first)),
                Step::Decode(octet) => {
                    self.rest = &tail[2..];
                    Read::One(octet)
                }
                Step::Upper([high, low]) => {
                    self.rest = &tail[2..];
                    Read::Three([first, high, low])
                }
            },
        })
    }
}

/// What becomes of an octet or an escape.
enum Read {
    One(u8),
    Three([u8; 3]),
}

#[expect(clippy::copy_iterator, reason = "a place in a text: copying it is how one is remembered")]
impl Iterator for Octets<'_> {
    type Item = u8;

    #[inline]
    fn next(&mut self) -> Option<u8> {
        if self.waiting != 0 {
            let [octet, ..] = self.waiting.to_le_bytes();
            self.waiting >>= 8;
            return Some(octet);
        }
        Some(match self.read_one()? {
            Read::One(octet) => octet,
            Read::Three([first, second, third]) => {
                self.waiting = u16::from_le_bytes([second, third]).into();
                first
            }
        })
    }
}

const fn encoded(octet: u8) -> [u8; 3] {
    [b'%', HEX[(octet >> 4) as usize], HEX[(octet & 15) as usize]]
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// The value of each hex digit; [`NO_DIGIT`] for all that is none.
static HEX_VALUES: [u8; 256] = {
    let mut values = [NO_DIGIT; 256];
    let mut value = 0;
    while value < HEX.len() {
        let digit = HEX[value];
        values[digit as usize] = value as u8;
        values[digit.to_ascii_lowercase() as usize] = value as u8;
        value += 1;
    }
    values
};

const NO_DIGIT: u8 = 0xff;

/// RFC 3986 section 2.3.
const fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~')
}

/// Rule 3 and rule 4 of the default normal form: what cannot stand in a URL, and the octets that are
/// operators in a pattern. A pattern's operators are recognised before this form is applied.
static RFC9309: Row = Row {
    kinds: encoding(ESCAPES, b"\"<>\\^{|}`*$", CONTROLS_AND_SPACE),
    percent: Percent::DecodeUnreserved,
};

static GOOGLE_PATTERN: Row =
    Row { kinds: encoding(ESCAPES, b"", b""), percent: Percent::UpperCase };

static AS_WRITTEN: Row = Row { kinds: NOTHING, percent: Percent::Keep };

static DECODED: Row = Row { kinds: ESCAPES, percent: Percent::DecodeAll };

static BUT_SLASH: Row = Row { kinds: ESCAPES, percent: Percent::DecodeAllButSlash };

/// What Perl's URI module escapes when it reads a URL (version 5.11 on): all but letters, digits and
/// `;/?:@&=+$,-_.!~*'()%#`.
static UNSAFE_ESCAPED: Row =
    Row { kinds: encoding(NOTHING, b"\"<>[\\]^`{|}", CONTROLS_AND_SPACE), percent: Percent::Keep };

const NOTHING: [Kind; 256] = [Kind::Plain; 256];

const ESCAPES: [Kind; 256] = {
    let mut kinds = NOTHING;
    kinds[b'%' as usize] = Kind::Percent;
    kinds
};

const CONTROLS_AND_SPACE: &[u8] = b"\0\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0B\x0C\r\x0E\x0F\
    \x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1A\x1B\x1C\x1D\x1E\x1F \x7F";

/// Everything from 0x80 on, and the octets of two sets.
const fn encoding(mut kinds: [Kind; 256], set: &[u8], further: &[u8]) -> [Kind; 256] {
    let mut at = 0x80;
    while at < kinds.len() {
        kinds[at] = Kind::Encoded;
        at += 1;
    }
    let mut at = 0;
    while at < set.len() {
        kinds[set[at] as usize] = Kind::Encoded;
        at += 1;
    }
    let mut at = 0;
    while at < further.len() {
        kinds[further[at] as usize] = Kind::Encoded;
        at += 1;
    }
    kinds
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
    fn what_cannot_stand_in_a_url_is_encoded() {
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
    fn google_touches_patterns_only() {
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
    fn the_form_of_1994_escapes_what_perl_does() {
        check(UNSAFE, "/a b[%zz]|~'!*$", "/a%20b%5B%zz%5D%7C~'!*$");
    }

    #[test]
    fn idempotent_forms_find_nothing_to_do_in_their_own_output() {
        for form in [RFC, GOOGLE_PATTERN, GOOGLE_TARGET, UNSAFE] {
            for text in ["/%%341", "/%25%2541%zz%", "/é%e", "/%2%66", "/%%%25"] {
                let once: alloc::vec::Vec<u8> = Octets::new(text.as_bytes(), form).collect();
                assert!(form.is_normal(&once), "{text}");
            }
        }
    }

    #[test]
    fn an_octet_can_be_put_in_front() {
        let text: String = Octets::new(b"?%61", RFC).preceded_by(b'/').map(char::from).collect();
        assert_eq!(text, "/?a");
        assert_eq!(Octets::normal(b"%61").count(), 3);
    }
}
