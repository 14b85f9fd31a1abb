//! What a rule says, and which of several decides.

use core::cmp::Ordering;

use crate::dialect::Precedence;

/// What a rule says, and which of several that match decides: the greatest by [`Rank::cmp`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rank {
    pub(super) length: u64,
    pub(super) allows: bool,
    pub(super) line: u32,
}

impl Rank {
    /// Greater is what decides. Lines stand for the order in the file: no line has two rules.
    pub(super) fn cmp(self, other: Self, precedence: Precedence) -> Ordering {
        let earlier = other.line.cmp(&self.line);
        match precedence {
            Precedence::FirstMatch => earlier,
            Precedence::LongestPattern => {
                (self.length, self.allows).cmp(&(other.length, other.allows)).then(earlier)
            }
        }
    }

    /// The one that decides.
    pub(super) fn best(found: Option<Self>, other: Self, precedence: Precedence) -> Option<Self> {
        let is_better = found.is_none_or(|found| other.cmp(found, precedence) == Ordering::Greater);
        if is_better { Some(other) } else { found }
    }

    /// The line, a flag, and whether it allows, as one number.
    #[inline]
    pub(super) fn number(self, flag: bool) -> u64 {
        u64::from(self.line) << 2 | u64::from(flag) << 1 | u64::from(self.allows)
    }

    /// What a number says of a rule of this length.
    #[inline]
    pub(super) fn of_number(number: u64, length: u64) -> Option<Self> {
        Some(Self { length, allows: number & 1 == 1, line: u32::try_from(number >> 2).ok()? })
    }
}

/// The flag in the number of a rank.
pub(super) const FLAG: u64 = 2;
