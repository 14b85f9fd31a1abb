//! Errors of a call. A bad row is no error of the call.

use std::fmt;

use arrow_schema::DataType;

/// A column that a kernel cannot read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The column has another type than the kernel reads.
    Type {
        /// Its place in the call, such as `urls`.
        column: &'static str,
        /// Its type.
        found: DataType,
        /// A description of the types that the kernel reads.
        expected: &'static str,
    },
    /// Columns have different numbers of rows, and this one is no constant.
    Length {
        /// Its place in the call.
        column: &'static str,
        /// The number of its rows.
        found: usize,
        /// The number of rows of the others.
        expected: usize,
    },
    /// The texts of a result have more than [`Self::RESULT_BYTES`] bytes.
    ResultSize,
}

impl Error {
    /// The largest number of bytes of all texts in a column of results: offsets have 32 bits.
    pub const RESULT_BYTES: usize = i32::MAX as usize;
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type { column, found, expected } => {
                write!(f, "column `{column}`: expected {expected}, but found {found}")
            }
            Self::Length { column, found, expected } => {
                write!(f, "column `{column}`: expected {expected} rows or one, but found {found}")
            }
            Self::ResultSize => f.write_str(
                "the texts of the result have more than 2 GiB\nhint: pass fewer rows at once",
            ),
        }
    }
}

impl std::error::Error for Error {}
