//! The robots.txt files of 4,231 sites, in the data folder beside the project.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use flate2::read::GzDecoder;

use crate::shared::shared;

/// Path of the compressed archive.
pub const CORPUS: &str = "corpus/robots-4231.tar.gz";

/// Unpacks the files, by site name; `None` if the data is absent.
///
/// # Errors
///
/// If the archive is damaged.
pub fn corpus() -> io::Result<Option<BTreeMap<String, Vec<u8>>>> {
    shared(CORPUS).map(|path| unpack(&path)).transpose()
}

/// Unpacks an archive, by file name without folders.
///
/// # Errors
///
/// If the archive is absent or damaged.
pub fn unpack(path: &Path) -> io::Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut archive = tar::Archive::new(GzDecoder::new(File::open(path)?));
    for entry in archive.entries()? {
        let mut entry = entry?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let path = entry.path()?.into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        if let Some(name) = path.file_name() {
            files.insert(name.to_string_lossy().into_owned(), bytes);
        }
    }
    Ok(files)
}
