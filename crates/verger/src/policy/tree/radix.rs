//! Sorting items by one octet after another, while the tree is written: a radix sort from the first octet on.

use alloc::vec::Vec;

use crate::policy::rules::Item;

/// An item beside its prefix, which is looked at again for each node above it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'i, 'r> {
    pub(super) prefix: &'i [u8],
    pub(super) item: &'i Item<'r>,
}

impl<'i, 'r> Placed<'i, 'r> {
    pub(super) fn new(item: &'i Item<'r>) -> Self {
        Self { prefix: &item.prefix, item }
    }
}

/// How many octets all prefixes begin with, if they all begin with the same `from` octets.
///
/// # Complexity
///
/// O(n) for each octet behind `from` that all begin with. No two prefixes are compared much further, though some may
/// begin alike for longer: they would be again for each node below.
pub(super) fn common(items: &[Placed<'_, '_>], from: usize) -> usize {
    let [first, others @ ..] = items else { return from };
    let (mut depth, mut window) = (from, WINDOW);
    loop {
        let end = first.prefix.len().min(depth + window);
        let mut agreed = end;
        for other in others {
            agreed = common_of(&first.prefix[..agreed], other.prefix, depth);
            if agreed == depth {
                break;
            }
        }
        if agreed < end || end == first.prefix.len() {
            return agreed;
        }
        (depth, window) = (end, window * 2);
    }
}

/// So many octets of all are compared first, then twice as many, and so on.
const WINDOW: usize = 16;

fn common_of(left: &[u8], right: &[u8], from: usize) -> usize {
    let mut at = from;
    while let (Some(here), Some(there)) = (word(left, at), word(right, at)) {
        if here != there {
            return at + (here ^ there).trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let pairs = left[at..].iter().zip(&right[at..]);
    at + pairs.take_while(|(here, there)| here == there).count()
}

fn word(text: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*text[at..].first_chunk()?))
}

/// Sorts items by the octet at `depth`, behind those whose prefix ends there; tells how many these are. Items of the
/// same octet stay in their order. `room` is room to do so.
///
/// # Complexity
///
/// Linear in the items, and once the number of octets.
pub(super) fn sort_by_octet<'i, 'r>(
    items: &mut [Placed<'i, 'r>],
    depth: usize,
    room: &mut Vec<Placed<'i, 'r>>,
) -> usize {
    if items.len() <= FEW {
        return sort_few(items, depth);
    }
    // How many items have an octet; then where their first one goes; then their next one.
    let mut places = [0; 256];
    let octet_of = |item: &Placed<'_, '_>| item.prefix.get(depth).map(|&octet| usize::from(octet));
    items.iter().filter_map(octet_of).for_each(|octet| places[octet] += 1);
    let mut place = items.len();
    for count in places.iter_mut().rev() {
        place -= *count;
        *count = place;
    }
    let own = place;
    room.clear();
    room.extend_from_slice(items);
    let mut at_front = 0;
    for item in &*room {
        let place = octet_of(item).map_or(&mut at_front, |octet| &mut places[octet]);
        items[*place] = *item;
        *place += 1;
    }
    own
}

/// So many are moved one past the other, since counting looks at 256 octets. With 32 compiling takes as long.
const FEW: usize = 16;

fn sort_few(items: &mut [Placed<'_, '_>], depth: usize) -> usize {
    // One more than the octet, and nothing for what ends here.
    let key =
        |item: &Placed<'_, '_>| item.prefix.get(depth).map_or(0, |&octet| u16::from(octet) + 1);
    let mut keys = [0; FEW];
    for at in 0..items.len() {
        let (item, own) = (items[at], key(&items[at]));
        let mut place = at;
        while place > 0 && keys[place - 1] > own {
            keys[place] = keys[place - 1];
            items[place] = items[place - 1];
            place -= 1;
        }
        (keys[place], items[place]) = (own, item);
    }
    keys[..items.len()].iter().take_while(|&&key| key == 0).count()
}

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
    fn items_are_in_the_order_of_their_octets_and_else_in_their_own_however_many_there_are() {
        let prefixes: [&[u8]; 9] =
            [b"/b2", b"/", b"/\xff", b"/a", b"/b1", b"/\0", b"/", b"/b", b"/a"];
        for count in [0, 1, 9, FEW, FEW + 1, 9 * FEW] {
            let items: Vec<_> =
                prefixes.iter().cycle().take(count).map(|prefix| item(prefix)).collect();
            let mut found: Vec<_> = items.iter().map(Placed::new).collect();
            let mut expected = found.clone();
            expected.sort_by_key(|placed| placed.prefix.get(1));
            let own = sort_by_octet(&mut found, 1, &mut Vec::new());
            assert_eq!(own, items.iter().filter(|item| item.prefix.len() == 1).count());
            let found = found.iter().map(|placed| core::ptr::from_ref(placed.item));
            assert!(found.eq(expected.iter().map(|placed| core::ptr::from_ref(placed.item))));
        }
    }

    #[test]
    fn what_all_begin_with_is_found_whatever_ends_where() {
        let long = b"/abcdefgh/ijklmnop/qrstuvwxyz-abcdefgh";
        for ends in (1..=long.len()).step_by(STEP) {
            for differs in (1..=long.len()).step_by(STEP) {
                let mut other = long.to_vec();
                other[differs - 1] = b'!';
                let items = [item(long), item(&long[..ends]), item(&other), item(long)];
                let placed = items.each_ref().map(Placed::new);
                let expected = ends.min(differs - 1);
                for from in 0..=expected {
                    assert_eq!(common(&placed, from), expected, "{ends} {differs} from {from}");
                }
                assert_eq!(common(&placed[..1], 3), long.len());
            }
        }
    }

    /// Miri takes its time for each.
    const STEP: usize = if cfg!(miri) { 11 } else { 1 };
}
