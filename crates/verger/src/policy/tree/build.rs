//! Writing the tree: children before their parents, so that a node can tell where they begin.
//!
//! # Flow
//!
//! Items are sorted by prefix and read from the last to the first. What an item has in common with the one
//! behind it tells which nodes are complete: those that lie deeper. They are written, and their parents hear
//! of it.

use alloc::vec::Vec;
use core::ops::Range;

use super::sorted::{Sorted, sorted};
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
/// O(n log n) comparisons of n prefixes, and linear in their bytes.
pub(in crate::policy) fn build(rules: &Rules<'_>, precedence: Precedence) -> Vec<u8> {
    let items = sorted(&rules.items);
    // What an item adds beside its prefix: a node, a rank, a place in the table of its parent.
    let capacity = items.iter().map(|item| item.prefix.len() + 6).sum();
    let out = Backwards::with_capacity(capacity);
    let mut writer = Writer {
        rules,
        items: &items,
        precedence,
        out,
        open: Vec::with_capacity(USUAL_DEPTH),
        children: Vec::with_capacity(USUAL_CHILDREN),
        wild: Vec::new(),
    };
    for at in (0..items.len()).rev() {
        writer.add(at);
    }
    writer.finish()
}

/// Usual trees have no more nodes one below the other, and no more children on the way.
const USUAL_DEPTH: usize = 16;
const USUAL_CHILDREN: usize = 64;

struct Writer<'w, 'r> {
    rules: &'w Rules<'r>,
    items: &'w [Sorted<'w, 'r>],
    precedence: Precedence,
    out: Backwards,
    /// The nodes on the way to the last item that was added, each deeper than the one before.
    open: Vec<Node>,
    /// The children that are written, of all nodes that are open; the last one of each first.
    children: Vec<Child>,
    /// Room for the patterns with wildcards of one node.
    wild: Vec<wild::Entry<'w>>,
}

/// A node that is not complete.
struct Node {
    /// Where it ends in the prefix of any item below it.
    depth: usize,
    /// Such an item.
    item: usize,
    /// The items that end here.
    values: Range<usize>,
    /// How many children are written.
    children: usize,
    /// The bytes behind the node.
    behind: usize,
}

/// A child that is written.
struct Child {
    key: u8,
    length: usize,
}

impl Writer<'_, '_> {
    /// Adds the item before the one that was added last.
    fn add(&mut self, at: usize) {
        let item = &self.items[at];
        let depth = item.prefix.len();
        if let Some(next) = self.items.get(at + 1) {
            let common = item.common(next);
            self.close_below(common, depth > common);
        }
        let is_there = self.open.last().is_some_and(|node| node.depth == depth);
        if !is_there {
            self.open(depth, at, self.out.len());
        }
        if let Some(node) = self.open.last_mut() {
            let end = if node.values.is_empty() { at + 1 } else { node.values.end };
            node.values = at..end;
        }
    }

    fn open(&mut self, depth: usize, item: usize, behind: usize) {
        self.open.push(Node { depth, item, values: 0..0, children: 0, behind });
    }

    /// Writes the nodes that end behind this depth. The node at this depth has another child before them, or
    /// none.
    fn close_below(&mut self, depth: usize, has_another: bool) {
        while let Some(node) = self.open.pop_if(|node| node.depth > depth) {
            if self.open.last().is_none_or(|above| above.depth < depth) {
                self.open(depth, node.item, node.behind);
            }
            let Some(parent) = self.open.last_mut() else { return };
            let is_only = parent.children == 0 && !(has_another && parent.depth == depth);
            parent.children += 1;
            let key = self.items[node.item].prefix[parent.depth];
            // The octet that leads to one of several children stands in the table.
            let start = if is_only { parent.depth } else { parent.depth + 1 };
            self.write(&node, start);
            self.children.push(Child { key, length: self.out.len() - node.behind });
        }
    }

    fn finish(mut self) -> Vec<u8> {
        if let Some(root) = self.open.first() {
            self.close_below(root.depth, false);
        }
        if let Some(root) = self.open.pop() {
            self.write(&root, 0);
        }
        self.out.finish()
    }

    /// Writes a node whose children are written, with its label from `start` on.
    fn write(&mut self, node: &Node, start: usize) {
        let first = self.children.len() - node.children;
        let kind = write_table(&self.children[first..], &mut self.out);
        self.children.truncate(first);
        let rules = self.write_rules(node);
        let label = &self.items[node.item].prefix[start..node.depth];
        self.out.text(label);
        let short = u8::try_from(label.len()).ok().filter(|&length| length < LONG_LABEL);
        if short.is_none() {
            self.out.number(label.len() as u64);
        }
        self.out.byte(rules | kind | short.unwrap_or(LONG_LABEL) << LABEL_SHIFT);
    }

    /// The rules that end at a node; how they are told.
    fn write_rules(&mut self, node: &Node) -> u8 {
        let Self { rules, precedence, .. } = *self;
        let (depth, mut open, mut exact) = (node.depth, None, None);
        self.wild.clear();
        for item in &self.items[node.values.clone()] {
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
            (false, false, false) => NONE,
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

/// The line, whether the rule is longer than its place says, and whether it allows, as one number.
fn write_rank(rank: Rank, least: u64, out: &mut Backwards) {
    let more = rank.length - least;
    if more > 0 {
        out.number(more);
    }
    out.number(u64::from(rank.line) << 2 | u64::from(more > 0) << 1 | u64::from(rank.allows));
}
