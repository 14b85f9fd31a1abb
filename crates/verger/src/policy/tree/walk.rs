//! Walking down the tree along a target.

use crate::compact::{Reader, fixed};
use crate::dialect::Precedence;
use crate::policy::rules::{FLAG, Rank};
use crate::policy::wildcards;

const RULES: u8 = 0b11;
/// [`HAS_OPEN`] or [`HAS_EXACT`] alone, or no rules, are these two bits; any other combination has
/// a byte.
pub(super) const MORE: u8 = 3;
/// A rule that matches any rest of the target.
pub(super) const HAS_OPEN: u8 = 1;
/// A rule that matches only the end of the target.
pub(super) const HAS_EXACT: u8 = 2;
/// Patterns with wildcards.
pub(super) const HAS_WILD: u8 = 4;

/// In the number of a leaf: it is more than a prefix. The number is then the length of the required
/// text, which is followed by a byte of rules and these rules, as in a node; otherwise it is a
/// rank.
pub(super) const SPECIAL: u64 = 2;

const CHILDREN: u8 = 0b111 << 2;
pub(super) const LEAF: u8 = 0;
pub(super) const ONE: u8 = 1 << 2;
pub(super) const OFFSETS_8: u8 = 2 << 2;
pub(super) const OFFSETS_16: u8 = 3 << 2;
pub(super) const OFFSETS_32: u8 = 4 << 2;
pub(super) const OFFSETS_64: u8 = 5 << 2;

pub(super) const LABEL_SHIFT: u8 = 5;
pub(super) const LONG_LABEL: u8 = 7;

/// Maximum number of wildcard lists that are postponed to the end of the walk, when the rules found
/// by then may exclude them. It is an array on the stack, cleared for each check; no file of the
/// Web has more on one path.
const POSTPONED: usize = 8;

/// The deciding rule among those that match a target in normal form.
///
/// # Complexity
///
/// The walk is linear in the target and in the tables on its path; for lists of wildcards see
/// [`wildcards::IndexedTarget::best_of`].
pub(in crate::policy) fn find(tree: &[u8], target: &[u8], precedence: Precedence) -> Option<Rank> {
    let mut best = None;
    let mut postponed: [(&[u8], usize); POSTPONED] = [(&[], 0); POSTPONED];
    let mut lists = 0;
    // If a tree cannot be read to its end, the rules read so far count.
    let _ = walk(Reader::new(tree), target, |found| match found {
        FoundChild::Rule(rank) => best = Rank::best(best, rank, precedence),
        FoundChild::Wild(list, at) => {
            if let Some(place) = postponed.get_mut(lists) {
                *place = (list, at);
            }
            lists += 1;
        }
    });
    if lists == 0 {
        return best;
    }
    let Some(postponed) = postponed.get(..lists) else {
        return find_with_many_lists(tree, target, precedence);
    };
    // The last list comes first: its patterns are mostly the longer ones.
    wildcards::with_target(target, |mut target| {
        postponed
            .iter()
            .rev()
            .fold(best, |best, &(list, at)| target.best_of(list, at, best, precedence))
    })
}

/// [`find`], with lists compared in their order on the path; they share one searched target.
#[inline(never)]
fn find_with_many_lists(tree: &[u8], target: &[u8], precedence: Precedence) -> Option<Rank> {
    wildcards::with_target(target, |mut searched| {
        let mut best = None;
        let _ = walk(Reader::new(tree), target, |found| {
            best = match found {
                FoundChild::Rule(rank) => Rank::best(best, rank, precedence),
                FoundChild::Wild(list, at) => searched.best_of(list, at, best, precedence),
            };
        });
        best
    })
}

/// A result of a walk.
enum FoundChild<'a> {
    /// A rule that matches.
    Rule(Rank),
    /// A list of patterns with wildcards, and the number of octets on the path to it.
    Wild(&'a [u8], usize),
}

/// Walks down the tree along the target.
#[inline]
fn walk<'a>(
    mut tree: Reader<'a>,
    target: &[u8],
    mut found: impl FnMut(FoundChild<'a>),
) -> Option<()> {
    let mut at = 0;
    'node: loop {
        let children = enter(&mut tree, target, &mut at, &mut found)?;
        let width = match children {
            ONE => continue,
            OFFSETS_8 => 1,
            OFFSETS_16 => 2,
            OFFSETS_32 => 4,
            OFFSETS_64 => 8,
            _ => return None,
        };
        let (others, leaves) = (tree.size()?, tree.size()?);
        let mut keys = tree;
        tree.text(others.checked_add(1)?)?;
        let ends = usize::from(leaves > others);
        let offsets = tree.text(others.checked_add(ends)?.checked_mul(width)?)?;
        let children = tree.rest();
        let wanted = u64::from_le_bytes([*target.get(at)?; 8]);
        at += 1;
        let (mut first, mut read) = (0, 0);
        while first <= others {
            // Eight keys are compared at once; octets after the last key are excluded.
            let mut hits = zero_octets(keys.word() ^ wanted) & first_octets(others + 1 - first);
            while hits != 0 {
                let child = first + hits.trailing_zeros() as usize / 8;
                hits &= hits - 1;
                let start = match child.checked_sub(1) {
                    Some(before) => fixed(offsets, before, width)?,
                    None => 0,
                };
                if child >= leaves {
                    tree = Reader::new(children.get(start..)?);
                    continue 'node;
                }
                // Forged leaves may overlap: each byte is read once.
                let end = fixed(offsets, child, width)?;
                if start < read {
                    return None;
                }
                read = end;
                let leaf = children.get(start..end)?;
                read_leaf(Reader::new(leaf), target, at, &mut found)?;
            }
            first += 8;
        }
        return None;
    }
}

