//! Fuzz target `url_scope`: [`verger_fuzz::url_scope`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| verger_fuzz::url_scope::property(bytes));
