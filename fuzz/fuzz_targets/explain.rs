//! Fuzz target `explain`: [`verger_fuzz::explain`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| verger_fuzz::explain::property(bytes));
