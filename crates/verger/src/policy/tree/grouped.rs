//! Items of one node in groups, by the octet behind the node.

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
pub(super) fn common(items: &[Placed<'_, '_>], from: usize) -> usize {
    let [first, others @ ..] = items else { return from };
    let mut depth = first.prefix.len();
    for other in others {
        depth = common_of(&first.prefix[..depth], other.prefix, from);
        if depth == from {
            break;
        }
    }
    depth
}

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

/// Puts items in groups by the octet at `depth`, in ascending order, behind those whose prefix ends there; tells how
/// many these are. Within a group the order stays. `room` is room to do so.
///
/// # Complexity
///
/// Linear in the items, and once the number of octets.
pub(super) fn group<'i, 'r>(
    items: &mut [Placed<'i, 'r>],
    depth: usize,
    room: &mut Vec<Placed<'i, 'r>>,
) -> usize {
    if items.len() <= FEW {
        return group_few(items, depth);
    }
    // Where each group begins, behind those that end here; then where its next item goes.
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

/// So many are moved one past the other: counting octets would take longer.
const FEW: usize = 16;

fn group_few(items: &mut [Placed<'_, '_>], depth: usize) -> usize {
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
    fn groups_are_in_order_and_keep_theirs_however_many_items_there_are() {
        let prefixes: [&[u8]; 9] =
            [b"/b2", b"/", b"/\xff", b"/a", b"/b1", b"/\0", b"/", b"/b", b"/a"];
        for times in [0, 1, FEW] {
            let items: Vec<_> = prefixes
                .iter()
                .cycle()
                .take(times * prefixes.len())
                .map(|prefix| item(prefix))
                .collect();
            let mut found: Vec<_> = items.iter().map(Placed::new).collect();
            let mut expected = found.clone();
            expected.sort_by_key(|placed| placed.prefix.get(1));
            let own = group(&mut found, 1, &mut Vec::new());
            assert_eq!(own, 2 * times);
            let found = found.iter().map(|placed| core::ptr::from_ref(placed.item));
            assert!(found.eq(expected.iter().map(|placed| core::ptr::from_ref(placed.item))));
        }
    }

    #[test]
    fn what_all_begin_with_is_found_whatever_ends_where() {
        let long = b"/abcdefgh/ijklmnop";
        for ends in 1..=long.len() {
            for differs in 1..=long.len() {
                let mut other = long.to_vec();
                other[differs - 1] = b'!';
                let items = [item(long), item(&long[..ends]), item(&other), item(long)];
                let placed = items.each_ref().map(Placed::new);
                assert_eq!(common(&placed, 0), ends.min(differs - 1));
                assert_eq!(common(&placed[..1], 3), long.len());
            }
        }
    }
}
