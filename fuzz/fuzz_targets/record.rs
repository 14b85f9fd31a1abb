//! Fuzz target `record`: [`verger_fuzz::record`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| verger_fuzz::record::property(bytes));
