//! `cargo xtask capi`: the C library, its tests, and its header.

use std::path::PathBuf;

use crate::disk;
use crate::setup::CBINDGEN;
use crate::shell::{Result, cargo, execute, output, program, root};

/// The version of cbindgen. Others can write another header.
pub(crate) const CBINDGEN_VERSION: &str = "0.29.4";

/// The folder of the library.
fn package() -> PathBuf {
    root().join("bindings/c")
}

/// Tests the library: from Rust, and by programs in C.
pub(crate) fn test() -> Result {
    execute(cargo(["test", "--manifest-path"]).arg(package().join("Cargo.toml")))
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
