//! C interface of Verger. `include/verger.h` is generated from this crate.
//!
//! # Flow
//!
//! Each function turns its arguments into slices and references (`text.rs`, `pointer.rs`), calls
//! the engine inside [`status::guard`], which catches panics, and writes the result through a
//! pointer.
//!
//! `unsafe` is used for pointers from C and nothing else. Each function states what it expects of
//! them under "Safety".

mod one_shot;
mod pointer;
mod policy;
mod robots;
mod status;
mod text;
mod verdict;

pub use one_shot::{verger_is_allowed, verger_robots_url, verger_version};
pub use policy::{
    Policy, verger_policy_bytes, verger_policy_check, verger_policy_compile, verger_policy_free,
    verger_policy_from_bytes, verger_policy_is_allowed,
};
pub use robots::{
    Robots, verger_robots_check, verger_robots_crawl_delay, verger_robots_explain,
    verger_robots_free, verger_robots_is_allowed, verger_robots_parse, verger_robots_policy,
    verger_robots_sitemap,
};
pub use status::{Status, verger_status_message};
pub use text::{OwnedText, Text, verger_string_free};
pub use verdict::{RuleKind, Verdict};
