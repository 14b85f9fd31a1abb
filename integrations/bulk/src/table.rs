//! Tables: columns of Parquet, CSV, JSON Lines and lists of URLs, in batches.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom};
use std::slice;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::StringBuilder;
use arrow_schema::{DataType, Field};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;

use crate::cells::plain;
use crate::error::{Error, Result, brief, is_damage, shown};
use crate::format::{Format, RowLimit, open_text, read_line, trimmed};
use crate::input::{Part, Unit};
use crate::job::{Skip, Task};
use crate::limits::{BATCH_BYTES, BATCH_ROWS, LINE_BYTES, SHOWN_NAMES};
use crate::parquet_file::{copy_columns, decoded, parts, rows_of_batch, with_views};
use crate::remote::{is_remote, open};

/// The columns that a command reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    /// Columns with a meaning, each with its possible names.
    pub(crate) wanted: Vec<Wanted>,
    /// Columns that are copied to the output.
    pub(crate) kept: Vec<String>,
    /// Whether damage to a file is an error. Otherwise the rest of the row group is listed and
    /// skipped.
    pub(crate) is_strict: bool,
}

/// A column with a meaning.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) names: Vec<String>,
    /// Names of columns of which a file must have one; empty if it need not.
    pub(crate) required: Vec<String>,
}

/// Rows of a table.
#[derive(Debug)]
pub(crate) struct Batch {
    /// The wanted columns; `None` for one that the file does not have.
    pub(crate) columns: Vec<Option<ArrayRef>>,
    pub(crate) kept: Vec<ArrayRef>,
    pub(crate) rows: usize,
    /// The place of each row in the file: its number, or the offset of its line.
    pub(crate) places: Vec<u64>,
}

impl Wanted {
    pub(crate) fn required(names: &[&str]) -> Self {
        Self::optional(names).required_or(&[])
    }

    pub(crate) fn optional(names: &[&str]) -> Self {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        Self { names, required: Vec::new() }
    }

    /// A column that a file must have, unless it has one with another of these names.
    pub(crate) fn required_or(self, others: &[&str]) -> Self {
        let others = others.iter().map(|&name| name.to_owned());
        Self { required: self.names.iter().cloned().chain(others).collect(), ..self }
    }
}

impl Columns {
    /// The places of the columns among the names of a file: the wanted ones, then the kept ones.
    fn places(&self, unit: &Unit, names: &[String]) -> Result<Vec<Option<usize>>> {
        let place = |name: &String| names.iter().position(|found| found == name);
        let list = |names: &[String], last: &str| {
            let shown: Vec<_> = names.iter().map(|name| format!("`{}`", brief(name))).collect();
            shown.join(last)
        };
        let kept = self.kept.iter().map(slice::from_ref);
        let required = self.wanted.iter().map(|it| &*it.required).chain(kept.clone());
        for required in required.filter(|it| !it.is_empty()) {
            if required.iter().find_map(place).is_none() {
                let (path, required) = (shown(&unit.path), list(required, " or "));
                let known = list(&names[..names.len().min(SHOWN_NAMES)], ", ");
                let error = Error::new(format!("{path} has no column {required}"));
                return Err(error.with_hint(format!("its columns are {known}")));
            }
        }
        let columns = self.wanted.iter().map(|it| &*it.names).chain(kept);
        Ok(columns.map(|names| names.iter().find_map(place)).collect())
    }

    /// Rows of columns in the order of [`Self::places`].
    fn batch(&self, mut columns: Vec<Option<ArrayRef>>, places: Vec<u64>) -> Batch {
        let kept = columns.split_off(self.wanted.len()).into_iter().flatten().collect();
        Batch { columns, kept, rows: places.len(), places }
    }

    /// A wanted column of rows, read as its type; `None` if the file does not have it.
    pub(crate) fn typed<T>(
        &self,
        unit: &Unit,
        batch: &Batch,
        at: usize,
        read: impl FnOnce(&ArrayRef) -> Option<T>,
    ) -> Result<Option<T>> {
        let Some(array) = &batch.columns[at] else { return Ok(None) };
        let found = read(array).ok_or_else(|| {
            let (name, path) = (brief(&self.wanted[at].names[0]), shown(&unit.path));
            Error::new(format!("column `{name}` of {path} has an unsuitable type"))
        })?;
        Ok(Some(found))
    }

    /// The fields of the kept columns in a file.
    pub(crate) fn kept_fields(&self, unit: &Unit) -> Result<Vec<Field>> {
        let Part::RowGroup(metadata, ..) = &unit.part else {
            let text = |name: &String| Field::new(name, DataType::Utf8, true);
            return Ok(self.kept.iter().map(text).collect());
        };
        let fields = metadata.schema().fields();
        let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
        let places = self.places(unit, &names)?;
        let kept = places[self.wanted.len()..].iter().flatten();
        Ok(kept.map(|&at| Field::clone(&fields[at]).with_nullable(true)).collect())
    }

