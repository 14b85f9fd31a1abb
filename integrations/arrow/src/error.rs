//! Errors of a call. A bad row is no error of the call.

use std::fmt;

use arrow_schema::ArrowError;

/// A column that a kernel cannot read, or a result that is too large.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

impl Error {
    /// The largest number of bytes of all texts in a column of results: offsets have 32 bits.
    pub(crate) const RESULT_BYTES: usize = i32::MAX as usize;

    /// An error of a column, by its place in the call, such as `urls`.
    pub(crate) fn of_column(name: &str, expected: &str, found: impl fmt::Display) -> Self {
        Self(format!("column `{name}`: expected {expected}, but found {found}"))
    }

    pub(crate) fn of_result() -> Self {
        let hint = "hint: pass fewer rows at once";
        Self(format!("the texts of the result have more than 2 GiB\n{hint}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl From<ArrowError> for Error {
    fn from(error: ArrowError) -> Self {
        Self(error.to_string())
    }
}
