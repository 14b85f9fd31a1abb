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
    /// Between dialects: a rule has more than 4,096 spellings, or the rules escape
    /// too many different octets.
    TooManySpellings,
    /// Between dialects: the rules differ on texts that no client sends, perhaps also on URLs. A
    /// pattern has more than 64 stars.
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

/// The rest of the work that one or several questions may take.
///
/// The default is that of one question, [`limits::WORK`]. A shared budget bounds the time of many
/// questions about foreign files.
///
/// # Examples
///
/// ```
/// use verger::Robots;
/// use verger_analysis::{Analysis, Budget, Undecided};
///
/// let robots = Robots::parse("User-agent: *\nDisallow: /a\nDisallow: /a/b\n");
/// let analysis = Analysis::new(&robots, "ExampleBot");
/// let mut budget = Budget::new(100_000);
/// assert_eq!(analysis.redundant_rules(&mut budget).found.len(), 1);
/// assert!(budget.left() < 100_000);
///
/// let undecided = analysis.redundant_rules(&mut Budget::new(0)).undecided;
/// assert_eq!(undecided[0].1, Undecided::TooMuchWork);
/// ```
#[derive(Debug)]
pub struct Budget {
    left: u64,
    /// The pairs with too many merges that may still be found.
    unmerged: usize,
}

impl Default for Budget {
    /// The budget of one question: [`limits::WORK`].
    fn default() -> Self {
        Self::new(limits::WORK)
    }
}

impl Budget {
    /// A budget in units of work, about one for each octet that is read.
    pub const fn new(units: u64) -> Self {
        Self { left: units, unmerged: limits::UNMERGED_PAIRS }
    }

    /// The units that are left.
    pub const fn left(&self) -> u64 {
        self.left
    }

    /// Counts a pair of patterns with too many merges, and returns the reason: another pair may
    /// show something, unless there were too many such pairs.
    pub(crate) fn unmerged(&mut self) -> Undecided {
        match self.unmerged.checked_sub(1) {
            Some(unmerged) => {
                self.unmerged = unmerged;
                Undecided::TooManyMerges
            }
            None => Undecided::TooMuchWork,
        }
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
        let mut budget = Budget::new(5);
        assert_eq!(budget.spend(5), Ok(()));
        assert_eq!(budget.spend(0), Ok(()));
        assert_eq!(budget.spend(1), Err(Undecided::TooMuchWork));
        for _ in 0..limits::UNMERGED_PAIRS {
            assert_eq!(budget.unmerged(), Undecided::TooManyMerges);
        }
        assert_eq!(budget.unmerged(), Undecided::TooMuchWork);
    }

    #[test]
    fn reasons_end_a_sentence() {
        assert_eq!(
            Undecided::TooManyMerges.to_string(),
            "two patterns overlap in more than 4096 ways, or are too long"
        );
    }
}
