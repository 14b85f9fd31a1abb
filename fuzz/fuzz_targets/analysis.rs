//! Fuzz target `analysis`: [`verger_fuzz::analysis`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| verger_fuzz::analysis::property(bytes));
