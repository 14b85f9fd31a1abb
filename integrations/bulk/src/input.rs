//! Input files and their division into tasks.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use parquet::file::reader::{FileReader as _, SerializedFileReader};
use serde_json::{Value, json};
use verger::Untrusted;
use zip::result::ZipError;

use crate::console::warning;
use crate::error::{Error, Result, is_damage, shown};
use crate::limits::{FOLDER_DEPTH, INPUT_FILES, TASK_BYTES, WARNED_ENDINGS, ZSTD_WINDOW_LOG};
use crate::output::Output;
use crate::wacz::Entry;

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
}

/// Names of formats, for messages.
const NAMES: &str = "`.warc`, `.arc`, `.wacz`, `.parquet`, `.csv`, `.jsonl` or `.txt`, except for WACZ and \
                     Parquet also with `.gz` or `.zst`";

/// A part of the input that one task reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) path: PathBuf,
    pub(crate) format: Format,
    pub(crate) part: Part,
}

/// The part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Whole,
    /// A file in a WACZ. The format of the unit is that of the file.
    Entry(Entry),
    /// A row group of Parquet, and the number of its first row in the file.
    RowGroup(usize, u64),
    /// The lines that begin in a range of bytes.
    Bytes(u64, u64),
}

/// A file that is read from any place.
pub(crate) trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// The files of an input.
#[derive(Debug)]
pub(crate) struct Inputs {
    files: Vec<(PathBuf, Format, u64)>,
    /// Names, sizes and times, to recognise the same input.
    pub(crate) description: Value,
}

impl Inputs {
    /// Finds the files of paths; folders are searched. Files are in the order of their names. The
    /// output of an earlier run and the files beside it are no input. In folders, files of other
    /// formats are passed over with a warning. `name` is that of their contents.
    pub(crate) fn find(
        paths: &[PathBuf],
        output: &Output,
        formats: &[Format],
        name: &str,
    ) -> Result<Self> {
        let mut search = Search { output, formats, files: Vec::new(), others: BTreeMap::new() };
        for path in paths {
            if path.is_dir() {
                search.folder(path, 0)?;
            } else {
                if output.overwrites(path) {
                    let error = format!("the output would overwrite the input {}", shown(path));
                    return Err(Error::new(error).with_hint("`-o` names another file or folder"));
                }
                let format = format_of(path).ok_or_else(|| {
                    let error = format!(
                        "expected a file that ends with {NAMES}, but found {}",
                        shown(path)
                    );
                    Error::new(error).with_hint("the ending names the format of a file")
                })?;
                if !formats.contains(&format) {
                    return Err(Error::new(format!("{name} cannot be in {}", shown(path))));
                }
                search.files.push((path.clone(), format));
            }
        }
        search.warn(name);
        let files = search.files;
        if files.is_empty() {
            let error = "missing an input file";
            return Err(Error::new(error).with_hint(format!("folders are searched for {NAMES}")));
        }
        if files.len() > INPUT_FILES {
            let error =
                format!("expected at most {INPUT_FILES} input files, but found {}", files.len());
            return Err(Error::new(error));
        }
        let mut found = Vec::new();
        let mut described = Vec::new();
        for (path, format) in files {
            let metadata = fs::metadata(&path).map_err(|error| Error::io("read", &path, &error))?;
            let changed =
                metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            let changed = changed.map(|time| time.as_nanos().to_string());
            described.push(json!([path.to_string_lossy(), metadata.len(), changed]));
            found.push((path, format, metadata.len()));
        }
        Ok(Self { files: found, description: Value::Array(described) })
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().map(|(_, _, bytes)| bytes).sum()
    }

    /// The units of all files, in order. They depend only on the files.
    pub(crate) fn units(&self) -> Result<Vec<Unit>> {
        let mut units = Vec::new();
        for (path, format, bytes) in &self.files {
            let mut add_as = |format, part| units.push(Unit { path: path.clone(), format, part });
            let mut add = |part| add_as(*format, part);
            match format {
                Format::Wacz => {
                    let file = File::open(path).map_err(|error| Error::io("read", path, &error))?;
                    match Entry::all(BufReader::new(file)) {
                        Err(ZipError::Io(error)) if !is_damage(&error) => {
                            return Err(Error::io("read", path, &error));
                        }
                        Ok(entries) if !entries.is_empty() => {
                            for entry in entries {
                                let format = format_of(Path::new(&entry.name));
                                let is_arc = format == Some(Format::Arc);
                                let format = if is_arc { Format::Arc } else { Format::Warc };
                                add_as(format, Part::Entry(entry));
                            }
                        }
                        // It is listed when it is read.
                        _ => add(Part::Whole),
                    }
                }
                Format::Parquet => {
                    let file = File::open(path).map_err(|error| Error::io("read", path, &error))?;
                    let reader = SerializedFileReader::new(file)
                        .map_err(|error| Error::format(path, "Parquet", &error))?;
                    let mut row = 0;
                    for (number, group) in reader.metadata().row_groups().iter().enumerate() {
                        add(Part::RowGroup(number, row));
                        row += group.num_rows().unsigned_abs();
                    }
                    if row == 0 && reader.metadata().num_row_groups() == 0 {
                        add(Part::Whole);
                    }
                }
                Format::JsonLines | Format::List if is_plain(path) => {
                    let mut start = 0;
                    while start < (*bytes).max(1) {
                        let end = start.saturating_add(TASK_BYTES);
                        add(Part::Bytes(start, end));
                        start = end;
                    }
                }
                _ => add(Part::Whole),
            }
        }
        Ok(units)
    }
}

