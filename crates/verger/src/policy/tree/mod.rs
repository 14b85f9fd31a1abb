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
//! before, so it ends, whatever the bytes. `radix.rs` sorts items,
//! `build.rs` writes nodes, `walk.rs` reads them.

mod build;
mod divide;
mod walk;

pub(super) use build::build;
pub(super) use walk::find;

const RULES: u8 = 0b11;
/// So many of [`HAS_OPEN`] and [`HAS_EXACT`] say which rules end here, at most one of them; else a byte says it.
const MORE: u8 = 3;
/// A rule that takes whatever follows.
const HAS_OPEN: u8 = 1;
/// A rule that takes nothing more.
const HAS_EXACT: u8 = 2;
/// Patterns with wildcards.
const HAS_WILD: u8 = 4;

/// A leaf of a table that is more than a prefix.
const SPECIAL: u64 = 2;

const CHILDREN: u8 = 0b111 << 2;
const LEAF: u8 = 0;
const ONE: u8 = 1 << 2;
const OFFSETS_8: u8 = 2 << 2;
const OFFSETS_16: u8 = 3 << 2;
const OFFSETS_32: u8 = 4 << 2;
const OFFSETS_64: u8 = 5 << 2;

/// So many leaves may share an octet of a table; more have a node of their own.
const FEW: u32 = 8;

const LABEL_SHIFT: u8 = 5;
const LONG_LABEL: u8 = 7;
