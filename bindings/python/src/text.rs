//! Text and bytes between Python and the engine.
//!
//! The engine reads bytes. A `str` becomes UTF-8; a lone surrogate becomes its three bytes, as with
//! the error handler `surrogatepass`. Bytes of a robots.txt that are not UTF-8 are shown as `\xNN`.

use std::borrow::Cow;
use std::fmt::Write as _;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyString};
use verger::Dialect;

/// The bytes of a `str`, `bytes`, `bytearray` or `memoryview`.
///
/// # Errors
///
/// `TypeError` for any other type.
pub(crate) fn bytes<'a>(name: &str, object: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
    if let Ok(text) = object.cast::<PyString>() {
        return match text.to_str() {
            Ok(text) => Ok(Cow::Borrowed(text.as_bytes())),
            Err(_) => {
                let encoded = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
                Ok(Cow::Owned(encoded.cast::<PyBytes>()?.as_bytes().to_vec()))
            }
        };
    }
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return Ok(Cow::Borrowed(bytes.as_bytes()));
    }
    if let Ok(bytes) = object.cast::<PyByteArray>() {
        return Ok(Cow::Owned(bytes.to_vec()));
    }
    if object.is_instance_of::<PyMemoryView>() {
        let bytes = object.call_method0("tobytes")?;
        return Ok(Cow::Owned(bytes.cast::<PyBytes>()?.as_bytes().to_vec()));
    }
    let found = object.get_type().name()?;
    Err(PyTypeError::new_err(format!("{name}: expected str or bytes, but found {found}")))
}

/// Bytes as a `str`; what is not UTF-8 is escaped as `\xNN`.
pub(crate) fn shown(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// The dialect of a name.
///
/// # Errors
///
/// `ValueError`, which lists the names.
pub(crate) fn dialect(name: &str) -> PyResult<Dialect> {
    name.parse().map_err(|error: verger::UnknownName| PyValueError::new_err(error.to_string()))
}
