//! Writing the tree: children before their parents, so that a node can tell where they begin.

use alloc::vec::Vec;

use super::{
    EXACT, HAS_EXACT, HAS_OPEN, HAS_WILD, LABEL_SHIFT, LEAF, LONG_LABEL, MORE, NONE, OFFSETS_8,
    OFFSETS_16, OFFSETS_32, OFFSETS_64, ONE, OPEN,
};
use crate::dialect::Precedence;
use crate::policy::code::{Backwards, Width, width_for};
use crate::policy::rules::{Item, Rank, Shape};
use crate::policy::wild;

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
pub(in crate::policy) fn build(items: &[Item<'_>], precedence: Precedence) -> Vec<u8> {
    let items = sorted(items);
    // What an item adds beside its prefix: a node, a rank, a place in the table of its parent.
    let mut out = Backwards::with_capacity(items.iter().map(|item| item.prefix.len() + 6).sum());
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

/// The items in the order of their prefixes. Most are told apart by their first octets, as one number.
fn sorted<'i, 'r>(items: &'i [Item<'r>]) -> Vec<&'i Item<'r>> {
    let first = |item: &'i Item<'r>| (first_octets(&item.prefix), item);
    let mut sorted: Vec<_> = items.iter().map(first).collect();
    sorted.sort_unstable_by(|(left_first, left), (right_first, right)| {
        left_first.cmp(right_first).then_with(|| left.prefix.cmp(&right.prefix))
    });
    sorted.into_iter().map(|(_, item)| item).collect()
}

/// The order of these numbers never contradicts that of the texts.
fn first_octets(text: &[u8]) -> u64 {
    let octets = text.first_chunk().copied().unwrap_or_else(|| {
        let mut octets = [0; 8];
        octets[..text.len()].copy_from_slice(text);
        octets
    });
    u64::from_be_bytes(octets)
}

impl Frame {
    fn of(items: &[&Item<'_>], range: (usize, usize), start: usize, behind: usize) -> Self {
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
        items: &[&Item<'_>],
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
    items: &[&Item<'_>],
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
