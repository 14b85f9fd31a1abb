//! The HTTP service of Verger: which URLs may crawlers fetch?
//!
//! # Flow
//!
//! [`settings::parse`] reads the command line, the environment and `verger.toml`. [`Server::start`]
//! listens. `connection.rs` accepts connections within limits, `routes.rs` checks each request
//! (`access_control.rs`) and calls the handler of its route. Questions are answered by `answers.rs`:
//! by prepared decisions (`prepared.rs`), otherwise by the robots client of `verger-fetch`. Streams
//! of questions are in `stream.rs`. All JSON is that of `verger-json`; problems are those of RFC 9457
//! (`problem.rs`); `description.rs` describes the API.
//!
//! # Promises
//!
//! - An uncertain answer is never "allowed".
//! - Time, memory, connections and concurrent work are bounded, whatever clients do.
//! - No response contains internal details, and no metric has a label from a request.
//!
//! # Examples
//!
//! ```
//! use verger_server::Server;
//! use verger_server::settings::Settings;
//!
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let listen = vec!["127.0.0.1:0".parse()?];
//! let server = Server::start(Settings { listen, ..Settings::default() }).await?;
//! println!("http://{}", server.addresses()[0]);
//! assert!(server.stop().await);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Files, from the bottom up: a file uses only files above it (`cargo xtask tidy`).
//
// - `limits.rs`, `error.rs`, `problem.rs`: limits that no setting changes, with their reasons;
//   errors at the start; problem documents
// - `settings/`, `program.rs`: settings from flags, environment and file, by one table
//   (`settings/keys.rs`); the program with its signals
// - `generations.rs`: a map with bounded memory
// - `secrets.rs`: files of tokens and keys
// - `telemetry.rs`: the log; metrics for operators
// - `asked_url.rs`, `question.rs`, `request.rs`: the URL of a question as a client sends it;
//   questions and their checks; bodies and query parameters
// - `response.rs`: responses with JSON
// - `prepared.rs`, `answers.rs`: prepared decisions and their cache; answers from them or from
//   the robots client
// - `check.rs`, `stream.rs`: questions about URLs; streams of questions
// - `work.rs`, `evaluate.rs`, `diff.rs`: files in requests, evaluated on other threads
// - `origins.rs`, `turns.rs`, `crawlers.rs`, `operator.rs`, `page.rs`: the other routes; the
//   page has its files in `page/`
// - `access_control.rs`, `connection.rs`, `routes.rs`, `run.rs`, `stopping.rs`: names, tokens
//   and rates; connections and their times; the list of routes, and one request from its checks
//   to its response; start and end; the end as tasks see it
// - `description.rs`: the description of the API; handlers have their parts

mod access_control;
mod answers;
mod asked_url;
mod check;
mod connection;
mod crawlers;
mod description;
mod diff;
mod error;
mod evaluate;
mod generations;
pub mod limits;
mod operator;
mod origins;
mod page;
mod prepared;
mod problem;
mod program;
mod question;
mod request;
mod response;
mod routes;
mod run;
mod secrets;
pub mod settings;
mod stopping;
mod stream;
mod telemetry;
mod turns;
mod work;

pub use error::StartError;
pub use program::main;
pub use run::{Parts, Server, check};

/// The page of the package is an example of its use, too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
