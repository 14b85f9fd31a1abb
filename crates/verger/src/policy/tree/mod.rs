//! The tree of prefixes: building it, and walking down it along a target.
//!
//! # Layout
//!
//! A node begins with a byte: in bits 0 and 1 which rules end there (up to `MORE`), in bits 2 to 4
//! how its children are found (`LEAF` to `OFFSETS_64`), in bits 5 to 7 the length of its label, or
//! `LONG_LABEL` where a number tells it. Then come the label, the rules, and the children. A single child
//! follows at once. Of several, there is a table first: their number less one, how many of them are leaves, the octet
//! that leads to each, and for each but the first where it begins, counted from the end of the table, and where the
//! last one ends if it is a leaf.
//!
//! Leaves come first. A leaf is a number and what the target must have behind the octet; several leaves may share an
//! octet. One that more than `FEW` items share leads to a node, and never to leaves as well: a walk that comes by leaves
//! has come to its end. So most items are written once, side by side, and a question compares the target with few of
//! them (ARCHITECTURE.md has what that spares).
//!
//! A walk reads forward only. Every node it visits lies behind the one before, and so do its leaves, so it ends,
//! whatever the bytes. `divide.rs` tells what belongs together below a node, `build.rs` writes nodes, `walk.rs` reads
//! them.

mod build;
mod divide;
mod walk;

pub(super) use build::build;
pub(super) use walk::find;
