//! Fuzz target `fixes`: [`verger_fuzz::fixes`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| verger_fuzz::fixes::property(bytes));
