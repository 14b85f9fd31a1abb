//! The kernels of `verger-arrow` for Python. `verger_arrow/__init__.py` documents them.

mod capsule;
mod packs;

use std::sync::Arc;

use arrow_array::ArrayRef;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use verger::Dialect;
use verger_lint::Settings;

use crate::capsule::{Array, column};

/// The result of a kernel.
type Kernel<T> = Result<T, verger_arrow::Error>;

/// Runs a kernel without the interpreter.
fn run<T: arrow_array::Array + 'static>(
    py: Python<'_>,
    kernel: impl FnOnce() -> Kernel<T> + Send,
) -> PyResult<Array> {
    let result = py.detach(|| kernel().map(|array| Arc::new(array) as ArrayRef));
    result.map(Array).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn dialect(name: &str) -> PyResult<Dialect> {
    name.parse().map_err(|error| PyValueError::new_err(format!("{error}")))
}

#[pyfunction]
#[pyo3(signature = (robots, agents, urls, dialect_name = "rfc9309"))]
fn check(
    robots: &Bound<'_, PyAny>,
    agents: &Bound<'_, PyAny>,
    urls: &Bound<'_, PyAny>,
    dialect_name: &str,
) -> PyResult<Array> {
    let dialect = dialect(dialect_name)?;
    let py = robots.py();
    let (robots, agents) = (column("robots", robots)?, column("agents", agents)?);
    let urls = column("urls", urls)?;
    run(py, || verger_arrow::check(&robots, &agents, &urls, dialect))
}

#[pyfunction]
#[pyo3(signature = (robots, agents, urls, dialect_name = "rfc9309"))]
fn check_detailed(
    robots: &Bound<'_, PyAny>,
    agents: &Bound<'_, PyAny>,
    urls: &Bound<'_, PyAny>,
    dialect_name: &str,
) -> PyResult<Array> {
    let dialect = dialect(dialect_name)?;
    let py = robots.py();
    let (robots, agents) = (column("robots", robots)?, column("agents", agents)?);
    let urls = column("urls", urls)?;
    run(py, || verger_arrow::check_detailed(&robots, &agents, &urls, dialect))
}

#[pyfunction]
fn check_policies(policies: &Bound<'_, PyAny>, urls: &Bound<'_, PyAny>) -> PyResult<Array> {
    let py = policies.py();
    let (policies, urls) = (column("policies", policies)?, column("urls", urls)?);
    run(py, || verger_arrow::check_policies(&policies, &urls))
}

#[pyfunction]
fn check_policies_detailed(
    policies: &Bound<'_, PyAny>,
    urls: &Bound<'_, PyAny>,
) -> PyResult<Array> {
    let py = policies.py();
    let (policies, urls) = (column("policies", policies)?, column("urls", urls)?);
    run(py, || verger_arrow::check_policies_detailed(&policies, &urls))
}

#[pyfunction]
#[pyo3(signature = (robots, agents, dialect_name = "rfc9309"))]
fn compile(
    robots: &Bound<'_, PyAny>,
    agents: &Bound<'_, PyAny>,
    dialect_name: &str,
) -> PyResult<Array> {
    let dialect = dialect(dialect_name)?;
    let py = robots.py();
    let (robots, agents) = (column("robots", robots)?, column("agents", agents)?);
    run(py, || verger_arrow::compile(&robots, &agents, dialect))
}

#[pyfunction]
#[pyo3(signature = (robots, dialect_name = "rfc9309"))]
fn metrics(robots: &Bound<'_, PyAny>, dialect_name: &str) -> PyResult<Array> {
    let (py, dialect) = (robots.py(), dialect(dialect_name)?);
    let robots = column("robots", robots)?;
    run(py, || verger_arrow::metrics(&robots, dialect))
}

#[pyfunction]
#[pyo3(signature = (robots, dialect_name = "rfc9309"))]
fn statements(robots: &Bound<'_, PyAny>, dialect_name: &str) -> PyResult<Array> {
    let (py, dialect) = (robots.py(), dialect(dialect_name)?);
    let robots = column("robots", robots)?;
    run(py, || verger_arrow::statements(&robots, dialect))
}

#[pyfunction]
#[pyo3(signature = (robots, dialect_name = "rfc9309"))]
fn sitemaps(robots: &Bound<'_, PyAny>, dialect_name: &str) -> PyResult<Array> {
    let (py, dialect) = (robots.py(), dialect(dialect_name)?);
    let robots = column("robots", robots)?;
    run(py, || verger_arrow::sitemaps(&robots, dialect))
}

#[pyfunction]
fn origins(urls: &Bound<'_, PyAny>) -> PyResult<Array> {
    let py = urls.py();
    let urls = column("urls", urls)?;
    run(py, || verger_arrow::origins(&urls))
}

#[pyfunction]
fn lint(robots: &Bound<'_, PyAny>) -> PyResult<Array> {
    let py = robots.py();
    let robots = column("robots", robots)?;
    run(py, || verger_arrow::lint(&robots, &Settings::default()))
}

#[pyfunction]
#[pyo3(signature = (before, after, agents, dialect_name = "rfc9309"))]
fn diff(
    before: &Bound<'_, PyAny>,
    after: &Bound<'_, PyAny>,
    agents: &Bound<'_, PyAny>,
    dialect_name: &str,
) -> PyResult<Array> {
    let dialect = dialect(dialect_name)?;
    let py = before.py();
    let (before, after) = (column("before", before)?, column("after", after)?);
    let agents = column("agents", agents)?;
    run(py, || verger_arrow::diff(&before, &after, &agents, None, dialect))
}

#[pymodule]
fn _verger_arrow(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<Array>()?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(check_detailed, module)?)?;
    module.add_function(wrap_pyfunction!(check_policies, module)?)?;
    module.add_function(wrap_pyfunction!(check_policies_detailed, module)?)?;
    module.add_function(wrap_pyfunction!(compile, module)?)?;
    module.add_function(wrap_pyfunction!(metrics, module)?)?;
    module.add_function(wrap_pyfunction!(statements, module)?)?;
    module.add_function(wrap_pyfunction!(sitemaps, module)?)?;
    module.add_function(wrap_pyfunction!(origins, module)?)?;
    module.add_function(wrap_pyfunction!(lint, module)?)?;
    module.add_function(wrap_pyfunction!(packs::changes, module)?)?;
    module.add_function(wrap_pyfunction!(packs::pack_metrics, module)?)?;
    module.add_function(wrap_pyfunction!(packs::tables, module)?)?;
    module.add_function(wrap_pyfunction!(diff, module)?)
}
