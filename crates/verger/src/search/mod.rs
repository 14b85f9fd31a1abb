//! Searches for octets and literals in a text, in constant memory.
//!
//! # Flow
//!
//! `linear.rs` finds an octet or a literal with memchr, or without it with a search of this crate;
//! it also compares names without regard to case. A literal in a long text is compared with blocks
//! of the text (`blockwise.rs`); if that takes too long, the linear search continues. A text for
//! many searches (`searched.rs`) counts their cost. When it exceeds the cost of an index, the
//! suffixes of the text are sorted (`suffixes.rs`); from then on the comparison of blocks gives up
//! earlier, in favour of the index.

mod blockwise;
mod linear;
mod searched;
mod suffixes;

pub(crate) use linear::{compare_ignoring_case, contains_ignoring_case, find_octet};
pub(crate) use searched::{Searched, with_room};

#[cfg(test)]
mod tests {
    use super::blockwise::{self, BlockSearch, Turns};

    use super::linear::{self, find_linearly, two_way};
    use super::searched::find_unaided;
    use alloc::vec;
    use alloc::vec::Vec;

    /// All searches, compared with the naive one.
    #[track_caller]
    fn check(text: &[u8], literal: &[u8]) {
        let naive = (0..=text.len())
            .find(|&at| text[at..].starts_with(literal))
            .map(|at| at + literal.len());
        let rest = linear::find_rest(text.iter().copied(), &literal.iter().copied());
        assert_eq!(rest.map(|rest| text.len() - rest.len()), naive);
        for find in [find_unaided, find_linearly, two_way::find] {
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
    fn agrees_with_the_naive_search_on_all_short_texts_over_two_letters() {
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
    /// Texts that contain a literal once, at each boundary of a block, and nearly contain it
    /// everywhere else.
    #[test]
    fn long_texts_are_searched_to_the_end() {
        for length in [1, 2, 3, 13, 64, 255, 256, 1023, 1024, 1025] {
            let mut literal = b"ab".repeat(length).split_off(length);
            literal[length / 2] = b'c';
            let almost = b"ab".repeat(1_000);
            for text_length in [length + 383, length + 384, length + 500, length + 513] {
                let text = &almost[..text_length];
                check(text, &literal);
                let places = text_length - length;
                for place in (0..130).chain(places - 200..=places) {
                    let mut text = text.to_vec();
                    text[place..place + length].copy_from_slice(&literal);
                    assert_eq!(find_unaided(&text, &literal), Some(place));
                }
            }
        }
    }

    /// One octet differs at each place, and each time another one: blocks exclude hardly any place.
    #[test]
    fn the_linear_search_continues_where_the_blockwise_search_gives_up() {
        for length in [64, 128, 700] {
            let literal = b"a".repeat(length);
            let mut text = [&b"a".repeat(length - 1)[..], b"b"].concat().repeat(9_000 / length);
            assert!(matches!(
                blockwise::find(&text, &literal, Turns::BEFORE_A_SEARCH),
                (BlockSearch::GivenUp(_), _)
            ));
            check(&text, &literal);
            text.extend_from_slice(&literal);
            check(&text, &literal);
        }
    }
}
