//! Text and bytes between Python and the engine.
//!
//! The engine reads bytes. A `str` becomes UTF-8. An escaped byte (`surrogateescape`) becomes this
//! byte again; any other lone surrogate becomes its three bytes, as with `surrogatepass`. Bytes of
//! a robots.txt that are not UTF-8 are shown as `\xNN`.

use std::borrow::Cow;
use std::fmt::{Display, Write as _};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyIterator, PyList, PyMemoryView, PyString};
use verger::access::{Profile, Timestamp};
use verger::{Dialect, Origin, UnknownName};

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
                Ok(Cow::Owned(unescaped(encoded.cast::<PyBytes>()?.as_bytes())))
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

/// The bytes in which escaped ones, U+DC80 to U+DCFF, are themselves again.
///
/// A filename or a URL on the command line has such characters, and so has a robots.txt that was
/// decoded with `surrogateescape`. Three bytes in place of one would match no rule.
fn unescaped(encoded: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded;
    loop {
        let (byte, after) = match rest {
            // U+DC80 is ED B2 80, and U+DCC0 is ED B3 80. No other character begins so.
            [0xED, 0xB2, byte, after @ ..] => (*byte, after),
            [0xED, 0xB3, byte, after @ ..] => (byte | 0x40, after),
            [byte, after @ ..] => (*byte, after),
            [] => return bytes,
        };
        bytes.push(byte);
        rest = after;
    }
}

/// Returns the bytes of a text, as all functions read it.
#[pyfunction]
pub(crate) fn octets<'py>(text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    Ok(PyBytes::new(text.py(), &bytes("text", text)?))
}

/// An iterator over the items of a list: `kind` is their word for messages.
///
/// # Errors
///
/// `TypeError` for anything that is not iterable, and for a single text, whose characters would be
/// taken for items.
pub(crate) fn items<'py>(
    name: &str,
    kind: &str,
    object: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyIterator>> {
    let is_one = object.is_instance_of::<PyString>()
        || object.is_instance_of::<PyBytes>()
        || object.is_instance_of::<PyByteArray>()
        || object.is_instance_of::<PyMemoryView>();
    let expected = || -> PyResult<PyErr> {
        let found = object.get_type().name()?;
        let message = format!("{name}: expected an iterable of {kind}, but found {found}");
        Ok(PyTypeError::new_err(message))
    };
    if is_one {
        return Err(expected()?);
    }
    match object.try_iter() {
        Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => Err(expected()?),
        items => items,
    }
}

/// The URLs of a list. Their [`octets`](url_octets) borrow from them.
///
/// # Errors
///
/// `TypeError`, as [`items`] has it.
pub(crate) fn urls<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    items("urls", "URLs", object)?.collect()
}

/// The bytes of URLs.
///
/// # Errors
///
/// `TypeError` with the index of the first object that is no text.
pub(crate) fn url_octets<'a>(urls: &'a [Bound<'_, PyAny>]) -> PyResult<Vec<Cow<'a, [u8]>>> {
    let octets = |(at, url)| bytes("url", url).or_else(|_| bytes(&format!("urls[{at}]"), url));
    urls.iter().enumerate().map(octets).collect()
}

/// Whether each of some URLs is allowed. Other threads run meanwhile if there are many.
///
/// # Errors
///
/// `TypeError`, as for [`urls`] and [`url_octets`].
pub(crate) fn answers<'py>(
    urls: &Bound<'py, PyAny>,
    is_allowed: impl Fn(&[u8]) -> bool + Sync,
) -> PyResult<Bound<'py, PyList>> {
    let (py, objects) = (urls.py(), self::urls(urls)?);
    let octets = url_octets(&objects)?;
    let length = octets.iter().map(|url| url.len()).sum();
    let is_allowed = &is_allowed;
    let answers: Vec<bool> =
        detached(py, length, || octets.iter().map(|url| is_allowed(url)).collect());
    PyList::new(py, answers)
}

/// Length of a file from which work on it is done without the interpreter lock. Below, taking the
/// lock again may take longer than the work: some microseconds.
const LARGE: usize = 16 * 1024;

/// Does work on a file of this length. Other threads run meanwhile if it is large.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    length: usize,
    work: impl FnOnce() -> T + Send,
) -> T {
    if length < LARGE { work() } else { py.detach(work) }
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
    name.parse().map_err(|error: UnknownName| value_error(format!("dialect: {error}")))
}

/// The access profile of a name.
///
/// # Errors
///
/// `ValueError`, which lists the names.
pub(crate) fn access_profile(name: &str) -> PyResult<Profile> {
    name.parse().map_err(|error: UnknownName| value_error(format!("access_profile: {error}")))
}

/// Header fields from a mapping, or from pairs of name and value.
///
/// # Errors
///
/// `TypeError` for anything else.
pub(crate) fn header_fields(headers: &Bound<'_, PyAny>) -> PyResult<Vec<(Vec<u8>, Vec<u8>)>> {
    let found = headers.get_type().name()?;
    let expected = || {
        let message = "headers: expected a mapping, or pairs of name and value, but found";
        PyTypeError::new_err(format!("{message} {found}"))
    };
    let pairs =
        if headers.hasattr("items")? { headers.call_method0("items")? } else { headers.clone() };
    let mut fields = Vec::new();
    for pair in pairs.try_iter().map_err(|_| expected())? {
        let pair: (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair?.extract().map_err(|_| expected())?;
        let name = bytes("header name", &pair.0)?.into_owned();
        fields.push((name, bytes("header value", &pair.1)?.into_owned()));
    }
    Ok(fields)
}

/// The origin of a URL.
///
/// # Errors
///
/// `ValueError`: the text is no URL, or one without a robots.txt.
pub(crate) fn origin(url: &str) -> PyResult<Origin> {
    Origin::of(url)
        .map_err(value_error)?
        .ok_or_else(|| PyValueError::new_err(format!("no robots.txt for: {url}")))
}

/// A time in seconds since 1970.
///
/// # Errors
///
/// `ValueError`: the number is not finite.
pub(crate) fn timestamp(seconds: f64) -> PyResult<Timestamp> {
    if !seconds.is_finite() {
        return Err(PyValueError::new_err("now: expected a number of seconds"));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates, as timestamps do"
    )]
    Ok(Timestamp::from_seconds(seconds as u64))
}

/// A `ValueError` with the message of an error.
pub(crate) fn value_error(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}
