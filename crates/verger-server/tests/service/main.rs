//! The service: its routes, its description, its limits, and every hostile request of the catalogue.
//!
//! Most tests run the service in this process, with the scripted network of the test kit. The hostile
//! requests go to the program itself.
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]
#![expect(
    clippy::format_collect,
    clippy::format_push_string,
    clippy::needless_pass_by_value,
    reason = "requests are written once"
)]

mod check;
mod client;
mod described;
mod files;
mod hostile;
mod limits;
mod origins;
mod program;
mod schema;
mod streams;
mod turns;
mod world;
