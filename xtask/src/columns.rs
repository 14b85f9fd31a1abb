//! `cargo xtask columns`: the kernels over Arrow arrays, in Rust and in Python.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};

use crate::disk;
use crate::notebook;
use crate::python::{Environment, copy_folder};
use crate::shell::{Result, cargo, execute, root, target_dir};

/// Packages for the tests in Python. `DuckDB` needs numpy for functions.
const PACKAGES: [&str; 6] = [
    "pytest>=8,<10",
    "numpy",
    "pyarrow==26.0.1",
    "polars==2.1.0",
    "duckdb==2.0.0",
    "datafusion==55.0.0",
];

/// Tests the kernels in Rust, and the Python package in the dev profile; executes the notebook.
pub(crate) fn test() -> Result {
    let workspace = root().join("integrations");
    let manifest = workspace.join("Cargo.toml");
    execute(cargo(["test", "--workspace", "--manifest-path"]).arg(&manifest))?;
    let build = ["build", "--package", "verger-arrow-python", "--manifest-path"];
    execute(cargo(build).arg(&manifest).env("PYO3_BUILD_EXTENSION_MODULE", "1"))?;

    let package = workspace.join("python");
    let packages = target_dir().join("arrow-package");
    let copy = packages.join("verger_arrow");
    disk::remove_folder(&copy)?;
    copy_folder(&package.join("python/verger_arrow"), &copy)?;
    let library = format!("{DLL_PREFIX}_verger_arrow{DLL_SUFFIX}");
    let extension = if cfg!(windows) { "_verger_arrow.pyd" } else { "_verger_arrow.abi3.so" };
    disk::copy(&target_dir().join("debug").join(library), &copy.join(extension))?;

    let environment = Environment::new(target_dir().join("arrow-env"));
    environment.install(PACKAGES)?;
    let mut tests = environment.python(["-m", "pytest", "-p", "no:cacheprovider"]);
    tests.current_dir(package).env("PYTHONDONTWRITEBYTECODE", "1");
    execute(tests.env("PYTHONPATH", &packages))?;
    notebook::test(&environment, &packages)
}