    /// Reads the rows of a unit. Rows that are not readable are listed and skipped.
    pub(crate) fn read(
        &self,
        unit: &Unit,
        task: &mut Task<'_>,
        mut each: impl FnMut(&mut Task<'_>, Batch) -> Result<()>,
    ) -> Result<()> {
        task.input = Some(shown(&unit.path));
        if let Err(error) = unit.require_bytes() {
            return task.skip(&Skip::new(&unit.name(), 0, "broken_file", &error.to_string()));
        }
        match unit.format {
            _ if matches!(unit.part, Part::RowGroup(..)) => {
                self.read_parquet(unit, task, &mut each)
            }
            Format::Csv => self.read_csv(unit, task, &mut each),
            _ => self.read_lines(unit, task, &mut each),
        }
    }

    fn read_parquet(&self, unit: &Unit, task: &mut Task<'_>, each: Each<'_>) -> Result<()> {
        let failed = |error: &dyn std::fmt::Display| Error::format(&unit.path, "Parquet", error);
        let Part::RowGroup(metadata, group, first) = &unit.part else { return Ok(()) };
        let fields = metadata.schema().fields();
        let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
        let places = self.places(unit, &names)?;
        // Projected columns are in the order of the file, each once.
        let mut read: Vec<usize> = places.iter().copied().flatten().collect();
        read.sort_unstable();
        read.dedup();
        let mask = ProjectionMask::roots(metadata.parquet_schema(), read.iter().copied());
        // A table without rows has none.
        let Some(columns) = metadata.metadata().row_groups().get(*group) else { return Ok(()) };
        let (name, mut first) = (unit.name(), *first);
        let size = rows_of_batch(columns, &mask);
        let file = if is_remote(&unit.path) {
            copy_columns((&unit.path, unit.version.bytes), columns, &mask, &task.path)
        } else {
            File::open(&unit.path)
        };
        let file = file.map_err(|error| Error::io("read", &unit.path, &error))?;
        let views = with_views(metadata, &read);
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, views)
            .with_row_groups(vec![*group])
            .with_projection(mask)
            .with_batch_size(size);
        let mut reader = decoded(|| builder.build()).map_err(|error| failed(&error))?;
        while let Some(found) = decoded(|| reader.next().transpose()).transpose() {
            let batch = match found {
                Err(error) if !self.is_strict => {
                    let message = brief(&error.to_string());
                    let kind = "broken_file";
                    return task.skip(&Skip::new(&name, first, kind, &message));
                }
                found => found.map_err(|error| failed(&error))?,
            };
            for part in parts(&batch) {
                let rows = part.len();
                let typed = batch.columns().iter().zip(&read).map(|(views, &at)| {
                    arrow_cast::cast(&views.slice(part.start, rows), fields[at].data_type())
                });
                let typed: Vec<ArrayRef> = typed.collect::<std::result::Result<_, _>>()?;
                let column = |at: &usize| Some(Arc::clone(&typed[read.binary_search(at).ok()?]));
                let columns = places.iter().map(|at| at.as_ref().and_then(column)).collect();
                let next = first + rows as u64;
                each(task, self.batch(columns, (first..next).collect()))?;
                task.advance(rows)?;
                first = next;
            }
        }
        Ok(())
    }

