//! The identity of the client of a request, as the JSON of `verger identify`.

use std::sync::LazyLock;

use pyo3::prelude::*;
use verger::access::Timestamp;
use verger_identity::Identifier;

use crate::text::value_error;

/// The identity of the client of a request, both as JSON.
#[pyfunction]
pub(crate) fn identify(request: &str, now: u64) -> PyResult<String> {
    static IDENTIFIER: LazyLock<Identifier> = LazyLock::new(Identifier::default);
    let request = serde_json::from_str(request).map_err(value_error)?;
    let identity = IDENTIFIER.identify(&request, Timestamp::from_seconds(now));
    serde_json::to_string(&identity).map_err(value_error)
}
