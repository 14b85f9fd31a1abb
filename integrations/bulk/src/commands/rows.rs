//! Rows of a part, collected into batches.

use arrow_array::{ArrayRef, RecordBatch, StructArray};

use crate::error::Result;
use crate::job::Task;
use crate::limits::{BATCH_BYTES, BATCH_ROWS};
use crate::output::{Output, PartWriter};

/// Writes the part of a task, a batch of rows at a time.
pub(super) struct RowWriter<'a, R> {
    part: PartWriter<'a>,
    rows: Vec<R>,
    bytes: usize,
    batch: &'a dyn Fn(&[R]) -> Result<RecordBatch>,
}

impl<'a, R> RowWriter<'a, R> {
    /// A writer with the function that makes columns of rows.
    pub(super) fn new(
        output: &'a Output,
        task: &Task<'_>,
        batch: &'a dyn Fn(&[R]) -> Result<RecordBatch>,
    ) -> Result<Self> {
        let part = PartWriter::new(&task.path, output)?;
        Ok(Self { part, rows: Vec::new(), bytes: 0, batch })
    }

    /// Adds a row with texts of this number of bytes.
    pub(super) fn add(&mut self, row: R, bytes: usize) -> Result<()> {
        self.rows.push(row);
        self.bytes += bytes;
        let is_full = self.rows.len() >= BATCH_ROWS || self.bytes >= BATCH_BYTES;
        if is_full { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<()> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        self.part.write(&(self.batch)(&rows)?)
    }

    /// Ends the part, and counts its rows.
    pub(super) fn finish(mut self, task: &mut Task<'_>) -> Result<()> {
        self.write()?;
        task.count("rows", self.part.finish()?);
        Ok(())
    }
}

/// A column: its name, its values, and whether they can be null.
pub(super) type Column<'n> = (&'n str, ArrayRef, bool);

/// The columns of structs. Those of a struct that is null are null, too.
pub(super) fn columns(structs: &StructArray) -> impl Iterator<Item = Column<'_>> {
    let columns = structs.columns().iter().cloned();
    structs.column_names().into_iter().zip(columns).map(|(name, column)| (name, column, true))
}
