//! `cargo xtask page`: the program `verger-serve` with its page, and tests of both.

use std::path::PathBuf;

use crate::disk;
use crate::npm;
use crate::playground;
use crate::setup::{CHROMIUM, PYTHON, REDIS, with_chromium};
use crate::shell::{Result, cargo, executable, execute, program, root, target_dir};

/// The variable that names the page for the build script of `verger-server`.
pub(crate) const PAGE: &str = "VERGER_PAGE";

/// Builds the page, and the program with it, in a profile of Cargo.
pub(crate) fn build(profile: &str) -> Result {
    npm::build()?;
    let page = build_page()?;
    let mut build =
        cargo(["build", "--locked", "--package", "verger-server", "--profile", profile]);
    execute(build.env(PAGE, page))?;
    println!("{}", program_of(profile).display());
    Ok(())
}

/// Builds the page of the service. The npm package must be built.
pub(crate) fn build_page() -> Result<PathBuf> {
    let to = target_dir().join("page");
    disk::remove_folder(&to)?;
    playground::write_for_service(&to)?;
    Ok(to)
}

/// Drives the page in Chromium, and runs the workers of `examples/workers`, with the built program.
pub(crate) fn test(profile: &str) -> Result {
    CHROMIUM.require()?;
    PYTHON.require()?;
    REDIS.require()?;
    let peers = playground::peers()?;
    let mut tests = program("node", ["--test", "--test-concurrency=1"]);
    tests.args(["playground/service-tests/", "examples/workers/"]);
    tests.env("VERGER_SERVE", program_of(profile)).env("VERGER_PEERS", peers.folder());
    tests.env("VERGER_PICTURES", target_dir().join("page-pictures"));
    execute(with_chromium(tests.current_dir(root())))
}

/// The built program.
fn program_of(profile: &str) -> PathBuf {
    let folder = if profile == "dev" { "debug" } else { profile };
    executable(&target_dir().join(folder).join("verger-serve"))
}
