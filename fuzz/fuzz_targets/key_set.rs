//! Fuzz target `key_set`: [`verger_fuzz::key_set`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| verger_fuzz::key_set::property(bytes));
