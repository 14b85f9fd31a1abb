//! Parquet: metadata, and columns of objects.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaDataReader, RowGroupMetaData};

use crate::error::{Error, Result};
use crate::limits::PARQUET_END_BYTES;
use crate::source::Source;

/// The metadata of a Parquet file, from its end.
pub(crate) fn parquet_metadata(path: &Path) -> Result<ArrowReaderMetadata> {
    let failed = |error: io::Error| Error::io("read", path, &error);
    let damaged = |error: ParquetError| Error::format(path, "Parquet", &error);
    let mut source = Source::open(path).map_err(failed)?;
    let (mut length, mut reader) = (PARQUET_END_BYTES, ParquetMetaDataReader::new());
    loop {
        let start = source.end().saturating_sub(length);
        source.seek(SeekFrom::Start(start)).map_err(failed)?;
        let mut end = Vec::new();
        source.read_to_end(&mut end).map_err(failed)?;
        match reader.try_parse_sized(&Bytes::from(end), source.end()) {
            Err(ParquetError::NeedMoreData(more)) if more as u64 > length => length = more as u64,
            parsed => {
                let metadata = parsed.and_then(|()| reader.finish()).map_err(damaged)?;
                let options = ArrowReaderOptions::default();
                return ArrowReaderMetadata::try_new(Arc::new(metadata), options).map_err(damaged);
            }
        }
    }
}

/// Whether a table has the places of records, and no contents of files.
pub(crate) fn is_index(metadata: &ArrowReaderMetadata) -> bool {
    let has = |name: &str| metadata.schema().column_with_name(name).is_some();
    has("warc_record_offset") && !["robots", "body", "content"].into_iter().any(has)
}

/// Copies some columns of a row group of an object into a temporary file in a folder, each to its
/// place: readers of Parquet go to and fro.
pub(crate) fn copy_columns(
    path: &Path,
    columns: &RowGroupMetaData,
    mask: &ProjectionMask,
    folder: Option<&Path>,
) -> io::Result<File> {
    let included = columns.columns().iter().enumerate().filter(|(at, _)| mask.leaf_included(*at));
    let ranges = included.map(|(_, column)| {
        let (start, length) = column.byte_range();
        start..start.saturating_add(length)
    });
    let mut ranges: Vec<Range<u64>> = ranges.collect();
    ranges.sort_by_key(|range| range.start);
    let mut source = Source::open_ranges(path, &ranges)?;
    let mut file = tempfile::tempfile_in(folder.unwrap_or(Path::new(".")))?;
    for Range { start, end } in ranges {
        source.seek(SeekFrom::Start(start))?;
        file.seek(SeekFrom::Start(start))?;
        io::copy(&mut (&mut source).take(end - start), &mut file)?;
    }
    Ok(file)
}
