//! The tree of prefixes: building it, and walking down it along a target.
//!
//! # Layout
//!
//! A node begins with a byte: in bits 0 and 1 which rules end there (up to [`MORE`]), in bits 2 to 4
//! how its children are found ([`LEAF`] to [`OFFSETS_64`]), in bits 5 to 7 the length of its label, or
//! [`LONG_LABEL`] where a number tells it. Then come the label, the rules, and the children. A single child
//! follows at once. Of several, there is a table first: their number less one, how many of them are leaves, the octet
//! that leads to each, and for each but the first where it begins, counted from the end of the table, and where the
//! last one ends if it is a leaf.
//!
//! Leaves come first. A leaf is a number and what the target must have behind the octet; several leaves may share an
//! octet. One that more than [`FEW`] items share leads to a node, and never to leaves as well: a walk that comes by leaves
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

const RULES: u8 = 0b11;
/// [`HAS_OPEN`] or [`HAS_EXACT`] alone, or nothing, stand there as they are; for all else there is a byte.
const MORE: u8 = 3;
/// A rule that takes whatever follows.
const HAS_OPEN: u8 = 1;
/// A rule that takes nothing more.
const HAS_EXACT: u8 = 2;
/// Patterns with wildcards.
const HAS_WILD: u8 = 4;

/// In the number of a leaf: it is more than a prefix. The number is the length of what the target must have then, and
/// behind that stand a byte of rules and these rules, as in a node; else it is a rank.
const SPECIAL: u64 = 2;

const CHILDREN: u8 = 0b111 << 2;
const LEAF: u8 = 0;
const ONE: u8 = 1 << 2;
const OFFSETS_8: u8 = 2 << 2;
const OFFSETS_16: u8 = 3 << 2;
const OFFSETS_32: u8 = 4 << 2;
const OFFSETS_64: u8 = 5 << 2;

/// So many leaves may share an octet of a table; more have a node of their own. With 12, policies are a fourteenth
/// larger, and asking them takes a twentieth longer; building them takes a fortieth less.
const FEW: u32 = 8;

const LABEL_SHIFT: u8 = 5;
const LONG_LABEL: u8 = 7;
