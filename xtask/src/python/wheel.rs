//! The wheel: the package, and the program `verger`.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::environment::Environment;
use super::package;
use crate::disk;
use crate::shell::{Result, cargo, executable, execute, root, target_dir};

/// Builds wheels, and adds the program to them.
const TOOLS: [&str; 2] = ["maturin>=1.16,<2", "wheel>=0.45"];

/// Build wheels for old versions of glibc, and for musl.
const ZIG_TOOLS: [&str; 2] = ["ziglang", "cargo-zigbuild"];

/// The oldest glibc that wheels of `--zig` run with, that of 2014.
const GLIBC: &str = "2.17";

/// Builds the wheel with the program in it, in `target/wheels`, and returns its path.
pub(crate) fn wheel(target: Option<&str>, with_zig: bool) -> Result<PathBuf> {
    println!(
        "Builds as for a release: about 14 minutes on two shared cores. For development, \
         run `maturin develop` in bindings/python."
    );
    println!("1 of 2: the engine and the client");
    let tools = Environment::of_tools();
    let wheel = build(&tools, &package(), target, with_zig)?;
    let dist = dist()?;
    println!("2 of 2: the program `verger`");
    let built = built();
    let unpacked = built.join("unpacked");
    execute(tools.python(["-m", "wheel", "unpack"]).arg(&wheel).arg("--dest").arg(&unpacked))?;
    let content = only_entry(&unpacked)?;
    let name = content.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let scripts = content.join(format!("{name}.data")).join("scripts");
    let built_program = build_program(&tools, target, with_zig)?;
    let file = scripts.join(built_program.file_name().unwrap_or_default());
    disk::copy(&built_program, &file)?;
    execute(tools.python(["-m", "wheel", "pack"]).arg(&content).arg("--dest-dir").arg(&dist))?;
    println!("\nbytes before compression:");
    for (part, path) in [("program", &file), ("engine and client", &native_module(&content)?)] {
        let bytes = disk::read_bytes(path)?.len();
        println!("  {bytes:>11}  {part}");
    }
    let packed = dist.join(wheel.file_name().unwrap_or_default());
    println!("  {:>11}  the wheel, compressed", disk::read_bytes(&packed)?.len());
    Ok(packed)
}

/// Builds the wheel of a package without a program, in `target/wheels`, and returns its path.
pub(crate) fn plain_wheel(package: &Path, target: Option<&str>, with_zig: bool) -> Result<PathBuf> {
    let wheel = build(&Environment::of_tools(), package, target, with_zig)?;
    let packed = dist()?.join(wheel.file_name().unwrap_or_default());
    disk::copy(&wheel, &packed)?;
    println!("{:>11} bytes  {}", disk::read_bytes(&packed)?.len(), packed.display());
    Ok(packed)
}

/// Builds the wheel of a package, and returns its path.
fn build(
    tools: &Environment,
    package: &Path,
    target: Option<&str>,
    with_zig: bool,
) -> Result<PathBuf> {
    tools.install(TOOLS)?;
    if with_zig {
        tools.install(ZIG_TOOLS)?;
    }
    let built = built();
    disk::remove_folder(&built)?;
    let mut build = tools.python(["-m", "maturin", "build", "--release", "--out"]);
    build.arg(&built).arg("--manifest-path").arg(package.join("Cargo.toml"));
    build.env("CARGO_TARGET_DIR", target_dir());
    if let Some(target) = target {
        build.args(["--target", target]);
    }
    if with_zig {
        build.arg("--zig");
    }
    execute(&mut build)?;
    only_entry(&built)
}

/// The folder of finished wheels.
fn dist() -> Result<PathBuf> {
    let dist = target_dir().join("wheels");
    disk::create_folder(&dist)?;
    Ok(dist)
}

/// The folder of the wheel that is being built.
fn built() -> PathBuf {
    target_dir().join("wheel")
}

/// The program in the profile of released binaries.
fn build_program(tools: &Environment, target: Option<&str>, with_zig: bool) -> Result<PathBuf> {
    let arguments = ["--profile", "dist", "--package", "verger-cli"];
    let mut folder = target_dir();
    let mut build = if with_zig {
        // A program on the path of the virtual environment.
        let mut build = Command::new(tools.tool("cargo-zigbuild"));
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
    let is_module = |path: &PathBuf| path.extension().is_some_and(|it| it == "so" || it == "pyd");
    let module = disk::entries(&package)?.into_iter().find(is_module);
    module.ok_or_else(|| format!("{}: no native module", package.display()))
}

fn only_entry(folder: &Path) -> Result<PathBuf> {
    match <[PathBuf; 1]>::try_from(disk::entries(folder)?) {
        Ok([entry]) => Ok(entry),
        Err(entries) => {
            Err(format!("{}: expected one file, but found {}", folder.display(), entries.len()))
        }
    }
}