    fn read_csv(&self, unit: &Unit, task: &mut Task<'_>, each: Each<'_>) -> Result<()> {
        let text = open_text(&unit.path, &unit.version)
            .map_err(|error| Error::io("read", &unit.path, &error))?;
        let text = RowLimit { text, left: LINE_BYTES, ends: 0 };
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text);
        let heads = match reader.headers() {
            Err(error) if matches!(error.kind(), csv::ErrorKind::Io(it) if is_damage(it)) => {
                let message = error.to_string();
                return task.skip(&Skip::new(&unit.name(), 0, "broken_file", &message));
            }
            heads => heads.map_err(|error| Error::format(&unit.path, "CSV", &error))?,
        };
        let names: Vec<String> = heads.iter().map(str::to_owned).collect();
        if names == [""] {
            return Err(Error::new(format!("{} is empty", shown(&unit.path))));
        }
        let places = self.places(unit, &names)?;
        let mut rows = Rows::new(self, &places);
        let name = unit.name();
        let mut record = csv::StringRecord::new();
        let mut number = 0;
        loop {
            reader.get_mut().left = LINE_BYTES;
            match reader.read_record(&mut record) {
                read if reader.get_ref().ends > 1 => {
                    // Only the quote of `AFTER_THE_END` is an empty field alone.
                    if read.is_err() || record.len() != 1 || !record[0].is_empty() {
                        let message = "a quote is not closed";
                        task.skip(&Skip::new(&name, number, "broken_file", message))?;
                    }
                    break;
                }
                Ok(false) => break,
                Ok(true) if record.len() != names.len() => {
                    let (found, expected) = (record.len(), names.len());
                    let message = format!("the number of fields is {found}, but not {expected}");
                    task.skip(&Skip::new(&name, number, "broken_row", &message))?;
                }
                Ok(true) => rows.add(number, |at| {
                    let text = record.get(places[at]?)?;
                    // CSV has no nulls: an empty field can be one.
                    let is_null = text.is_empty() && at < self.wanted.len();
                    (!is_null).then(|| text.to_owned())
                }),
                Err(error) if matches!(error.kind(), csv::ErrorKind::Utf8 { .. }) => {
                    task.skip(&Skip::new(&name, number, "broken_row", "expected UTF-8"))?;
                }
                Err(error) => {
                    if let csv::ErrorKind::Io(cause) = error.kind()
                        && !is_damage(cause)
                    {
                        return Err(Error::io("read", &unit.path, cause));
                    }
                    // The rest of a damaged file cannot be read.
                    let message = error.to_string();
                    task.skip(&Skip::new(&name, number, "broken_file", &message))?;
                    break;
                }
            }
            number += 1;
            if rows.is_full() {
                rows.send(task, each)?;
            }
        }
        rows.send(task, each)
    }

    fn read_lines(&self, unit: &Unit, task: &mut Task<'_>, each: Each<'_>) -> Result<()> {
        let failed = |error: io::Error| Error::io("read", &unit.path, &error);
        let (mut text, mut at, end): (Box<dyn BufRead>, u64, u64) = match unit.part {
            Part::Bytes(start, end) => {
                let mut file = open(&unit.path, &unit.version).map_err(failed)?;
                // The line that begins before the start belongs to the previous task.
                let from = start.saturating_sub(1);
                file.seek(SeekFrom::Start(from)).map_err(failed)?;
                let mut text = BufReader::with_capacity(256 * 1024, file);
                // A line that does not end in this range is one of the previous task alone.
                let mut range = text.by_ref().take(end - from);
                let skipped = if start > 0 { range.skip_until(b'\n') } else { Ok(0) };
                (Box::new(text), from + skipped.map_err(failed)? as u64, end)
            }
            _ => (open_text(&unit.path, &unit.version).map_err(failed)?, 0, u64::MAX),
        };
        let is_json = unit.format != Format::List;
        let columns = self.wanted.iter().map(|it| &*it.names);
        let columns: Vec<&[String]> =
            columns.chain(self.kept.iter().map(slice::from_ref)).collect();
        // Each line of JSON can use another name of a column.
        let names = if is_json { columns.concat() } else { vec!["url".to_owned()] };
        let mut rows = Rows::new(self, &self.places(unit, &names)?);
        let name = unit.name();
        // The names in lines, until they have all columns. The beginning of a file, which is long,
        // shows which columns it has; a single bad line elsewhere ends no run.
        let mut found = (is_json && at == 0).then(Vec::new);
        let mut line = Vec::new();
        while at < end {
            let start = at;
            line.clear();
            let length = match read_line(&mut text, &mut line) {
                Ok(0) => break,
                Ok(length) => length,
                Err(error) if !is_damage(&error) => return Err(failed(error)),
                Err(error) => {
                    let message = error.to_string();
                    task.skip(&Skip::new(&name, at, "broken_file", &message))?;
                    break;
                }
            };
            at += length;
            let trimmed = trimmed(&line, start == 0);
            if trimmed.is_empty() {
                continue;
            }
            let parsed = match unit.format {
                _ if length > LINE_BYTES as u64 => {
                    Err(format!("expected at most {LINE_BYTES} bytes in a line"))
                }
                Format::List => str::from_utf8(trimmed)
                    .map(Value::from)
                    .map_err(|_| "expected UTF-8".to_owned()),
                // Heads of CDXJ.
                Format::Index if trimmed.starts_with(b"!") || trimmed.starts_with(b"CDX ") => {
                    continue;
                }
                _ => {
                    // In CDXJ, a key and a time are before the object. Keys can have braces, but no
                    // spaces.
                    let count = if unit.format == Format::Index { 3 } else { 1 };
                    let object = trimmed.splitn(count, |byte| *byte == b' ').nth(count - 1);
                    serde_json::from_slice(object.unwrap_or_default())
                        .map_err(|error| error.to_string())
                }
            };
            match parsed {
                Ok(Value::String(url)) if unit.format == Format::List => {
                    rows.add(start, |_| Some(url.clone()));
                }
                Ok(Value::Object(object)) => {
                    if let Some(known) = &mut found {
                        for name in object.keys() {
                            let counts = known.len() < SHOWN_NAMES || names.contains(name);
                            if counts && !known.contains(name) {
                                known.push(name.clone());
                            }
                        }
                        found.take_if(|known| self.places(unit, known).is_ok());
                    }
                    let value = |name: &String| object.get(name).and_then(plain);
                    rows.add(start, |at| columns[at].iter().find_map(value));
                }
                other => {
                    let other = other.err();
                    let message = other.as_deref().unwrap_or("expected a JSON object");
                    task.skip(&Skip::new(&name, start, "broken_row", message))?;
                }
            }
            if rows.is_full() {
                rows.send(task, each)?;
            }
        }
        if let Some(known) = found.filter(|known| !known.is_empty()) {
            self.places(unit, &known)?;
        }
        rows.send(task, each)
    }
}