/// Reads a leaf of a table, and reports its matching rules.
#[inline]
fn read_leaf<'a>(
    mut leaf: Reader<'a>,
    target: &[u8],
    at: usize,
    found: &mut impl FnMut(FoundChild<'a>),
) -> Option<()> {
    let (number, rest) = (leaf.number()?, target.get(at..)?);
    if number & SPECIAL == 0 {
        let label = leaf.rest();
        if begins_with(rest, label) {
            found(FoundChild::Rule(Rank::of_number(number, (at + label.len()) as u64)?));
        }
        return Some(());
    }
    let label = leaf.text(usize::try_from(number >> 2).ok()?)?;
    if begins_with(rest, label) {
        let rules = leaf.byte()?;
        read_rules(&mut leaf, rules, target, at + label.len(), found)?;
    }
    Some(())
}

/// The highest bit of each zero octet, and of no other octet.
#[inline]
const fn zero_octets(octets: u64) -> u64 {
    const LOW_BITS: u64 = u64::from_le_bytes([0x7f; 8]);
    !(((octets & LOW_BITS) + LOW_BITS) | octets | LOW_BITS)
}

/// All bits of the first `count` octets, at most eight.
#[inline]
const fn first_octets(count: usize) -> u64 {
    if count >= 8 { u64::MAX } else { (1 << (8 * count)) - 1 }
}

/// Reads a node if the target continues with its label, and returns the form of its children.
#[inline]
fn enter<'a>(
    tree: &mut Reader<'a>,
    target: &[u8],
    at: &mut usize,
    found: &mut impl FnMut(FoundChild<'a>),
) -> Option<u8> {
    let first = tree.byte()?;
    let length = match first >> LABEL_SHIFT {
        LONG_LABEL => tree.size()?,
        short => usize::from(short),
    };
    let label = tree.text(length)?;
    if !begins_with(target.get(*at..)?, label) {
        return None;
    }
    *at += length;
    let rules = match first & RULES {
        MORE => tree.byte()?,
        few => few,
    };
    read_rules(tree, rules, target, *at, found)?;
    Some(first & CHILDREN)
}

/// Reads rules that end after `at` octets of the target, and reports the matching ones.
#[inline]
fn read_rules<'a>(
    tree: &mut Reader<'a>,
    rules: u8,
    target: &[u8],
    at: usize,
    found: &mut impl FnMut(FoundChild<'a>),
) -> Option<()> {
    if rules & HAS_OPEN != 0 {
        found(FoundChild::Rule(read_rank(tree, at as u64)?));
    }
    if rules & HAS_EXACT != 0 {
        let rank = read_rank(tree, at as u64 + 1)?;
        if at == target.len() {
            found(FoundChild::Rule(rank));
        }
    }
    if rules & HAS_WILD != 0 {
        found(FoundChild::Wild(tree.sized()?, at));
    }
    Some(())
}

/// Labels are short: a call of the library's comparison would cost more than this code.
#[inline]
fn begins_with(target: &[u8], label: &[u8]) -> bool {
    if label.len() > target.len() {
        return false;
    }
    if let (Some(wanted), Some(found)) = (label.first_chunk::<8>(), target.first_chunk::<8>()) {
        return wanted == found && target[8..label.len()] == label[8..];
    }
    label.iter().zip(target).all(|(wanted, found)| wanted == found)
}

#[inline]
fn read_rank(reader: &mut Reader<'_>, least: u64) -> Option<Rank> {
    let number = reader.number()?;
    let more = if number & FLAG == 0 { 0 } else { reader.number()? };
    Rank::of_number(number, least.checked_add(more)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_zero_octets_are_found() {
        let octets = [0, 1, 0x7f, 0x80, 0xff];
        for number in (0..5_usize.pow(8)).step_by(if cfg!(miri) { 40_009 } else { 7 }) {
            let word = [0, 1, 2, 3, 4, 5, 6, 7].map(|at| octets[number / 5_usize.pow(at) % 5]);
            let expected = word.map(|octet| if octet == 0 { 0x80 } else { 0 });
            assert_eq!(zero_octets(u64::from_le_bytes(word)), u64::from_le_bytes(expected));
        }
        assert_eq!([0, 1, 7, 8, 9].map(first_octets), [0, 0xff, u64::MAX >> 8, u64::MAX, u64::MAX]);
    }

    #[test]
    fn labels_are_compared_exactly_to_their_end() {
        let text: alloc::vec::Vec<u8> = (b'a'..=b'z').collect();
        for length in 0..=text.len() {
            let label = &text[..length];
            for rest in 0..=text.len() {
                assert_eq!(begins_with(&text[..rest], label), rest >= length, "{length} {rest}");
            }
            for at in 0..length {
                let mut other = label.to_vec();
                other[at] = b'!';
                assert!(!begins_with(&text, &other), "{length} {at}");
            }
        }
    }
}
