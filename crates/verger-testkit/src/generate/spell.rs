//! Spelling octets.

use super::draft::Draft;
use super::octet::{Octet, RESERVED, UNSAFE, escaped};

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
