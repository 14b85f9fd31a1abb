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
        }
    }
}

impl std::error::Error for Error {}
