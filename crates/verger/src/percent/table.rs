//! The treatment of each octet, by form.

/// A form: the treatment of each octet, and of a `%`.
pub(super) struct Row {
    pub(super) kinds: [OctetKind; 256],
    pub(super) percent: Percent,
}

/// The treatment of an octet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OctetKind {
    /// Unchanged: it represents itself.
    Plain,
    /// It is encoded.
    Encoded,
    /// It begins an escape, or possibly does.
    Percent,
}

/// The treatment of a `%`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Percent {
    /// An octet like any other.
    Keep,
    /// Hex digits of an escape become upper case; a malformed `%` is unchanged.
    UpperCase,
    /// Escapes of unreserved octets are decoded, others become upper case; a malformed `%` is
    /// encoded, so that a second pass decodes nothing.
    DecodeUnreserved,
    /// Every escape is decoded; a malformed `%` is unchanged.
    DecodeAll,
    /// Every escape is decoded except that of `/`, which becomes upper case; a malformed `%` is
    /// unchanged.
    DecodeAllButSlash,
}

/// Rules 3 and 4 of the default normal form: octets that a URL cannot contain, and octets that are
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

/// Octets that Perl's URI module (from version 5.11) escapes in a URL: all but letters, digits and
/// `;/?:@&=+$,-_.!~*'()%#`.
pub(super) static UNSAFE_ESCAPED: Row =
    Row { kinds: encoding(NOTHING, b"\"<>[\\]^`{|}", CONTROLS_AND_SPACE), percent: Percent::Keep };

const NOTHING: [OctetKind; 256] = [OctetKind::Plain; 256];

const ESCAPES: [OctetKind; 256] = {
    let mut kinds = NOTHING;
    kinds[b'%' as usize] = OctetKind::Percent;
    kinds
};

const CONTROLS_AND_SPACE: &[u8] = b"\0\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0B\x0C\r\x0E\x0F\
    \x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1A\x1B\x1C\x1D\x1E\x1F \x7F";

/// Encodes everything from 0x80 on, and the octets of two sets.
const fn encoding(mut kinds: [OctetKind; 256], set: &[u8], further: &[u8]) -> [OctetKind; 256] {
    let mut at = 0x80;
    while at < kinds.len() {
        kinds[at] = OctetKind::Encoded;
        at += 1;
    }
    let mut at = 0;
    while at < set.len() {
        kinds[set[at] as usize] = OctetKind::Encoded;
        at += 1;
    }
    let mut at = 0;
    while at < further.len() {
        kinds[further[at] as usize] = OctetKind::Encoded;
        at += 1;
    }
    kinds
}
