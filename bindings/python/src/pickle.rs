//! Pickling of values. Each class has a private static method `_restore`, which takes its parts.

use pyo3::PyTypeInfo;
use pyo3::prelude::*;

/// A function and its arguments: the result of `__reduce__`.
pub(crate) type Reduced<'py, Parts> = (Bound<'py, PyAny>, Parts);

/// `_restore` of a class, with the parts of a value.
pub(crate) fn reduced<Class: PyTypeInfo, Parts>(
    py: Python<'_>,
    parts: Parts,
) -> PyResult<Reduced<'_, Parts>> {
    Ok((py.get_type::<Class>().getattr("_restore")?, parts))
}

/// A hash for `__hash__`.
pub(crate) fn hash_of(value: &impl std::hash::Hash) -> u64 {
    use std::hash::{DefaultHasher, Hasher as _};
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
