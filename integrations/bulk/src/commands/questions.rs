//! Questions: the URLs of a batch, with their times and kept columns.

use arrow_array::{Array as _, ArrayRef, StringArray};
use verger_arrow::OriginReader;

/// The questions of a batch.
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
}
