//! WACZ: a ZIP file with WARC files in the folder `archive/`.
//!
//! The crate `zip` reads the directory. Entries are read here: after damage, records continue with a
//! seek, and its reader of compressed entries has none.

use std::io::{self, BufReader, Read, Seek, SeekFrom, Take};

use flate2::CrcReader;
use flate2::bufread::DeflateDecoder;
use zip::result::ZipResult;
use zip::{CompressionMethod, ZipArchive};

use crate::limits::REWINDS;

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
    /// Length in the ZIP file.
    bytes: u64,
    /// `None` if it cannot be read: it is encrypted, or has a rare compression.
    is_deflated: Option<bool>,
    checksum: u32,
}

/// An entry as a file.
pub(crate) enum EntryFile<S> {
    Stored(Take<S>),
    /// With the number of times that it can still be decoded from its beginning.
    Deflated(DeflateDecoder<BufReader<Take<S>>>, u32),
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
                all.push(Self {
                    name: String::from_utf8_lossy(entry.name_raw()).into_owned(),
                    header: entry.header_start(),
                    bytes: entry.compressed_size(),
                    is_deflated: match entry.compression() {
                        _ if entry.encrypted() => None,
                        CompressionMethod::STORE => Some(false),
                        CompressionMethod::DEFLATE => Some(true),
                        _ => None,
                    },
                    checksum: entry.crc32(),
                });
            }
        }
        Ok(all)
    }

    /// Opens the entry in its ZIP file.
    pub(crate) fn open<S: Read + Seek>(&self, mut file: S) -> io::Result<EntryFile<S>> {
        let broken = |message: &str| io::Error::new(io::ErrorKind::InvalidData, message);
        let is_deflated = self.is_deflated.ok_or_else(|| {
            broken("expected an entry that is stored or deflated, and not encrypted")
        })?;
        let mut header = [0; 30];
        file.seek(SeekFrom::Start(self.header))?;
        file.read_exact(&mut header)?;
        if !header.starts_with(HEADER) {
            return Err(broken("expected the header of a ZIP entry"));
        }
        // Its name and its extra fields follow.
        let lengths = [26, 28].map(|at| u16::from_le_bytes([header[at], header[at + 1]]));
        io::copy(
            &mut file.by_ref().take(lengths.into_iter().map(u64::from).sum()),
            &mut io::sink(),
        )?;
        let data = file.take(self.bytes);
        Ok(if is_deflated {
            EntryFile::Deflated(DeflateDecoder::new(BufReader::new(data)), REWINDS)
        } else {
            EntryFile::Stored(data)
        })
    }

    /// Whether the content has the checksum of the directory. It is read as a whole.
    pub(crate) fn is_intact(&self, file: impl Read + Seek) -> io::Result<bool> {
        let mut content = CrcReader::new(self.open(file)?);
        io::copy(&mut content, &mut io::sink())?;
        Ok(content.crc().sum() == self.checksum)
    }
}

impl<S: Read> Read for EntryFile<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Stored(data) => data.read(buffer),
            Self::Deflated(decoder, _) => decoder.read(buffer),
        }
    }
}

impl<S: Read + Seek> Seek for EntryFile<S> {
    /// Compressed data is decoded again up to a place before the current one.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (decoder, rewinds) = match self {
            Self::Stored(data) => return data.seek(to),
            Self::Deflated(decoder, rewinds) => (decoder, rewinds),
        };
        let target = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => decoder.total_out().checked_add_signed(by),
            SeekFrom::End(_) => None,
        };
        let target = target.ok_or(io::ErrorKind::InvalidInput)?;
        if target < decoder.total_out() {
            let message =
                "the rest is not read after so many damaged records of a deflated ZIP entry";
            let broken = || io::Error::new(io::ErrorKind::InvalidData, message);
            *rewinds = rewinds.checked_sub(1).ok_or_else(broken)?;
            decoder.get_mut().rewind()?;
            decoder.reset_data();
        }
        let skipped = target - decoder.total_out();
        io::copy(&mut decoder.by_ref().take(skipped), &mut io::sink())?;
        Ok(decoder.total_out())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn compressed_data_is_decoded_from_its_beginning_a_bounded_number_of_times() {
        let mut encoder =
            flate2::read::DeflateEncoder::new(&b"abc"[..], flate2::Compression::fast());
        let mut data = Vec::new();
        encoder.read_to_end(&mut data).unwrap();
        let length = data.len() as u64;
        let decoder = DeflateDecoder::new(BufReader::new(Cursor::new(data).take(length)));
        let mut file = EntryFile::Deflated(decoder, 2);
        for is_possible in [true, true, false] {
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            assert_eq!(text, "abc");
            assert_eq!(file.rewind().is_ok(), is_possible);
        }
    }
}
