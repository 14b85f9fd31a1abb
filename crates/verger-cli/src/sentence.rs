//! Parts of sentences: foreign text, times and numbers.

use std::borrow::Borrow;
use std::fmt::Display;

use indicatif::HumanCount;
use verger::Untrusted;
use verger::access::Timestamp;
use verger::limits::QUOTED_CHARS;

/// Foreign text, escaped and cut to a length for sentences.
pub(crate) fn brief<T: AsRef<[u8]> + ?Sized>(text: &T) -> Untrusted<'_> {
    Untrusted::new(text).limited_to(QUOTED_CHARS)
}

/// A number with its noun, in the plural if it is not 1.
pub(crate) fn counted<N: Copy + Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    format!("{number} {noun}{}", plural(noun, number == N::from(1)))
}

/// A number with commas between groups of three digits.
pub(crate) fn grouped(number: impl Borrow<u64>) -> String {
    HumanCount(*number.borrow()).to_string()
}

/// The same with its noun.
pub(crate) fn many(number: impl Borrow<u64>, noun: &str) -> String {
    let number = *number.borrow();
    format!("{} {noun}{}", grouped(number), plural(noun, number == 1))
}

/// The ending of a noun after a number.
fn plural(noun: &str, is_one: bool) -> &'static str {
    match noun {
        _ if is_one => "",
        _ if noun.ends_with("ch") => "es",
        _ => "s",
    }
}

/// Seconds since 1970 as a date and time in UTC; after the year 9999 as a number.
pub(crate) fn time(seconds: u64) -> String {
    Timestamp::from_seconds(seconds).to_string()
}

/// With the word `or`: `a`, `a or b`, `a, b or c`.
pub(crate) fn joined(names: &[String], word: &str) -> Option<String> {
    match names {
        [] => None,
        [one] => Some(one.clone()),
        [first @ .., last] => Some(format!("{} {word} {last}", first.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_escaped_and_cut() {
        assert_eq!(brief("a\n").to_string(), r"a\n");
    }

    #[test]
    fn numbers_have_groups_of_three_digits() {
        for (number, expected) in
            [(0_u64, "0"), (999, "999"), (1_000, "1,000"), (12_345_678, "12,345,678")]
        {
            assert_eq!(grouped(number), expected);
        }
    }

    #[test]
    fn times_after_the_year_9999_are_numbers() {
        assert_eq!(time(0), "1970-01-01T00:00:00Z");
        assert_eq!(time(1_763_700_000), "2025-11-21T04:40:00Z");
        assert_eq!(time(253_402_300_799), "9999-12-31T23:59:59Z");
        assert_eq!(time(253_402_300_800), "253402300800");
        assert_eq!(time(u64::MAX), "18446744073709551615");
    }
}
