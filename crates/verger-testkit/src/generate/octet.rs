//! Spellings of an octet of a path.

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

pub(super) const RESERVED: &[u8] = b":?[]@!&'()+,;=";
pub(super) const UNSAFE: &[u8] = b"\"<>\\^{|}`";

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
