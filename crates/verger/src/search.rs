//! Finding the literal parts of a pattern inside a target, in linear time and constant memory.

mod blockwise;
#[cfg(any(test, not(feature = "memchr")))]
mod two_way;

use core::cmp::Ordering;

/// Where a literal first occurs in a text: the offset behind it.
///
/// # Complexity
///
/// O(text + literal) octets; for texts made to be searched in vain at the worst O(text x literal) with literals
/// of up to 256 octets, sixteen or more octets at a time.
pub(crate) fn find_end(text: &[u8], literal: &[u8]) -> Option<usize> {
    let is_long = text.len() >= blockwise::SHORTEST_TEXT;
    let start = match literal {
        // Without the library, blocks are faster than one octet after another.
        &[octet] if !is_long || cfg!(feature = "memchr") => find_octet(text, octet),
        [_, ..] if is_long && literal.len() <= blockwise::LONGEST => blockwise::find(text, literal),
        _ => find_linearly(text, literal),
    };
    start.map(|start| start + literal.len())
}

/// Where a literal first occurs: fast for the usual text, linear for any.
fn find_linearly(text: &[u8], literal: &[u8]) -> Option<usize> {
    #[cfg(feature = "memchr")]
    return memchr::memmem::find(text, literal);
    #[cfg(not(feature = "memchr"))]
    two_way::find(text, literal)
}

/// Where an octet first occurs.
#[inline]
pub(crate) fn find_octet(text: &[u8], octet: u8) -> Option<usize> {
    #[cfg(feature = "memchr")]
    return memchr::memchr(octet, text);
    #[cfg(not(feature = "memchr"))]
    text.iter().position(|&other| other == octet)
}

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
pub(crate) fn folded(text: &[u8]) -> impl ExactSizeIterator<Item = u8> + Clone {
    text.iter().map(u8::to_ascii_lowercase)
}

/// A rolling hash (Karp and Rabin): it needs neither random access nor a table, so it runs on texts that
/// are folded while they are read.
fn find_rest<T, L>(text: T, literal: &L) -> Option<T>
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
    use alloc::vec;
    use alloc::vec::Vec;

    /// All searches, and the obvious one.
    #[track_caller]
    fn check(text: &[u8], literal: &[u8]) {
        let naive = (0..=text.len())
            .find(|&at| text[at..].starts_with(literal))
            .map(|at| at + literal.len());
        assert_eq!(find_end(text, literal), naive);
        let rest = find_rest(text.iter().copied(), &literal.iter().copied());
        assert_eq!(rest.map(|rest| text.len() - rest.len()), naive);
        for find in [find_linearly, two_way::find] {
            let start = find(text, literal);
            assert_eq!(start.map(|start| start + literal.len()), naive);
        }
    }

    #[test]
    fn finds_the_first_occurrence_or_nothing() {
        check(b"", b"");
        check(b"abc", b"");
        check(b"", b"a");
        check(b"abcabc", b"bc");
        check(b"abcabc", b"abcabc");
        check(b"abcabc", b"abcabcd");
        check(b"aaaab", b"aab");
        check(b"abab", b"ba");
        check(b"\0\0\x01", b"\0\x01");
    }

    #[test]
    fn case_is_folded_in_ascii_only() {
        assert!(contains_ignoring_case(b"Dont-BOTher-Me", b"bot"));
        assert!(contains_ignoring_case(b"x", b""));
        assert!(!contains_ignoring_case(b"bo", b"bot"));
        assert!(!contains_ignoring_case("\u{212a}".as_bytes(), b"k"));
    }

    #[test]
    fn agrees_with_the_obvious_search_on_all_short_texts_over_two_letters() {
        let words = |longest: usize| {
            let mut words = vec![Vec::new()];
            let mut from = 0;
            for _ in 0..longest {
                let to = words.len();
                for at in from..to {
                    for letter in *b"ab" {
                        let mut word: Vec<u8> = words[at].clone();
                        word.push(letter);
                        words.push(word);
                    }
                }
                from = to;
            }
            words
        };
        for text in words(10) {
            for literal in words(6) {
                check(&text, &literal);
            }
        }
    }
    /// Texts that hold a literal once, at each place where blocks begin and end, and almost everywhere else.
    #[test]
    fn long_texts_are_searched_to_the_end() {
        for length in [1, 2, 3, 13, 64, 255, 256, 257] {
            let mut literal = b"ab".repeat(length).split_off(length);
            literal[length / 2] = b'c';
            let (almost, octets) = (b"ab".repeat(400), blockwise::SHORTEST_TEXT + 150);
            for text_length in [blockwise::SHORTEST_TEXT, octets - 1, octets] {
                let text = &almost[..text_length];
                check(text, &literal);
                let places = text_length - length;
                for place in (0..130).chain(places - 200..=places) {
                    let mut text = text.to_vec();
                    text[place..place + length].copy_from_slice(&literal);
                    assert_eq!(find_end(&text, &literal), Some(place + length));
                }
            }
        }
    }
}
