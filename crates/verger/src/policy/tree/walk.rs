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
/// them; further ones are asked as they come.
const PUT_OFF: usize = 8;

/// The rule that decides of those that match a target in normal form.
///
/// # Complexity
///
/// The walk is linear in the target; lists of wildcards as [`wild::find`].
pub(in crate::policy) fn find(tree: &[u8], target: &[u8], precedence: Precedence) -> Option<Rank> {
    let mut walk = Walk {
        target: wild::Target::new(target),
        precedence,
        best: None,
        put_off: [(&[], 0); PUT_OFF],
        waiting: 0,
    };
    // A tree that cannot be read on has said what it can.
    let _ = walk.down(Reader::new(tree));
    walk.ask_the_rest();
    walk.best
}

struct Walk<'a> {
    target: wild::Target<'a>,
    precedence: Precedence,
    best: Option<Rank>,
    put_off: [(&'a [u8], usize); PUT_OFF],
    waiting: usize,
}

impl<'a> Walk<'a> {
    fn down(&mut self, mut tree: Reader<'a>) -> Option<()> {
        let target = self.target.text();
        let mut at = 0;
        loop {
            let first = tree.byte()?;
            let length = match first >> LABEL_SHIFT {
                LONG_LABEL => tree.size()?,
                short => usize::from(short),
            };
            let label = tree.text(length)?;
            if !target.get(at..)?.starts_with(label) {
                return None;
            }
            at += length;
            let rules = match first & RULES {
                MORE => tree.byte()?,
                few => few,
            };
            if rules & HAS_OPEN != 0 {
                self.offer(read_rank(&mut tree, at as u64)?);
            }
            if rules & HAS_EXACT != 0 {
                let rank = read_rank(&mut tree, at as u64 + 1)?;
                if at == target.len() {
                    self.offer(rank);
                }
            }
            if rules & HAS_WILD != 0 {
                self.put_off(tree.sized()?, at);
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

    #[inline]
    fn offer(&mut self, rank: Rank) {
        self.best = Rank::best(self.best, rank, self.precedence);
    }

    fn put_off(&mut self, list: &'a [u8], at: usize) {
        match self.put_off.get_mut(self.waiting) {
            Some(place) => {
                *place = (list, at);
                self.waiting += 1;
            }
            None => self.ask(list, at),
        }
    }

    fn ask_the_rest(&mut self) {
        for number in (0..self.waiting).rev() {
            let (list, at) = self.put_off[number];
            self.ask(list, at);
        }
    }

    fn ask(&mut self, list: &[u8], at: usize) {
        self.best = wild::find(list, &mut self.target, at, self.best, self.precedence);
    }
}

/// Few are looked through, many searched: keys are in order.
#[inline]
fn find_key(keys: &[u8], wanted: u8) -> Option<usize> {
    if keys.len() <= 16 {
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
