//! Tests of the kernels.

mod golden;
mod kernels;
mod packs;
