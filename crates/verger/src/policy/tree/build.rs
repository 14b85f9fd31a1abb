//! Writing the tree: children before their parents, which contain their offsets.
//!
//! # Flow
//!
//! The common prefix of all items is the label of the first node. The items are divided by the
//! octet after it (`divide.rs`): a few items with the same octet become leaves, many become the
//! tree of one child. The last child is written first.

use alloc::vec::Vec;
use core::ops::Range;

use super::divide::{Division, common, divide};
use super::walk::{
    HAS_EXACT, HAS_OPEN, HAS_WILD, LABEL_SHIFT, LEAF, LONG_LABEL, MORE, OFFSETS_8, OFFSETS_16,
    OFFSETS_32, OFFSETS_64, ONE, SPECIAL,
};
use crate::compact::{Backwards, Width, width_for};
use crate::dialect::Precedence;
use crate::policy::rules::Rank;
use crate::policy::rules::{Patterns, RuleItem, Rules, Shape};
use crate::policy::wildcards;

/// Writes the tree of these rules; nothing if there are no rules.
///
/// # Complexity
///
/// Linear in the bytes of the prefixes: below a node each prefix is read once for each octet on the
/// way to the next node. O(n log n) comparisons of n patterns with wildcards at one node.
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

/// Capacity for each item beside its prefix: usually a rank, and an entry of a table.
const ADDED: usize = 4;

/// Capacity for the nodes, and for the copying of texts in blocks.
const ROOM: usize = 64;

/// Capacity: usual trees have no more open children.
const USUAL_CHILDREN: usize = 64;

struct Writer<'w, 'r> {
    patterns: &'w Patterns<'r>,
    /// Divided as far as they are written.
    items: Vec<RuleItem>,
    /// Buffer for dividing items.
    room: Vec<RuleItem>,
    precedence: Precedence,
    out: Backwards,
    /// The nodes on the path to the next child, each deeper than the one before.
    open: Vec<Node>,
    /// The written children of all open nodes; for each node, the last child first.
    children: Vec<Child>,
    /// Buffer for the patterns with wildcards of one node.
    wild: Vec<wildcards::WildcardEntry<'w>>,
}

/// A node with unwritten children.
struct Node {
    /// The items that end at this node.
    own: Range<usize>,
    /// The end of the items that become leaves.
    leaves_end: usize,
    /// The end of the unwritten items below this node.
    end: usize,
    /// The range of its label in the prefix of any of its items.
    label: Range<usize>,
    /// The index of its first child among the written ones.
    first_child: usize,
    /// Number of bytes after its children.
    end_bytes: usize,
}

impl Node {
    /// Takes the unwritten items of the last octet, among those that many items share.
    #[inline]
    fn last_below(&mut self, patterns: &Patterns<'_>, items: &[RuleItem]) -> Option<Range<usize>> {
        let (depth, end) = (self.label.end, self.end);
        let key = |item: &RuleItem| patterns.prefix(item)[depth];
        let below = &items[self.leaves_end..end];
        let last = key(below.last()?);
        let others = below.iter().rposition(|item| key(item) != last);
        self.end = others.map_or(self.leaves_end, |other| self.leaves_end + other + 1);
        Some(self.end..end)
    }
}

/// A written child.
struct Child {
    key: u8,
    /// Number of bytes from its beginning on.
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
                // The octet of one of several children is in the table.
                let label = node.label.end + usize::from(!is_only);
                self.add(items, label);
            } else if let Some(node) = self.open.pop() {
                self.close(&node);
            }
        }
        self.out
    }

    /// Writes the node of these items, or opens it if many of them have the same next octet. Its
    /// label begins at `start`.
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
            end_bytes: self.out.len(),
        };
        if node.leaves_end == node.end { self.close(&node) } else { self.open.push(node) }
    }

    /// Writes a node whose child nodes are written: its leaves, then the node.
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
            _ => write_table(children, leaves.len(), node.end_bytes, &mut self.out),
        };
        self.children.truncate(node.first_child);
        let rules = self.write_rules(node.own.clone(), depth);
        // A node without items has the prefix of the first item below it.
        let item = self.items[node.own.start];
        self.finish_node(&item, node.label.clone(), rules, kind);
    }

    /// Writes a node with one item and without children.
    fn only(&mut self, at: usize, start: usize) {
        let item = self.items[at];
        let end = self.patterns.prefix(&item).len();
        let rules = self.write_rules(at..at + 1, end);
        self.finish_node(&item, start..end, rules, LEAF);
    }

    /// Writes a leaf of a table; its octet at `depth` is in the table.
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

    /// Writes the beginning of a node: its first byte, its label, which is a part of an item's
    /// prefix, and if needed a byte of rules.
    fn finish_node(&mut self, item: &RuleItem, label: Range<usize>, rules: u8, children: u8) {
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
        // The key of a single child, and of the root, is never used.
        let key = label.start.checked_sub(1).map_or(0, |at| text[from + at]);
        self.children.push(Child { key, length: self.out.len() });
    }

    /// Writes the rules that end at a node, and returns their kinds.
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
                    self.wild.push(wildcards::WildcardEntry::new(literals, wild.anchored, rank));
                }
            }
        }
        let mut rules = 0;
        if !self.wild.is_empty() {
            wildcards::write(&mut self.wild, depth, precedence, &mut self.out);
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

/// Writes the table of several children, in reverse order, the last `leaves` of which are leaves.
/// Returns the form of the children.
fn write_table(children: &[Child], leaves: usize, end_bytes: usize, out: &mut Backwards) -> u8 {
    let (Some((first, others)), Some(last)) = (children.split_last(), children.first()) else {
        return LEAF;
    };
    // A leaf ends at the beginning of the next child, the last one at the end of the children.
    let end = (leaves == children.len()).then_some(first.length - end_bytes);
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

/// The result of [`write_rank`] for a plain prefix.
#[inline]
fn plain_rank(item: &RuleItem) -> u64 {
    // Its length is that of its place in the tree, and not part of the number.
    Rank { length: 0, allows: item.allows(), line: item.line() }.number(false)
}

/// Writes the line, whether the rule is longer than its place, and whether it allows, as one
/// number.
fn write_rank(rank: Rank, least: u64, out: &mut Backwards) {
    let more = rank.length - least;
    if more > 0 {
        out.number(more);
    }
    out.number(rank.number(more > 0));
}
