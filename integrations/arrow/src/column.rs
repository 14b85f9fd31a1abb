//! Columns of text of any type, as bytes.

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, BinaryArray, BinaryViewArray, LargeBinaryArray, LargeStringArray};
use arrow_array::{StringArray, StringViewArray};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;

use crate::Error;

/// A column of text. A column of one row is a constant.
#[derive(Debug)]
pub(crate) struct Column<'a> {
    values: Values<'a>,
    nulls: Option<NullBuffer>,
    is_constant: bool,
}

#[derive(Debug)]
enum Values<'a> {
    Null,
    Utf8(&'a StringArray),
    LargeUtf8(&'a LargeStringArray),
    Utf8View(&'a StringViewArray),
    Binary(&'a BinaryArray),
    LargeBinary(&'a LargeBinaryArray),
    BinaryView(&'a BinaryViewArray),
    Dictionary { keys: Vec<usize>, values: Box<Self> },
}

impl<'a> Column<'a> {
    /// The column of a call with this number of rows.
    pub(crate) fn new(name: &str, array: &'a dyn Array, rows: usize) -> Result<Self, Error> {
        let found = array.len();
        if found != rows && found != 1 {
            return Err(Error::of_column(name, &format!("{rows} rows or one"), found));
        }
        let values = Values::of(array);
        let values = values.ok_or_else(|| Error::of_column(name, TEXT, array.data_type()))?;
        // Of a dictionary, also the nulls among its values.
        Ok(Self { values, nulls: array.logical_nulls(), is_constant: found == 1 })
    }

    /// The value of a row.
    pub(crate) fn get(&self, row: usize) -> Option<&'a [u8]> {
        let row = if self.is_constant { 0 } else { row };
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return None;
        }
        self.values.get(row)
    }
}

impl<'a> Values<'a> {
    fn of(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Null => Self::Null,
            DataType::Utf8 => Self::Utf8(array.as_string()),
            DataType::LargeUtf8 => Self::LargeUtf8(array.as_string()),
            DataType::Utf8View => Self::Utf8View(array.as_string_view()),
            DataType::Binary => Self::Binary(array.as_binary()),
            DataType::LargeBinary => Self::LargeBinary(array.as_binary()),
            DataType::BinaryView => Self::BinaryView(array.as_binary_view()),
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                // A key of a null can be anything.
                let keys = if dictionary.values().is_empty() {
                    vec![0; array.len()]
                } else {
                    dictionary.normalized_keys()
                };
                let values = Box::new(Self::of(dictionary.values().as_ref())?);
                Self::Dictionary { keys, values }
            }
            _ => return None,
        })
    }

    /// The value of a row that is not null.
    fn get(&self, row: usize) -> Option<&'a [u8]> {
        Some(match self {
            Self::Null => return None,
            Self::Utf8(array) => array.value(row).as_bytes(),
            Self::LargeUtf8(array) => array.value(row).as_bytes(),
            Self::Utf8View(array) => array.value(row).as_bytes(),
            Self::Binary(array) => array.value(row),
            Self::LargeBinary(array) => array.value(row),
            Self::BinaryView(array) => array.value(row),
            Self::Dictionary { keys, values } => return values.get(keys[row]),
        })
    }
}

/// The types of a column of text.
const TEXT: &str = "text (Utf8, LargeUtf8, Utf8View, Binary, LargeBinary, BinaryView, or a dictionary \
                    of these)";

/// The number of rows of a call with these columns: that of the columns which are not constants.
pub(crate) fn rows(columns: &[&dyn Array]) -> usize {
    let mut lengths = columns.iter().map(|column| column.len());
    lengths.find(|length| *length != 1).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::Int8Type;
    use arrow_array::{ArrayRef, DictionaryArray, Int8Array, Int64Array, NullArray};

    use super::*;

    /// The same values in every type, and a slice that does not begin at the first row.
    fn arrays() -> Vec<ArrayRef> {
        let texts = [Some("x"), None, Some("b"), Some("")];
        let bytes = texts.map(|text| text.map(str::as_bytes));
        let dictionary = DictionaryArray::<Int8Type>::new(
            Int8Array::from(vec![Some(0), None, Some(1), Some(3)]),
            Arc::new(StringArray::from(vec![Some("x"), Some("b"), None, Some("")])),
        );
        let all: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from_iter(texts)),
            Arc::new(LargeStringArray::from_iter(texts)),
            Arc::new(StringViewArray::from_iter(texts)),
            Arc::new(BinaryArray::from_iter(bytes)),
            Arc::new(LargeBinaryArray::from_iter(bytes)),
            Arc::new(BinaryViewArray::from_iter(bytes)),
            Arc::new(dictionary),
        ];
        all.iter()
            .map(|array| array.slice(1, 3))
            .chain(all.iter().map(|it| it.slice(1, 3)))
            .collect()
    }

    #[test]
    fn every_type_of_text_is_read_with_nulls_and_slices() {
        for array in arrays() {
            let column = Column::new("urls", &array, 3).unwrap();
            let values: Vec<_> = (0..3).map(|row| column.get(row)).collect();
            assert_eq!(values, [None, Some(&b"b"[..]), Some(b"")], "{}", array.data_type());
        }
    }

    #[test]
    fn a_null_among_the_values_of_a_dictionary_is_a_null() {
        let keys = Int8Array::from(vec![0, 1]);
        let values = Arc::new(StringArray::from(vec![None, Some("a")]));
        let array = DictionaryArray::<Int8Type>::new(keys, values);
        let column = Column::new("urls", &array, 2).unwrap();
        assert_eq!((column.get(0), column.get(1)), (None, Some(&b"a"[..])));
        let empty = DictionaryArray::<Int8Type>::new(
            Int8Array::from(vec![None, None]),
            Arc::new(StringArray::from(Vec::<&str>::new())),
        );
        assert_eq!(Column::new("urls", &empty, 2).unwrap().get(1), None);
    }

    #[test]
    fn one_row_is_a_constant_and_other_lengths_are_errors() {
        let one = StringArray::from(vec!["a"]);
        let column = Column::new("agents", &one, 5).unwrap();
        assert_eq!(column.get(4), Some(&b"a"[..]));
        let nothing = NullArray::new(1);
        assert_eq!(Column::new("agents", &nothing, 5).unwrap().get(4), None);
        let two = StringArray::from(vec!["a", "b"]);
        let error = Column::new("agents", &two, 5).unwrap_err();
        assert_eq!(error.to_string(), "column `agents`: expected 5 rows or one, but found 2");
        let numbers = Int64Array::from(vec![1]);
        let error = Column::new("urls", &numbers, 1).unwrap_err();
        assert!(error.to_string().ends_with("but found Int64"), "{error}");
        assert_eq!(rows(&[&one, &two]), 2);
        assert_eq!(rows(&[&one, &StringArray::from(Vec::<&str>::new())]), 0);
    }
}
