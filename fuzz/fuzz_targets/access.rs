//! Fuzz target `access`: [`verger_fuzz::access`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| verger_fuzz::access::property(bytes));
