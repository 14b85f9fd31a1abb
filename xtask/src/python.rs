//! `cargo xtask python` and `cargo xtask wheel`: tests of the Python package, and the package as a wheel.
//!
//! Tools from `PyPI` live in a virtual environment in `target`, and never in the user's Python.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shell::{Result, cargo, executable, execute, program, root, succeeds, target_dir};

/// The package, relative to the root.
const PACKAGE: &str = "bindings/python";

/// The test runner.
const TEST_TOOLS: [&str; 1] = ["pytest>=8,<10"];

/// Builds wheels, and adds the program to them.
const WHEEL_TOOLS: [&str; 2] = ["maturin>=1.16,<2", "wheel>=0.45"];

/// Build wheels for old versions of glibc, and for musl.
const ZIG_TOOLS: [&str; 2] = ["ziglang", "cargo-zigbuild"];

/// The oldest glibc that wheels of `--zig` run with, that of 2014.
const GLIBC: &str = "2.17";

/// Whether the test runner is installed.
pub(crate) fn has_test_tools() -> bool {
    succeeds(&mut python(["-c", "import pytest"]))
}

/// Installs the test runner.
pub(crate) fn install_test_tools() -> Result {
    install(&TEST_TOOLS)
}

/// Tests the engine part of the package, built in the dev profile without the client.
pub(crate) fn test_engine() -> Result {
    if !has_test_tools() {
        install_test_tools()?;
    }
    let manifest = root().join(PACKAGE).join("Cargo.toml");
    let mut build = cargo(["build", "--no-default-features", "--manifest-path"]);
    execute(build.arg(manifest).env("PYO3_BUILD_EXTENSION_MODULE", "1"))?;

    let packages = target_dir().join("python-package");
    let package = packages.join("verger");
    if package.exists() {
        fs::remove_dir_all(&package).map_err(at(&package))?;
    }
    copy_folder(&root().join(PACKAGE).join("python/verger"), &package)?;
    let library = target_dir().join("debug").join(format!("{DLL_PREFIX}_verger{DLL_SUFFIX}"));
    let extension = if cfg!(windows) { "_verger.pyd" } else { "_verger.abi3.so" };
    fs::copy(&library, package.join(extension)).map_err(at(&library))?;

    let mut tests = python(["-m", "pytest", "-p", "no:cacheprovider"]);
    tests.current_dir(root().join(PACKAGE)).env("PYTHONPATH", packages);
    tests.env("PYTHONDONTWRITEBYTECODE", "1");
    execute(&mut tests)
}

/// Builds the wheel with the program in it, in `dist`.
pub(crate) fn wheel(target: Option<&str>, with_zig: bool) -> Result {
    install(&WHEEL_TOOLS)?;
    if with_zig {
        install(&ZIG_TOOLS)?;
    }
    let dist = root().join("dist");
    let built = target_dir().join("wheels");
    for folder in [&dist, &built] {
        fs::create_dir_all(folder).map_err(at(folder))?;
    }
    if built.exists() {
        fs::remove_dir_all(&built).map_err(at(&built))?;
    }
    let mut build = python(["-m", "maturin", "build", "--release", "--out"]);
    build.arg(&built).arg("--manifest-path").arg(root().join(PACKAGE).join("Cargo.toml"));
    build.env("CARGO_TARGET_DIR", target_dir());
    if let Some(target) = target {
        build.args(["--target", target]);
    }
    if with_zig {
        build.arg("--zig");
    }
    execute(&mut build)?;

    let wheel = only_entry(&built)?;
    let unpacked = built.join("unpacked");
    execute(python(["-m", "wheel", "unpack"]).arg(&wheel).arg("--dest").arg(&unpacked))?;
    let content = only_entry(&unpacked)?;
    let name = content.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let scripts = content.join(format!("{name}.data")).join("scripts");
    fs::create_dir_all(&scripts).map_err(at(&scripts))?;
    let built_program = build_program(target, with_zig)?;
    let file = scripts.join(built_program.file_name().unwrap_or_default());
    // `fs::copy` also copies the permission to execute.
    fs::copy(&built_program, &file).map_err(at(&built_program))?;
    execute(python(["-m", "wheel", "pack"]).arg(&content).arg("--dest-dir").arg(&dist))?;
    println!("\nbytes before compression:");
    for (part, path) in [("program", &file), ("engine and client", &native_module(&content)?)] {
        let bytes = fs::metadata(path).map_err(at(path))?.len();
        println!("  {bytes:>11}  {part}");
    }
    Ok(())
}

/// The program in the profile of released binaries.
fn build_program(target: Option<&str>, with_zig: bool) -> Result<PathBuf> {
    let arguments = ["--profile", "dist", "--package", "verger-cli"];
    let mut folder = target_dir();
    let mut build = if with_zig {
        // A program on the path of the virtual environment.
        let mut build = Command::new(tool("cargo-zigbuild"));
        build.arg("zigbuild").current_dir(root()).env("CARGO_TARGET_DIR", target_dir());
        build
    } else {
        cargo(["build"])
    };
    build.args(arguments);
    if let Some(target) = target {
        let is_glibc = with_zig && target.ends_with("-gnu");
        let exact = if is_glibc { format!("{target}.{GLIBC}") } else { target.to_owned() };
        build.args(["--target", &exact]);
        folder.push(target);
    }
    execute(&mut build)?;
    Ok(executable(&folder.join("dist").join("verger")))
}

fn native_module(content: &Path) -> Result<PathBuf> {
    let package = content.join("verger");
    let entries = fs::read_dir(&package).map_err(at(&package))?;
    let mut paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_module = |path: &PathBuf| path.extension().is_some_and(|it| it == "so" || it == "pyd");
    paths.find(is_module).ok_or_else(|| format!("{}: no native module", package.display()))
}

/// Python of the virtual environment.
fn python<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(tool("python"));
    command.args(arguments).current_dir(root());
    command
}

/// A program of the virtual environment.
fn tool(name: &str) -> PathBuf {
    let folder = if cfg!(windows) { "Scripts" } else { "bin" };
    executable(&target_dir().join("python-env").join(folder).join(name))
}

/// Installs packages from `PyPI` into the virtual environment, and creates it first if needed.
fn install(packages: &[&str]) -> Result {
    if !succeeds(&mut python(["-c", ""])) {
        let interpreter = if cfg!(windows) { "python" } else { "python3" };
        execute(program(interpreter, ["-m", "venv"]).arg(target_dir().join("python-env")))?;
    }
    let mut pip = python(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    execute(pip.args(packages))
}

/// Copies the Python files of a folder and its subfolders.
fn copy_folder(from: &Path, to: &Path) -> Result {
    fs::create_dir_all(to).map_err(at(to))?;
    for entry in fs::read_dir(from).map_err(at(from))? {
        let path = entry.map_err(at(from))?.path();
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() && name != "__pycache__" {
            copy_folder(&path, &to.join(name))?;
        } else if path.extension().is_some_and(|it| it == "py" || it == "pyi" || it == "typed") {
            fs::copy(&path, to.join(name)).map_err(at(&path))?;
        }
    }
    Ok(())
}

fn only_entry(folder: &Path) -> Result<PathBuf> {
    let mut entries = fs::read_dir(folder).map_err(at(folder))?;
    match (entries.next(), entries.next()) {
        (Some(entry), None) => Ok(entry.map_err(at(folder))?.path()),
        _ => Err(format!("{}: expected one file", folder.display())),
    }
}

fn at(path: &Path) -> impl Fn(std::io::Error) -> String {
    move |error| format!("{}: {error}", path.display())
}
