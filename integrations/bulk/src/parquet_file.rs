//! Parquet: metadata, and columns of objects.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaDataReader, RowGroupMetaData};

use crate::error::{Error, Result};
use crate::limits::{PARQUET_END_BYTES, PIECE_BYTES};
use crate::remote::{Version, open, ranges};

/// The metadata of a Parquet file or object, from its end.
pub(crate) fn parquet_metadata(path: &Path, version: &Version) -> Result<ArrowReaderMetadata> {
    let failed = |error: io::Error| Error::io("read", path, &error);
    let damaged = |error: ParquetError| Error::format(path, "Parquet", &error);
    let mut file = open(path, Some(version)).map_err(failed)?;
    let length = file.seek(SeekFrom::End(0)).map_err(failed)?;
    let (mut needed, mut reader) = (PARQUET_END_BYTES, ParquetMetaDataReader::new());
    loop {
        let mut end = Vec::new();
        file.seek(SeekFrom::Start(length.saturating_sub(needed))).map_err(failed)?;
        file.read_to_end(&mut end).map_err(failed)?;
        match reader.try_parse_sized(&Bytes::from(end), length) {
            Err(ParquetError::NeedMoreData(more)) if more as u64 > needed => needed = more as u64,
            parsed => {
                let metadata = parsed.and_then(|()| reader.finish()).map_err(damaged)?;
                let options = ArrowReaderOptions::default();
                return ArrowReaderMetadata::try_new(Arc::new(metadata), options).map_err(damaged);
            }
        }
    }
}

/// Copies some columns of a row group of an object into a temporary file of the work folder, each
/// to its place in a file of this length: readers of Parquet read columns in any order.
pub(crate) fn copy_columns(
    (path, length): (&Path, u64),
    columns: &RowGroupMetaData,
    mask: &ProjectionMask,
    work: &Path,
) -> io::Result<File> {
    let mut file = tempfile::tempfile_in(work.parent().unwrap_or(Path::new(".")))?;
    let columns = columns.columns().iter().enumerate().filter(|(at, _)| mask.leaf_included(*at));
    let pieces = columns.flat_map(|(_, column)| {
        let (start, bytes) = column.byte_range();
        // Damaged metadata can have any number.
        let end = start.saturating_add(bytes).min(length);
        (start..end).step_by(PIECE_BYTES).map(move |at| at..end.min(at + PIECE_BYTES as u64))
    });
    let pieces: Vec<Range<u64>> = pieces.collect();
    let read = ranges(pieces.iter().map(|piece| (path.to_owned(), piece.clone())));
    for (piece, bytes) in pieces.iter().zip(read) {
        file.seek(SeekFrom::Start(piece.start))?;
        file.write_all(&bytes?)?;
    }
    Ok(file)
}
