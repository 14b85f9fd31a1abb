//! Input files and their division into tasks.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::{self, BufReader};
use std::iter;
use std::path::{Path, PathBuf};

use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use serde_json::{Value, json};
use verger::Untrusted;
use zip::result::ZipError;

use crate::console::{Progress, warning};
use crate::error::{Error, Result, brief, is_damage, shown};
use crate::format::{
    Format, NAMES, ending, format_of, is_archive, is_plain, open_text, read_line, relative, trimmed,
};
use crate::limits::{FOLDER_DEPTH, INPUT_FILES, TASK_BYTES, WARNINGS};
use crate::output::Output;
use crate::parquet_file::parquet_metadata;
use crate::remote::{ReadSeek, Version, is_remote, list, open, versions};
use crate::wacz::Entry;

/// A part of the input that one task reads.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) path: PathBuf,
    pub(crate) version: Version,
    pub(crate) format: Format,
    pub(crate) part: Part,
}

/// The part of a file.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Whole,
    /// A file in a WACZ.
    Entry(Entry),
    /// A row group of Parquet, and the number of its first row in the file. A table without rows
    /// has a unit with a number of none.
    RowGroup(ArrowReaderMetadata, usize, u64),
    /// The lines that begin in a range of bytes.
    Bytes(u64, u64),
}

/// The files of an input.
#[derive(Debug)]
pub(crate) struct Inputs {
    files: Vec<(PathBuf, Format, Version)>,
    has_indexes: bool,
    /// Names, sizes and times, to recognise the same input.
    pub(crate) description: Value,
}

impl Inputs {
    /// Finds the files of paths; folders and lists of paths are searched. Files are in the order of
    /// their names, or of the list. The output of an earlier run and the files beside it are no
    /// input. In folders, files of other formats are passed over with a warning. `name` is that of
    /// their contents, `base` that of the folder of relative paths in lists.
    pub(crate) fn find(
        paths: &[PathBuf],
        base: Option<&Path>,
        output: &Output,
        formats: &[Format],
        name: &str,
    ) -> Result<Self> {
        let (files, others) = (Vec::new(), BTreeMap::new());
        let mut search = Search { base, output, formats, name, files, others };
        for path in paths {
            if is_remote(path) && path.to_string_lossy().ends_with('/') {
                search.remote_folder(path)?;
            } else if path.is_dir() {
                search.folder(path, 0)?;
            } else {
                match search.format(path, "")? {
                    Format::Paths => search.list(path)?,
                    format => search.push(path.clone(), format)?,
                }
            }
        }
        search.warn();
        let files = search.files;
        if files.is_empty() {
            let error = "missing an input file";
            return Err(Error::new(error).with_hint(format!("folders are searched for {NAMES}")));
        }
        // The commands with indexes have `--base`.
        let has_indexes = formats.contains(&Format::Index);
        let (mut found, mut described) = (Vec::new(), Vec::new());
        let progress = Progress::new("find", files.len(), 0);
        let versions = versions(files.iter().map(|(path, _)| &**path));
        for ((path, format), version) in files.iter().zip(versions) {
            let is_listed = || has_indexes && !paths.contains(path);
            let version = version.map_err(|error| Error::named(path, &error, is_listed()))?;
            described.push(json!([path.to_string_lossy(), version.bytes, version.tag]));
            found.push((path.clone(), *format, version));
            progress.bar.inc(1);
        }
        progress.bar.finish_and_clear();
        Ok(Self { files: found, has_indexes, description: Value::Array(described) })
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().map(|(_, _, version)| version.bytes).sum()
    }

    /// The units of all files, in order. They depend only on the files.
    pub(crate) fn units(&self) -> Result<Vec<Unit>> {
        let mut units = Vec::new();
        for (path, format, version) in &self.files {
            let failed = |error: io::Error| Error::io("read", path, &error);
            let mut add = |format, part| {
                units.push(Unit { path: path.clone(), version: version.clone(), format, part });
            };
            match format {
                Format::Wacz => {
                    let file = open(path, version).map_err(failed)?;
                    let entries = match Entry::all(BufReader::new(file)) {
                        Err(ZipError::Io(error)) if !is_damage(&error) => {
                            return Err(failed(error));
                        }
                        entries => entries.unwrap_or_default().into_iter(),
                    };
                    let (archives, others): (Vec<_>, Vec<_>) =
                        entries.partition(|it| is_archive(&it.name));
                    if let Some(first) = others.first() {
                        let first = path.join(&first.name);
                        warn_unread("are no WARC or ARC files", others.len(), &first, "");
                    }
                    if archives.is_empty() {
                        // It is listed when it is read.
                        add(Format::Wacz, Part::Whole);
                    }
                    for entry in archives {
                        add(Format::Wacz, Part::Entry(entry));
                    }
                }
                Format::Parquet => {
                    let metadata = parquet_metadata(path, version)?;
                    let has = |name: &&str| metadata.schema().column_with_name(name).is_some();
                    let is_table = ["robots", "body", "content"].iter().any(has);
                    let is_index = self.has_indexes && has(&"warc_record_offset") && !is_table;
                    let format = if is_index { Format::Index } else { Format::Parquet };
                    let mut row = 0;
                    for number in 0..metadata.metadata().num_row_groups().max(1) {
                        add(format, Part::RowGroup(metadata.clone(), number, row));
                        let group = metadata.metadata().row_groups().get(number);
                        row += group.map_or(0, |group| group.num_rows().unsigned_abs());
                    }
                }
                Format::JsonLines | Format::List | Format::Index if is_plain(path) => {
                    let mut start = 0;
                    while start < version.bytes.max(1) {
                        let end = start.saturating_add(TASK_BYTES);
                        add(*format, Part::Bytes(start, end));
                        start = end;
                    }
                }
                _ => add(*format, Part::Whole),
            }
        }
        Ok(units)
    }
}

