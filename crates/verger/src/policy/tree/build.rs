//! Writing the tree: children before their parents, so that a node can tell where they begin.
//!
//! # Flow
//!
//! What all items begin with leads to the first node. They are divided by the octet behind it (`divide.rs`): where few
//! have the same one, each becomes a leaf; where many have, they are the tree of one child. Children are written before
//! their parent, the last one first.

use alloc::vec::Vec;
use core::ops::Range;

use super::divide::{Division, common, divide};
use super::walk::{
    HAS_EXACT, HAS_OPEN, HAS_WILD, LABEL_SHIFT, LEAF, LONG_LABEL, MORE, OFFSETS_8, OFFSETS_16,
    OFFSETS_32, OFFSETS_64, ONE, SPECIAL,
};
use crate::dialect::Precedence;
use crate::policy::code::{Backwards, Width, width_for};
use crate::policy::rules::Rank;
use crate::policy::rules::{Item, Patterns, Rules, Shape};
use crate::policy::wild;

/// Writes the tree of these rules; nothing where there is none.
///
/// # Complexity
///
/// Linear in the bytes of the prefixes: below a node each is looked at once for each octet that leads to the next one.
/// O(n log n) comparisons of n patterns with wildcards at one node.
pub(in crate::policy) fn build(rules: Rules<'_>, precedence: Precedence) -> Backwards {
    let Rules { items, patterns } = rules;
    let lengths: usize = items.iter().map(|item| patterns.prefix(item).len() + ADDED).sum();
    let writer = Writer {
        patterns: &patterns,
        items,
        room: Vec::new(),
        precedence,
        out: Backwards::with_capacity(ROOM + lengths),
        open: Vec::new(),
        children: Vec::with_capacity(USUAL_CHILDREN),
        wild: Vec::new(),
    };
    writer.write()
}

/// What an item adds beside its prefix, as a rule: a rank, and a place in a table.
const ADDED: usize = 4;

/// What the nodes add; and texts are copied into more room than they take.
const ROOM: usize = 64;

/// Usual trees have no more children on the way.
const USUAL_CHILDREN: usize = 64;

struct Writer<'w, 'r> {
    patterns: &'w Patterns<'r>,
    /// Divided as far as they are written.
    items: Vec<Item>,
    /// Room to divide items.
    room: Vec<Item>,
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
    /// Where those end that become leaves.
    leaves_end: usize,
    /// Where the items end that are below it and not written.
    end: usize,
    /// Where its label begins in the prefix of any item, and where it ends.
    label: Range<usize>,
    /// Its first child among those that are written.
    first_child: usize,
    /// The bytes behind its children.
    behind: usize,
}

impl Node {
    /// Takes the items of the last octet that are not written, of those that many share.
    #[inline]
    fn last_below(&mut self, patterns: &Patterns<'_>, items: &[Item]) -> Option<Range<usize>> {
        let (depth, end) = (self.label.end, self.end);
        let key = |item: &Item| patterns.prefix(item)[depth];
        let below = &items[self.leaves_end..end];
        let last = key(below.last()?);
        let others = below.iter().rposition(|item| key(item) != last);
        self.end = others.map_or(self.leaves_end, |other| self.leaves_end + other + 1);
        Some(self.end..end)
    }
}

/// A child that is written.
struct Child {
    key: u8,
    /// The bytes from where it begins.
    length: usize,
}

impl Writer<'_, '_> {
    fn write(mut self) -> Backwards {
        if !self.items.is_empty() {
            self.add(0..self.items.len(), 0);
        }
        while let Some(node) = self.open.last_mut() {
            if let Some(items) = node.last_below(self.patterns, &self.items) {
                let is_only =
                    items.start == node.own.end && self.children.len() == node.first_child;
                // The octet that leads to one of several stands in the table.
                let label = node.label.end + usize::from(!is_only);
                self.add(items, label);
            } else if let Some(node) = self.open.pop() {
                self.close(&node);
            }
        }
        self.out
    }

    /// Writes the node of these items, or opens it where many of them have the same octet behind it. Its label begins
    /// at `start`.
    fn add(&mut self, items: Range<usize>, start: usize) {
        if items.len() == 1 {
            return self.only(items.start, start);
        }
        let among = &mut self.items[items.clone()];
        let depth = common(self.patterns, among, start);
        let Division { own, leaves } = divide(self.patterns, among, depth, &mut self.room);
        let own = items.start..items.start + own;
        let node = Node {
            leaves_end: own.end + leaves,
            own,
            end: items.end,
            label: start..depth,
            first_child: self.children.len(),
            behind: self.out.len(),
        };
        if node.leaves_end == node.end { self.close(&node) } else { self.open.push(node) }
    }

    /// Writes a node whose other children are written: its leaves, then itself.
    fn close(&mut self, node: &Node) {
        let (leaves, depth) = (node.own.end..node.leaves_end, node.label.end);
        let is_only = leaves.len() == 1 && self.children.len() == node.first_child;
        if is_only {
            self.only(leaves.start, depth);
        } else {
            leaves.clone().rev().for_each(|at| self.leaf(at, depth));
        }
        let children = &self.children[node.first_child..];
        let kind = match children.len() {
            0 => LEAF,
            1 => ONE,
            _ => write_table(children, leaves.len(), node.behind, &mut self.out),
        };
        self.children.truncate(node.first_child);
        let rules = self.write_rules(node.own.clone(), depth);
        // Without items of its own it begins as the first below it.
        let item = self.items[node.own.start];
        self.finish_node(&item, node.label.clone(), rules, kind);
    }

