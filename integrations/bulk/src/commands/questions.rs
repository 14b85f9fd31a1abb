//! Questions: the URLs of a batch, with their times and kept columns.

use arrow_array::{Array as _, ArrayRef, StringArray};
use arrow_schema::DataType::Dictionary;
use verger_arrow::OriginReader;

use crate::limits::WINDOW_BYTES;

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

    /// How many answers from `start` on fit in a batch, in which each has a copy of its row; at least
    /// one. Rows have the answers of all crawlers.
    pub(super) fn fitting(&self, start: usize, agents: usize) -> usize {
        let (row, agent) = (start / agents, start % agents);
        let bytes = |rows: usize| {
            let kept = self.kept.iter().filter(|it| !matches!(it.data_type(), Dictionary(..)));
            let of = |column: &ArrayRef| column.slice(row, rows).to_data().get_slice_memory_size();
            let kept: usize = kept.map(|column| of(column).unwrap_or(0)).sum();
            let offsets = self.urls.value_offsets();
            kept + usize::try_from(offsets[row + rows] - offsets[row]).unwrap_or(0)
        };
        let fits = |rows: usize| bytes(rows).saturating_mul(agents) <= WINDOW_BYTES;
        if !fits(1) {
            return (WINDOW_BYTES / bytes(1)).clamp(1, agents - agent);
        }
        if agent > 0 {
            return agents - agent;
        }
        let mut rows = self.rows() - row;
        while rows > 1 && !fits(rows) {
            rows /= 2;
        }
        rows * agents
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
