//! Output: parts written by tasks, and the file or folder that they become.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_cast::cast;
use arrow_json::LineDelimitedWriter;
use arrow_schema::{DataType, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::schema::types::ColumnPath;

use crate::error::{Error, Result, STANDARD_OUTPUT, shown};
use crate::limits::{ROW_GROUP_BYTES, ROW_GROUP_ROWS, ROW_GROUPS};
use crate::remote::{self, is_in_s3, is_remote, upload};

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputFormat {
    Parquet,
    JsonLines,
}

/// Compression of Parquet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Codec {
    /// Zstandard, level 1: smallest, slower, and read by all current engines
    Zstd,
    /// Snappy: larger, and read by all engines, also old ones
    Snappy,
    /// LZ4 (raw): fastest; read by current engines, Spark since 3.5
    Lz4,
    /// No compression
    None,
}

/// The place of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) path: PathBuf,
    pub(crate) format: OutputFormat,
    pub(crate) codec: Codec,
    /// Whether the parts stay separate files in a folder.
    pub(crate) is_folder: bool,
    /// The folder for intermediate files; `None` for a temporary one.
    pub(crate) work: Option<PathBuf>,
    /// Files and folders that a run writes, replaces or removes.
    own: Vec<PathBuf>,
}

impl Output {
    /// The output with this name. A folder is an existing one, or ends with `/`. By default, the
    /// work folder is beside the output, or for one in S3 in the current folder.
    pub(crate) fn new(path: &Path, codec: Codec, work: Option<&Path>) -> Result<Self> {
        let text = path.as_os_str().to_string_lossy();
        let is_folder = text.ends_with('/') || path.is_dir();
        let format = match path.extension().and_then(|extension| extension.to_str()) {
            _ if is_folder => OutputFormat::Parquet,
            Some("parquet") => OutputFormat::Parquet,
            Some("jsonl" | "ndjson") => OutputFormat::JsonLines,
            _ if path.as_os_str() == "-" => OutputFormat::JsonLines,
            _ => {
                let error = format!(
                    "expected an output that ends with `.parquet`, `.jsonl` or `/`, but found {}",
                    shown(path)
                );
                return Err(Error::new(error).with_hint("`-` writes JSON Lines to standard output"));
            }
        };
        if is_remote(path) && !is_in_s3(path) {
            let error =
                format!("expected an output on this machine or in S3, but found {}", shown(path));
            return Err(Error::new(error).with_hint("the URL of an output begins with `s3://`"));
        }
        if is_in_s3(path) && path.components().count() < 3 {
            let error = format!("expected a name after the bucket, but found {}", shown(path));
            return Err(Error::new(error).with_hint("such as `s3://bucket/output.parquet`"));
        }
        // Without `/` or `/.` at the end.
        let path = path.components().as_path().to_owned();
        let (work, own) = (work.map(Path::to_owned), Vec::new());
        let mut output = Self { path, format, codec, is_folder, work, own };
        if !output.is_stdout() {
            let beside = output.beside(".work");
            let name = beside.file_name().filter(|_| is_remote(&beside)).map(PathBuf::from);
            output.work.get_or_insert(name.unwrap_or(beside));
            let endings = [".part", ".report.json", ".skipped.jsonl", ".tables"];
            let beside = endings.iter().map(|ending| resolved(&output.beside(ending)));
            output.own = beside.chain([resolved(&output.path)]).collect();
        }
        output.own.extend(output.work.as_deref().map(resolved));
        Ok(output)
    }

    /// Whether the output is standard output.
    pub(crate) fn is_stdout(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// Whether a run with this output writes, replaces or removes a file or folder.
    pub(crate) fn overwrites(&self, path: &Path) -> bool {
        let path = resolved(path);
        self.own.iter().any(|own| path.starts_with(own))
    }

    /// Fails if an object cannot be written, before the run.
    pub(crate) fn require_writable(&self) -> Result<()> {
        if !is_remote(&self.path) {
            return Ok(());
        }
        let path = if self.is_folder { self.part(0) } else { self.path.clone() };
        remote::try_upload(&path).map_err(|error| Error::io("write", &path, &error))
    }

    /// The path of a part in a folder.
    fn part(&self, number: usize) -> PathBuf {
        self.path.join(format!("part-{number:05}.parquet"))
    }

    /// A path beside the output.
    pub(crate) fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    }

