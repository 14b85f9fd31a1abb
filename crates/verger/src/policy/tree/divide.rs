//! Which items belong together below a node: those of the same octet, where there are many.

use alloc::vec::Vec;

use super::FEW;
use crate::policy::rules::{Item, Patterns};

/// How many octets all prefixes begin with, if they all begin with the same `from` octets.
///
/// # Complexity
///
/// O(n) for each octet behind `from` that all begin with. No two prefixes are compared much further, though some may
/// begin alike for longer: they would be again for each node below.
pub(super) fn common(patterns: &Patterns<'_>, items: &[Item], from: usize) -> usize {
    let [first, others @ ..] = items else { return from };
    // Eight octets tell nearly always; which of them stand behind the prefix is seen afterwards.
    let (wanted, length) = patterns.word(first, from);
    let mut agreed = length.min(from + 8);
    for other in others {
        let (word, length) = patterns.word(other, from);
        let alike = (wanted ^ word).trailing_zeros() as usize / 8;
        agreed = agreed.min(from + alike).min(length);
    }
    if agreed < from + 8 { agreed } else { common_of_long(patterns, first, others, agreed) }
}

/// [`common`] for long ones.
#[inline(never)]
fn common_of_long(patterns: &Patterns<'_>, first: &Item, others: &[Item], from: usize) -> usize {
    let first = patterns.prefix(first);
    let (mut depth, mut window) = (from, WINDOW);
    loop {
        let end = first.len().min(depth + window);
        let mut agreed = end;
        for other in others {
            let pairs = first[depth..agreed].iter().zip(&patterns.prefix(other)[depth..]);
            agreed = depth + pairs.take_while(|(here, there)| here == there).count();
            if agreed == depth {
                break;
            }
        }
        if agreed < end || end == first.len() {
            return agreed;
        }
        (depth, window) = (end, window * 2);
    }
}

/// So many octets of all are compared, then twice as many, and so on.
const WINDOW: usize = 16;

/// How the items of a node were divided: first those that end there, then those whose octet few others have, then
/// the others, those of the same octet one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Division {
    /// How many end there.
    pub(super) own: usize,
    /// How many there are whose octet few have.
    pub(super) single: usize,
}

/// Divides items by the octet at `depth`. Those that stay together stay in their order. `room` is room to do so.
///
/// # Complexity
///
/// Linear in the items, and once the number of octets.
pub(super) fn divide(
    patterns: &Patterns<'_>,
    items: &mut [Item],
    depth: usize,
    room: &mut Vec<Item>,
) -> Division {
    let octet_of = |item: &Item| patterns.prefix(item).get(depth).map(|&octet| usize::from(octet));
    let mut counts = [0_u32; 256];
    let (mut own, mut most) = (0, 0);
    if items.len() <= FEW as usize {
        own = items.iter().filter(|item| octet_of(item).is_none()).count();
    } else {
        for item in &*items {
            match octet_of(item) {
                Some(octet) => {
                    counts[octet] += 1;
                    most = most.max(counts[octet]);
                }
                None => own += 1,
            }
        }
    }
    if own == 0 && most <= FEW {
        return Division { own, single: items.len() };
    }
    room.clear();
    room.extend_from_slice(items);
    // Where the next one of an octet goes: of those that many have, behind all others.
    let mut places = [0_u32; 256];
    let (mut next_own, mut next_single, mut end) = (0, own as u32, items.len() as u32);
    for item in &*room {
        let place = match octet_of(item) {
            None => &mut next_own,
            Some(octet) if counts[octet] <= FEW => &mut next_single,
            Some(octet) => {
                if places[octet] == 0 {
                    end -= counts[octet];
                    places[octet] = end;
                }
                &mut places[octet]
            }
        };
        items[*place as usize] = *item;
        *place += 1;
    }
    Division { own, single: next_single as usize - own }
}
