//! Texts compared without regard to ASCII case: the names of crawlers.

use core::cmp::Ordering;

/// Whether a text holds a part, ASCII case aside.
///
/// # Complexity
///
/// O(text + part) octets, but for texts made to collide in the hash below, which cost O(text x part) at the
/// most. One of the two is a crawler's token, and short.
pub(crate) fn contains_ignoring_case(text: &[u8], part: &[u8]) -> bool {
    find_rest(folded(text), &folded(part)).is_some()
}

/// The order of two texts, ASCII case aside.
pub(crate) fn compare_ignoring_case(left: &[u8], right: &[u8]) -> Ordering {
    folded(left).cmp(folded(right))
}

/// The octets in lower case, ASCII only.
fn folded(text: &[u8]) -> impl ExactSizeIterator<Item = u8> + Clone {
    text.iter().map(u8::to_ascii_lowercase)
}

/// A rolling hash (Karp and Rabin): it needs neither random access nor a table, so it runs on texts that
/// are folded while they are read.
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

/// Odd and large, so that an octet reaches the upper half of the hash within a few steps.
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