    /// The output of a table beside this one, in the same format.
    pub(crate) fn table(&self, name: &str) -> Self {
        let ending = match self.format {
            OutputFormat::Parquet => "parquet",
            OutputFormat::JsonLines => "jsonl",
        };
        let path = self.beside(".tables").join(format!("{name}.{ending}"));
        Self { path, is_folder: false, ..self.clone() }
    }

    /// Joins the parts in their order.
    pub(crate) fn assemble(&self, parts: &[PathBuf], schema: &SchemaRef) -> Result<()> {
        let is_empty = |part: &PathBuf| part.metadata().is_ok_and(|part| part.len() == 0);
        let parts: Vec<PathBuf> = parts.iter().filter(|part| !is_empty(part)).cloned().collect();
        if self.is_folder {
            return self.move_parts(&parts);
        }
        if self.is_stdout() {
            let mut out = io::stdout();
            return copy_all(&parts, &mut out, Path::new(STANDARD_OUTPUT));
        }
        write_new(&self.path, |out| match self.format {
            OutputFormat::Parquet => self.join_parquet(&parts, out, schema),
            OutputFormat::JsonLines => copy_all(&parts, out, &self.path),
        })
    }

    /// Copies row groups without decoding them, unless they are more than a file can have, such as
    /// those of many small archives.
    fn join_parquet(&self, parts: &[PathBuf], out: Out<'_>, schema: &SchemaRef) -> Result<()> {
        let failed = |error: ParquetError| Error::write(&self.path, &error);
        let open =
            |part: &PathBuf| File::open(part).map_err(|error| Error::io("read", part, &error));
        let mut groups = 0;
        for part in parts {
            groups += SerializedFileReader::new(open(part)?)?.metadata().num_row_groups();
        }
        let properties = Some(self.properties(schema));
        let mut writer =
            ArrowWriter::try_new(out, Arc::clone(schema), properties).map_err(failed)?;
        if groups > ROW_GROUPS {
            for part in parts {
                for batch in ParquetRecordBatchReaderBuilder::try_new(open(part)?)?.build()? {
                    writer.write(&batch?).map_err(failed)?;
                }
            }
            return writer.close().map(drop).map_err(failed);
        }
        let (mut writer, _) = writer.into_serialized_writer().map_err(failed)?;
        for part in parts {
            let (input, reader) = (open(part)?, SerializedFileReader::new(open(part)?)?);
            for group in reader.metadata().row_groups() {
                let mut out = writer.next_row_group().map_err(failed)?;
                for column in group.columns() {
                    let closed = parquet::column::writer::ColumnCloseResult {
                        bytes_written: column.compressed_size().unsigned_abs(),
                        rows_written: group.num_rows().unsigned_abs(),
                        metadata: column.clone(),
                        bloom_filter: None,
                        column_index: None,
                        offset_index: None,
                    };
                    out.append_column(&input, closed).map_err(failed)?;
                }
                out.close().map_err(failed)?;
            }
        }
        writer.close().map(drop).map_err(failed)
    }

    /// Moves the parts into the folder.
    fn move_parts(&self, parts: &[PathBuf]) -> Result<()> {
        if !is_remote(&self.path) {
            fs::create_dir_all(&self.path)
                .map_err(|error| Error::io("write", &self.path, &error))?;
        }
        for (number, part) in parts.iter().enumerate() {
            let to = self.part(number);
            // The work folder can be on another disk.
            if is_remote(&to) || fs::rename(part, &to).is_err() {
                write_new(&to, |out| copy_all(std::slice::from_ref(part), out, &to))?;
            }
        }
        // Parts of an earlier run with more of them.
        let mut number = parts.len();
        while remove(&self.part(number))? {
            number += 1;
        }
        Ok(())
    }

