//! Tests of a robots.txt: a proposal, and results as XML. `verger-json` reads and runs them.

mod junit;
mod propose;

use verger_json::site_tests::TestFileError;

use crate::error::Error;

pub(crate) use junit::write_junit;
pub(crate) use propose::proposal;

/// An error of a file of tests with its place, and a hint with the known keys.
pub(crate) fn at_place(error: &TestFileError, place: &str) -> Error {
    let hint = error.hint().map(str::to_owned);
    Error::new(error.to_string()).at(place, error.position()).with_optional_hint(hint)
}
