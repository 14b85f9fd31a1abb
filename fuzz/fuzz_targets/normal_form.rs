//! Fuzz target `normal_form`: [`verger_fuzz::normal_form`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| verger_fuzz::normal_form::property(bytes));
