//! Fuzz target `fmt`: [`verger_fuzz::fmt`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| verger_fuzz::fmt::property(bytes));
