//! The store and the turns with a real Redis, which each test starts for itself and disturbs.
//!
//! Without `redis-server` the tests are skipped. `cargo xtask fleet` runs the large ones.
#![cfg_attr(unix, expect(clippy::unwrap_used, reason = "a failed setup fails the test"))]

#[cfg(unix)]
mod cluster;
#[cfg(unix)]
mod common;
#[path = "../../../verger-fetch/tests/fetch/contract.rs"]
#[cfg(unix)]
mod contract;
#[cfg(unix)]
mod faults;
#[cfg(unix)]
mod fleet;
#[cfg(unix)]
mod forged;
#[cfg(unix)]
mod leases;
#[cfg(unix)]
mod server;
#[cfg(unix)]
mod site;
#[cfg(unix)]
mod strangers;
#[cfg(unix)]
mod turns;
#[cfg(unix)]
mod values;

/// Redis runs on Unix only.
#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
type Tests = &'static [(&'static str, fn())];

#[cfg(unix)]
fn main() {
    use libtest_mimic::{Arguments, Trial};

    if let Ok(part) = std::env::var(fleet::PART) {
        return fleet::play(&part);
    }
    let parts: [(&str, Tests); 8] = [
        ("values", values::TESTS),
        ("forged", forged::TESTS),
        ("leases", leases::TESTS),
        ("turns", turns::TESTS),
        ("faults", faults::TESTS),
        ("strangers", strangers::TESTS),
        ("fleet", fleet::TESTS),
        ("cluster", cluster::TESTS),
    ];
    let trials = parts.into_iter().flat_map(|(part, tests)| {
        tests.iter().map(move |&(name, test)| {
            let name = format!("{part}::{name}");
            let skipped = name.clone();
            Trial::test(name, move || {
                if server::can_run(&skipped) {
                    test();
                }
                Ok(())
            })
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}
