//! Fuzz target `policy`: [`verger_fuzz::policy`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| verger_fuzz::policy::property(bytes));
