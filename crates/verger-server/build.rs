//! Embeds the page of the service: the files of the folder in environment variable `VERGER_PAGE`,
//! as `cargo xtask page` builds them. Without the variable, a page that says how to build it:
//! the real one needs Node.js and WebAssembly tools.

use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the built page.
const VARIABLE: &str = "VERGER_PAGE";

/// The page without it.
const SUBSTITUTE: &str = "src/page";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    let folder = match env::var_os(VARIABLE) {
        Some(folder) if !folder.is_empty() => PathBuf::from(folder),
        _ => Path::new(&env::var("CARGO_MANIFEST_DIR")?).join(SUBSTITUTE),
    };
    let folder = folder
        .canonicalize()
        .map_err(|error| format!("{VARIABLE}: could not read {}: {error}", folder.display()))?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    collect(&folder, &mut files)?;
    let mut named = Vec::new();
    for file in &files {
        let name = file.strip_prefix(&folder)?.to_str().ok_or("a name is not UTF-8")?;
        named.push((name.replace('\\', "/"), file.to_str().ok_or("a path is not UTF-8")?));
    }
    // By name: the program searches by halves.
    named.sort();
    let mut table = String::from("&[\n");
    for (name, path) in named {
        writeln!(table, "    ({name:?}, include_bytes!({path:?})),")?;
    }
    table.push(']');
    fs::write(Path::new(&env::var("OUT_DIR")?).join("files.rs"), table)?;
    Ok(())
}

/// Adds all files of a folder and its subfolders.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
