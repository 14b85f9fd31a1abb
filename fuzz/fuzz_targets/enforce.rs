//! Fuzz target `enforce`: [`verger_fuzz::enforce`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| verger_fuzz::enforce::property(bytes));
