//! `cargo xtask capi`: the C library, its tests, and its header.

use std::path::PathBuf;
use std::process::Command;

use crate::disk;
use crate::setup::{self, CARGO_C, CBINDGEN, CC, GO, JAVA, JAVAC, MIRI, PKG_CONFIG, VALGRIND};
use crate::shell::{Result, cargo, execute, host, output, program, root, rustup_cargo, target_dir};

/// The folder of the library.
fn package() -> PathBuf {
    root().join("bindings/c")
}

/// Tests the library, from Rust and, with a C compiler, by programs in C.
pub(crate) fn test() -> Result {
    let mut test = tests();
    if !CC.is_there() {
        println!("MISSING: {}; SKIPPED: programs in C", CC.name());
        test.args(["--", "--skip", "programs::"]);
    }
    execute(&mut test)
}

/// The command that compiles the library and its tests.
pub(crate) fn build() -> Command {
    let mut build = tests();
    build.arg("--no-run");
    build
}

fn tests() -> Command {
    let mut test = cargo(["test", "--manifest-path"]);
    test.arg(package().join("Cargo.toml"));
    test
}

/// Installs the library with cargo-c, and tests programs in C, C++, Go and Java that use it.
pub(crate) fn test_languages() -> Result {
    for need in [&CARGO_C, &PKG_CONFIG, &GO, &JAVA, &JAVAC] {
        need.require()?;
    }
    let prefix = target_dir().join("capi-prefix");
    disk::remove_folder(&prefix)?;
    let mut install = cargo(["cinstall", "--release", "--manifest-path"]);
    execute(install.arg(package().join("Cargo.toml")).arg("--prefix").arg(&prefix))?;
    let mut test = ignored_tests("languages::");
    execute(test.env("VERGER_PREFIX", prefix).env("VERGER_JAVA", setup::java()?))
}

/// Tests the memory of programs in C with Valgrind and `AddressSanitizer`, and of the library
/// itself with `AddressSanitizer` and Miri: with the first, also its answers to hostile inputs.
pub(crate) fn test_memory() -> Result {
    for need in [&VALGRIND, &MIRI] {
        need.require()?;
    }
    execute(&mut ignored_tests("memory::"))?;
    let manifest = package().join("Cargo.toml");
    let sanitized =
        ["+nightly", "test", "--features", "hostile", "--test", "it", "--target", &host()?];
    let mut test = rustup_cargo(sanitized);
    test.arg("--manifest-path").arg(&manifest).env("RUSTFLAGS", "-Zsanitizer=address");
    test.env("CARGO_TARGET_DIR", target_dir().join("sanitized"));
    execute(test.args(["--", "vectors::"]))?;
    let mut test = rustup_cargo(["+nightly", "miri", "test", "--lib", "--test", "it"]);
    execute(test.arg("--manifest-path").arg(manifest).args(["--", "--skip", "programs::"]))
}

/// A command that runs the ignored tests of a module, and shows what they measure.
fn ignored_tests(name: &str) -> Command {
    let mut test = cargo(["test", "--release", "--test", "it", "--manifest-path"]);
    test.arg(package().join("Cargo.toml")).args(["--", name, "--ignored", "--nocapture"]);
    test
}

/// Checks that the header belongs to the source, or writes it.
pub(crate) fn header(write: bool) -> Result {
    CBINDGEN.require()?;
    let mut generate = program("cbindgen", ["--quiet", "--config", "cbindgen.toml", "."]);
    // In C the section states what a caller must pass.
    let header =
        output(generate.current_dir(package()))?.replace("// # Safety\n", "// Arguments:\n");
    let path = package().join("include/verger.h");
    if write {
        return disk::write(&path, header);
    }
    if disk::read(&path)? == header {
        return Ok(());
    }
    Err("bindings/c/include/verger.h is out of date\nhint: `cargo xtask capi --write`".to_owned())
}
