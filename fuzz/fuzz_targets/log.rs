//! Fuzz target `log`: [`verger_fuzz::log`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| verger_fuzz::log::property(bytes));
