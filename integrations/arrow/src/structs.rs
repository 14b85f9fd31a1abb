//! Columns of structs.

use std::borrow::Borrow;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{StructArray, new_empty_array};
use arrow_json::ReaderBuilder;
use arrow_schema::{DataType, Field, Fields};
use serde_json::Value as Json;

use crate::Error;

/// Returns JSON objects, such as those of [`difference`](crate::difference), as a column of structs
/// with these fields. `None` is a null.
///
/// # Errors
///
/// If a value has another type than its field, or the texts of a column have more than 2 GiB.
pub fn structs(
    fields: Fields,
    rows: impl Iterator<Item = Option<impl Borrow<Json>>>,
) -> Result<StructArray, Error> {
    let kind = DataType::Struct(fields);
    let field = Field::new("row", kind.clone(), true);
    // A key without a field would be ignored.
    let mut decoder =
        ReaderBuilder::new_with_field(field).with_strict_mode(true).build_decoder()?;
    for row in rows {
        decoder.serialize(&[row.as_ref().map(Borrow::borrow)])?;
    }
    let array = match decoder.flush()? {
        Some(batch) => Arc::clone(batch.column(0)),
        None => new_empty_array(&kind),
    };
    Ok(array.as_struct().clone())
}