impl Unit {
    /// The bytes of a row group without compression, or of the file.
    pub(crate) fn bytes(&self) -> Result<u64> {
        let failed = |error: io::Error| Error::io("read", &self.path, &error);
        let file = File::open(&self.path).map_err(failed)?;
        let Part::RowGroup(number, _) = self.part else {
            return Ok(file.metadata().map_err(failed)?.len());
        };
        let reader = SerializedFileReader::new(file)
            .map_err(|error| Error::format(&self.path, "Parquet", &error))?;
        Ok(reader.metadata().row_group(number).total_byte_size().unsigned_abs())
    }

    /// The name of the file, for the report.
    pub(crate) fn name(&self) -> String {
        let path = self.path.to_string_lossy();
        match &self.part {
            Part::Entry(entry) => format!("{path}/{}", entry.name),
            _ => path.into_owned(),
        }
    }

    /// Opens the file of records.
    pub(crate) fn open(&self) -> io::Result<Box<dyn ReadSeek>> {
        let file = File::open(&self.path)?;
        Ok(match &self.part {
            Part::Entry(entry) => Box::new(entry.open(file)?),
            _ if self.format == Format::Wacz => {
                let expected = "expected a ZIP file with WARC files in `archive/`";
                return Err(io::Error::new(io::ErrorKind::InvalidData, expected));
            }
            _ => Box::new(file),
        })
    }

    /// Whether the content of a file in a WACZ has its checksum, if its records have none.
    pub(crate) fn is_intact(&self) -> io::Result<bool> {
        match &self.part {
            Part::Entry(entry) if is_plain(Path::new(&entry.name)) => {
                entry.is_intact(File::open(&self.path)?)
            }
            _ => Ok(true),
        }
    }
}

/// A search for input files in folders.
struct Search<'s> {
    output: &'s Output,
    formats: &'s [Format],
    files: Vec<(PathBuf, Format)>,
    /// By ending, the first file that is no input, and the number of all.
    others: BTreeMap<String, (PathBuf, usize)>,
}

impl Search<'_> {
    fn folder(&mut self, folder: &Path, depth: usize) -> Result<()> {
        if depth > FOLDER_DEPTH {
            return Err(Error::new(format!("folders in {} are nested too deeply", shown(folder))));
        }
        let failed = |error: io::Error| Error::io("read", folder, &error);
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder).map_err(failed)? {
            paths.push(entry.map_err(failed)?.path());
        }
        paths.sort();
        for path in paths {
            let is_hidden =
                path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
            if is_hidden || self.output.overwrites(&path) {
                continue;
            }
            if path.is_dir() {
                // Links to folders can be circles.
                if path.is_symlink() {
                    let link = shown(&path);
                    warning(&format!("{link} was not searched, because it is a link to a folder"));
                    continue;
                }
                self.folder(&path, depth + 1)?;
                continue;
            }
            match format_of(&path).filter(|format| self.formats.contains(format)) {
                Some(format) => self.files.push((path, format)),
                None => self.others.entry(ending(&path)).or_insert((path, 0)).1 += 1,
            }
        }
        Ok(())
    }

    fn warn(&self, name: &str) {
        for (ending, (path, count)) in self.others.iter().take(WARNED_ENDINGS) {
            let (path, ending) = (shown(path), Untrusted::new(ending));
            let more = match count - 1 {
                0 => String::new(),
                more => format!("; further files that end with `{ending}`: {more}"),
            };
            warning(&format!(
                "{path} was not read, because this format cannot contain {name}{more}"
            ));
        }
        if let Some(more) = self.others.len().checked_sub(WARNED_ENDINGS + 1) {
            warning(&format!("further endings of files that were not read: {}", more + 1));
        }
    }
}

/// The name of a file and of its compression, from the last but one dot: `.cdx.gz`.
fn ending(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let plain = without_compression(&name);
    plain.rfind('.').map_or(String::new(), |dot| name[dot..].to_owned())
}

/// A name without the ending of a compression.
fn without_compression(name: &str) -> &str {
    name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name)
}

