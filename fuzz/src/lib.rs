//! Properties that must hold for any input, one module per fuzz target.
//!
//! # Flow
//!
//! A fuzz target passes its bytes to the `property` of the module of the same name, which panics if
//! the property is violated. A property is an ordinary function, so failing inputs can be replayed
//! without a fuzzer: `tests/it/regressions.rs` does that for every file in `regressions/` and
//! `seeds/`. [`TARGETS`] lists all targets.
//!
//! `input` converts bytes to questions (a robots.txt, a crawler, a URL) in one of two ways. A
//! readable text allows seeds from the conformance suite and readable crash files. The generator of
//! the testkit makes matches of rules and URLs frequent. The naive matcher is the oracle for
//! answers in `rfc9309`. `inert` tests displayed text.
//!
//! # Scope
//!
//! The conformance suite tests whether answers are correct. The properties compare two interfaces
//! for one answer, and answers with their documentation.

pub mod address_list;
pub mod analysis;
pub mod check_against_naive;
pub mod enforce;
pub mod explain;
pub mod extension_values;
pub mod fixes;
pub mod fmt;
mod inert;
mod input;
pub mod key_set;
pub mod log;
pub mod normal_form;
pub mod page_directives;
pub mod parse;
pub mod policy;
pub mod record;
pub mod seeds;
pub mod signature;
pub mod url_scope;

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Name of its binary, and of its folders of seeds and regressions.
    pub name: &'static str,
    /// The property of any bytes.
    pub property: fn(&[u8]),
}

/// Every fuzz target.
pub const TARGETS: [Target; 17] = [
    Target { name: "parse", property: parse::property },
    Target { name: "check_against_naive", property: check_against_naive::property },
    Target { name: "explain", property: explain::property },
    Target { name: "normal_form", property: normal_form::property },
    Target { name: "extension_values", property: extension_values::property },
    Target { name: "record", property: record::property },
    Target { name: "url_scope", property: url_scope::property },
    Target { name: "page_directives", property: page_directives::property },
    Target { name: "analysis", property: analysis::property },
    Target { name: "policy", property: policy::property },
    Target { name: "fmt", property: fmt::property },
    Target { name: "fixes", property: fixes::property },
    Target { name: "address_list", property: address_list::property },
    Target { name: "key_set", property: key_set::property },
    Target { name: "signature", property: signature::property },
    Target { name: "log", property: log::property },
    Target { name: "enforce", property: enforce::property },
];
