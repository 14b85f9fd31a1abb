//! A policy in words becomes rules of robots.txt: a marked block in a file whose other lines stay.
//!
//! # Flow
//!
//! `marks.rs` splits a file into the block and the owner's lines. `block.rs` chooses the groups of
//! the block: a crawler is named only where the owner's lines and the group for `*` would give it
//! another answer. `proof.rs` compares the finished file with the policy for every crawler, for all
//! URLs.

pub(crate) mod block;
pub(crate) mod marks;
pub(crate) mod proof;

#[cfg(test)]
mod tests;
