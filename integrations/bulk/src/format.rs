//! Formats of inputs, and texts that may be compressed.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use crate::limits::{LINE_BYTES, ZSTD_WINDOW_LOG};
use crate::remote::{Version, open};

/// The format of a file, by its name without `.gz` and `.zst`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Warc,
    Arc,
    /// A ZIP file with WARC files.
    Wacz,
    Parquet,
    Csv,
    JsonLines,
    /// One URL on each line.
    List,
    /// The places of records: CDXJ, or row groups of Parquet.
    Index,
    /// One path of an input on each line.
    Paths,
}

/// Names of formats, for messages.
pub(crate) const NAMES: &str = "`.warc`, `.arc`, `.wacz`, `.parquet`, `.csv`, `.jsonl`, `.txt`, `.cdxj` or \
    `.paths`, except for WACZ and Parquet also with `.gz` or `.zst`";

/// The name of a file and of its compression, from the last but one dot: `.cdx.gz`.
pub(crate) fn ending(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let plain = without_compression(&name);
    plain.rfind('.').map_or(String::new(), |dot| name[dot..].to_owned())
}

/// A name without the ending of a compression.
fn without_compression(name: &str) -> &str {
    name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name)
}

pub(crate) fn format_of(path: &Path) -> Option<Format> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let plain = without_compression(&name);
    // Common Crawl's files of an index have no ending: `cdx-00000.gz`.
    let number = plain.strip_prefix("cdx-").unwrap_or_default();
    if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Format::Index);
    }
    let (_, ending) = plain.rsplit_once('.')?;
    Some(match ending {
        "warc" => Format::Warc,
        "arc" => Format::Arc,
        "wacz" if plain == name => Format::Wacz,
        "parquet" if plain == name => Format::Parquet,
        "csv" => Format::Csv,
        "jsonl" | "ndjson" => Format::JsonLines,
        "txt" => Format::List,
        "cdxj" => Format::Index,
        "paths" => Format::Paths,
        _ => return None,
    })
}

/// Whether a file has no ending of a compression.
pub(crate) fn is_plain(path: &Path) -> bool {
    !matches!(&*last_ending(path), "gz" | "zst")
}

fn last_ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// Opens a text, which may be compressed.
pub(crate) fn open_text(path: &Path, version: Option<&Version>) -> io::Result<Box<dyn BufRead>> {
    const ROOM: usize = 256 * 1024;
    let file = BufReader::with_capacity(ROOM, open(path, version)?);
    let reader: Box<dyn Read> = match &*last_ending(path) {
        "gz" => Box::new(flate2::bufread::MultiGzDecoder::new(file)),
        "zst" => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(file)?;
            decoder.window_log_max(ZSTD_WINDOW_LOG)?;
            Box::new(decoder)
        }
        _ => return Ok(Box::new(file)),
    };
    Ok(Box::new(BufReader::with_capacity(ROOM, reader)))
}

/// Reads a line with its end, at most one byte more than [`LINE_BYTES`], and returns the length of
/// the whole line.
pub(crate) fn read_line(text: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<u64> {
    let length = text.take(LINE_BYTES as u64 + 1).read_until(b'\n', line)? as u64;
    if length > LINE_BYTES as u64 && !line.ends_with(b"\n") {
        return Ok(length + skip_line(text)?);
    }
    Ok(length)
}

pub(crate) fn skip_line(text: &mut impl BufRead) -> io::Result<u64> {
    text.skip_until(b'\n').map(|length| length as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_named_by_endings() {
        for (name, expected) in [
            ("a.warc.gz", Some(Format::Warc)),
            ("a.WARC.zst", Some(Format::Warc)),
            ("a.parquet", Some(Format::Parquet)),
            ("a.parquet.gz", None),
            ("a.arc", Some(Format::Arc)),
            ("a.ARC.gz", Some(Format::Arc)),
            ("a.wacz", Some(Format::Wacz)),
            ("a.wacz.gz", None),
            ("a.csv", Some(Format::Csv)),
            ("a.jsonl.gz", Some(Format::JsonLines)),
            ("a.txt", Some(Format::List)),
            ("s3://b/c/a.warc.gz", Some(Format::Warc)),
            ("robotstxt.paths.gz", Some(Format::Paths)),
            ("https://h.example/i/cdx-00000.gz", Some(Format::Index)),
            ("a.cdxj", Some(Format::Index)),
            ("cdx-.gz", None),
            ("a", None),
            ("a.json.md", None),
        ] {
            assert_eq!(format_of(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn compressions_are_named_by_endings_in_any_case() {
        let folder = tempfile::tempdir().unwrap();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        io::Write::write_all(&mut gzip, b"text").unwrap();
        let (gzip, zstd) = (gzip.finish().unwrap(), zstd::encode_all(&b"text"[..], 0).unwrap());
        for (name, content) in [("a.CSV.GZ", &gzip), ("a.csv.gz", &gzip), ("a.csv.Zst", &zstd)] {
            let path = folder.path().join(name);
            std::fs::write(&path, content).unwrap();
            assert_eq!((format_of(&path), is_plain(&path)), (Some(Format::Csv), false), "{name}");
            let mut text = String::new();
            open_text(&path, None).unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "text", "{name}");
        }
    }
}
