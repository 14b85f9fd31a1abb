//! The package, built in `target/npm`.

use std::path::Path;

use super::{Tools, WASM_TARGET, built, package};
use crate::disk;
use crate::setup::{NODE, RUST_SOURCE, WASM, WASM_BINDGEN};
use crate::shell::{Result, cargo, execute, output, program, root, target_dir};

/// The optimizer of modules, and the bundler that makes `CommonJS` of the sources.
const TOOLS: [&str; 2] = ["binaryen@132.0.0", "esbuild@0.28.2"];

/// The modules: features of the crate.
const MODULES: [&str; 2] = ["engine", "tools"];

/// The version of Rust with which the unstable options below are tested. Others can have changed
/// or removed them; the tests of the package find wrong answers and sizes.
const TOOLCHAIN: &str = "1.95.0";

/// The standard library is built, too: for size, and with panics that stop the module without a
/// message. Both save 28 % of the first module, 23 % after compression.
const SMALL_STD: [&str; 2] = ["-Zbuild-std=std", "-Zbuild-std-features=optimize_for_size"];
const SMALL_PANICS: &str = "-Zunstable-options -Cpanic=immediate-abort";

/// Options of the optimizer. Without the second, it copies functions with a single caller into it,
/// which compresses worse.
const OPTIMIZE: [&str; 5] =
    ["-Oz", "--one-caller-inline-max-function-size", "0", "--strip-debug", "--strip-producers"];

/// Builds the package.
pub(crate) fn build() -> Result {
    for need in [&NODE, &WASM, &RUST_SOURCE, &WASM_BINDGEN] {
        need.require()?;
    }
    let tools = Tools::install("npm-build", &TOOLS)?;
    let to = built();
    disk::remove_folder(&to)?;
    disk::copy_folder(&package().join("package"), &to)?;
    // Shared with the page of `verger-serve`.
    let visible = root().join("crates/verger-server/page/visible.js");
    disk::copy(&visible, &to.join("lib/visible.js"))?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        disk::copy(&root().join(licence), &to.join(licence))?;
    }
    disk::copy(&package().join("README.md"), &to.join("README.md"))?;
    for module in MODULES {
        module_of(module, &tools, &to.join("native"))?;
    }
    for entry in ["index.node", "tools.node", "robots-parser"] {
        common_js(entry, &tools, &to)?;
    }
    for types in ["index", "tools"] {
        let text = disk::read(&to.join(format!("{types}.d.ts")))?;
        let text = text.replace("\"./index.js\"", "\"./index.cjs\"");
        disk::write(&to.join(format!("{types}.d.cts")), text)?;
    }
    println!("{}", to.display());
    Ok(())
}

/// Builds a module and its JavaScript.
fn module_of(feature: &str, tools: &Tools, to: &Path) -> Result {
    let mut build = cargo(["build", "--locked", "--release", "--target", WASM_TARGET]);
    build.arg("--manifest-path");
    build.arg(package().join("Cargo.toml")).args(["--no-default-features", "--features", feature]);
    // Permits the unstable options on a stable compiler.
    build.args(SMALL_STD).env("RUSTFLAGS", SMALL_PANICS).env("RUSTC_BOOTSTRAP", "1");
    execute(&mut build).map_err(|error| {
        let found = output(&mut program("rustc", ["--version"])).unwrap_or_default();
        explained(error, found.trim())
    })?;
    let compiled = target_dir().join(WASM_TARGET).join("release/verger_wasm.wasm");
    let bound = target_dir().join("wasm-bindgen");
    let options = ["--target", "web", "--no-typescript", "--omit-default-module-path"];
    let mut bind = program("wasm-bindgen", options);
    execute(bind.arg("--out-dir").arg(&bound).args(["--out-name", feature]).arg(compiled))?;
    disk::copy(&bound.join(format!("{feature}.js")), &to.join(format!("{feature}.js")))?;
    let mut optimize = tools.run("wasm-opt", &bound);
    optimize
        .args(OPTIMIZE)
        .arg(format!("{feature}_bg.wasm"))
        .arg("-o")
        .arg(to.join(format!("{feature}.wasm")));
    execute(&mut optimize)
}

/// The error of a build by the compiler `found`, with a hint if it is another than the tested one.
fn explained(error: String, found: &str) -> String {
    if found.split(' ').nth(1) == Some(TOOLCHAIN) {
        return error;
    }
    format!(
        "{error}\nThe modules use unstable options, tested with Rust {TOOLCHAIN}, but found \
         `{found}`. Build them with it: cargo +{TOOLCHAIN} xtask npm"
    )
}

/// Bundles an entry point as `CommonJS`.
fn common_js(entry: &str, tools: &Tools, to: &Path) -> Result {
    let mut bundle = tools.run("esbuild", to);
    bundle.arg(format!("{entry}.js")).arg(format!("--outfile={entry}.cjs"));
    bundle.args(["--bundle", "--format=cjs", "--platform=node", "--target=node20"]);
    // `verger` itself is a separate file, so that there is one module.
    bundle.args(["--external:verger", "--log-level=warning"]);
    bundle.arg("--define:import.meta.url=__verger_url");
    let url = "const __verger_url = require('node:url').pathToFileURL(__filename).href;";
    bundle.arg(format!("--banner:js={url}"));
    if entry == "robots-parser" {
        // As the peer: the function is the module.
        bundle.arg("--footer:js=module.exports = module.exports.default;");
    }
    execute(&mut bundle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_build_by_another_compiler_names_the_tested_one() {
        let error = || "cargo failed".to_owned();
        assert_eq!(explained(error(), &format!("rustc {TOOLCHAIN} (1 2026)")), error());
        for found in ["rustc 1.89.0 (1 2025)", ""] {
            let text = explained(error(), found);
            assert!(text.starts_with("cargo failed\n"), "{text}");
            assert!(text.contains(&format!("cargo +{TOOLCHAIN} xtask npm")), "{text}");
        }
    }
}
