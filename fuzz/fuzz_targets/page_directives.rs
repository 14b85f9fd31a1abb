//! Fuzz target `page_directives`: [`verger_fuzz::page_directives`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| verger_fuzz::page_directives::property(bytes));
