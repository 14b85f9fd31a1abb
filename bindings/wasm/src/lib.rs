//! The WebAssembly modules of the npm package `verger`. The package itself is in `package`: it adds
//! classes and types in plain JavaScript.
//!
//! # Flow
//!
//! JavaScript writes the arguments of a call, as bytes one after another, into the memory of the
//! module ([`input`](crate::input)) and passes their lengths. Strings are encoded as UTF-8; a lone
//! surrogate becomes its three bytes. Results with several values are JSON ([`json`](crate::json)).
//!
//! # Scope
//!
//! Feature `engine` has the functions of module `verger`, feature `tools` those of `verger/tools`.
//! The package is built once with each. A module has its own memory, so they share no objects.

#[cfg(target_family = "wasm")]
mod allocator;
mod arguments;
mod input;
#[cfg_attr(
    not(all(feature = "engine", feature = "tools")),
    allow(dead_code, reason = "each module writes other values")
)]
mod json;
mod values;

#[cfg(feature = "engine")]
mod crawler;
#[cfg(feature = "engine")]
mod policy;
#[cfg(feature = "engine")]
mod robots;
#[cfg(feature = "tools")]
mod tools;

#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator::new();

/// The version and the name of the module, which JavaScript compares with its own before the start.
#[cfg(target_family = "wasm")]
#[used]
#[unsafe(link_section = "verger")]
static VERSION: [u8; ID.len()] = {
    let mut bytes = [0; ID.len()];
    bytes.copy_from_slice(ID.as_bytes());
    bytes
};

#[cfg(target_family = "wasm")]
const ID: &str = if cfg!(feature = "engine") {
    concat!("verger ", env!("CARGO_PKG_VERSION"))
} else {
    concat!("verger/tools ", env!("CARGO_PKG_VERSION"))
};
