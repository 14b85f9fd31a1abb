//! Fuzz target `extension_values`: [`verger_fuzz::extension_values`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| verger_fuzz::extension_values::property(bytes));
