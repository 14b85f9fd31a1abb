//! `verger bulk metrics`: figures of each captured robots.txt.

use std::process::ExitCode;
use std::sync::Arc;

use arrow_array::{BinaryArray, RecordBatch, StringArray, UInt16Array};
use data_encoding::HEXLOWER;
use serde_json::json;
use verger::Dialect;
use verger_metrics::Pack;

use super::rows::{self, Column, RowWriter};
use super::tallies::{self, Tallies};
use super::{Captures, Run};
use crate::args::Metrics;
use crate::capture::{Capture, Content, Final};
use crate::error::{Error, Result};
use crate::job::no_bytes;
use crate::time;

pub(super) fn run(args: &Metrics) -> Result<ExitCode> {
    let output = args.run.output()?;
    let mut captures = Captures::find(&args.input, &output)?;
    let dialect = args.input.dialect;
    let tabled = args.pack.filter(|_| args.tables);
    if tabled.is_some() && output.is_stdout() {
        return Err(Error::new("expected an output file with `--tables`, but found `-`"));
    }
    captures.reader.reads_ranks = tabled.is_some();
    let description = json!({
        "captures": captures.description,
        "pack": args.pack.map(Pack::name),
        "tables": args.tables,
    });
    let run = Run::begin(&args.run, output, "metrics", &description)?;
    let batch = |rows: &[Row]| batch(rows, args.pack, dialect);
    let (parts, counts) = run.job.stage("metrics", captures.units.len(), no_bytes, |task| {
        let mut out = RowWriter::new(&run.output, task, &batch)?;
        let mut tallies = tabled.map(|pack| Tallies::new(pack, dialect));
        captures.reader.read(&captures.units[task.number], task, |task, capture| {
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
            let body = file(&capture).map(|file| &*file.body);
            if let (Some(tallies), Some(body)) = (&mut tallies, body) {
                tallies.add(capture.rank, body);
            }
            let bytes = body.map_or(0, <[u8]>::len);
            out.add(Row { origin, capture }, bytes)
        })?;
        if let Some(tallies) = tallies {
            tallies.save(&task.path)?;
        }
        out.finish(task)
    })?;
    if let Some(pack) = tabled {
        tallies::write(&run, pack, &parts)?;
    }
    tallies::remove_stale(&run, tabled)?;
    run.end(&parts, &parts, &batch(&[])?.schema(), &counts)
}

/// The file of a capture with a status of success.
fn file(capture: &Capture) -> Option<&Final> {
    let is_file = matches!(capture.status, Some(200..=299));
    match &capture.content {
        Content::Final(end) if is_file && end.outcome.is_ok() => Some(end),
        _ => None,
    }
}

/// A row of the output.
struct Row {
    origin: String,
    capture: Capture,
}

/// The columns of captures, and the counts of files or the metrics of a pack.
fn batch(rows: &[Row], pack: Option<Pack>, dialect: Dialect) -> Result<RecordBatch> {
    let captures = || rows.iter().map(|row| &row.capture);
    let origins = StringArray::from_iter_values(rows.iter().map(|row| &row.origin));
    let times = time::array(captures().map(|it| Some(it.time)).collect());
    let statuses: UInt16Array = captures().map(|it| it.status).collect();
    let types: StringArray = captures().map(|it| it.content_type.as_deref()).collect();
    let hashes = captures().map(|it| Some(HEXLOWER.encode(&file(it)?.hash)));
    let files: BinaryArray = captures().map(|it| Some(&file(it)?.body)).collect();
    let own: [Column<'_>; 5] = [
        ("origin", Arc::new(origins), false),
        ("time", times, false),
        ("status", Arc::new(statuses), true),
        ("content_type", Arc::new(types), true),
        ("hash", Arc::new(hashes.collect::<StringArray>()), true),
    ];
    // Of a row without a file, the columns of the struct are null, too.
    let figures = match pack {
        Some(pack) => verger_arrow::pack_metrics(&files, pack, dialect)?,
        None => verger_arrow::metrics(&files, dialect)?,
    };
    Ok(RecordBatch::try_from_iter_with_nullable(own.into_iter().chain(rows::columns(&figures)))?)
}
