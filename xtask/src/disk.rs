//! Files and folders. Errors name the path.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::shell::{Result, output, program, root};

/// The text of a file.
pub(crate) fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(at(path))
}

pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(at(path))
}

pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) -> Result {
    fs::write(path, content).map_err(at(path))
}

/// Copies a file with its permissions, and creates the folder first if needed.
pub(crate) fn copy(from: &Path, to: &Path) -> Result {
    create_folder(to.parent().unwrap_or(to))?;
    fs::copy(from, to).map(drop).map_err(at(from))
}

/// Copies the files of a folder and its subfolders.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> Result {
    copy_files(from, to, |_| true)
}

/// Copies some files of a folder and its subfolders.
pub(crate) fn copy_files(from: &Path, to: &Path, is_copied: fn(&Path) -> bool) -> Result {
    for path in entries(from)? {
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy_files(&path, &target, is_copied)?;
        } else if is_copied(&path) {
            copy(&path, &target)?;
        }
    }
    Ok(())
}

/// Creates a folder and those above it, if needed.
pub(crate) fn create_folder(path: &Path) -> Result {
    fs::create_dir_all(path).map_err(at(path))
}

/// Removes a folder with its content, if it exists.
pub(crate) fn remove_folder(path: &Path) -> Result {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(path)(error)),
        _ => Ok(()),
    }
}

/// The paths in a folder, sorted.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(at(folder))?;
    let paths: io::Result<Vec<_>> = entries.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut paths = paths.map_err(at(folder))?;
    paths.sort();
    Ok(paths)
}

/// The files that git tracks or would add, relative to the root.
///
/// # Errors
///
/// If there are none: a check of no files would pass.
pub(crate) fn tracked() -> Result<Vec<PathBuf>> {
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let listed = output(&mut program("git", list))?;
    let files: Vec<PathBuf> = listed.split('\0').map(PathBuf::from).collect();
    let files: Vec<_> = files.into_iter().filter(|path| root().join(path).is_file()).collect();
    if files.is_empty() { Err("git lists no files".to_owned()) } else { Ok(files) }
}

/// Makes a message of an error, with the path.
pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> String {
    move |error| format!("{}: {error}", path.display())
}
