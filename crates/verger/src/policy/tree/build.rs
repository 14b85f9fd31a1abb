//! Writing the tree: children before their parents, so that a node can tell where they begin.
//!
//! # Flow
//!
//! What all items begin with leads to the first node. They are sorted by the octet behind it, and those of the
//! same octet are the tree of a child. Children are written before their parent, the last one first.

use alloc::vec::Vec;
use core::ops::Range;

use super::radix::{Placed, common, sort_by_octet};
use super::{
    EXACT, HAS_EXACT, HAS_OPEN, HAS_WILD, LABEL_SHIFT, LEAF, LONG_LABEL, MORE, NONE, OFFSETS_8,
    OFFSETS_16, OFFSETS_32, OFFSETS_64, ONE, OPEN,
};
use crate::dialect::Precedence;
use crate::policy::code::{Backwards, Width, width_for};
use crate::policy::rules::{Item, Rank, Rules, Shape};
use crate::policy::wild;

/// Writes the tree of these rules; nothing where there is none.
///
/// # Complexity
///
/// Linear in the bytes of the prefixes: below a node each is looked at once for each octet that leads to the next one.
/// O(n log n) comparisons of n patterns with wildcards at one node.
pub(in crate::policy) fn build(rules: &Rules<'_>, precedence: Precedence) -> Vec<u8> {
    let items: Vec<_> = rules.items.iter().map(Placed::new).collect();
    // What an item adds beside its prefix: a node, a rank, a place in the table of its parent.
    let capacity = items.iter().map(|item| item.prefix.len() + 6).sum();
    let writer = Writer {
        rules,
        items,
        room: Vec::new(),
        precedence,
        out: Backwards::with_capacity(capacity),
        open: Vec::with_capacity(USUAL_DEPTH),
        children: Vec::with_capacity(USUAL_CHILDREN),
        wild: Vec::new(),
    };
    writer.write()
}

/// Usual trees have no more nodes one below the other, and no more children on the way.
const USUAL_DEPTH: usize = 16;
const USUAL_CHILDREN: usize = 64;

struct Writer<'w, 'r> {
    rules: &'w Rules<'r>,
    /// Sorted as far as they are written.
    items: Vec<Placed<'w, 'r>>,
    /// Room to sort items.
    room: Vec<Placed<'w, 'r>>,
    precedence: Precedence,
    out: Backwards,
    /// The nodes on the way to the child that is written next, each deeper than the one before.
    open: Vec<Node>,
    /// The children that are written, of all nodes that are open; the last one of each first.
    children: Vec<Child>,
    /// Room for the patterns with wildcards of one node.
    wild: Vec<wild::Entry<'w>>,
}

/// A node whose children are being written.
struct Node {
    /// The items that end here.
    own: Range<usize>,
    /// Where the items end that are below it and not written.
    end: usize,
    /// Where its label begins in the prefix of any item, and where it ends.
    label: Range<usize>,
    /// Its first child among those that are written.
    first_child: usize,
    /// The bytes behind it.
    behind: usize,
}

impl Node {
    /// Takes the items of the last child that is not written.
    #[inline]
    fn next_child(&mut self, items: &[Placed<'_, '_>]) -> Option<Range<usize>> {
        let (depth, end) = (self.label.end, self.end);
        let below = &items[self.own.end..end];
        let key = below.last()?.prefix[depth];
        let others = below.iter().rposition(|item| item.prefix[depth] != key);
        self.end = others.map_or(self.own.end, |other| self.own.end + other + 1);
        Some(self.end..end)
    }
}

/// A child that is written.
struct Child {
    key: u8,
    length: usize,
}

impl Writer<'_, '_> {
    fn write(mut self) -> Vec<u8> {
        if !self.items.is_empty() {
            self.add(0..self.items.len(), 0);
        }
        while let Some(node) = self.open.last_mut() {
            if let Some(items) = node.next_child(&self.items) {
                let is_last = items.start == node.own.end;
                let is_only = is_last && self.children.len() == node.first_child;
                // The octet that leads to one of several stands in the table.
                let start = node.label.end + usize::from(!is_only);
                self.add(items, start);
            } else if let Some(node) = self.open.pop() {
                self.close(&node);
            }
        }
        self.out.finish()
    }

