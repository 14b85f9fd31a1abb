//! `cargo xtask npm`: the npm package, and its tests.

mod build;
mod suites;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::disk;
use crate::shell::{Result, cargo, execute, program, root, target_dir};

pub(crate) use build::build;
pub(crate) use suites::{bench, lint, test};

/// The version of wasm-bindgen, of the library and of the program: they must be equal.
pub(crate) const WASM_BINDGEN_VERSION: &str = "0.2.130";

/// The target of the modules.
pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// The folder of the sources.
fn package() -> PathBuf {
    root().join("bindings/wasm")
}

/// The folder of the built package.
pub(crate) fn built() -> PathBuf {
    target_dir().join("npm")
}

/// Checks that the modules compile.
pub(crate) fn check() -> Result {
    execute(&mut compile())
}

/// The command that checks the modules.
pub(crate) fn compile() -> Command {
    let mut check = cargo(["check", "--locked", "--target", WASM_TARGET, "--manifest-path"]);
    check.arg(package().join("Cargo.toml"));
    check
}

/// Installs one package from npm in a folder of its own, without running its scripts or those of
/// its dependencies.
pub(crate) fn install_package(name: &str, package: &str) -> Result<PathBuf> {
    let folder = target_dir().join(name);
    disk::create_folder(&folder)?;
    let npm = ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"];
    execute(program("npm", npm).arg(&folder).arg(package))?;
    Ok(folder)
}

/// A package that is not published. Newer versions of npm run install scripts only on permission;
/// these programs need theirs.
const PRIVATE: &str = r#"{
  "private": true,
  "allowScripts": { "bun": true, "deno": true, "esbuild": true, "workerd": true }
}
"#;

/// Programs from npm, in a separate folder.
pub(crate) struct Tools(PathBuf);

impl Tools {
    /// Installs packages, each with its version, unless they are installed.
    pub(crate) fn install(name: &str, packages: &[&str]) -> Result<Self> {
        let folder = target_dir().join(name);
        let wanted = packages.join("\n");
        let list = folder.join("packages.txt");
        if list.is_file() && disk::read(&list)? == wanted {
            return Ok(Self(folder));
        }
        disk::remove_folder(&folder)?;
        disk::create_folder(&folder)?;
        // A folder without this file would belong to a package above it.
        disk::write(&folder.join("package.json"), PRIVATE)?;
        let npm = ["install", "--silent", "--no-audit", "--no-fund", "--save-exact", "--prefix"];
        execute(program("npm", npm).arg(&folder).args(packages))?;
        disk::write(&list, wanted)?;
        Ok(Self(folder))
    }

    /// The folder with `node_modules`.
    pub(crate) fn folder(&self) -> &Path {
        &self.0
    }

    /// A file of an installed package.
    fn file(&self, path: &str) -> PathBuf {
        self.0.join("node_modules").join(path)
    }

    /// A program, run in a folder.
    fn run(&self, name: &str, folder: &Path) -> Command {
        let mut command = Command::new(self.file(".bin").join(name));
        command.current_dir(folder);
        command
    }
}
