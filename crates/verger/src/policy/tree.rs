//! The tree of prefixes: building it, and walking down it along a target.
//!
//! # Layout
//!
//! A node begins with a byte: in bits 0 and 1 which rules end there ([`NONE`] to [`MORE`]), in bits 2 to 4
//! how its children are found ([`LEAF`] to [`OFFSETS_64`]), in bits 5 to 7 the length of its label, or
//! [`LONG_LABEL`] where a number tells it. Then come the label, the rules, and the children. A single child
//! follows at once; of several, there is a table first: their number less one, the octet that leads to each,
//! in order, and for each but the first where it begins, counted from the end of the table.
//!
//! A walk reads forward only. Every node it visits takes octets of the target or lies behind the one
//! before, so it ends, whatever the bytes.

use alloc::vec::Vec;

use super::code::{Backwards, Reader, Width, fixed, width_for};
use super::rules::{Item, Rank, Shape};
use super::wild;
use crate::dialect::Precedence;

const RULES: u8 = 0b11;
/// No rule ends here.
const NONE: u8 = 0;
/// A rule that takes whatever follows.
const OPEN: u8 = 1;
/// A rule that takes nothing more.
const EXACT: u8 = 2;
/// A byte of [`HAS_OPEN`], [`HAS_EXACT`] and [`HAS_WILD`] says which rules follow.
const MORE: u8 = 3;
const HAS_OPEN: u8 = 1;
const HAS_EXACT: u8 = 2;
const HAS_WILD: u8 = 4;

const CHILDREN: u8 = 0b111 << 2;
const LEAF: u8 = 0;
const ONE: u8 = 1 << 2;
const OFFSETS_8: u8 = 2 << 2;
const OFFSETS_16: u8 = 3 << 2;
const OFFSETS_32: u8 = 4 << 2;
const OFFSETS_64: u8 = 5 << 2;

const LABEL_SHIFT: u8 = 5;
const LONG_LABEL: u8 = 7;

/// A node that is being written: its children first, the last one first of all.
struct Frame {
    /// Where the items of the node begin, and behind them those of all below it.
    from: usize,
    /// The label, as a part of the prefix of any of these items.
    label: (usize, usize),
    /// Where the items begin that belong to children.
    values: usize,
    /// Where the items begin whose children are written.
    written: usize,
    /// The bytes behind this node.
    behind: usize,
    /// The children that are written.
    children: usize,
}

/// A child that is written.
struct Child {
    key: u8,
    length: usize,
}

/// Writes the tree of these items; nothing where there is none.
///
/// # Complexity
///
/// O(n log n) comparisons of n prefixes, and linear in their bytes.
pub(super) fn build(mut items: Vec<Item<'_>>, precedence: Precedence) -> Vec<u8> {
    items.sort_unstable_by(|left, right| left.prefix.cmp(&right.prefix));
    let mut out = Backwards::default();
    let mut children: Vec<Child> = Vec::new();
    let mut open: Vec<Frame> = Vec::new();
    if !items.is_empty() {
        open.push(Frame::of(&items, (0, items.len()), 0, 0));
    }
    while let Some(frame) = open.last_mut() {
        let (depth, end) = (frame.label.1, frame.written);
        if end > frame.values {
            let key = items[end - 1].prefix[depth];
            let below = items[frame.values..end].partition_point(|item| item.prefix[depth] < key);
            frame.written = frame.values + below;
            frame.children += 1;
            let range = (frame.written, end);
            // The octet that leads to one of several children stands in the table.
            let is_only = range.0 == frame.values && frame.children == 1;
            let start = if is_only { depth } else { depth + 1 };
            children.push(Child { key, length: 0 });
            open.push(Frame::of(&items, range, start, out.len()));
            continue;
        }
        let first = children.len() - frame.children;
        frame.write(&items, &children[first..], precedence, &mut out);
        let length = out.len() - frame.behind;
        children.truncate(first);
        if let Some(child) = children.last_mut() {
            child.length = length;
        }
        open.pop();
    }
    out.finish()
}

