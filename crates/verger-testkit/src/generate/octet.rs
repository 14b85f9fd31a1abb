//! How octets of a path are spelt.

use super::draft::Draft;

/// A way to spell an octet of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Octet {
    /// `%61`.
    EscapedUnreserved,
    /// `%3F`; the slash, the star and the dollar have their own.
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
    /// `%7C` and others that no URL may hold raw.
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
    /// `|` and others that no URL may hold raw.
    Unsafe,
    /// A control but NUL, CR and LF.
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
const LETTERS: [&str; 5] = ["é", "ツ", "ß", "д", "😀"];

impl Octet {
    /// Every way, in order of declaration.
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

    /// The ways that occur in a text.
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

    /// Some text that is spelt so.
    pub(super) fn sample(self, draft: &mut Draft) -> Vec<u8> {
        let octet = match self {
            Self::EscapedUnreserved | Self::LowerHex => draft.pick(b"abz09-._~ZA"),
            Self::EscapedReserved | Self::Reserved => draft.pick(RESERVED),
            Self::EscapedUnsafe | Self::Unsafe => draft.pick(UNSAFE),
            Self::EscapedControl => draft.pick(b"\0\t\n\x1F\x7F"),
            Self::Control => draft.pick(b"\t\x01\x0B\x1F\x7F"),
            Self::EscapedSlash => b'/',
            Self::EscapedPercent => b'%',
            Self::EscapedStar | Self::Star => b'*',
            Self::EscapedDollar | Self::Dollar => b'$',
            Self::EscapedSpace | Self::Space => b' ',
            Self::NotUtf8 => draft.pick(b"\xE9\xFF\x80\xC0\xBF"),
            Self::Malformed => return draft.pick(&MALFORMED).to_vec(),
            Self::Utf8 => return draft.pick(&LETTERS).as_bytes().to_vec(),
            Self::EscapedNotAscii => {
                return draft
                    .pick(&LETTERS)
                    .bytes()
                    .flat_map(|octet| escape(octet, false))
                    .collect();
            }
        };
        match self {
            Self::LowerHex => {
                // Only these have a letter among their digits.
                escape(draft.pick(b"jJ-.~/:*;<|\xC3\xA9"), true)
            }
            Self::Reserved
            | Self::Space
            | Self::Unsafe
            | Self::Control
            | Self::NotUtf8
            | Self::Star
            | Self::Dollar => vec![octet],
            _ => escape(octet, false),
        }
    }
}

/// What begins no escape; the third and fourth would after one more pass, or one digit later.
const MALFORMED: [&[u8]; 7] = [b"%", b"%4", b"%%341", b"%2%2F", b"%zz", b"%g1", b"%-1"];

/// The octet of the escape that a text begins with.
fn escaped(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = *text else {
        return None;
    };
    let digit = |octet: u8| char::from(octet).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

fn escape(octet: u8, lower: bool) -> Vec<u8> {
    if lower { format!("%{octet:02x}") } else { format!("%{octet:02X}") }.into_bytes()
}

/// Spells one octet in so many of a hundred otherwise. The octets of `kept` stay as they are.
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
            // Raw, but never what would end a line, a path or a comment.
            0 if !b"\r\n#\0".contains(&octet) => out.push(octet),
            1 => out.extend(escape(octet, true)),
            _ => out.extend(escape(octet, false)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::profile::Profile;
    use super::*;

    #[test]
    fn samples_are_what_they_are_called() {
        let mut draft = Draft::new(Profile::Questions, 1, 1);
        for octet in Octet::ALL {
            for _ in 0..100 {
                let sample = octet.sample(&mut draft);
                let found = Octet::all_in(&sample);
                assert!(found.contains(&octet), "{octet:?} {}", sample.escape_ascii());
            }
        }
    }

    #[test]
    fn a_text_may_hold_several_ways() {
        let found = Octet::all_in(b"/a%2f*\xC3\xA9\xE9");
        let expected =
            [Octet::EscapedSlash, Octet::LowerHex, Octet::Star, Octet::Utf8, Octet::NotUtf8];
        assert_eq!(found, expected);
        assert_eq!(Octet::all_in(b"/a-b"), []);
    }

    #[test]
    fn respelling_keeps_what_it_is_told_to() {
        let mut draft = Draft::new(Profile::Questions, 1, 2);
        for _ in 0..100 {
            let text = respelt(&mut draft, b"/*a$", 100, b"/*$");
            assert!(text.starts_with(b"/*") && text.ends_with(b"$"), "{}", text.escape_ascii());
        }
        assert_eq!(respelt(&mut draft, b"/%2fa", 0, b""), b"/%2fa");
    }
}
