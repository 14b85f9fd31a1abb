//! A policy in words becomes rules of robots.txt: a marked block in a file whose other lines stay.
//!
//! # Flow
//!
//! `marks.rs` splits a file into the block and the owner's lines. `block.rs` knows which lines each
//! crawler needs, and writes the block. `proof.rs` compares the finished file with the policy for
//! every crawler, for all URLs: a crawler is named only where the owner's lines and the group for
//! `*` would give it another answer.

pub(crate) mod block;
pub(crate) mod marks;
pub(crate) mod proof;

#[cfg(test)]
mod tests;
