//! `cargo xtask dist`: the release archive, for the machine that builds it.
//!
//! `target/archives/verger-VERSION-TARGET.tar.gz` (`.zip` on Windows) has one folder: the programs
//! `verger`, `verger-serve`, `verger-lsp`, `verger-mcp` and `verger-bulk`, their manual pages
//! (`man/`), completions (`completions/`), README, changelog and licences. Its SHA-256 is beside
//! it.

use std::path::Path;

use crate::disk;
use crate::shell::{Result, cargo, executable, execute, host, output, program, root, target_dir};

/// A program of the archive.
struct Program {
    name: &'static str,
    /// Its package, in the workspace of this manifest.
    package: &'static str,
    manifest: &'static str,
    /// Whether commands, and not options, write its manual pages and completions.
    has_commands: bool,
}

const PROGRAMS: [Program; 5] = [
    Program { name: "verger", package: "verger-cli", manifest: "Cargo.toml", has_commands: true },
    Program {
        name: "verger-serve",
        package: "verger-server",
        manifest: "Cargo.toml",
        has_commands: false,
    },
    Program {
        name: "verger-lsp",
        package: "verger-lsp",
        manifest: "Cargo.toml",
        has_commands: false,
    },
    Program {
        name: "verger-mcp",
        package: "verger-mcp",
        manifest: "Cargo.toml",
        has_commands: false,
    },
    Program {
        name: "verger-bulk",
        package: "verger-bulk",
        manifest: "integrations/Cargo.toml",
        has_commands: true,
    },
];

const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

const DOCUMENTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Builds the programs with profile `dist`, and the archive.
pub(crate) fn run() -> Result {
    for program in &PROGRAMS {
        let mut build = cargo(["build", "--locked", "--profile", "dist"]);
        build.args(["--package", program.package, "--manifest-path"]);
        execute(build.arg(root().join(program.manifest)))?;
    }
    let built = target_dir().join("dist");
    let verger = executable(&built.join("verger"));
    let version = output(&mut program(&verger.to_string_lossy(), ["--version"]))?;
    let version = version.split_whitespace().nth(1).ok_or("`verger --version` has no version")?;

    let archives = target_dir().join("archives");
    let name = format!("verger-{version}-{}", host()?);
    let folder = archives.join(&name);
    disk::remove_folder(&folder)?;
    fill(&folder, &built)?;
    let archive = if cfg!(windows) { format!("{name}.zip") } else { format!("{name}.tar.gz") };
    // bsdtar, part of Windows and macOS, writes a zip file because of the name.
    let options = if cfg!(windows) { "-acf" } else { "-czf" };
    execute(program("tar", [options, &archive, &name]).current_dir(&archives))?;
    disk::remove_folder(&folder)?;

    let sum = checksum(&archives, &archive)?;
    disk::write(&archives.join(format!("{archive}.sha256")), &sum)?;
    println!("{}\n{sum}", archives.join(archive).display());
    Ok(())
}

/// Fills the folder that becomes the archive with the programs of a folder.
fn fill(folder: &Path, built: &Path) -> Result {
    let (man, completions) = (folder.join("man"), folder.join("completions"));
    disk::create_folder(&man)?;
    disk::create_folder(&completions)?;
    for name in DOCUMENTS {
        disk::copy(&root().join(name), &folder.join(name))?;
    }
    for Program { name, has_commands, .. } in &PROGRAMS {
        let file = executable(&built.join(name));
        disk::copy(&file, &folder.join(file.file_name().unwrap_or_default()))?;
        let path = file.to_string_lossy();
        if *has_commands {
            execute(program(&path, ["man", "--dir"]).arg(&man))?;
        } else {
            let page = output(&mut program(&path, ["--man"]))?;
            disk::write(&man.join(format!("{name}.1")), page)?;
        }
        let option = if *has_commands { "completions" } else { "--completions" };
        for shell in SHELLS {
            let script = output(&mut program(&path, [option, shell]))?;
            disk::write(&completions.join(completions_file(name, shell)), script)?;
        }
    }
    Ok(())
}

/// The file name of the completions for a shell.
fn completions_file(name: &str, shell: &str) -> String {
    match shell {
        "elvish" => format!("{name}.elv"),
        "powershell" => format!("_{name}.ps1"),
        "zsh" => format!("_{name}"),
        _ => format!("{name}.{shell}"),
    }
}

/// The line for `sha256sum --check`.
fn checksum(folder: &Path, archive: &str) -> Result<String> {
    // macOS has only the second one.
    output(program("sha256sum", [archive]).current_dir(folder))
        .or_else(|_| output(program("shasum", ["--algorithm", "256", archive]).current_dir(folder)))
}
