//! Spellings of an octet of a path.

use super::draft::Draft;

/// A spelling of an octet of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Octet {
    /// `%61`.
    EscapedUnreserved,
    /// `%3F`; the slash, the star and the dollar have separate variants.
    EscapedReserved,
    /// `%2F`.
    EscapedSlash,
    /// `%25`.
    EscapedPercent,
    /// `%2A`.
    EscapedStar,
    /// `%24`.
    EscapedDollar,
    /// `%20`.
    EscapedSpace,
    /// `%7C` and others that a URL may not contain raw.
    EscapedUnsafe,
    /// `%00`, `%7F`.
    EscapedControl,
    /// `%C3%A9`.
    EscapedNotAscii,
    /// `%2f`.
    LowerHex,
    /// `%`, `%4`, `%zz`.
    Malformed,
    /// `?`, `&`, `:`; not the slash, the star and the dollar.
    Reserved,
    /// A space.
    Space,
    /// `|` and others that a URL may not contain raw.
    Unsafe,
    /// A control except NUL, CR and LF.
    Control,
    /// `é`.
    Utf8,
    /// The byte of `é` in Latin-1.
    NotUtf8,
    /// `*`.
    Star,
    /// `$`.
    Dollar,
}

const RESERVED: &[u8] = b":?[]@!&'()+,;=";
const UNSAFE: &[u8] = b"\"<>\\^{|}`";

impl Octet {
    /// All spellings, in order of declaration.
    pub const ALL: [Self; 20] = [
        Self::EscapedUnreserved,
        Self::EscapedReserved,
        Self::EscapedSlash,
        Self::EscapedPercent,
        Self::EscapedStar,
        Self::EscapedDollar,
        Self::EscapedSpace,
        Self::EscapedUnsafe,
        Self::EscapedControl,
        Self::EscapedNotAscii,
        Self::LowerHex,
        Self::Malformed,
        Self::Reserved,
        Self::Space,
        Self::Unsafe,
        Self::Control,
        Self::Utf8,
        Self::NotUtf8,
        Self::Star,
        Self::Dollar,
    ];

    /// The spellings that occur in a text.
    pub fn all_in(text: &[u8]) -> Vec<Self> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < text.len() {
            if let Some(octet) = escaped(&text[at..]) {
                found.push(Self::of_escaped(octet));
                if text[at + 1..at + 3].iter().any(u8::is_ascii_lowercase) {
                    found.push(Self::LowerHex);
                }
                at += 3;
            } else {
                found.extend(Self::of_raw(text[at]));
                at += 1;
            }
        }
        for chunk in text.utf8_chunks() {
            found.extend((!chunk.valid().is_ascii()).then_some(Self::Utf8));
            found.extend((!chunk.invalid().is_empty()).then_some(Self::NotUtf8));
        }
        found
    }

    fn of_escaped(octet: u8) -> Self {
        match octet {
            b'/' => Self::EscapedSlash,
            b'%' => Self::EscapedPercent,
            b'*' => Self::EscapedStar,
            b'$' => Self::EscapedDollar,
            b' ' => Self::EscapedSpace,
            0x80.. => Self::EscapedNotAscii,
            _ if octet.is_ascii_control() => Self::EscapedControl,
            _ if UNSAFE.contains(&octet) => Self::EscapedUnsafe,
            _ if RESERVED.contains(&octet) || octet == b'#' => Self::EscapedReserved,
            _ => Self::EscapedUnreserved,
        }
    }

    fn of_raw(octet: u8) -> Option<Self> {
        match octet {
            b'%' => Some(Self::Malformed),
            b' ' => Some(Self::Space),
            b'*' => Some(Self::Star),
            b'$' => Some(Self::Dollar),
            _ if octet.is_ascii_control() => Some(Self::Control),
            _ if UNSAFE.contains(&octet) => Some(Self::Unsafe),
            _ if RESERVED.contains(&octet) => Some(Self::Reserved),
            _ => None,
        }
    }
}

/// The octet of the escape at the start of a text.
pub fn escaped(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = *text else {
        return None;
    };
    let digit = |octet: u8| char::from(octet).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

const LETTERS: [&str; 5] = ["é", "ツ", "ß", "д", "😀"];

/// A text in a given spelling.
pub(super) fn sample(octet: Octet, draft: &mut Draft) -> Vec<u8> {
    let byte = match octet {
        Octet::EscapedUnreserved | Octet::LowerHex => draft.pick(b"abz09-._~ZA"),
        Octet::EscapedReserved | Octet::Reserved => draft.pick(RESERVED),
        Octet::EscapedUnsafe | Octet::Unsafe => draft.pick(UNSAFE),
        Octet::EscapedControl => draft.pick(b"\0\t\n\x1F\x7F"),
        Octet::Control => draft.pick(b"\t\x01\x0B\x1F\x7F"),
        Octet::EscapedSlash => b'/',
        Octet::EscapedPercent => b'%',
        Octet::EscapedStar | Octet::Star => b'*',
        Octet::EscapedDollar | Octet::Dollar => b'$',
        Octet::EscapedSpace | Octet::Space => b' ',
        Octet::NotUtf8 => draft.pick(b"\xE9\xFF\x80\xC0\xBF"),
        Octet::Malformed => return draft.pick(&MALFORMED).to_vec(),
        Octet::Utf8 => return draft.pick(&LETTERS).as_bytes().to_vec(),
        Octet::EscapedNotAscii => {
            return draft.pick(&LETTERS).bytes().flat_map(|byte| escape(byte, false)).collect();
        }
    };
    match octet {
        Octet::LowerHex => {
            // Only these have a letter among their hexadecimal digits.
            escape(draft.pick(b"jJ-.~/:*;<|\xC3\xA9"), true)
        }
        Octet::Reserved
        | Octet::Space
        | Octet::Unsafe
        | Octet::Control
        | Octet::NotUtf8
        | Octet::Star
        | Octet::Dollar => vec![byte],
        _ => escape(byte, false),
    }
}

/// Malformed escapes. The third and fourth would become valid after another pass, or one digit
/// later.
const MALFORMED: [&[u8]; 7] = [b"%", b"%4", b"%%341", b"%2%2F", b"%zz", b"%g1", b"%-1"];

fn escape(octet: u8, lower: bool) -> Vec<u8> {
    if lower { format!("%{octet:02x}") } else { format!("%{octet:02X}") }.into_bytes()
}

/// Respells each octet with the given probability, in percent. The octets of `kept` do not change.
pub(super) fn respelt(draft: &mut Draft, text: &[u8], percent: u32, kept: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let (octet, length) = match escaped(&text[at..]) {
            Some(octet) => (octet, 3),
            None => (text[at], 1),
        };
        let written = &text[at..at + length];
        at += length;
        let is_kept = length == 1 && kept.contains(&octet);
        if is_kept || !draft.chance(percent) {
            out.extend(written);
            continue;
        }
        match draft.below(3) {
            // Raw, unless the octet would end a line, a path or a comment.
            0 if !b"\r\n#\0".contains(&octet) => out.push(octet),
            1 => out.extend(escape(octet, true)),
            _ => out.extend(escape(octet, false)),
        }
    }
    out
}
