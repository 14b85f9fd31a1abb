//! Division of the items below a node: items with the same octet, if there are many, become a
//! child.

use alloc::vec::Vec;

use crate::policy::rules::{Patterns, RuleItem};
use crate::span::narrow;

/// Maximum number of leaves for an octet of a table; more have a separate node. With 12, policies
/// are a fourteenth larger and checks take a twentieth longer; building takes a fortieth less.
const FEW: u32 = 8;

/// Length of the common prefix of all items, which share the first `from` octets.
///
/// # Complexity
///
/// O(n) for each common octet after `from`. No two prefixes are compared much further, even if some
/// share more octets: they would be compared again for each node below.
pub(super) fn common(patterns: &Patterns<'_>, items: &[RuleItem], from: usize) -> usize {
    let [first, others @ ..] = items else { return from };
    // Eight octets nearly always differ; the end of the prefix is checked afterwards.
    let (wanted, length) = patterns.word(first, from);
    let mut agreed = length.min(from + 8);
    for other in others {
        let (word, length) = patterns.word(other, from);
        let alike = (wanted ^ word).trailing_zeros() as usize / 8;
        agreed = agreed.min(from + alike).min(length);
    }
    if agreed < from + 8 { agreed } else { common_of_long(patterns, first, others, agreed) }
}

/// [`common`] for long common prefixes.
#[inline(never)]
fn common_of_long(
    patterns: &Patterns<'_>,
    first: &RuleItem,
    others: &[RuleItem],
    from: usize,
) -> usize {
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

/// Number of octets of the first comparison; it doubles each time.
const WINDOW: usize = 16;

/// The order of a node's items after a division: first those that end there, then those whose octet
/// few others have, then the others, grouped by octet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Division {
    /// Number of items that end there.
    pub(super) own: usize,
    /// Number of items whose octet few others have.
    pub(super) leaves: usize,
}

/// Divides items by the octet at `depth`, and keeps the order within a group. `room` is a buffer.
///
/// # Complexity
///
/// Linear in the items, plus the number of octets.
pub(super) fn divide(
    patterns: &Patterns<'_>,
    items: &mut [RuleItem],
    depth: usize,
    room: &mut Vec<RuleItem>,
) -> Division {
    let octet_of =
        |item: &RuleItem| patterns.prefix(item).get(depth).map(|&octet| usize::from(octet));
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
        return Division { own: 0, leaves: items.len() };
    }
    room.clear();
    room.extend_from_slice(items);
    // The place of the next item of an octet that many items share; 0 before the first one.
    let mut places = [0_u32; 256];
    let (mut next_own, mut next_leaf, mut end) = (0, narrow(own), narrow(items.len()));
    for item in &*room {
        let place = match octet_of(item) {
            None => &mut next_own,
            Some(octet) if counts[octet] <= FEW => &mut next_leaf,
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
    Division { own, leaves: next_leaf as usize - own }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crawler::AsCrawler;
    use crate::policy::rules::read;
    use crate::{Crawler, Robots};
    use alloc::format;

    /// Calls `run` with the items of rules with these prefixes.
    fn with_items<T>(
        prefixes: &[&str],
        run: impl FnOnce(&Patterns<'_>, &mut [RuleItem]) -> T,
    ) -> T {
        let rules = prefixes.join("\nAllow: ");
        let robots = Robots::parse(&format!("User-agent: *\nAllow: {rules}\n"));
        let outline = robots.outline();
        let groups = outline.select(Crawler::new("bot").as_crawler());
        let (mut rules, _) = read(outline, &groups);
        run(&rules.patterns, &mut rules.items)
    }

    #[test]
    fn items_are_grouped_by_the_number_that_share_their_octet() {
        let many = FEW as usize + 1;
        for count in [1, FEW as usize, many, if cfg!(miri) { 30 } else { 300 }] {
            let prefixes: Vec<&str> = ["/b2", "/", "/~", "/b1"]
                .into_iter()
                .chain(["/a", "/aa"].into_iter().cycle().take(count))
                .chain(["/c"; FEW as usize + 1])
                .chain(["/", "/b"])
                .collect();
            with_items(&prefixes, |patterns, items| {
                let division = divide(patterns, items, 1, &mut Vec::new());
                let share = |prefix: &str| {
                    let octet = prefix.as_bytes().get(1);
                    let share = prefixes.iter().filter(|other| other.as_bytes().get(1) == octet);
                    (octet.copied(), share.count())
                };
                let is_own = |prefix: &&&str| share(prefix).0.is_none();
                let is_leaf = |prefix: &&&str| !is_own(prefix) && share(prefix).1 < many;
                let own: Vec<_> = prefixes.iter().filter(is_own).collect();
                let leaves: Vec<_> = prefixes.iter().filter(is_leaf).collect();
                let expected = Division { own: own.len(), leaves: leaves.len() };
                assert_eq!(division, expected, "{count}");
                let found: Vec<&[u8]> = items.iter().map(|item| patterns.prefix(item)).collect();
                let first = own.into_iter().chain(leaves).map(|prefix| prefix.as_bytes());
                assert!(first.eq(found[..division.own + division.leaves].iter().copied()));
                // The others are grouped by octet, in their order.
                let others = &found[division.own + division.leaves..];
                for run in others.chunk_by(|one, other| one[1] == other[1]) {
                    let all =
                        prefixes.iter().filter(|prefix| prefix.as_bytes().get(1) == run[0].get(1));
                    assert!(all.map(|prefix| prefix.as_bytes()).eq(run.iter().copied()));
                }
            });
        }
    }

    #[test]
    fn common_prefixes_are_found_for_all_lengths() {
        let long = "/abcdefgh/ijklmnop/qrstuvwxyz-abcdefgh";
        for ends in (1..=long.len()).step_by(STEP) {
            for differs in (1..=long.len()).step_by(STEP) {
                let other = format!("{}!{}", &long[..differs - 1], &long[differs..]);
                with_items(&[long, &long[..ends], &other, long], |patterns, items| {
                    let expected = ends.min(differs - 1);
                    for from in 0..=expected {
                        let found = common(patterns, items, from);
                        assert_eq!(found, expected, "{ends} {differs} from {from}");
                    }
                    assert_eq!(common(patterns, &items[..1], 3), long.len());
                });
            }
        }
    }

    /// Miri is slow.
    const STEP: usize = if cfg!(miri) { 11 } else { 1 };
}