impl Unit {
    /// The bytes of a row group without compression, or of the file.
    pub(crate) fn bytes(&self) -> u64 {
        match &self.part {
            Part::RowGroup(metadata, number, _) => {
                let group = metadata.metadata().row_groups().get(*number);
                group.map_or(0, |group| group.total_byte_size().unsigned_abs())
            }
            Part::Entry(entry) => entry.bytes,
            _ => self.version.bytes,
        }
    }

    /// The name of the file, for the report.
    pub(crate) fn name(&self) -> String {
        let path = self.path.to_string_lossy();
        match &self.part {
            Part::Entry(entry) => format!("{path}/{}", entry.name),
            _ => path.into_owned(),
        }
    }

    /// Fails if a compressed file has no bytes, as after a failed copy: even an empty text has
    /// some.
    pub(crate) fn require_bytes(&self) -> io::Result<()> {
        if self.bytes() > 0 || is_plain(Path::new(&self.name())) {
            return Ok(());
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, "the file is empty"))
    }

    /// Opens the file of records.
    pub(crate) fn open(&self) -> io::Result<Box<dyn ReadSeek>> {
        self.require_bytes()?;
        let file = open(&self.path, &self.version)?;
        Ok(match &self.part {
            Part::Entry(entry) => Box::new(entry.open(file)?),
            _ if self.format == Format::Wacz => {
                let expected = "expected a ZIP file with WARC files in `archive/`";
                return Err(io::Error::new(io::ErrorKind::InvalidData, expected));
            }
            _ => file,
        })
    }
}

