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

/// Functions of Python: kernels of columns, and of a dialect if they have one.
macro_rules! kernels {
    ($($name:ident($first:ident $(, $column:ident)* $(; $dialect:ident)?) $kernel:expr;)+) => { $(
        #[pyfunction]
        #[pyo3(signature = ($first, $($column,)* $($dialect = "rfc9309")?))]
        fn $name(
            $first: &Bound<'_, PyAny>,
            $($column: &Bound<'_, PyAny>,)*
            $($dialect: &str,)?
        ) -> PyResult<Array> {
            let py = $first.py();
            $(let $dialect = dialect($dialect)?;)?
            let $first = column(stringify!($first), $first)?;
            $(let $column = column(stringify!($column), $column)?;)*
            run(py, || ($kernel)(&$first, $(&$column,)* $($dialect)?))
        }
    )+ };
}

kernels! {
    check(robots, agents, urls; dialect_name) verger_arrow::check;
    check_detailed(robots, agents, urls; dialect_name) verger_arrow::check_detailed;
    check_policies(policies, urls) verger_arrow::check_policies;
    check_policies_detailed(policies, urls) verger_arrow::check_policies_detailed;
    compile(robots, agents; dialect_name) verger_arrow::compile;
    metrics(robots; dialect_name) verger_arrow::metrics;
    statements(robots; dialect_name) verger_arrow::statements;
    sitemaps(robots; dialect_name) verger_arrow::sitemaps;
    origins(urls) verger_arrow::origins;
    lint(robots) |robots| verger_arrow::lint(robots, &Settings::default());
    changes(before, after; dialect_name) verger_arrow::changes;
    diff(before, after, agents; dialect_name) |before, after, agents, dialect| {
        verger_arrow::diff(before, after, agents, None, dialect)
    };
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
    module.add_function(wrap_pyfunction!(changes, module)?)?;
    module.add_function(wrap_pyfunction!(packs::pack_metrics, module)?)?;
    module.add_function(wrap_pyfunction!(packs::tables, module)?)?;
    module.add_function(wrap_pyfunction!(diff, module)?)
}
