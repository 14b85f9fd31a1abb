//! `verger bulk metrics`: figures of each captured robots.txt.

use std::process::ExitCode;
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, StringBuilder, UInt16Builder};
use arrow_array::{Array as _, ArrayRef, BinaryArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use data_encoding::HEXLOWER;
use serde_json::json;
use verger::Dialect;
use verger_metrics::Pack;

use super::tallies::{self, Tallies};
use super::{Captures, Run};
use crate::args::Metrics;
use crate::capture::{Capture, Content, Final};
use crate::error::{Error, Result};
use crate::job::Task;
use crate::limits::{BATCH_BYTES, BATCH_ROWS};
use crate::output::PartWriter;
use crate::time;

/// The counts of files, or the metrics of a pack.
struct Figures {
    pack: Option<Pack>,
    dialect: Dialect,
}

impl Figures {
    /// The fields of the columns.
    fn fields(&self) -> Vec<Field> {
        let fields = match self.pack {
            Some(pack) => verger_arrow::types::pack(pack),
            None => verger_arrow::types::metrics(),
        };
        fields.iter().map(|field| Field::clone(field)).collect()
    }

    /// The columns for some files; those of a null are null.
    fn columns(&self, files: &BinaryArray) -> Result<Vec<ArrayRef>> {
        let figures = match self.pack {
            Some(pack) => verger_arrow::pack_metrics(files, pack, self.dialect)?,
            None => verger_arrow::metrics(files, self.dialect)?,
        };
        // The columns of the struct do not have the nulls of its rows.
        let (_, columns, _) = figures.into_parts();
        Ok(columns)
    }
}

pub(super) fn run(args: &Metrics) -> Result<ExitCode> {
    let output = args.run.output()?;
    let mut captures = Captures::find(&args.input, &args.reading, &output)?;
    let pack = Figures { pack: args.pack, dialect: args.reading.dialect };
    let tabled = args.pack.filter(|_| args.tables);
    if tabled.is_some() && output.is_stdout() {
        return Err(Error::new("expected an output file with `--tables`, but found `-`"));
    }
    captures.reader.reads_ranks = tabled.is_some();
    let description = captures.description(&args.reading);
    let run = Run::begin(
        &args.run,
        output,
        "metrics",
        &json!({"captures": description, "pack": args.pack.map(Pack::name), "tables": args.tables}),
    )?;
    let schema = schema(&pack);
    let (parts, counts) = run.job.stage(
        "metrics",
        captures.units.len(),
        |_| Ok(0),
        |task| {
            let path = task.path.clone();
            let mut out = PartWriter::new(&path, &run.output)?;
            let mut rows = Rows::default();
            let mut tallies = tabled.map(|pack| Tallies::new(pack, args.reading.dialect));
            let unit = &captures.units[task.number];
            captures.reader.read(unit, task, |task, capture| {
                let Some(origin) = capture.origin() else {
                    task.count("captures.other", 1);
                    return Ok(());
                };
                task.count("captures.robots_txt", 1);
                match capture.content {
                    Content::Redirect { .. } => task.count("captures.redirects", 1),
                    Content::Revisit { .. } => task.count("captures.revisits", 1),
                    Content::Final(_) => {}
                }
                let file = file(&capture);
                if let (Some(tallies), Some(file)) = (&mut tallies, file) {
                    tallies.add(capture.rank, &file.body);
                }
                rows.add(&origin, &capture, file);
                if rows.time.len() >= BATCH_ROWS || rows.bytes > BATCH_BYTES {
                    rows.write(&pack, &schema, task, &mut out)?;
                }
                Ok(())
            })?;
            rows.write(&pack, &schema, task, &mut out)?;
            task.count("rows", out.finish()?);
            tallies.map_or(Ok(()), |tallies| tallies.save(&path))
        },
    )?;
    if let Some(pack) = tabled {
        tallies::write(&run, pack, args.reading.dialect, &parts)?;
    }
    tallies::remove_stale(&run, tabled)?;
    run.end(&parts, &parts, &schema, &counts)
}

fn schema(pack: &Figures) -> SchemaRef {
    let mut fields = vec![
        Field::new("origin", DataType::Utf8, false),
        Field::new("time", time::data_type(), false),
        Field::new("status", DataType::UInt16, true),
        Field::new("content_type", DataType::Utf8, true),
        Field::new("hash", DataType::Utf8, true),
    ];
    fields.extend(pack.fields());
    Arc::new(Schema::new(fields))
}

/// The file of a capture with a status of success.
fn file(capture: &Capture) -> Option<&Final> {
    let is_file = matches!(capture.status, Some(200..=299));
    match &capture.content {
        Content::Final(end) if is_file && end.outcome.is_ok() => Some(end),
        _ => None,
    }
}

#[derive(Default)]
struct Rows {
    bytes: usize,
    origin: StringBuilder,
    time: Vec<Option<i64>>,
    status: UInt16Builder,
    content_type: StringBuilder,
    hash: StringBuilder,
    file: BinaryBuilder,
}

impl Rows {
    fn add(&mut self, origin: &str, capture: &Capture, file: Option<&Final>) {
        self.origin.append_value(origin);
        self.time.push(Some(capture.time));
        self.status.append_option(capture.status);
        self.content_type.append_option(capture.content_type.as_deref());
        self.bytes += file.map_or(0, |file| file.body.len());
        self.hash.append_option(file.map(|file| HEXLOWER.encode(&file.hash)));
        self.file.append_option(file.map(|file| &file.body));
    }

    fn write(
        &mut self,
        pack: &Figures,
        schema: &SchemaRef,
        task: &mut Task<'_>,
        out: &mut PartWriter<'_>,
    ) -> Result<()> {
        let mut rows = std::mem::take(self);
        if rows.time.is_empty() {
            return Ok(());
        }
        let files = rows.file.finish();
        let figures = pack.columns(&files)?;
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(rows.origin.finish()),
            time::array(rows.time),
            Arc::new(rows.status.finish()),
            Arc::new(rows.content_type.finish()),
            Arc::new(rows.hash.finish()),
        ];
        columns.extend(figures);
        let batch = RecordBatch::try_new(Arc::clone(schema), columns)?;
        out.write(&batch)?;
        task.advance(files.len())
    }
}
