//! Sessions with the language server, over a transport in memory and over pipes.

#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]
#![expect(clippy::needless_pass_by_value, reason = "values of `json!` are written in place")]

mod client;
mod edits;
mod features;
mod program;
mod trouble;
