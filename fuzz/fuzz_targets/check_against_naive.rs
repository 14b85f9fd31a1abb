//! Fuzz target `check_against_naive`: [`verger_fuzz::check_against_naive`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| verger_fuzz::check_against_naive::property(bytes));
