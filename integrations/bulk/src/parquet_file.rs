//! Parquet: metadata, columns of objects, and parts of batches.

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::iter;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray as _;
use arrow_schema::{DataType, Field, Fields, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaDataReader, RowGroupMetaData};

use crate::error::{Error, Result};
use crate::limits::{BATCH_BYTES, BATCH_ROWS, PARQUET_END_BYTES, PIECE_BYTES};
use crate::remote::{Version, ranges};

/// The metadata of a Parquet file or object, from its end.
pub(crate) fn parquet_metadata(path: &Path, version: &Version) -> Result<ArrowReaderMetadata> {
    let failed = |error: io::Error| Error::io("read", path, &error);
    let damaged = |error: ParquetError| Error::format(path, "Parquet", &error);
    let length = version.bytes;
    let (mut needed, mut reader) = (PARQUET_END_BYTES, ParquetMetaDataReader::new());
    loop {
        let end = (path.to_owned(), length.saturating_sub(needed)..length);
        let end = ranges(iter::once(end)).next().transpose().map_err(failed)?.unwrap_or_default();
        match reader.try_parse_sized(&end, length) {
            Err(ParquetError::NeedMoreData(more)) if more as u64 > needed => needed = more as u64,
            parsed => {
                let metadata = parsed.and_then(|()| reader.finish()).map_err(damaged)?;
                let (metadata, options) = (Arc::new(metadata), ArrowReaderOptions::default());
                let read = decoded(|| ArrowReaderMetadata::try_new(metadata, options));
                return read.map_err(damaged);
            }
        }
    }
}

/// The result of decoding, or an error if the decoder panics, as it can after damage.
pub(crate) fn decoded<T, E: From<ParquetError>>(
    decode: impl FnOnce() -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    let damaged = |_| Err(ParquetError::General("the file is damaged".to_owned()).into());
    // Nothing reads on after an error, so nothing observes a half-changed decoder.
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or_else(damaged)
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
        // Damaged metadata can have any number, and a negative one panics: it has no bytes.
        let (start, bytes) =
            decoded(|| Ok::<_, ParquetError>(column.byte_range())).unwrap_or_default();
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

/// The metadata of a file with views in place of the texts and bytes of some columns. Views share
/// the values of a dictionary and the pages of a batch, so that long and repeated values take no
/// more memory than these.
pub(crate) fn with_views(metadata: &ArrowReaderMetadata, columns: &[usize]) -> ArrowReaderMetadata {
    use DataType::{Binary, BinaryView, Dictionary, LargeBinary, LargeUtf8, Utf8, Utf8View};
    let schema = metadata.schema();
    let fields = schema.fields().iter().enumerate().map(|(at, field)| {
        let kind = match field.data_type() {
            Dictionary(_, values) => values,
            kind => kind,
        };
        let view = match kind {
            _ if !columns.contains(&at) => return Arc::clone(field),
            Utf8 | LargeUtf8 | Utf8View => Utf8View,
            Binary | LargeBinary | BinaryView => BinaryView,
            _ => return Arc::clone(field),
        };
        Arc::new(Field::clone(field).with_data_type(view))
    });
    let schema = Schema::new_with_metadata(fields.collect::<Fields>(), schema.metadata().clone());
    let options = ArrowReaderOptions::default().with_schema(Arc::new(schema));
    // Without views, only memory is lost.
    ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), options)
        .unwrap_or_else(|_| metadata.clone())
}

/// The rows of a batch in parts: each is one row, or has at most [`BATCH_BYTES`] in its views.
pub(crate) fn parts(batch: &RecordBatch) -> Vec<Range<usize>> {
    let mut sizes = vec![0; batch.num_rows()];
    let add = |(size, length): (&mut usize, u32)| *size += length as usize;
    for column in batch.columns() {
        let sizes = sizes.iter_mut();
        match column.data_type() {
            DataType::Utf8View => sizes.zip(column.as_string_view().lengths()).for_each(add),
            DataType::BinaryView => sizes.zip(column.as_binary_view().lengths()).for_each(add),
            _ => {}
        }
    }
    let (mut parts, mut start, mut held) = (Vec::new(), 0, 0);
    for (row, size) in sizes.into_iter().enumerate() {
        if row > start && held + size > BATCH_BYTES {
            parts.push(start..row);
            (start, held) = (row, 0);
        }
        held += size;
    }
    parts.push(start..batch.num_rows());
    parts
}

/// Rows of a batch, so that its columns have about [`BATCH_BYTES`] without compression.
pub(crate) fn rows_of_batch(group: &RowGroupMetaData, read: &ProjectionMask) -> usize {
    let rows = usize::try_from(group.num_rows()).unwrap_or(usize::MAX).max(1);
    let columns = group.columns().iter().enumerate().filter(|(leaf, _)| read.leaf_included(*leaf));
    let bytes = columns.map(|(_, column)| column.uncompressed_size()).sum::<i64>();
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    (BATCH_BYTES / (bytes / rows).max(1)).clamp(1, BATCH_ROWS)
}
