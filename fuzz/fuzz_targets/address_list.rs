//! Fuzz target `address_list`: [`verger_fuzz::address_list`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| verger_fuzz::address_list::property(bytes));
