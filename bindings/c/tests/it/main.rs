//! Tests of the C library: its functions from Rust, and programs in C, C++, Go and Java.

mod common;
mod languages;
mod memory;
mod programs;
mod vectors;
