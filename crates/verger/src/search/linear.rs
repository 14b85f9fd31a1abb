//! Searches in linear time: for an octet, for a literal, and for a text without regard to ASCII
//! case.
//!
//! # Flow
//!
//! With feature `simd`, octets and literals are found by memchr; without it, literals by the search
//! of Crochemore and Perrin.

use core::cmp::Ordering;

/// Whether a literal is searched as an octet. Without memchr, blocks are faster than a search octet
/// by octet.
pub(super) const fn is_octet(literal: &[u8]) -> bool {
    cfg!(feature = "simd") && literal.len() == 1
}

/// The position of the first occurrence of a literal: fast for the usual text, linear for any.
pub(super) fn find_linearly(text: &[u8], literal: &[u8]) -> Option<usize> {
    #[cfg(feature = "simd")]
    return memchr::memmem::find(text, literal);
    #[cfg(not(feature = "simd"))]
    two_way::find(text, literal)
}

/// The position of the first occurrence of an octet.
#[inline]
pub(crate) fn find_octet(text: &[u8], octet: u8) -> Option<usize> {
    #[cfg(feature = "simd")]
    return memchr::memchr(octet, text);
    #[cfg(not(feature = "simd"))]
    text.iter().position(|&other| other == octet)
}

/// The search of Crochemore and Perrin (1991): linear time and constant memory for all texts.
///
/// The literal is cut in two so that no shift by less than its period can miss an occurrence. The
/// right part is compared forwards, then the left part backwards. A difference in the right part
/// shifts past it, one in the left part shifts by the period.
#[cfg(any(test, not(feature = "simd")))]
pub(super) mod two_way {
    /// The position of the first occurrence of a literal in a text.
    pub(in crate::search) fn find(text: &[u8], literal: &[u8]) -> Option<usize> {
        if literal.is_empty() {
            return Some(0);
        }
        let Cut { at: cut, period } = cut(literal);
        // If the period of the right part is the period of the whole literal, the octets compared
        // before a shift need not be compared again. Otherwise any period of the whole is longer
        // than either part.
        let is_periodic = literal[period..].starts_with(&literal[..cut]);
        let shift = if is_periodic { period } else { cut.max(literal.len() - cut) + 1 };
        let (mut at, mut known) = (0, 0);
        while let Some(window) = text.get(at..at + literal.len()) {
            let differs = |&here: &usize| window[here] != literal[here];
            if let Some(here) = (cut.max(known)..literal.len()).find(differs) {
                at += here - cut + 1;
                known = 0;
            } else if (known..cut).rev().find(differs).is_some() {
                at += shift;
                known = if is_periodic { literal.len() - shift } else { 0 };
            } else {
                return Some(at);
            }
        }
        None
    }

    /// A cut, and the period of the part to the right of it.
    #[derive(Clone, Copy)]
    struct Cut {
        at: usize,
        period: usize,
    }

    /// The later of the two greatest suffixes, by either order of octets.
    fn cut(literal: &[u8]) -> Cut {
        let up = greatest_suffix(literal, |left, right| left < right);
        let down = greatest_suffix(literal, |left, right| left > right);
        if up.at > down.at { up } else { down }
    }

    /// The start of the greatest suffix in an order, and its period.
    fn greatest_suffix(literal: &[u8], is_less: impl Fn(u8, u8) -> bool) -> Cut {
        let mut best = Cut { at: 0, period: 1 };
        // A candidate for a greater suffix, and the length of the compared part.
        let (mut rival, mut compared) = (1, 0);
        while let Some(&theirs) = literal.get(rival + compared) {
            let ours = literal[best.at + compared];
            if is_less(theirs, ours) {
                rival += compared + 1;
                compared = 0;
                best.period = rival - best.at;
            } else if theirs == ours {
                compared += 1;
                if compared == best.period {
                    rival += compared;
                    compared = 0;
                }
            } else {
                best = Cut { at: rival, period: 1 };
                rival += 1;
                compared = 0;
            }
        }
        best
    }
}

/// Whether a text contains a part, without regard to ASCII case.
///
/// # Complexity
///
/// O(text + part) octets; at most O(text x part) for texts made to collide in the hash below. One
/// of the two is a crawler's token, and short.
pub(crate) fn contains_ignoring_case(text: &[u8], part: &[u8]) -> bool {
    find_rest(folded(text), &folded(part)).is_some()
}

/// The order of two texts, without regard to ASCII case.
pub(crate) fn compare_ignoring_case(left: &[u8], right: &[u8]) -> Ordering {
    folded(left).cmp(folded(right))
}

/// The octets in lower case, ASCII only.
fn folded(text: &[u8]) -> impl ExactSizeIterator<Item = u8> + Clone {
    text.iter().map(u8::to_ascii_lowercase)
}

/// A rolling hash (Karp and Rabin): it needs neither random access nor a table, so it works on
/// texts that are folded during the search.
pub(super) fn find_rest<T, L>(text: T, literal: &L) -> Option<T>
where
    T: Iterator<Item = u8> + Clone,
    L: Iterator<Item = u8> + Clone,
{
    let mut wanted = 0_u64;
    let mut found = 0_u64;
    // The weight of the octet that leaves the window.
    let mut leaving = 1_u64;
    let mut head = text.clone();
    for octet in literal.clone() {
        wanted = roll(wanted, octet);
        found = roll(found, head.next()?);
        leaving = leaving.wrapping_mul(BASE);
    }
    let mut tail = text;
    loop {
        if found == wanted && starts_with(tail.clone(), literal.clone()) {
            return Some(head);
        }
        let entering = head.next()?;
        let left = tail.next()?;
        found = roll(found, entering).wrapping_sub(leaving.wrapping_mul(u64::from(left) + 1));
    }
}

fn starts_with(mut text: impl Iterator<Item = u8>, mut literal: impl Iterator<Item = u8>) -> bool {
    literal.all(|octet| text.next() == Some(octet))
}

/// Odd and large, so that an octet affects the upper half of the hash within a few steps.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

fn roll(hash: u64, octet: u8) -> u64 {
    hash.wrapping_mul(BASE).wrapping_add(u64::from(octet) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_is_folded_in_ascii_only() {
        assert!(contains_ignoring_case(b"Dont-BOTher-Me", b"bot"));
        assert!(contains_ignoring_case(b"x", b""));
        assert!(!contains_ignoring_case(b"bo", b"bot"));
        assert!(!contains_ignoring_case("\u{212a}".as_bytes(), b"k"));
    }
}
