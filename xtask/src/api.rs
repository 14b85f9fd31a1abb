//! `cargo xtask api`: the public API of the libraries, compared with tracked listings and with an
//! earlier release.

use std::collections::HashSet;
use std::path::PathBuf;

use crate::setup::{PUBLIC_API, SEMVER_CHECKS};
use crate::shell::{Result, execute, output, program, root, rustup_cargo};
use crate::{disk, features};

/// Libraries with a published API.
pub(crate) const LIBRARIES: [&str; 12] = [
    "verger",
    "verger-analysis",
    "verger-audit",
    "verger-enforce",
    "verger-fetch",
    "verger-identity",
    "verger-json",
    "verger-lint",
    "verger-page",
    "verger-redis",
    "verger-registry",
    "verger-rights",
];

/// A commit after the last incompatible change of the API. The first version tag replaces it.
const FROZEN: &str = "95388a3dd4710cd021ce5f4fec820357e9812e15";

/// Compares the public API with the listings, or writes them.
pub(crate) fn listings(write: bool) -> Result {
    PUBLIC_API.require()?;
    let mut outdated = Vec::new();
    for library in LIBRARIES {
        let mut list = rustup_cargo(["+nightly", "public-api", "--package", library]);
        list.args(["--features", &features::public(library)?.join(",")]);
        // Without implementations that every type has.
        list.args(["-sss", "--color", "never"]);
        let listing = without_repeats(&output(&mut list)?);
        let path = listing_path(library);
        if write {
            disk::write(&path, listing)?;
        } else if disk::read(&path).unwrap_or_default() != listing {
            outdated.push(library);
        }
    }
    if outdated.is_empty() {
        return Ok(());
    }
    let hint = "write it with `cargo xtask api --write`, and list changes in CHANGELOG.md";
    Err(format!("the API differs from its listing: {}\nhint: {hint}", outdated.join(", ")))
}

/// Each line once: an implementation of a local trait is listed under the type and under the trait.
fn without_repeats(listing: &str) -> String {
    let mut seen = HashSet::new();
    let lines: Vec<&str> = listing.lines().filter(|line| seen.insert(*line)).collect();
    lines.join("\n") + "\n"
}

/// Reports incompatible changes since the last version tag, or since the API was frozen.
pub(crate) fn compatibility() -> Result {
    SEMVER_CHECKS.require()?;
    let tag = output(&mut program("git", ["describe", "--tags", "--abbrev=0", "--match", "v*"]));
    let baseline = tag.map_or_else(|_| FROZEN.to_owned(), |tag| tag.trim().to_owned());
    let mut check = rustup_cargo(["semver-checks", "--baseline-rev", &baseline]);
    for library in LIBRARIES {
        check.args(["--package", library]);
    }
    execute(&mut check)
}

fn listing_path(library: &str) -> PathBuf {
    root().join("crates").join(library).join("api.txt")
}
