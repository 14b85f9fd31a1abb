//! The project's files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::shell::{Result, output, program, root};

/// Files that git tracks or would add.
pub(super) fn tracked() -> Result<Vec<PathBuf>> {
    let listed =
        output(&mut program("git", ["ls-files", "--cached", "--others", "--exclude-standard"]))?;
    let files: Vec<PathBuf> =
        listed.lines().map(PathBuf::from).filter(|path| root().join(path).is_file()).collect();
    if files.is_empty() {
        // An empty list is an error of the check.
        return Err("git lists no files".to_owned());
    }
    Ok(files)
}

/// The text of a file; invalid UTF-8 is replaced.
pub(super) fn read(path: &Path) -> Result<String> {
    let bytes =
        fs::read(root().join(path)).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

pub(super) fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|found| extensions.iter().any(|wanted| found == *wanted))
}
