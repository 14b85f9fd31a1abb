//! Items in the order of their prefixes.

use alloc::vec::Vec;

use crate::policy::rules::Item;

/// An item behind the first octets of its prefix, as a number whose order never contradicts that of the
/// prefixes: most are told apart by it.
pub(super) struct Sorted<'i, 'r> {
    first: u64,
    pub(super) prefix: &'i [u8],
    pub(super) item: &'i Item<'r>,
}

/// Sorts items by their prefixes.
pub(super) fn sorted<'i, 'r>(items: &'i [Item<'r>]) -> Vec<Sorted<'i, 'r>> {
    let mut sorted: Vec<_> = items.iter().map(Sorted::of).collect();
    sorted.sort_unstable_by(|left, right| {
        left.first.cmp(&right.first).then_with(|| left.prefix.cmp(right.prefix))
    });
    sorted
}

impl<'i, 'r> Sorted<'i, 'r> {
    fn of(item: &'i Item<'r>) -> Self {
        let prefix = &*item.prefix;
        let octets = prefix.first_chunk().copied().unwrap_or_else(|| {
            let mut octets = [0; FIRST];
            octets[..prefix.len()].copy_from_slice(prefix);
            octets
        });
        Self { first: u64::from_be_bytes(octets), prefix, item }
    }

    /// How many octets both prefixes begin with.
    pub(super) fn common(&self, other: &Self) -> usize {
        let shorter = self.prefix.len().min(other.prefix.len());
        let first = (self.first ^ other.first).leading_zeros() as usize / 8;
        if first < FIRST || shorter < FIRST {
            // Behind the end of a prefix there are zeros, which may be octets of the other.
            return first.min(shorter);
        }
        let behind = self.prefix[FIRST..].iter().zip(&other.prefix[FIRST..]);
        FIRST + behind.take_while(|(left, right)| left == right).count()
    }
}

/// How many octets the number has.
const FIRST: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::rules::{Rank, Shape};
    use alloc::borrow::Cow;

    fn item(prefix: &[u8]) -> Item<'_> {
        let rank = Rank { length: 0, allows: true, line: 1 };
        Item { prefix: Cow::Borrowed(prefix), shape: Shape::Open, rank }
    }

    #[test]
    fn prefixes_that_begin_alike_are_told_apart_by_length_zeros_and_what_follows() {
        let prefixes: [&[u8]; 9] =
            [b"", b"\0", b"\0\0", b"/a", b"/a\0", b"/abcdefg", b"/abcdefg\0", b"/abcdefgh", b"/b"];
        let items: Vec<_> = prefixes.iter().rev().map(|prefix| item(prefix)).collect();
        let sorted = sorted(&items);
        assert!(sorted.iter().map(|sorted| sorted.prefix).eq(prefixes));
        for (left, right) in sorted.iter().zip(&sorted[1..]) {
            let pairs = left.prefix.iter().zip(right.prefix);
            assert_eq!(left.common(right), pairs.take_while(|(a, b)| a == b).count());
        }
    }
}
