//! `cargo xtask python` and `cargo xtask wheel`: the Python package, its tests, and its wheel.

mod environment;
mod installed;
mod wheel;

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use crate::disk;
use crate::shell::{Result, cargo, execute, root, target_dir};

pub(crate) use environment::{Environment, interpreter};
pub(crate) use installed::{VERSIONS, test_wheel};
pub(crate) use wheel::{plain_wheel, wheel};

/// The test runner.
const PYTEST: &str = "pytest>=8,<10";

/// The folder of the package.
fn package() -> PathBuf {
    root().join("bindings/python")
}

/// Whether the test runner is installed.
pub(crate) fn has_test_tools() -> bool {
    Environment::of_tools().has("pytest")
}

/// Installs the test runner.
pub(crate) fn install_test_tools() -> Result {
    Environment::of_tools().install([PYTEST])
}

/// Tests the engine part of the package, built in the dev profile without the client.
pub(crate) fn test_engine() -> Result {
    if !has_test_tools() {
        install_test_tools()?;
    }
    let packages = engine_package()?;
    // pytest uses one core.
    let run = |part: &[&str]| {
        let mut tests = Environment::of_tools().pytest();
        execute(tests.args(part).env("PYTHONPATH", &packages))
    };
    let [vectors, pickle] = ["tests/test_vectors.py", "tests/test_pickle.py"];
    thread::scope(|scope| {
        let others = scope.spawn(|| run(&["tests", "--ignore", vectors, "--ignore", pickle]));
        let result = run(&[vectors, pickle]);
        result.and(others.join().map_err(|_| "a thread panicked".to_owned())?)
    })
}

/// Builds the engine part of the package in the dev profile, and returns the folder that has it.
pub(crate) fn engine_package() -> Result<PathBuf> {
    execute(&mut build_engine())?;
    let packages = target_dir().join("python-package");
    let copy = packages.join("verger");
    disk::remove_folder(&copy)?;
    // Neither caches nor an older library.
    disk::copy_files(&package().join("python/verger"), &copy, |path| {
        path.extension().is_some_and(|it| it == "py" || it == "pyi" || it == "typed")
    })?;
    let library = target_dir().join("debug").join(format!("{DLL_PREFIX}_verger{DLL_SUFFIX}"));
    let extension = if cfg!(windows) { "_verger.pyd" } else { "_verger.abi3.so" };
    disk::copy(&library, &copy.join(extension))?;
    Ok(packages)
}

/// The command that compiles the engine part in the dev profile.
pub(crate) fn build_engine() -> Command {
    let mut build = cargo(["build", "--manifest-path"]);
    build.arg(package().join("Cargo.toml")).env("PYO3_BUILD_EXTENSION_MODULE", "1");
    build.args(["--no-default-features", "--features", "test-panic"]);
    build
}
