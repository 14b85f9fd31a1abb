//! Cells of tables: texts, bytes, and for captures URLs, statuses and files.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{Array as _, ArrayRef};
use arrow_cast::cast;
use arrow_schema::DataType;
use serde_json::Value;
use verger_fetch::fetch::sent_url;
use verger_fetch::url::Url;

/// The URL of a row: of a robots.txt, or an origin or host that has one.
pub(crate) fn url_of(text: &str) -> Option<Url> {
    let text = text.trim();
    let url = match sent_url(text) {
        Some(url) if url.has_host() => url,
        _ if text.contains(['/', '@', ' ']) => return None,
        // A host alone.
        _ => sent_url(&format!("https://{text}/"))?,
    };
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let is_root = url.path() == "/" && url.query().is_none();
    if is_root { url.join("/robots.txt").ok() } else { Some(url) }
}

/// The statuses of a column; an error for a value that is not a status. `None` if the type is
/// unsuitable.
///
/// Numbers with a fraction of zero are statuses: tables with nulls often have such numbers.
pub(crate) fn read_statuses(array: &ArrayRef) -> Option<Vec<std::result::Result<Option<u16>, ()>>> {
    if !array.data_type().is_numeric() && as_text(array).is_none() {
        return None;
    }
    let numbers = cast(array, &DataType::Float64).ok()?;
    let numbers = numbers.as_primitive::<Float64Type>();
    let is_null = array.logical_nulls();
    let status = |row: usize| {
        if is_null.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return Ok(None);
        }
        let number = numbers.is_valid(row).then(|| numbers.value(row)).ok_or(())?;
        let found = (0..=999_u16).find(|status| f64::from(*status).total_cmp(&number).is_eq());
        found.map(Some).ok_or(())
    };
    Some((0..array.len()).map(status).collect())
}

/// The ranks of a column; `None` for a value that is not a number. Fractions are cut.
pub(crate) fn ranks(array: &ArrayRef) -> Option<Vec<Option<u64>>> {
    let numbers = cast(&cast(array, &DataType::Float64).ok()?, &DataType::UInt64).ok()?;
    Some(numbers.as_primitive::<UInt64Type>().iter().collect())
}

/// A column of texts or bytes as bytes.
pub(crate) fn bytes(array: &ArrayRef) -> Option<ArrayRef> {
    match array.data_type() {
        DataType::Dictionary(_, values) => bytes(&cast(array, values).ok()?),
        DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::BinaryView
        | DataType::LargeBinary
        | DataType::Null => cast(array, &DataType::LargeBinary).ok(),
        _ => None,
    }
}

/// The text of a row in a column of [`as_text`], if there is one.
pub(crate) fn text_at(array: Option<&ArrayRef>, row: usize) -> Option<&str> {
    let array = array?.as_string::<i32>();
    (!array.is_null(row)).then(|| array.value(row))
}

/// The bytes of a row in a column of long binary values, if there are some.
pub(crate) fn bytes_at(array: Option<&ArrayRef>, row: usize) -> Option<Vec<u8>> {
    let array = array?.as_binary::<i64>();
    (!array.is_null(row)).then(|| array.value(row).to_vec())
}

/// A column of text as a plain array of strings; for other types `None`.
pub(crate) fn as_text(array: &ArrayRef) -> Option<ArrayRef> {
    match array.data_type() {
        DataType::Utf8 => Some(Arc::clone(array)),
        // Bytes that are no UTF-8 become nulls.
        DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Dictionary(..)
        | DataType::Null
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView => cast(array, &DataType::Utf8).ok(),
        _ => None,
    }
}

/// A JSON value as text; `None` for null.
pub(crate) fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::types::Int32Type;
    use arrow_array::{
        BinaryArray, BooleanArray, DictionaryArray, Float64Array, LargeBinaryArray, StringArray,
    };

    use super::*;

    #[test]
    fn rows_name_a_robots_txt_an_origin_or_a_host() {
        let url = |text: &str| url_of(text).map(String::from);
        for text in [
            "https://shop.example/robots.txt",
            "https://shop.example",
            "shop.example",
            " Shop.Example",
        ] {
            assert_eq!(url(text).as_deref(), Some("https://shop.example/robots.txt"), "{text}");
        }
        assert_eq!(url("http://h/x").as_deref(), Some("http://h/x"));
        for text in ["", "/x", "a b", "mailto:x@y", "ftp://h/"] {
            assert_eq!(url(text), None, "{text}");
        }
    }

    #[test]
    fn a_value_that_is_not_a_status_is_an_error_and_never_missing() {
        let texts: ArrayRef = Arc::new(StringArray::from(vec![
            Some("404"),
            Some("404.0"),
            Some("0"),
            None,
            Some("503 Busy"),
            Some("-1"),
            Some("99999"),
            Some("200.5"),
            Some("NaN"),
        ]));
        let expected = [Ok(Some(404)), Ok(Some(404)), Ok(Some(0)), Ok(None)];
        let found = read_statuses(&texts).unwrap();
        assert_eq!(found[..4], expected);
        assert_eq!(found[4..], [Err(()); 5]);
        let numbers: ArrayRef = Arc::new(Float64Array::from(vec![Some(503.0), None]));
        assert_eq!(read_statuses(&numbers), Some(vec![Ok(Some(503)), Ok(None)]));
        let other: ArrayRef = Arc::new(BooleanArray::from(vec![true]));
        assert_eq!(read_statuses(&other), None);
    }

    #[test]
    fn dictionaries_of_bytes_keep_bytes_that_are_not_utf_8() {
        let value = b"Disallow: /\xff".as_slice();
        let arrays: [ArrayRef; 2] = [
            Arc::new(BinaryArray::from(vec![value])),
            Arc::new(LargeBinaryArray::from(vec![value])),
        ];
        for values in arrays {
            let array: ArrayRef =
                Arc::new(DictionaryArray::<Int32Type>::new(vec![0].into(), values));
            assert_eq!(bytes_at(bytes(&array).as_ref(), 0).as_deref(), Some(value));
        }
    }

    #[test]
    fn json_values_become_texts() {
        let value = serde_json::json!({"a": "x", "b": 7, "c": null, "d": [1]});
        assert_eq!(plain(&value["a"]).as_deref(), Some("x"));
        assert_eq!(plain(&value["b"]).as_deref(), Some("7"));
        assert_eq!(plain(&value["c"]), None);
        assert_eq!(plain(&value["d"]).as_deref(), Some("[1]"));
    }
}
