//! Fuzz target `signature`: [`verger_fuzz::signature`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| verger_fuzz::signature::property(bytes));
