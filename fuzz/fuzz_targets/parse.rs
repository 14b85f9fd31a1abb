//! Fuzz target `parse`: [`verger_fuzz::parse`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| verger_fuzz::parse::property(bytes));
