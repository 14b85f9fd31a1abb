//! The tree of prefixes: building it, and walking down it along a target.
//!
//! # Layout
//!
//! A node begins with a byte: bits 0 and 1 show the rules that end there (up to `MORE`), bits 2 to
//! 4 the form of its children (`LEAF` to `OFFSETS_64`), bits 5 to 7 the length of its label, or
//! `LONG_LABEL` if a number follows for it. Then come the label, the rules, and the children. A
//! single child follows directly. Several children have a table first: their number less one, the
//! number of leaves among them, the octet of each, and the offset of each except the first, counted
//! from the end of the table, and the end of the last one if it is a leaf.
//!
//! Leaves come first. A leaf is a number and the required text after its octet; several leaves may
//! share an octet. An octet of more than `FEW` items leads to a node, and never also to leaves: a
//! walk that reaches leaves ends there. So most items are written once, side by side, and a check
//! compares the target with few of them (ARCHITECTURE.md has the savings).
//!
//! A walk reads only forward. Every node that it visits is after the previous one, and so are its
//! leaves, so it ends for any bytes. `divide.rs` divides the items below a node, `build.rs` writes
//! nodes, `walk.rs` reads them.

mod build;
mod divide;
mod walk;

pub(super) use build::build;
pub(super) use walk::find;