impl Frame {
    fn of(items: &[Item<'_>], range: (usize, usize), start: usize, behind: usize) -> Self {
        let (first, last) = (&items[range.0].prefix, &items[range.1 - 1].prefix);
        // They are sorted: what the first and the last have in common, all have.
        let common = first[start..].iter().zip(&last[start..]).take_while(|(a, b)| a == b).count();
        let end = start + common;
        let own = items[range.0..range.1].partition_point(|item| item.prefix.len() == end);
        let values = range.0 + own;
        Self { from: range.0, label: (start, end), values, written: range.1, behind, children: 0 }
    }

    fn write(
        &self,
        items: &[Item<'_>],
        children: &[Child],
        precedence: Precedence,
        out: &mut Backwards,
    ) {
        let (start, end) = self.label;
        let kind = write_table(children, out);
        let rules = write_rules(&items[self.from..self.values], end, precedence, out);
        let label = &items[self.from].prefix[start..end];
        out.text(label);
        let short = u8::try_from(label.len()).ok().filter(|&length| length < LONG_LABEL);
        if short.is_none() {
            out.number(label.len() as u64);
        }
        out.byte(rules | kind | short.unwrap_or(LONG_LABEL) << LABEL_SHIFT);
    }
}

/// The table of children, which come last first; how they are found.
fn write_table(children: &[Child], out: &mut Backwards) -> u8 {
    let [others @ .., _first] = children else { return LEAF };
    if others.is_empty() {
        return ONE;
    }
    // Where the last one begins is the largest offset.
    let reach: usize = children[1..].iter().map(|child| child.length).sum();
    let width = width_for(reach);
    let mut offset = reach;
    for (at, _) in others.iter().enumerate() {
        out.fixed(offset, width);
        offset -= children[at + 1].length;
    }
    for child in children {
        out.byte(child.key);
    }
    // An octet leads to each.
    out.byte(u8::try_from(others.len()).unwrap_or(u8::MAX));
    match width {
        Width::One => OFFSETS_8,
        Width::Two => OFFSETS_16,
        Width::Four => OFFSETS_32,
        Width::Eight => OFFSETS_64,
    }
}

/// The rules that end at a node; how they are told.
fn write_rules(
    items: &[Item<'_>],
    depth: usize,
    precedence: Precedence,
    out: &mut Backwards,
) -> u8 {
    let (mut open, mut exact, mut wild) = (None, None, Vec::new());
    for item in items {
        match &item.shape {
            Shape::Open => open = Rank::best(open, item.rank, precedence),
            Shape::Exact => exact = Rank::best(exact, item.rank, precedence),
            Shape::Wild { literals, anchored } => wild.push(wild::Entry {
                literals: literals.as_slice(),
                anchored: *anchored,
                rank: item.rank,
            }),
        }
    }
    if !wild.is_empty() {
        let list = wild::build(wild, depth, precedence);
        out.text(&list);
        out.number(list.len() as u64);
    }
    let has_wild = !items.iter().all(|item| !matches!(item.shape, Shape::Wild { .. }));
    if let Some(rank) = exact {
        write_rank(rank, depth as u64 + 1, out);
    }
    if let Some(rank) = open {
        write_rank(rank, depth as u64, out);
    }
    match (open.is_some(), exact.is_some(), has_wild) {
        (false, false, false) => NONE,
        (true, false, false) => OPEN,
        (false, true, false) => EXACT,
        (is_open, is_exact, is_wild) => {
            let bit = |is_set, bit| if is_set { bit } else { 0 };
            out.byte(bit(is_open, HAS_OPEN) | bit(is_exact, HAS_EXACT) | bit(is_wild, HAS_WILD));
            MORE
        }
    }
}

/// The line, whether the rule is longer than its place says, and whether it allows, as one number.
fn write_rank(rank: Rank, least: u64, out: &mut Backwards) {
    let more = rank.length - least;
    if more > 0 {
        out.number(more);
    }
    out.number(u64::from(rank.line) << 2 | u64::from(more > 0) << 1 | u64::from(rank.allows));
}

#[inline]
fn read_rank(reader: &mut Reader<'_>, least: u64) -> Option<Rank> {
    let number = reader.number()?;
    let more = if number & 2 == 0 { 0 } else { reader.number()? };
    let line = u32::try_from(number >> 2).ok()?;
    Some(Rank { length: least.checked_add(more)?, allows: number & 1 == 1, line })
}

/// How many lists of wildcards are put off until the walk has ended, when what is found already can spare
/// them; further ones are asked as they come.
const PUT_OFF: usize = 8;

/// The rule that decides of those that match a target in normal form.
///
/// # Complexity
///
/// The walk is linear in the target; lists of wildcards as [`wild::find`].
pub(super) fn find(tree: &[u8], target: &[u8], precedence: Precedence) -> Option<Rank> {
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