fn format_of(path: &Path) -> Option<Format> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let plain = without_compression(&name);
    let (_, ending) = plain.rsplit_once('.')?;
    Some(match ending {
        "warc" => Format::Warc,
        "arc" => Format::Arc,
        "wacz" if plain == name => Format::Wacz,
        "parquet" if plain == name => Format::Parquet,
        "csv" => Format::Csv,
        "jsonl" | "ndjson" => Format::JsonLines,
        "txt" => Format::List,
        _ => return None,
    })
}

fn is_plain(path: &Path) -> bool {
    !path.extension().is_some_and(|ending| ending == "gz" || ending == "zst")
}

/// Opens a text, which may be compressed.
pub(crate) fn open_text(path: &Path) -> io::Result<Box<dyn BufRead>> {
    const ROOM: usize = 256 * 1024;
    let file = BufReader::with_capacity(ROOM, File::open(path)?);
    let reader: Box<dyn Read> = match path.extension().and_then(|ending| ending.to_str()) {
        Some("gz") => Box::new(flate2::bufread::MultiGzDecoder::new(file)),
        Some("zst") => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(file)?;
            decoder.window_log_max(ZSTD_WINDOW_LOG)?;
            Box::new(decoder)
        }
        _ => return Ok(Box::new(file)),
    };
    Ok(Box::new(BufReader::with_capacity(ROOM, reader)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Codec;

    const ALL: [Format; 5] =
        [Format::Warc, Format::Parquet, Format::Csv, Format::JsonLines, Format::List];

    fn find(paths: &[PathBuf], output: &Output) -> Result<Inputs> {
        Inputs::find(paths, output, &ALL, "captures")
    }

    #[test]
    fn formats_are_named_by_endings() {
        for (name, expected) in [
            ("a.warc.gz", Some(Format::Warc)),
            ("a.WARC.zst", Some(Format::Warc)),
            ("a.arc", Some(Format::Arc)),
            ("a.ARC.gz", Some(Format::Arc)),
            ("a.wacz", Some(Format::Wacz)),
            ("a.wacz.gz", None),
            ("a.parquet", Some(Format::Parquet)),
            ("a.parquet.gz", None),
            ("a.csv", Some(Format::Csv)),
            ("a.jsonl.gz", Some(Format::JsonLines)),
            ("a.txt", Some(Format::List)),
            ("a", None),
            ("a.json.md", None),
        ] {
            assert_eq!(format_of(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn folders_are_searched_in_the_order_of_names() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("b")).unwrap();
        for name in [
            "c.txt",
            "b/x.csv",
            "a.warc",
            ".hidden.txt",
            "readme.md",
            "out.parquet",
            "out.parquet.skipped.jsonl",
            "out.parquet.warc",
        ] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let output = |name| Output::new(&folder.path().join(name), Codec::Zstd).unwrap();
        let inputs = find(&[folder.path().to_owned()], &output("out.parquet")).unwrap();
        let names: Vec<_> = inputs.units().unwrap().iter().map(|unit| unit.path.clone()).collect();
        let expected =
            ["a.warc", "b/x.csv", "c.txt", "out.parquet.warc"].map(|name| folder.path().join(name));
        assert_eq!(names, expected);
        fs::remove_file(folder.path().join("b/x.csv")).unwrap();
        assert!(find(&[folder.path().join("b")], &output("x.jsonl")).is_err());
    }

    #[test]
    fn the_output_never_replaces_an_input() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("data")).unwrap();
        for name in ["u.jsonl", "data/part-00000.parquet", "datab.csv"] {
            fs::write(path(name), "").unwrap();
        }
        for (input, output) in [
            ("u.jsonl", "u.jsonl"),
            ("u.jsonl", "data/../u.jsonl"),
            ("data/part-00000.parquet", "data"),
            ("data/part-00000.parquet", "data/"),
        ] {
            let output = Output::new(&path(output), Codec::Zstd).unwrap();
            let error = find(&[path(input)], &output).unwrap_err();
            assert!(error.to_string().contains("would overwrite the input"), "{error}");
        }
        let output = Output::new(&path("data/"), Codec::Zstd).unwrap();
        let found = find(&[folder.path().to_owned()], &output).unwrap();
        let names: Vec<_> = found.files.iter().map(|(found, ..)| found.clone()).collect();
        assert_eq!(names, [path("datab.csv"), path("u.jsonl")]);
    }

    #[cfg(unix)]
    #[test]
    fn links_to_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("in")).unwrap();
        fs::write(folder.path().join("data.csv"), "").unwrap();
        let link = folder.path().join("in/link.csv");
        std::os::unix::fs::symlink(folder.path().join("data.csv"), &link).unwrap();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("in/circle")).unwrap();
        let output = Output::new(&folder.path().join("o.jsonl"), Codec::Zstd).unwrap();
        let found = find(&[folder.path().join("in")], &output).unwrap();
        assert_eq!(found.files[0].0, link);
        assert_eq!(found.files.len(), 1);
    }
}