    /// Writes a node of one item and without children.
    fn only(&mut self, at: usize, start: usize) {
        let item = self.items[at];
        let end = self.patterns.prefix(&item).len();
        let rules = self.write_rules(at..at + 1, end);
        self.finish_node(&item, start..end, rules, LEAF);
    }

    /// Writes a leaf of a table in which its octet at `depth` stands.
    #[inline]
    fn leaf(&mut self, at: usize, depth: usize) {
        let item = self.items[at];
        let (text, start, end) = self.patterns.place(&item);
        let key = text[start + depth];
        let label = end - start - depth - 1;
        if item.is_plain() {
            self.out.part(text, end, label);
            self.out.number(plain_rank(&item));
        } else {
            let rules = self.write_any_rules(at..at + 1, end - start);
            self.out.byte(rules);
            let (text, _, end) = self.patterns.place(&item);
            self.out.part(text, end, label);
            self.out.number((label as u64) << 2 | SPECIAL);
        }
        self.children.push(Child { key, length: self.out.len() });
    }

    /// Writes what a node begins with: its first byte, its label, which is a part of the prefix of an item, and where
    /// that is needed which rules it has.
    fn finish_node(&mut self, item: &Item, label: Range<usize>, rules: u8, children: u8) {
        let few = if rules < MORE {
            rules
        } else {
            self.out.byte(rules);
            MORE
        };
        let (text, from, _) = self.patterns.place(item);
        self.out.part(text, from + label.end, label.len());
        let short = u8::try_from(label.len()).ok().filter(|&length| length < LONG_LABEL);
        if short.is_none() {
            self.out.number(label.len() as u64);
        }
        self.out.byte(few | children | short.unwrap_or(LONG_LABEL) << LABEL_SHIFT);
        // Of an only child, and of the root, nobody asks for the key.
        let key = label.start.checked_sub(1).map_or(0, |at| text[from + at]);
        self.children.push(Child { key, length: self.out.len() });
    }

    /// Writes the rules that end at a node, and tells which there are.
    fn write_rules(&mut self, items: Range<usize>, depth: usize) -> u8 {
        match &self.items[items.clone()] {
            [] => 0,
            [item] if item.is_plain() => {
                self.out.number(plain_rank(item));
                HAS_OPEN
            }
            _ => self.write_any_rules(items, depth),
        }
    }

    #[inline(never)]
    fn write_any_rules(&mut self, items: Range<usize>, depth: usize) -> u8 {
        let Self { patterns, precedence, .. } = *self;
        let (mut open, mut exact) = (None, None);
        self.wild.clear();
        for item in &self.items[items] {
            let rank = patterns.rank(item);
            match patterns.shape(item) {
                Shape::Open => open = Rank::best(open, rank, precedence),
                Shape::Exact => exact = Rank::best(exact, rank, precedence),
                Shape::Wild(wild) => {
                    let literals = patterns.literals(wild);
                    self.wild.push(wild::Entry::new(literals, wild.anchored, rank));
                }
            }
        }
        let mut rules = 0;
        if !self.wild.is_empty() {
            wild::write(&mut self.wild, depth, precedence, &mut self.out);
            rules |= HAS_WILD;
        }
        if let Some(rank) = exact {
            write_rank(rank, depth as u64 + 1, &mut self.out);
            rules |= HAS_EXACT;
        }
        if let Some(rank) = open {
            write_rank(rank, depth as u64, &mut self.out);
            rules |= HAS_OPEN;
        }
        rules
    }
}

/// The table of several children, which come last first, of which so many are leaves; how they are found.
fn write_table(children: &[Child], leaves: usize, behind: usize, out: &mut Backwards) -> u8 {
    let (Some((first, others)), Some(last)) = (children.split_last(), children.first()) else {
        return LEAF;
    };
    // A leaf ends where the next child begins, the last one where the children end.
    let end = (leaves == children.len()).then_some(first.length - behind);
    let width = width_for(end.unwrap_or(first.length - last.length));
    let offsets = others.iter().rev().map(|child| first.length - child.length).chain(end);
    let keys = children.iter().rev().map(|child| child.key);
    out.table(keys, offsets, others.len() + usize::from(end.is_some()), width);
    out.number(leaves as u64);
    out.number(others.len() as u64);
    match width {
        Width::One => OFFSETS_8,
        Width::Two => OFFSETS_16,
        Width::Four => OFFSETS_32,
        Width::Eight => OFFSETS_64,
    }
}

/// What [`write_rank`] writes of an item that is a prefix and nothing more.
#[inline]
fn plain_rank(item: &Item) -> u64 {
    // Its length is that of its place, which a number does not tell.
    Rank { length: 0, allows: item.allows(), line: item.line() }.number(false)
}

/// The line, whether the rule is longer than its place says, and whether it allows, as one number.
fn write_rank(rank: Rank, least: u64, out: &mut Backwards) {
    let more = rank.length - least;
    if more > 0 {
        out.number(more);
    }
    out.number(rank.number(more > 0));
}
