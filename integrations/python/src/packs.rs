//! Metric packs.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use verger::UnknownName;
use verger_metrics::Pack;

use crate::capsule::{Array, column};
use crate::{dialect, run};

fn pack(name: &str) -> PyResult<Pack> {
    name.parse().map_err(|error: UnknownName| PyValueError::new_err(error.to_string()))
}

#[pyfunction]
pub(crate) fn pack_metrics(
    robots: &Bound<'_, PyAny>,
    pack_name: &str,
    dialect_name: &str,
) -> PyResult<Array> {
    let (pack, dialect) = (pack(pack_name)?, dialect(dialect_name)?);
    let column = column("robots", robots)?;
    run(robots.py(), || verger_arrow::pack_metrics(&column, pack, dialect))
}

#[pyfunction]
pub(crate) fn tables(
    robots: &Bound<'_, PyAny>,
    pack_name: &str,
    dialect_name: &str,
) -> PyResult<Vec<(&'static str, Array)>> {
    let (pack, dialect) = (pack(pack_name)?, dialect(dialect_name)?);
    let column = column("robots", robots)?;
    let tables = robots.py().detach(|| verger_arrow::tables(&column, pack, dialect));
    let tables = tables.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(tables.into_iter().map(|(name, table)| (name, Array(Arc::new(table)))).collect())
}
