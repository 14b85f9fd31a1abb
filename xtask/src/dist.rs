//! `cargo xtask dist`: the release archive, for the machine that builds it.
//!
//! `target/archives/verger-VERSION-TARGET.tar.gz` (`.zip` on Windows) has one folder: the program, its manual
//! pages (`man/`), completions (`completions/`), README, changelog and licences. Its SHA-256 is beside it.

use std::path::Path;

use crate::disk;
use crate::shell::{Result, cargo, executable, execute, host, output, program, root, target_dir};

/// Shells, and the file name of the completions for each.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "verger.bash"),
    ("elvish", "verger.elv"),
    ("fish", "verger.fish"),
    ("powershell", "_verger.ps1"),
    ("zsh", "_verger"),
];

const DOCUMENTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Builds the program with profile `dist`, and the archive.
pub(crate) fn run() -> Result {
    execute(&mut cargo(["build", "--locked", "--profile", "dist", "--package", "verger-cli"]))?;
    let built = executable(&target_dir().join("dist/verger"));
    let version = output(&mut program(&built.to_string_lossy(), ["--version"]))?;
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

/// Fills the folder that becomes the archive.
fn fill(folder: &Path, built: &Path) -> Result {
    let completions = folder.join("completions");
    disk::create_folder(&completions)?;
    for from in DOCUMENTS.map(|name| root().join(name)).iter().chain([&built.to_path_buf()]) {
        disk::copy(from, &folder.join(from.file_name().unwrap_or_default()))?;
    }
    let verger = built.to_string_lossy();
    execute(program(&verger, ["man", "--dir"]).arg(folder.join("man")))?;
    for (shell, name) in COMPLETIONS {
        let script = output(&mut program(&verger, ["completions", shell]))?;
        disk::write(&completions.join(name), script)?;
    }
    Ok(())
}

/// The line for `sha256sum --check`.
fn checksum(folder: &Path, archive: &str) -> Result<String> {
    // macOS has only the second one.
    output(program("sha256sum", [archive]).current_dir(folder))
        .or_else(|_| output(program("shasum", ["--algorithm", "256", archive]).current_dir(folder)))
}
