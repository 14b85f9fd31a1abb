//! `cargo xtask api`: the public API of the libraries, compared with tracked listings and with an
//! earlier release.

use std::fs;
use std::path::PathBuf;

use crate::setup::{PUBLIC_API, SEMVER_CHECKS};
use crate::shell::{Result, execute, output, program, root, rustup_cargo};

/// Libraries with a listing of their API.
const LIBRARIES: [&str; 5] =
    ["verger", "verger-analysis", "verger-fetch", "verger-json", "verger-page"];

/// Libraries that existed when the names were settled.
const SETTLED: [&str; 4] = ["verger", "verger-fetch", "verger-json", "verger-page"];

/// The commit in which the names were settled. The last version tag replaces it.
const FROZEN: &str = "11456a35efa936d7855ab010a800fae276fc1a73";

/// Compares the public API with the listings, or writes them.
pub(crate) fn listings(write: bool) -> Result {
    if !PUBLIC_API.is_there() {
        let hint = "install it with `cargo install cargo-public-api --locked`";
        return Err(format!("{} is missing\nhint: {hint}", PUBLIC_API.name()));
    }
    let mut outdated = Vec::new();
    for library in LIBRARIES {
        let mut list = rustup_cargo(["+nightly", "public-api", "--package", library]);
        // Without implementations that every type has.
        list.args(["--all-features", "-sss", "--color", "never"]);
        let listing = output(&mut list)?;
        let path = listing_path(library);
        if write {
            fs::write(&path, listing).map_err(|error| format!("{}: {error}", path.display()))?;
        } else if fs::read_to_string(&path).unwrap_or_default() != listing {
            outdated.push(library);
        }
    }
    if outdated.is_empty() {
        return Ok(());
    }
    let hint = "write it with `cargo xtask api --write`, and list changes in CHANGELOG.md";
    Err(format!("the API differs from its listing: {}\nhint: {hint}", outdated.join(", ")))
}

/// Reports incompatible changes since the last version tag, or since the API was frozen.
pub(crate) fn compatibility() -> Result {
    if !SEMVER_CHECKS.is_there() {
        let hint = "install it with `cargo install cargo-semver-checks --locked`";
        return Err(format!("{} is missing\nhint: {hint}", SEMVER_CHECKS.name()));
    }
    let tag = output(&mut program("git", ["describe", "--tags", "--abbrev=0", "--match", "v*"]));
    let baseline = tag.map_or_else(|_| FROZEN.to_owned(), |tag| tag.trim().to_owned());
    let mut check = rustup_cargo(["semver-checks", "--all-features", "--baseline-rev", &baseline]);
    for library in SETTLED {
        check.args(["--package", library]);
    }
    execute(&mut check)
}

fn listing_path(library: &str) -> PathBuf {
    root().join("crates").join(library).join("api.txt")
}
