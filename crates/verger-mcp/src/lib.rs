//! The MCP server `verger-mcp`: agents ask before they fetch.
//!
//! # Flow
//!
//! [`main`] reads the arguments of the operator, builds the robots client and serves one client
//! over standard input and output. [`Server`] reads the calls of tools, runs them with the robots
//! client or with the engine, and answers with structured results.
//!
//! # Promises
//!
//! - Every request is one of the robots client: allowed by robots.txt, permitted by the guard on
//!   each hop, and in its turn.
//! - Identity, networks and the dialect for sites are fixed by the operator; arguments with other
//!   keys are errors.
//! - Content of a page is in one field that is marked as untrusted. It changes no other field
//!   except its length and its hash.
//! - A cancelled call ends its requests.

// Files, from the bottom up: a file uses only files above it (`cargo xtask tidy`).
//
// - `limits.rs`: all limits, with their reasons
// - `bounds.rs`: the length of answers
// - `failure.rs`, `edge.rs`: errors for agents; refusals in front of a site
// - `files.rs`, `page.rs`: tools about texts, and `crawlers`; `fetch`
// - `tools.rs`: names, descriptions and schemas
// - `server.rs`: calls, progress, cancellation
// - `program.rs`: the program

mod bounds;
mod edge;
mod failure;
mod files;
mod limits;
mod page;
mod program;
mod server;
mod tools;

pub use program::main;
pub use server::Server;
