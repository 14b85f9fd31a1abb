//! Objects of C: their place on the heap, references to them, and places for results.

use crate::status::{Status, guard};

/// An object on the heap, for C.
pub(crate) fn boxed<T>(object: T) -> *mut T {
    Box::into_raw(Box::new(object))
}

/// Frees an object that [`boxed`] returned; nothing for NULL.
///
/// # Safety
///
/// The pointer is NULL, or from [`boxed`] and not used again.
pub(crate) unsafe fn free<T>(object: *mut T) {
    guard(|| {
        if !object.is_null() {
            // SAFETY: as this function demands.
            drop(unsafe { Box::from_raw(object) });
        }
        Ok(())
    });
}

/// The object of a pointer.
///
/// # Safety
///
/// `object` is NULL, or points to a value that stays unchanged for `'a`.
pub(crate) unsafe fn object<'a, T>(object: *const T) -> Result<&'a T, Status> {
    // SAFETY: as this function demands.
    unsafe { object.as_ref() }.ok_or(Status::NullPointer)
}

/// The place for a result. It first receives the value for a failure.
///
/// # Safety
///
/// `out` is NULL, or valid for writes of a `T`.
pub(crate) unsafe fn place<'a, T>(out: *mut T, failure: T) -> Result<&'a mut T, Status> {
    if out.is_null() {
        return Err(Status::NullPointer);
    }
    // SAFETY: as this function demands. The old value may be uninitialised, so it is not dropped.
    unsafe {
        out.write(failure);
        Ok(&mut *out)
    }
}
