//! The client against the hostile server: each entry of the catalogue, each vector of access, scope
//! and pages, and the promises about many concurrent checks.
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

mod access;
mod blocking;
mod catalogue;
mod crowd;
mod deadlines;
#[cfg(feature = "html")]
mod directives;
mod failures;
#[cfg(feature = "http2")]
mod http2;
mod many;
mod network;
mod profiles;
mod proxied;
mod redirects;
mod scope;
mod sharing;
mod vectors;
mod waiting;
mod world;

use libtest_mimic::{Arguments, Trial};

fn main() {
    let mut tests: Vec<Trial> = catalogue::tests();
    tests.extend(vectors::tests());
    tests.extend(many::tests());
    tests.extend(network::tests());
    tests.extend(blocking::tests());
    tests.extend(profiles::tests());
    tests.extend(proxied::tests());
    tests.extend(failures::tests());
    #[cfg(feature = "http2")]
    tests.extend(http2::tests());
    tests.extend(redirects::tests());
    tests.extend(waiting::tests());
    tests.extend(crowd::tests());
    tests.extend(deadlines::tests());
    tests.extend(sharing::tests());
    libtest_mimic::run(&Arguments::from_args(), tests).exit();
}
