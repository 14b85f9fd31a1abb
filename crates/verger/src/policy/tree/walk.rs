//! Walking down the tree along a target.

use super::{
    CHILDREN, HAS_EXACT, HAS_OPEN, HAS_WILD, LABEL_SHIFT, LONG_LABEL, MORE, OFFSETS_8, OFFSETS_16,
    OFFSETS_32, OFFSETS_64, ONE, RULES,
};
use crate::dialect::Precedence;
use crate::policy::code::{Reader, fixed};
use crate::policy::rules::Rank;
use crate::policy::wild;

/// How many lists of wildcards are put off until the walk has ended, when what is found already can spare
/// them; further ones are asked as they come. It is room on the stack, and lists on one way are few.
const PUT_OFF: usize = 8;

/// The rule that decides of those that match a target in normal form.
///
/// # Complexity
///
/// The walk is linear in the target; lists of wildcards as [`wild::find`].
pub(in crate::policy) fn find(tree: &[u8], target: &[u8], precedence: Precedence) -> Option<Rank> {
    let mut target = wild::Target::new(target);
    let mut best = None;
    let mut put_off: [(&[u8], usize); PUT_OFF] = [(&[], 0); PUT_OFF];
    let mut waiting = 0;
    // A tree that cannot be read on has said what it can.
    let _ = walk(Reader::new(tree), target.text(), |found| match found {
        Found::Rule(rank) => best = Rank::best(best, rank, precedence),
        Found::Wild(list, at) => match put_off.get_mut(waiting) {
            Some(place) => {
                *place = (list, at);
                waiting += 1;
            }
            None => best = wild::find(list, &mut target, at, best, precedence),
        },
    });
    for &(list, at) in put_off[..waiting].iter().rev() {
        best = wild::find(list, &mut target, at, best, precedence);
    }
    best
}

/// What a walk comes by.
enum Found<'a> {
    /// A rule that matches.
    Rule(Rank),
    /// A list of patterns with wildcards, and how many octets of the target lead to it.
    Wild(&'a [u8], usize),
}

/// Walks down the tree as far as the target leads.
#[inline]
fn walk<'a>(mut tree: Reader<'a>, target: &[u8], mut found: impl FnMut(Found<'a>)) -> Option<()> {
    let mut at = 0;
    loop {
        let first = tree.byte()?;
        let length = match first >> LABEL_SHIFT {
            LONG_LABEL => tree.size()?,
            short => usize::from(short),
        };
        let label = tree.text(length)?;
        if !begins_with(target.get(at..)?, label) {
            return None;
        }
        at += length;
        let rules = match first & RULES {
            MORE => tree.byte()?,
            few => few,
        };
        if rules & HAS_OPEN != 0 {
            found(Found::Rule(read_rank(&mut tree, at as u64)?));
        }
        if rules & HAS_EXACT != 0 {
            let rank = read_rank(&mut tree, at as u64 + 1)?;
            if at == target.len() {
                found(Found::Rule(rank));
            }
        }
        if rules & HAS_WILD != 0 {
            found(Found::Wild(tree.sized()?, at));
        }
        let width = match first & CHILDREN {
            ONE => continue,
            OFFSETS_8 => 1,
            OFFSETS_16 => 2,
            OFFSETS_32 => 4,
            OFFSETS_64 => 8,
            _ => return None,
        };
        let others = usize::from(tree.byte()?);
        let keys = tree.text(others + 1)?;
        let offsets = tree.text(others * width)?;
        let child = find_key(keys, *target.get(at)?)?;
        at += 1;
        if let Some(before) = child.checked_sub(1) {
            tree.text(fixed(offsets, before, width)?)?;
        }
    }
}

/// Labels are short: a call to compare them would cost more than comparing.
#[inline]
fn begins_with(target: &[u8], label: &[u8]) -> bool {
    label.len() <= target.len() && label.iter().zip(target).all(|(wanted, found)| wanted == found)
}

/// As many keys are compared at once as fit into one vector.
const FEW_KEYS: usize = 16;

/// Few are looked through, many searched: keys are in order.
#[inline]
fn find_key(keys: &[u8], wanted: u8) -> Option<usize> {
    if keys.len() <= FEW_KEYS {
        return keys.iter().position(|&key| key == wanted);
    }
    keys.binary_search(&wanted).ok()
}

#[inline]
fn read_rank(reader: &mut Reader<'_>, least: u64) -> Option<Rank> {
    let number = reader.number()?;
    let more = if number & 2 == 0 { 0 } else { reader.number()? };
    let line = u32::try_from(number >> 2).ok()?;
    Some(Rank { length: least.checked_add(more)?, allows: number & 1 == 1, line })
}
