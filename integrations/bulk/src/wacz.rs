//! WACZ: a ZIP file with WARC files in the folder `archive/`.
//!
//! The crate `zip` reads the directory. Entries are read here, as a part of the file: after damage,
//! records continue with a seek, and its reader of entries has none. So an entry must be stored.
//! Its checksum is not used: a file with records in gzip or zstd has those of its records.

use std::io::{self, Read, Seek, SeekFrom, Take};

use zip::result::ZipResult;
use zip::{CompressionMethod, ZipArchive};

/// The folder of WARC files.
const FOLDER: &[u8] = b"archive/";

/// Signature of the header before the data of an entry.
const HEADER: &[u8] = b"PK\x03\x04";

/// A file in the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// Offset of its header.
    header: u64,
    pub(crate) bytes: u64,
    /// Whether it is neither compressed nor encrypted.
    is_stored: bool,
}

impl Entry {
    /// The entries of a file, in the order of its directory.
    pub(crate) fn all(file: impl Read + Seek) -> ZipResult<Vec<Self>> {
        let archive = ZipArchive::new(file)?;
        let entries = (0..archive.len()).map(|at| archive.by_index_data(at));
        let is_wanted = |name: &[u8]| name.starts_with(FOLDER) && !name.ends_with(b"/");
        let mut all = Vec::new();
        for entry in entries {
            let entry = entry?;
            if is_wanted(entry.name_raw()) {
                let is_plain = entry.compression() == CompressionMethod::STORE;
                all.push(Self {
                    name: String::from_utf8_lossy(entry.name_raw()).into_owned(),
                    header: entry.header_start(),
                    bytes: entry.compressed_size(),
                    is_stored: is_plain && !entry.encrypted(),
                });
            }
        }
        Ok(all)
    }

    /// Opens the entry in its ZIP file.
    pub(crate) fn open<S: Read + Seek>(&self, mut file: S) -> io::Result<Take<S>> {
        let broken = |message: &str| io::Error::new(io::ErrorKind::InvalidData, message);
        if !self.is_stored {
            return Err(broken("expected a ZIP entry without compression: `zip -0` stores it"));
        }
        let mut header = [0; 30];
        file.seek(SeekFrom::Start(self.header))?;
        file.read_exact(&mut header)?;
        if !header.starts_with(HEADER) {
            return Err(broken("expected the header of a ZIP entry"));
        }
        // Its name and its extra fields follow.
        let lengths = [26, 28].map(|at| i64::from(header[at]) + i64::from(header[at + 1]) * 256);
        file.seek(SeekFrom::Current(lengths.iter().sum()))?;
        Ok(file.take(self.bytes))
    }
}
