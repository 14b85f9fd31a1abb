//! The store and the turns with a real Redis, which each test starts for itself and disturbs.
//!
//! Redis runs on Unix only. Without `redis-server` the tests are skipped. `cargo xtask fleet` runs
//! the large ones.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

mod cluster;
mod common;
#[path = "../../../verger-fetch/tests/fetch/contract.rs"]
mod contract;
mod faults;
mod fleet;
mod forged;
mod leases;
mod server;
mod site;
mod strangers;
mod turns;
mod values;
