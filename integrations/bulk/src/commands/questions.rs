//! Questions: the URLs of a batch.

use arrow_array::{Array, ArrayRef, StringArray};
use arrow_schema::DataType;
use verger_arrow::OriginReader;

use crate::limits::{BATCH_BYTES, WINDOW_ANSWERS};

/// The URLs of a batch, with their times and kept columns.
pub(super) struct Questions {
    pub(super) urls: StringArray,
    pub(super) times: Option<Vec<Option<i64>>>,
    pub(super) kept: Vec<ArrayRef>,
    /// The place of each row in the file.
    pub(super) places: Vec<u64>,
}

impl Questions {
    pub(super) fn rows(&self) -> usize {
        self.urls.len()
    }

    /// The parts that a window can have for this number of crawlers.
    pub(super) fn parts(&self, agents: usize) -> impl Iterator<Item = Self> {
        let most = (WINDOW_ANSWERS / agents).max(1);
        (0..self.rows()).step_by(most).map(move |start| {
            let length = most.min(self.rows() - start);
            let rows = start..start + length;
            Self {
                urls: self.urls.slice(start, length),
                times: self.times.as_ref().map(|times| times[rows.clone()].to_vec()),
                kept: self.kept.iter().map(|column| column.slice(start, length)).collect(),
                places: self.places[rows].to_vec(),
            }
        })
    }

    /// The time of a row, if times are known.
    pub(super) fn time(&self, row: usize) -> Option<i64> {
        self.times.as_ref().and_then(|times| times[row])
    }

    /// The origin of a row; the reason if it asks nothing.
    pub(super) fn origin<'r>(
        &'r self,
        row: usize,
        origins: &'r mut OriginReader,
    ) -> Result<&'r str, &'static str> {
        if self.urls.is_null(row) {
            return Err("no_url");
        }
        if self.times.as_ref().is_some_and(|times| times[row].is_none()) {
            return Err("no_time");
        }
        origins.of(self.urls.value(row)).ok_or("no_origin")
    }

    /// The bytes of each row that are repeated for each crawler. Empty if one batch can have them
    /// all, as usual.
    pub(super) fn long_rows(&self, agents: usize) -> Vec<usize> {
        let column_bytes = |column: &dyn Array, start, rows| match column.data_type() {
            // Values are shared.
            DataType::Dictionary(..) | DataType::Utf8View | DataType::BinaryView => 0,
            _ => column.slice(start, rows).to_data().get_slice_memory_size().unwrap_or_default(),
        };
        let bytes = |start, rows| {
            let kept = self.kept.iter().map(|column| column_bytes(column, start, rows));
            column_bytes(&self.urls, start, rows) + kept.sum::<usize>()
        };
        if agents == 1 || bytes(0, self.rows()) * agents <= BATCH_BYTES {
            return Vec::new();
        }
        (0..self.rows()).map(|row| bytes(row, 1)).collect()
    }
}
