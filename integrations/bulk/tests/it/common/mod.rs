//! Runs of the program, and tables for them.

pub(crate) mod server;

use std::fs::File;
use std::path::Path;
use std::process::{Command, Output};

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_schema::DataType;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::properties::WriterProperties;

/// A run of the program.
pub(crate) fn bulk(arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_verger-bulk"));
    command.args(arguments).current_dir(folder);
    command
}

/// Runs the program to its end.
#[track_caller]
pub(crate) fn run(arguments: &[&str], folder: &Path, status: i32) -> Output {
    let output = bulk(arguments, folder).output().expect("the program is built");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {message}");
    output
}

/// Writes a table with row groups of this number of rows.
#[allow(dead_code, reason = "not every file of tests writes tables")]
pub(crate) fn write_table(path: &Path, columns: Vec<(&str, ArrayRef)>, group: usize) {
    let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(group)).build();
    let file = File::create(path).expect("a file");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a table");
    writer.write(&batch).expect("rows");
    writer.close().expect("an end");
}

/// The rows of a table, columns as texts.
pub(crate) fn read_table(path: &Path, columns: &[&str]) -> Vec<Vec<Option<String>>> {
    let file = File::open(path).expect("an output");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
    let mut rows = Vec::new();
    for batch in reader.build().expect("Parquet") {
        let batch = batch.expect("rows");
        let text = |name: &&str| {
            let column = batch.column_by_name(name).expect("a column");
            cast(column, &DataType::Utf8).expect("text")
        };
        let texts: Vec<ArrayRef> = columns.iter().map(text).collect();
        for row in 0..batch.num_rows() {
            let value = |column: &ArrayRef| {
                let column = column.as_string::<i32>();
                (!column.is_null(row)).then(|| column.value(row).to_owned())
            };
            rows.push(texts.iter().map(value).collect());
        }
    }
    rows
}
