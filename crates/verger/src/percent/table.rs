//! What each octet needs, by form.

/// A form: what each octet needs, and what happens to a `%`.
pub(super) struct Row {
    pub(super) kinds: [Kind; 256],
    pub(super) percent: Percent,
}

/// What an octet needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Nothing: it stands for itself.
    Plain,
    /// It has to be encoded.
    Encoded,
    /// It begins an escape, or might.
    Percent,
}

/// What happens to a `%`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Percent {
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

/// Rule 3 and rule 4 of the default normal form: what cannot stand in a URL, and the octets that are
/// operators in a pattern. A pattern's operators are recognised before this form is applied.
pub(super) static RFC9309: Row = Row {
    kinds: encoding(ESCAPES, b"\"<>\\^{|}`*$", CONTROLS_AND_SPACE),
    percent: Percent::DecodeUnreserved,
};

pub(super) static GOOGLE_PATTERN: Row =
    Row { kinds: encoding(ESCAPES, b"", b""), percent: Percent::UpperCase };

pub(super) static AS_WRITTEN: Row = Row { kinds: NOTHING, percent: Percent::Keep };

pub(super) static DECODED: Row = Row { kinds: ESCAPES, percent: Percent::DecodeAll };

pub(super) static BUT_SLASH: Row = Row { kinds: ESCAPES, percent: Percent::DecodeAllButSlash };

/// What Perl's URI module escapes when it reads a URL (version 5.11 on): all but letters, digits and
/// `;/?:@&=+$,-_.!~*'()%#`.
pub(super) static UNSAFE_ESCAPED: Row =
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