/// A search for input files in folders and lists.
struct Search<'s> {
    base: Option<&'s Path>,
    output: &'s Output,
    formats: &'s [Format],
    /// The name of the contents.
    name: &'s str,
    files: Vec<(PathBuf, Format)>,
    /// By ending, and whether it is a format, the first file that is no input, and the number of
    /// all.
    others: BTreeMap<(String, bool), (PathBuf, usize)>,
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
            self.add(path)?;
        }
        Ok(())
    }

    /// The format of an input that is named. `place` says where, if in a list. Fails also if the
    /// run would write to it.
    fn format(&self, path: &Path, place: &str) -> Result<Format> {
        let found = format!("{}{place}", shown(path));
        let (error, hint) = match format_of(path) {
            _ if self.output.overwrites(path) => (
                format!("the output would overwrite the input {found}"),
                "`-o` and `--work` name another file or folder",
            ),
            Some(Format::Paths) if place.is_empty() => return Ok(Format::Paths),
            Some(format) if self.formats.contains(&format) => return Ok(format),
            Some(_) => return Err(Error::new(format!("{} cannot be in {found}", self.name))),
            None => (
                format!("expected a file that ends with {NAMES}, but found {found}"),
                "the ending names the format of a file",
            ),
        };
        Err(Error::new(error).with_hint(hint))
    }

    /// Adds the files of a folder in S3, by the rules for folders on this machine.
    fn remote_folder(&mut self, folder: &Path) -> Result<()> {
        let failed = |error: io::Error| Error::io("list", folder, &error);
        let first = self.files.len();
        for path in list(folder).map_err(failed)? {
            let path = path.map_err(failed)?;
            let mut names = path.strip_prefix(folder).unwrap_or(&path).iter();
            let is_hidden = names.any(|name| name.as_encoded_bytes().starts_with(b"."));
            if !is_hidden && !self.output.overwrites(&path) {
                self.add(path)?;
            }
        }
        self.files[first..].sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(())
    }

    /// Adds the files of a list of paths.
    fn list(&mut self, list: &Path) -> Result<()> {
        let failed = |error: io::Error| Error::io("read", list, &error);
        let version = versions(iter::once(list)).next().unwrap_or_else(|| Ok(Version::default()));
        let mut text = version.and_then(|it| open_text(list, &it)).map_err(failed)?;
        let (mut line, first) = (Vec::new(), self.files.len());
        for number in 1.. {
            line.clear();
            if read_line(&mut text, &mut line).map_err(failed)? == 0 {
                break;
            }
            let name = String::from_utf8_lossy(trimmed(&line, number == 1));
            if name.is_empty() {
                continue;
            }
            let place = format!("in line {number} of {}", shown(list));
            let path = relative(&name, self.base, list).ok_or_else(|| {
                let name = brief(&name);
                Error::new(format!("expected a relative path {place}, but found `{name}`"))
            })?;
            let format = self.format(&path, &format!(", {place}"))?;
            self.push(path, format)?;
        }
        if self.files.len() == first {
            return Err(Error::new(format!("{} has no paths", shown(list))));
        }
        Ok(())
    }

    /// Adds a file of a folder. CDXJ is beside its archives.
    fn add(&mut self, path: PathBuf) -> Result<()> {
        let is_wanted = |it: &Format| self.formats.contains(it) && *it != Format::Index;
        let format = format_of(&path);
        if let Some(format) = format.filter(is_wanted) {
            return self.push(path, format);
        }
        let kind = (ending(&path), format.is_some());
        self.others.entry(kind).or_insert((path, 0)).1 += 1;
        Ok(())
    }

    fn push(&mut self, path: PathBuf, format: Format) -> Result<()> {
        if self.files.len() >= INPUT_FILES {
            let error = format!("expected at most {INPUT_FILES} input files, but found more");
            return Err(Error::new(error));
        }
        self.files.push((path, format));
        Ok(())
    }

    fn warn(&self) {
        let mut all = HashSet::new();
        // Comparisons of paths ignore each `.` that is not at the beginning.
        let paths = self.files.iter().map(|(path, _)| path);
        let twice = paths.filter(|path| !all.insert(path.strip_prefix(".").unwrap_or(path)));
        let twice: Vec<_> = twice.collect();
        if let Some(first) = twice.first() {
            let (count, first) = (twice.len(), shown(first));
            warning(&format!(
                "inputs that are given twice are read twice: {count}, such as {first}"
            ));
        }
        for ((ending, is_format), (path, count)) in self.others.iter().take(WARNINGS) {
            let which = match &**ending {
                "" if *is_format => "have the name of an index".to_owned(),
                "" => "have no ending".to_owned(),
                ending => format!("end with `{}`", Untrusted::new(ending)),
            };
            let hint = match format_of(path) {
                Some(Format::Paths) => IF_NAMED,
                Some(format) if self.formats.contains(&format) => IF_NAMED,
                _ => "",
            };
            warn_unread(&which, *count, path, hint);
        }
    }
}

const IF_NAMED: &str = "; they are read only if they are named";

fn warn_unread(which: &str, count: usize, first: &Path, hint: &str) {
    let first = shown(first);
    warning(&format!("files that {which} were not read: {count}, such as {first}{hint}"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Codec;

    const ALL: [Format; 5] =
        [Format::Warc, Format::Parquet, Format::Csv, Format::JsonLines, Format::List];

    fn find(paths: &[PathBuf], output: &Output) -> Result<Inputs> {
        Inputs::find(paths, None, output, &ALL, "captures")
    }

    #[test]
    fn folders_are_searched_in_the_order_of_names() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("b")).unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        for name in [
            "work/manifest.jsonl",
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
        let work = folder.path().join("work");
        let output =
            |name| Output::new(&folder.path().join(name), Codec::Zstd, Some(&work)).unwrap();
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
            let output = Output::new(&path(output), Codec::Zstd, None).unwrap();
            let error = find(&[path(input)], &output).unwrap_err();
            assert!(error.to_string().contains("would overwrite the input"), "{error}");
        }
        fs::write(path("l.paths"), "datab.csv\nu.jsonl\n").unwrap();
        let output = Output::new(&path("u.jsonl"), Codec::Zstd, None).unwrap();
        let error = find(&[path("l.paths")], &output).unwrap_err();
        assert!(error.to_string().contains("would overwrite the input"), "{error}");
        // Also a work folder elsewhere is no input.
        fs::create_dir(path("work")).unwrap();
        fs::write(path("work/manifest.jsonl"), "").unwrap();
        let output = Output::new(&path("data/"), Codec::Zstd, Some(&path("work"))).unwrap();
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
        let output = Output::new(&folder.path().join("o.jsonl"), Codec::Zstd, None).unwrap();
        let found = find(&[folder.path().join("in")], &output).unwrap();
        assert_eq!(found.files[0].0, link);
        assert_eq!(found.files.len(), 1);
    }
}
