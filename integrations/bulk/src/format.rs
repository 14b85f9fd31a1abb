//! Formats of inputs, texts that may be compressed, and paths in lists.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

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

pub(crate) fn is_archive(name: &str) -> bool {
    matches!(format_of(Path::new(name)), Some(Format::Warc | Format::Arc))
}

/// Whether a file has no ending of a compression.
pub(crate) fn is_plain(path: &Path) -> bool {
    !matches!(&*last_ending(path), "gz" | "zst")
}

fn last_ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// Opens a text, which may be compressed.
pub(crate) fn open_text(path: &Path, version: &Version) -> io::Result<Box<dyn BufRead>> {
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
        return Ok(length + text.skip_until(b'\n')? as u64);
    }
    Ok(length)
}

/// A line without white space around it; the first one of a file also without the bytes with which
/// some programs begin files in UTF-8.
pub(crate) fn trimmed(line: &[u8], is_first: bool) -> &[u8] {
    let text = line.strip_prefix(b"\xef\xbb\xbf").filter(|_| is_first);
    text.unwrap_or(line).trim_ascii()
}

/// A line end and a quote after the end of CSV: a record of their own, unless a quote is open,
/// which they close.
const AFTER_THE_END: &[u8] = b"\n\"";

/// A text of CSV that ends with an error if the rest of the bytes of a row is used up: after a
/// quote that nothing closes, the rest of the file would be one row.
pub(crate) struct RowLimit {
    pub(crate) text: Box<dyn BufRead>,
    pub(crate) left: usize,
    /// The number of reads at the end: of [`AFTER_THE_END`], and after it.
    pub(crate) ends: usize,
}

impl io::Read for RowLimit {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = buffer.len().min(self.left);
        if room == 0 && !buffer.is_empty() {
            let message = format!("expected at most {LINE_BYTES} bytes in a row");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        let read = self.text.read(&mut buffer[..room])?;
        self.left -= read;
        if read > 0 {
            return Ok(read);
        }
        self.ends += 1;
        let mut rest = if self.ends == 1 { AFTER_THE_END } else { &[] };
        rest.read(buffer)
    }
}

/// The place of a relative path in a list or index of archives. Without a base, it is relative to
/// the folder of the list, without the folders at its end with which the path begins: Common
/// Crawl's paths begin at the root.
pub(crate) fn relative(name: &str, base: Option<&Path>, list: &Path) -> Option<PathBuf> {
    let mut names = name.split('/');
    if name.contains("://") || name.contains('\\') || names.any(|it| matches!(it, "" | ".." | "."))
    {
        return None;
    }
    let folder = if let Some(base) = base {
        base.to_str()?.trim_end_matches('/')
    } else {
        let folder = list.parent().and_then(Path::to_str).unwrap_or_default();
        let ends = folder.match_indices('/').map(|(at, _)| (&folder[..at], &folder[at + 1..]));
        let mut ends = [("", folder)].into_iter().chain(ends);
        let is_shared = |end: &str| !end.is_empty() && name.starts_with(&format!("{end}/"));
        ends.find(|(_, end)| is_shared(end)).map_or(folder, |(root, _)| root)
    };
    Some(if folder.is_empty() { name.into() } else { format!("{folder}/{name}").into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_begin_at_the_base_or_at_the_folders_that_they_share_with_the_list() {
        let (list, here) = ("https://h.example/crawl/1/robotstxt.paths.gz", "robotstxt.paths");
        for (name, base, list, expected) in [
            ("crawl/1/x/a.warc", None, list, Some("https://h.example/crawl/1/x/a.warc")),
            ("1/x/a.warc", None, list, Some("https://h.example/crawl/1/x/a.warc")),
            ("crawl/2/a.warc", None, list, Some("https://h.example/crawl/1/crawl/2/a.warc")),
            ("crawl/1/a.warc", Some("s3://bucket/"), list, Some("s3://bucket/crawl/1/a.warc")),
            ("crawl/1/a.warc", Some("mirror"), here, Some("mirror/crawl/1/a.warc")),
            ("crawl/1/a.warc", None, here, Some("crawl/1/a.warc")),
            ("crawl/1/a.warc", None, "crawl/1/l.paths", Some("crawl/1/a.warc")),
            ("crawl/1/a.warc", None, "/m/crawl/1/l.paths", Some("/m/crawl/1/a.warc")),
            ("/a.warc", None, list, None),
            ("x/../a.warc", None, list, None),
            ("file:///a.warc", Some("s3://bucket/"), list, None),
        ] {
            let found = relative(name, base.map(Path::new), Path::new(list));
            assert_eq!(found.as_deref(), expected.map(Path::new), "{name} {list}");
        }
    }

    #[test]
    fn long_lines_are_cut_and_the_next_one_is_found() {
        let text = format!("{}\nb\n", "a".repeat(LINE_BYTES + 5));
        let mut reader = text.as_bytes();
        let mut line = Vec::new();
        assert_eq!(read_line(&mut reader, &mut line).unwrap(), LINE_BYTES as u64 + 6);
        line.clear();
        assert_eq!(read_line(&mut reader, &mut line).unwrap(), 2);
        assert_eq!(line, b"b\n");
    }

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
            open_text(&path, &Version::default()).unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "text", "{name}");
        }
    }
}