    fn properties(&self, schema: &SchemaRef) -> WriterProperties {
        let codec = match self.codec {
            Codec::Zstd => Compression::ZSTD(ZstdLevel::default()),
            Codec::Snappy => Compression::SNAPPY,
            Codec::Lz4 => Compression::LZ4_RAW,
            Codec::None => Compression::UNCOMPRESSED,
        };
        let mut properties = WriterProperties::builder()
            .set_compression(codec)
            .set_created_by(concat!("verger-bulk ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
            .set_max_row_group_bytes(Some(ROW_GROUP_BYTES))
            .set_offset_index_disabled(true)
            .set_statistics_enabled(EnabledStatistics::Chunk);
        for field in schema.fields() {
            let path = ColumnPath::from(field.name().clone());
            let is_long = matches!(field.data_type(), DataType::Binary);
            // Nearly all values are distinct: a dictionary would cost time and save nothing.
            let is_row = field.name() == "row" && *field.data_type() == DataType::Int64;
            if is_long || field.name() == "url" || is_row {
                properties = properties.set_column_dictionary_enabled(path.clone(), false);
            }
            if is_row {
                let delta = Encoding::DELTA_BINARY_PACKED;
                properties = properties.set_column_encoding(path.clone(), delta);
            }
            if is_long {
                properties =
                    properties.set_column_statistics_enabled(path, EnabledStatistics::None);
            }
        }
        properties.build()
    }
}

/// A path without links and dots, also of a file that does not exist yet.
fn resolved(path: &Path) -> PathBuf {
    if is_remote(path) {
        return path.to_owned();
    }
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// Copies files in their order, and names the target in errors.
pub(crate) fn copy_all(parts: &[PathBuf], out: Out<'_>, name: &Path) -> Result<()> {
    for part in parts {
        let file = File::open(part).map_err(|error| Error::io("read", part, &error))?;
        io::copy(&mut BufReader::new(file), out)
            .map_err(|error| Error::io("write", name, &error))?;
    }
    out.flush().map_err(|error| Error::io("write", name, &error))
}

/// A writer of a new file.
pub(crate) type Out<'o> = &'o mut (dyn io::Write + Send);

/// Writes a new file or object. It is visible under its name when it is complete.
pub(crate) fn write_new(path: &Path, write: impl FnOnce(Out<'_>) -> Result<()>) -> Result<()> {
    let failed = |error: io::Error| Error::io("write", path, &error);
    if is_remote(path) {
        let mut out = upload(path).map_err(failed)?;
        return match write(&mut out) {
            Ok(()) => out.shutdown().map_err(failed),
            failed => failed.inspect_err(|_| remote::abort(out)),
        };
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".part");
    let mut out = BufWriter::new(File::create(&temporary).map_err(failed)?);
    write(&mut out)?;
    let file = out.into_inner().map_err(|error| failed(error.into_error()))?;
    file.sync_all().and_then(|()| fs::rename(&temporary, path)).map_err(failed)
}

/// Removes a file or object. Returns whether it existed.
pub(crate) fn remove(path: &Path) -> Result<bool> {
    let removed =
        if is_remote(path) { remote::remove(path) } else { fs::remove_file(path).map(|()| true) };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        removed => removed.map_err(|error| Error::io("remove", path, &error)),
    }
}

/// Writes the part of one task. A part without rows is an empty file.
pub(crate) struct PartWriter<'p> {
    path: PathBuf,
    writer: Option<Writer>,
    output: &'p Output,
    rows: u64,
}

enum Writer {
    Parquet(Box<ArrowWriter<File>>),
    JsonLines(LineDelimitedWriter<BufWriter<File>>),
}

impl<'p> PartWriter<'p> {
    pub(crate) fn new(path: &Path, output: &'p Output) -> Result<Self> {
        File::create(path).map_err(|error| Error::io("write", path, &error))?;
        Ok(Self { path: path.to_owned(), writer: None, output, rows: 0 })
    }

    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        self.rows += batch.num_rows() as u64;
        let path = &self.path;
        let failed = |error: ParquetError| Error::write(path, &error);
        if self.writer.is_none() {
            let file = File::create(path).map_err(|error| Error::io("write", path, &error))?;
            self.writer = Some(match self.output.format {
                OutputFormat::Parquet => {
                    let schema = batch.schema();
                    let properties = Some(self.output.properties(&schema));
                    let writer = ArrowWriter::try_new(file, schema, properties);
                    Writer::Parquet(Box::new(writer.map_err(failed)?))
                }
                OutputFormat::JsonLines => Writer::JsonLines(
                    arrow_json::WriterBuilder::new()
                        .with_explicit_nulls(true)
                        .build(BufWriter::new(file)),
                ),
            });
        }
        match &mut self.writer {
            Some(Writer::Parquet(writer)) => {
                writer.write(batch).map_err(failed)?;
            }
            Some(Writer::JsonLines(writer)) => {
                writer.write(&for_json(batch)?).map_err(|error| Error::write(path, &error))?;
            }
            None => {}
        }
        Ok(())
    }

    /// Ends the part, and returns its number of rows.
    pub(crate) fn finish(self) -> Result<u64> {
        match self.writer {
            Some(Writer::Parquet(writer)) => {
                writer.close().map_err(|error| Error::write(&self.path, &error))?;
            }
            Some(Writer::JsonLines(mut writer)) => {
                writer.finish().map_err(|error| Error::write(&self.path, &error))?;
                let flushed = writer.into_inner().flush();
                flushed.map_err(|error| Error::io("write", &self.path, &error))?;
            }
            None => {}
        }
        Ok(self.rows)
    }
}

/// The columns of a batch as JSON shows them: times with an offset, because the writer knows no
/// names of time zones, and patterns as text. Octets of a pattern that are not UTF-8 are replaced.
/// Other columns of bytes have hexadecimal digits.
fn for_json(batch: &RecordBatch) -> Result<RecordBatch> {
    let schema = batch.schema();
    let columns = schema.fields().iter().zip(batch.columns()).map(|(field, column)| -> Result<_> {
        let shown: ArrayRef = match column.data_type() {
            DataType::Timestamp(unit, Some(_)) => {
                cast(column, &DataType::Timestamp(*unit, Some("+00:00".into())))?
            }
            DataType::Binary if field.name() == "pattern" => {
                let patterns = column.as_binary::<i32>().iter();
                let texts = patterns.map(|pattern| pattern.map(String::from_utf8_lossy));
                Arc::new(texts.collect::<StringArray>())
            }
            _ => Arc::clone(column),
        };
        Ok((field.name(), shown))
    });
    Ok(RecordBatch::try_from_iter(columns.collect::<Result<Vec<_>>>()?)?)
}

#[cfg(test)]
mod tests {
    use arrow_array::BinaryArray;

