//! Metric packs.

use std::sync::Arc;

use arrow_array::ArrayRef;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use verger_arrow::Responses;
use verger_metrics::Pack;

use crate::capsule::{Array, column};
use crate::{dialect, run};

/// Columns of responses.
struct Columns {
    robots: ArrayRef,
    status: Option<ArrayRef>,
    content_type: Option<ArrayRef>,
    detected_type: Option<ArrayRef>,
    redirected: Option<ArrayRef>,
}

/// Columns as they are given: file, status, media types, redirected.
type Given<'py> = (
    Bound<'py, PyAny>,
    Option<Bound<'py, PyAny>>,
    Option<Bound<'py, PyAny>>,
    Option<Bound<'py, PyAny>>,
    Option<Bound<'py, PyAny>>,
);

impl Columns {
    fn of(given: &Given<'_>) -> PyResult<Self> {
        let (robots, status, content_type, detected_type, redirected) = given;
        let other = |name, value: &Option<Bound<'_, PyAny>>| {
            value.as_ref().map(|value| column(name, value)).transpose()
        };
        Ok(Self {
            robots: column("robots", robots)?,
            status: other("status", status)?,
            content_type: other("content_type", content_type)?,
            detected_type: other("detected_type", detected_type)?,
            redirected: other("redirected", redirected)?,
        })
    }

    fn responses(&self) -> Responses<'_> {
        Responses {
            robots: &self.robots,
            status: self.status.as_deref(),
            content_type: self.content_type.as_deref(),
            detected_type: self.detected_type.as_deref(),
            redirected: self.redirected.as_deref(),
        }
    }
}

fn pack(name: &str) -> PyResult<Pack> {
    name.parse().map_err(|error| PyValueError::new_err(format!("{error}, but found `{name}`")))
}

#[pyfunction]
pub(crate) fn pack_metrics(
    py: Python<'_>,
    columns: Given<'_>,
    pack_name: &str,
    dialect_name: &str,
) -> PyResult<Array> {
    let (pack, dialect) = (pack(pack_name)?, dialect(dialect_name)?);
    let columns = Columns::of(&columns)?;
    run(py, || verger_arrow::pack_metrics(&columns.responses(), pack, dialect))
}

#[pyfunction]
pub(crate) fn tables(
    py: Python<'_>,
    columns: Given<'_>,
    pack_name: &str,
    dialect_name: &str,
) -> PyResult<Vec<(&'static str, Array)>> {
    let (pack, dialect) = (pack(pack_name)?, dialect(dialect_name)?);
    let columns = Columns::of(&columns)?;
    let tables = py.detach(|| verger_arrow::tables(&columns.responses(), pack, dialect));
    let tables = tables.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(tables.into_iter().map(|(name, table)| (name, Array(Arc::new(table)))).collect())
}

#[pyfunction]
pub(crate) fn changes(
    before: &Bound<'_, PyAny>,
    after: &Bound<'_, PyAny>,
    dialect_name: &str,
) -> PyResult<Array> {
    let dialect = dialect(dialect_name)?;
    let py = before.py();
    let (before, after) = (column("before", before)?, column("after", after)?);
    run(py, || verger_arrow::changes(&before, &after, dialect))
}
