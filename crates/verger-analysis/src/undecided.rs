//! Reasons for a missing answer, and the budget of a question.

use core::fmt;

use crate::limits;

/// The reason why a question is undecided. An answer is never guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Undecided {
    /// The patterns use every letter, digit and mark that could represent "any text".
    NoFreshOctet,
    /// Two patterns have more than [`limits::MERGES`] merges, or they are too long.
    TooManyMerges,
    /// The question needs more than [`limits::WORK`].
    TooMuchWork,
    /// Two policies have more than [`limits::CHANGES`] changes.
    TooManyChanges,
    /// Between dialects: a rule has more than [`limits::SPELLINGS`] spellings, or the rules escape
    /// too many different octets.
    TooManySpellings,
    /// Between dialects: the rules differ on texts that no client sends, perhaps also on URLs. A
    /// pattern has more than [`limits::QUERY_STARS`] stars.
    OutsideUrls,
    /// The engine did not confirm a witness at the given origin.
    NotConfirmed,
}

impl Undecided {
    /// The name in JSON output: `too_many_merges`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoFreshOctet => "no_fresh_octet",
            Self::TooManyMerges => "too_many_merges",
            Self::TooMuchWork => "too_much_work",
            Self::TooManyChanges => "too_many_changes",
            Self::TooManySpellings => "too_many_spellings",
            Self::OutsideUrls => "outside_urls",
            Self::NotConfirmed => "not_confirmed",
        }
    }
}

impl fmt::Display for Undecided {
    /// The reason as the end of a sentence: `… is undecided, because …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFreshOctet => {
                f.write_str("the patterns use every octet that could represent any text")
            }
            Self::TooManyMerges => {
                write!(
                    f,
                    "two patterns overlap in more than {} ways, or are too long",
                    limits::MERGES
                )
            }
            Self::TooMuchWork => f.write_str("the rules overlap in too many ways"),
            Self::TooManyChanges => {
                write!(f, "the policies have more than {} changes", limits::CHANGES)
            }
            Self::TooManySpellings => f.write_str("the rules can be spelt in too many ways"),
            Self::OutsideUrls => {
                f.write_str("the rules differ on texts that are not URLs, perhaps also on URLs")
            }
            Self::NotConfirmed => f.write_str("the engine did not confirm a witness"),
        }
    }
}

impl core::error::Error for Undecided {}

/// The rest of the work that one question may take.
#[derive(Debug)]
pub(crate) struct Budget {
    left: u64,
}

impl Budget {
    pub(crate) const fn new() -> Self {
        Self::of(limits::WORK)
    }

    pub(crate) const fn of(left: u64) -> Self {
        Self { left }
    }

    /// Takes a part of the budget: about one unit for each octet that is read.
    #[inline]
    pub(crate) fn spend(&mut self, units: usize) -> Result<(), Undecided> {
        match self.left.checked_sub(units as u64) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Undecided::TooMuchWork),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends() {
        let mut budget = Budget { left: 5 };
        assert_eq!(budget.spend(5), Ok(()));
        assert_eq!(budget.spend(0), Ok(()));
        assert_eq!(budget.spend(1), Err(Undecided::TooMuchWork));
    }

    #[test]
    fn reasons_end_a_sentence() {
        assert_eq!(
            Undecided::TooManyMerges.to_string(),
            "two patterns overlap in more than 4096 ways, or are too long"
        );
    }
}
