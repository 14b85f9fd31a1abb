//! Octets that represent themselves in every form and in every pattern; most patterns have no
//! others.

use super::table::{BUT_SLASH, DECODED, GOOGLE_PATTERN, OctetKind, RFC9309, UNSAFE_ESCAPED};

/// Whether a part of a text consists of usual octets only. `false` proves nothing: other octets may
/// represent themselves, too.
///
/// # Complexity
///
/// Linear in the part; a short part is checked at once.
#[inline]
pub(crate) fn is_usual(text: &[u8], from: usize, length: usize) -> bool {
    if let (Some(whole), Ok(length @ ..WHOLE)) = (text[from..].first_chunk(), u8::try_from(length))
    {
        return others(whole, length) == 0;
    }
    let part = &text[from..from + length];
    let (wholes, rest) = part.as_chunks();
    let are_usual = wholes.iter().all(|whole| others(whole, WHOLE) == 0);
    // The last octets overlap those before.
    are_usual
        && match part.last_chunk() {
            Some(last) => others(last, WHOLE) == 0,
            None => rest.iter().all(|&octet| is_usual_octet(octet)),
        }
}

/// Most patterns are shorter. The type is `u8`, like the octets, so that the positions can be
/// compared in the same vector.
const WHOLE: u8 = 32;

/// Non-zero if one of the first `length` octets is not usual. Has no branch that depends on the
/// octets or on the length.
#[inline]
fn others(whole: &[u8; WHOLE as usize], length: u8) -> u8 {
    let other = |(&octet, at): (&u8, u8)| u8::from(!is_usual_octet(octet)) & u8::from(at < length);
    whole.iter().zip(0..).fold(0, |others, pair| others | other(pair))
}

/// Ranges, so that many octets can be compared at once.
#[inline]
const fn is_usual_octet(octet: u8) -> bool {
    let is_letter = (octet | 0x20).wrapping_sub(b'a') < 26;
    // `-`, `.`, `/` and the digits.
    let is_digit_or_mark = octet.wrapping_sub(b'-') <= b'9' - b'-';
    is_letter || is_digit_or_mark || matches!(octet, b'_' | b'?' | b'=' | b'&')
}

const _: () = {
    let forms = [&RFC9309, &GOOGLE_PATTERN, &DECODED, &BUT_SLASH, &UNSAFE_ESCAPED];
    let mut octet = 0_u8;
    loop {
        if is_usual_octet(octet) {
            assert!(octet != b'*' && octet != b'$', "operators of patterns");
            let mut at = 0;
            while at < forms.len() {
                assert!(matches!(forms[at].kinds[octet as usize], OctetKind::Plain));
                at += 1;
            }
        }
        if octet == u8::MAX {
            break;
        }
        octet += 1;
    }
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_octet_within_a_part_makes_it_unusual() {
        let usual = b"/abcXYZ019-._?a=b&c/".repeat(5);
        for length in [0, 1, 7, 8, 31, 32, 33, 60] {
            for from in [0, 1, 20] {
                assert!(is_usual(&usual, from, length), "{length} from {from}");
                for other in [b'*', b'$', b'%', b' ', b'{', b'@', b'`', b'[', 0, 0x80, 0xff] {
                    let mut text = usual.clone();
                    text[from + length] = other;
                    assert!(is_usual(&text, from, length), "{length} from {from}");
                    if length > 0 {
                        text[from + length - 1] = other;
                        assert!(!is_usual(&text, from, length), "{length} from {from}");
                    }
                }
            }
        }
        assert!(is_usual(b"/a", 0, 2) && !is_usual(b"/*", 0, 2));
    }
}