    /// Writes the node of these items, or opens it where some of them are below it. Its label begins at `start`.
    fn add(&mut self, items: Range<usize>, start: usize) {
        if items.len() == 1 {
            return self.leaf(items.start, start);
        }
        let among = &mut self.items[items.clone()];
        let depth = common(among, start);
        let own = sort_by_octet(among, depth, &mut self.room);
        let node = Node {
            own: items.start..items.start + own,
            end: items.end,
            label: start..depth,
            first_child: self.children.len(),
            behind: self.out.len(),
        };
        if own == items.len() { self.close(&node) } else { self.open.push(node) }
    }

    /// Writes a node of one item and without children.
    fn leaf(&mut self, at: usize, start: usize) {
        let behind = self.out.len();
        let prefix = self.items[at].prefix;
        let rules = self.write_rules(at..at + 1, prefix.len());
        self.finish_node(prefix, start, rules | LEAF, behind);
    }

    /// Writes a node whose children are written.
    fn close(&mut self, node: &Node) {
        let kind = write_table(&self.children[node.first_child..], &mut self.out);
        self.children.truncate(node.first_child);
        let rules = self.write_rules(node.own.clone(), node.label.end);
        // Without items of its own it begins as the first below it.
        let prefix = &self.items[node.own.start].prefix[..node.label.end];
        self.finish_node(prefix, node.label.start, rules | kind, node.behind);
    }

    /// Writes what a node begins with: its first byte and its label, which is the prefix from `start` on.
    fn finish_node(&mut self, prefix: &[u8], start: usize, kind: u8, behind: usize) {
        self.out.end_of(prefix, start);
        let length = prefix.len() - start;
        let short = u8::try_from(length).ok().filter(|&length| length < LONG_LABEL);
        if short.is_none() {
            self.out.number(length as u64);
        }
        self.out.byte(kind | short.unwrap_or(LONG_LABEL) << LABEL_SHIFT);
        // Of an only child, and of the root, nobody asks for the key.
        let key = start.checked_sub(1).map_or(0, |at| prefix[at]);
        self.children.push(Child { key, length: self.out.len() - behind });
    }

    /// The rules that end at a node; how they are told.
    #[inline]
    fn write_rules(&mut self, items: Range<usize>, depth: usize) -> u8 {
        match &self.items[items.clone()] {
            [] => NONE,
            [Placed { item: Item { shape: Shape::Open, rank, .. }, .. }] => {
                write_rank(*rank, depth as u64, &mut self.out);
                OPEN
            }
            _ => self.write_any_rules(items, depth),
        }
    }

    fn write_any_rules(&mut self, items: Range<usize>, depth: usize) -> u8 {
        let Self { rules, precedence, .. } = *self;
        let (mut open, mut exact) = (None, None);
        self.wild.clear();
        for item in &self.items[items] {
            let Item { shape, rank, .. } = item.item;
            match *shape {
                Shape::Open => open = Rank::best(open, *rank, precedence),
                Shape::Exact => exact = Rank::best(exact, *rank, precedence),
                Shape::Wild(wild) => {
                    let literals = rules.literals(wild);
                    self.wild.push(wild::Entry::new(literals, wild.anchored, *rank));
                }
            }
        }
        if !self.wild.is_empty() {
            wild::write(&mut self.wild, depth, precedence, &mut self.out);
        }
        if let Some(rank) = exact {
            write_rank(rank, depth as u64 + 1, &mut self.out);
        }
        if let Some(rank) = open {
            write_rank(rank, depth as u64, &mut self.out);
        }
        match (open.is_some(), exact.is_some(), !self.wild.is_empty()) {
            (true, false, false) => OPEN,
            (false, true, false) => EXACT,
            (is_open, is_exact, is_wild) => {
                let bit = |is_set, bit| if is_set { bit } else { 0 };
                let bits =
                    bit(is_open, HAS_OPEN) | bit(is_exact, HAS_EXACT) | bit(is_wild, HAS_WILD);
                self.out.byte(bits);
                MORE
            }
        }
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
    for next in &children[1..] {
        out.fixed(offset, width);
        offset -= next.length;
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

/// The line, whether the rule is longer than its place says, and whether it allows, as one number.
fn write_rank(rank: Rank, least: u64, out: &mut Backwards) {
    let more = rank.length - least;
    if more > 0 {
        out.number(more);
    }
    out.number(u64::from(rank.line) << 2 | u64::from(more > 0) << 1 | u64::from(rank.allows));
}
