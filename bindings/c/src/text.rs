//! Text between C and Rust.

use std::borrow::Cow;
use std::ffi::{CStr, c_char};
use std::{ptr, slice};

use engine::Dialect;

use crate::status::{Status, guard};

/// Borrowed text: bytes in any encoding, without a terminating NUL. Empty text can have a NULL
/// pointer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// The first byte.
    pub data: *const c_char,
    /// The number of bytes.
    pub len: usize,
}

/// Text in UTF-8 that the caller owns. Free it with `verger_string_free`.
#[repr(C)]
#[derive(Debug)]
pub struct OwnedText {
    /// The first byte. A NUL follows the last one; hostile files cannot put others into the text.
    pub data: *mut c_char,
    /// The number of bytes without the final NUL.
    pub len: usize,
}

impl Text {
    pub(crate) const EMPTY: Self = Self { data: ptr::null(), len: 0 };

    pub(crate) const fn new(bytes: &[u8]) -> Self {
        Self { data: bytes.as_ptr().cast(), len: bytes.len() }
    }
}

impl OwnedText {
    pub(crate) const EMPTY: Self = Self { data: ptr::null_mut(), len: 0 };

    pub(crate) fn new(text: String) -> Self {
        let len = text.len();
        let mut bytes = text.into_bytes();
        bytes.push(0);
        Self { data: Box::into_raw(bytes.into_boxed_slice()).cast(), len }
    }
}

/// Frees text that a function of this library has returned. An empty one is permitted.
///
/// # Safety
///
/// The text is unchanged since a function of this library returned it, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn verger_string_free(text: OwnedText) {
    guard(|| {
        if !text.data.is_null() {
            let bytes = ptr::slice_from_raw_parts_mut(text.data.cast::<u8>(), text.len + 1);
            // SAFETY: `OwnedText::new` made it from a box of this length.
            drop(unsafe { Box::from_raw(bytes) });
        }
        Ok(())
    });
}

/// The bytes of an argument.
///
/// # Safety
///
/// `data` points to `len` bytes that stay unchanged for `'a`.
pub(crate) unsafe fn bytes<'a>(data: *const c_char, len: usize) -> Result<&'a [u8], Status> {
    match (data.is_null(), len) {
        (true, 0) => Ok(&[]),
        (true, _) => Err(Status::NullPointer),
        // No object is larger: a negative number that was converted, such as that of a failed read.
        (false, _) if isize::try_from(len).is_err() => Err(Status::InvalidLength),
        // SAFETY: as this function demands.
        (false, _) => Ok(unsafe { slice::from_raw_parts(data.cast(), len) }),
    }
}

/// The name of a crawler. Bytes that are not UTF-8 cannot be part of a product token.
///
/// # Safety
///
/// As [`bytes`].
pub(crate) unsafe fn agent<'a>(data: *const c_char, len: usize) -> Result<Cow<'a, str>, Status> {
    // SAFETY: as this function demands.
    unsafe { bytes(data, len) }.map(String::from_utf8_lossy)
}

/// The dialect of a name that ends in NUL; `rfc9309` for NULL.
///
/// # Safety
///
/// `name` is NULL, or points to text that ends in NUL.
pub(crate) unsafe fn dialect(name: *const c_char) -> Result<Dialect, Status> {
    if name.is_null() {
        return Ok(Dialect::RFC9309);
    }
    // SAFETY: as this function demands.
    let name = unsafe { CStr::from_ptr(name) };
    name.to_str().ok().and_then(Dialect::named).ok_or(Status::UnknownDialect)
}
