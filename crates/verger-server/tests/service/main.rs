//! The service: its routes, its description, its limits, and every hostile request of the
//! catalogue.
//!
//! Most tests run the service in this process, with the scripted network of the test kit. The
//! hostile requests go to the program itself.
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
#[cfg(target_os = "linux")]
mod fleet;
mod hostile;
mod limits;
#[cfg(target_os = "linux")]
mod load;
mod origins;
mod program;
#[path = "../../../verger-redis/tests/redis/server.rs"]
#[cfg(target_os = "linux")]
#[expect(dead_code, reason = "the tests of verger-redis use the rest")]
mod redis_server;
mod schema;
mod streams;
mod turns;
mod world;
