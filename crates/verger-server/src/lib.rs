//! The HTTP service of Verger: which URLs may crawlers fetch?
//!
//! # Flow
//!
//! [`settings::parse`] reads the command line, the environment and `verger.toml`. [`Server::start`]
//! listens. `connection.rs` accepts connections within limits, `routes.rs` checks each request
//! (`access_control.rs`) and calls the handler of its route. Questions are answered by
//! `answers.rs`: by prepared decisions (`prepared.rs`), otherwise by the robots client of
//! `verger-fetch`. Streams of questions are in `stream.rs`. All JSON is that of `verger-json`;
//! problems are those of RFC 9457 (`problem.rs`); `description.rs` describes the API.
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
// - `limits.rs`, `error.rs`: limits that no setting changes, with their reasons; errors at the
//   start
// - `settings/`: settings from flags, environment and file
// - `generations.rs`: a map with bounded memory
// - `secrets.rs`: files of tokens and keys
// - `telemetry.rs`: the log; metrics for operators
// - `stopping.rs`: the end of the service as tasks see it
// - `schemas.rs`, `response.rs`, `problem.rs`: parts of the description of the API that several
//   handlers share; responses with JSON; problem documents
// - `asked_url.rs`, `question.rs`: the URL of a question as a client sends it; questions and their
//   checks
// - `prepared.rs`, `answers.rs`: prepared decisions and their cache; answers from them or from
//   the robots client
// - `access_control.rs`, `work.rs`, `refreshes.rs`: names, tokens and rates; work on other
//   threads; forced fetches
// - `app.rs`, `request.rs`: the state that all handlers share; bodies, tasks and query parameters
// - `stream.rs`, `check.rs`: streams of questions; questions about URLs
// - `evaluate.rs`, `diff.rs`: files in requests
// - `origins.rs`, `turns.rs`, `crawlers.rs`, `identify.rs`, `operator.rs`, `page.rs`: the other
//   routes; the page has its files in `page/`
// - `description.rs`: the description of the API without its routes
// - `routes.rs`, `connection.rs`, `run.rs`: the list of routes, and one request from its checks to
//   its response; connections and their times; start and end
// - `program.rs`: the program with its signals

mod access_control;
mod answers;
mod app;
mod asked_url;
mod check;
mod connection;
mod crawlers;
mod description;
mod diff;
mod error;
mod evaluate;
mod generations;
mod identify;
pub mod limits;
mod operator;
mod origins;
mod page;
mod prepared;
mod problem;
mod program;
mod question;
mod refreshes;
mod request;
mod response;
mod routes;
mod run;
mod schemas;
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
