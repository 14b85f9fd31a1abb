//! A panic, for a test of its effect in Python.

use pyo3::prelude::*;

/// Panics.
#[pyfunction(name = "_panic")]
pub(crate) fn panic() {
    panic!("a panic for tests");
}
