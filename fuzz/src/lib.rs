//! Properties that hold for any input, one module per fuzz target.
//!
//! # Flow
//!
//! A fuzz target hands its bytes to the `property` of the module of the same name, which panics when
//! something that should hold does not. A property is an ordinary function, so whatever breaks one can
//! be replayed without a fuzzer: `tests/regressions.rs` does that for every file under `regressions/`
//! and `seeds/`. [`TARGETS`] lists them all.
//!
//! `input` makes questions (a robots.txt, a crawler, a URL) out of bytes: a readable text, so that
//! seeds can be made from the conformance suite and crash files can be read; or, through `arbitrary`, a
//! small grammar, so that rules and URLs meet soon. `plain` is a second reading of what the properties
//! have to recompute, written from the clauses and not from the engine. `inert` says what shown text
//! must not hold.
//!
//! # Scope
//!
//! Whether answers are right is for the conformance suite; here two paths to one answer are compared,
//! and answers with what is documented of them.

pub mod access;
pub mod check_against_naive;
pub mod explain;
pub mod extension_values;
mod inert;
mod input;
pub mod normal_form;
pub mod page_directives;
pub mod parse;
mod plain;
pub mod policy;
pub mod record;
pub mod seeds;
pub mod url_scope;

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of its binary, and of its folders of seeds and regressions.
    pub name: &'static str,
    /// What has to hold for any bytes.
    pub property: fn(&[u8]),
}

/// Every fuzz target.
pub const TARGETS: [Target; 10] = [
    Target { name: "parse", property: parse::property },
    Target { name: "check_against_naive", property: check_against_naive::property },
    Target { name: "explain", property: explain::property },
    Target { name: "normal_form", property: normal_form::property },
    Target { name: "extension_values", property: extension_values::property },
    Target { name: "record", property: record::property },
    Target { name: "url_scope", property: url_scope::property },
    Target { name: "page_directives", property: page_directives::property },
    Target { name: "policy", property: policy::property },
    Target { name: "access", property: access::property },
];