    use super::*;

    #[test]
    fn dots_in_the_path_of_a_folder_are_left_out() {
        for path in ["z/", "./z/./", "z/.//"] {
            let output = Output::new(Path::new(path), Codec::Lz4, None).unwrap();
            assert!(output.is_folder, "{path}");
            assert!(output.part(0).ends_with("z/part-00000.parquet"), "{path}");
            assert!(output.work.unwrap().ends_with("z.work"), "{path}");
            assert_eq!(output.path.to_str().unwrap().trim_start_matches("./"), "z", "{path}");
        }
    }

    #[test]
    fn parts_with_more_row_groups_than_a_file_can_have_are_joined() {
        let folder = tempfile::tempdir().unwrap();
        let (part, path) = (folder.path().join("part"), folder.path().join("o.parquet"));
        let numbers = arrow_array::Int64Array::from(vec![7]);
        let batch = RecordBatch::try_from_iter([("n", Arc::new(numbers) as ArrayRef)]).unwrap();
        let file = File::create(&part).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        for _ in 0..400 {
            writer.write(&batch).unwrap();
            writer.flush().unwrap();
        }
        writer.close().unwrap();
        let output = Output::new(&path, Codec::Lz4, None).unwrap();
        for (count, groups) in [(81, 32_400), (82, 1)] {
            output.assemble(&vec![part.clone(); count], &batch.schema()).unwrap();
            let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
            let metadata = reader.metadata();
            let rows = i64::try_from(count * 400).unwrap();
            assert_eq!(metadata.file_metadata().num_rows(), rows);
            assert_eq!(metadata.num_row_groups(), groups);
        }
    }

    #[test]
    fn patterns_are_text_in_json() {
        let patterns =
            BinaryArray::from_opt_vec(vec![Some(&b"/cart"[..]), None, Some(&b"/\xff"[..])]);
        let batch =
            [("pattern", Arc::new(patterns.clone()) as ArrayRef), ("policy", Arc::new(patterns))];
        let shown = for_json(&RecordBatch::try_from_iter(batch).unwrap()).unwrap();
        let texts: Vec<_> = shown.column(0).as_string::<i32>().iter().collect();
        assert_eq!(texts, [Some("/cart"), None, Some("/\u{fffd}")]);
        assert_eq!(*shown.column(1).data_type(), DataType::Binary);
    }
}