type Each<'e> = &'e mut dyn FnMut(&mut Task<'_>, Batch) -> Result<()>;

/// Builds batches of text.
struct Rows<'c> {
    of: &'c Columns,
    /// In the order of [`Columns::places`]; `None` for one that the file does not have.
    columns: Vec<Option<StringBuilder>>,
    places: Vec<u64>,
    bytes: usize,
}

impl<'c> Rows<'c> {
    fn new(of: &'c Columns, found: &[Option<usize>]) -> Self {
        let columns = found.iter().map(|at| at.map(|_| StringBuilder::new())).collect();
        Self { of, columns, places: Vec::new(), bytes: 0 }
    }

    /// Adds a row with the value of each column.
    fn add(&mut self, place: u64, value: impl Fn(usize) -> Option<String>) {
        for (at, column) in self.columns.iter_mut().enumerate() {
            if let Some(builder) = column {
                let text = value(at);
                self.bytes += text.as_ref().map_or(0, String::len);
                builder.append_option(text);
            }
        }
        self.places.push(place);
    }

    fn is_full(&self) -> bool {
        self.places.len() >= BATCH_ROWS || self.bytes >= BATCH_BYTES
    }

    fn send(&mut self, task: &mut Task<'_>, each: Each<'_>) -> Result<()> {
        let places = std::mem::take(&mut self.places);
        let rows = places.len();
        self.bytes = 0;
        if rows == 0 {
            return Ok(());
        }
        let finish = |builder: &mut StringBuilder| Arc::new(builder.finish()) as ArrayRef;
        let columns = self.columns.iter_mut().map(|it| it.as_mut().map(finish)).collect();
        each(task, self.of.batch(columns, places))?;
        task.advance(rows)
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::types::Int32Type;
    use arrow_array::{Array as _, DictionaryArray, RecordBatch, StringArray};
    use parquet::arrow::ArrowWriter;
    use parquet::arrow::arrow_writer::ArrowWriterOptions;

    use super::*;
    use crate::input::Inputs;
    use crate::job::Job;
    use crate::output::{Codec, Output};
    use crate::work_folder::WorkFolder;

    #[test]
    fn repeated_long_values_are_read_in_small_batches() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("u.parquet");
        let values = Arc::new(StringArray::from(vec!["a".repeat(300_000)]));
        let urls = DictionaryArray::<Int32Type>::new(vec![0; 100].into(), values);
        let table = RecordBatch::try_from_iter([("url", Arc::new(urls) as ArrayRef)]).unwrap();
        for is_text in [false, true] {
            let options = ArrowWriterOptions::new().with_skip_arrow_metadata(is_text);
            let file = File::create(&path).unwrap();
            let mut writer =
                ArrowWriter::try_new_with_options(file, table.schema(), options).unwrap();
            writer.write(&table).unwrap();
            writer.close().unwrap();
            let output = Output::new("-".as_ref(), Codec::None, None).unwrap();
            let inputs = [path.clone()];
            let inputs = Inputs::find(&inputs, None, &output, &[Format::Parquet], "URLs").unwrap();
            let unit = &inputs.units().unwrap()[0];
            let wanted = vec![Wanted::required(&["url"])];
            let columns = Columns { wanted, kept: vec!["url".to_owned()], ..Columns::default() };
            let work = WorkFolder::temporary().unwrap();
            let job = Job::open(work, &Value::Null, false, 1, 1).unwrap();
            let (mut rows, fields) = (0, columns.kept_fields(unit).unwrap());
            let each = |_: &mut Task<'_>, batch: Batch| {
                assert_eq!(batch.kept[0].data_type(), fields[0].data_type());
                let texts = arrow_cast::cast(&batch.kept[0], &DataType::Utf8)?;
                assert!(texts.get_array_memory_size() < 2 * BATCH_BYTES);
                rows += batch.rows;
                Ok(())
            };
            job.once(|task| columns.read(unit, task, each)).unwrap();
            assert_eq!((rows, fields[0].data_type() == &DataType::Utf8), (100, is_text));
        }
    }
}
