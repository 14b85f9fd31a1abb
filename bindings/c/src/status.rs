//! The outcome of a call.

use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The outcome of a call. 0 is success.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Success.
    Ok = 0,
    /// Success, but there is no such value: no crawl delay, no further sitemap.
    None = 1,
    /// A pointer is NULL where a value is required.
    NullPointer = 2,
    /// The name of the dialect is unknown.
    UnknownDialect = 3,
    /// The text is not an absolute URL with a robots.txt.
    NotAUrl = 4,
    /// The bytes are not a policy, or damaged.
    InvalidPolicy = 5,
    /// The policy was written by a newer version of Verger.
    NewerPolicy = 6,
    /// A bug in Verger: a panic was caught. The result is empty or disallowed.
    Panic = 7,
    /// A length is larger than any object: a negative number that was converted.
    InvalidLength = 8,
}

impl Status {
    const fn message(self) -> &'static CStr {
        match self {
            Self::Ok => c"success",
            Self::None => c"there is no such value",
            Self::NullPointer => c"a pointer is NULL where a value is required",
            Self::UnknownDialect => c"the name of the dialect is unknown; NULL means `rfc9309`",
            Self::NotAUrl => c"expected an absolute URL with a robots.txt",
            Self::InvalidPolicy => c"the bytes are not a policy, or are damaged",
            Self::NewerPolicy => c"the policy was written by a newer version of Verger",
            Self::Panic => c"a bug in Verger: a panic was caught",
            Self::InvalidLength => c"a length is larger than any object",
        }
    }

    /// All values, by number.
    const ALL: [Self; 9] = [
        Self::Ok,
        Self::None,
        Self::NullPointer,
        Self::UnknownDialect,
        Self::NotAUrl,
        Self::InvalidPolicy,
        Self::NewerPolicy,
        Self::Panic,
        Self::InvalidLength,
    ];
}

/// Returns a sentence in English for a status, terminated by NUL. It is static; do not free it.
#[unsafe(no_mangle)]
pub extern "C" fn verger_status_message(status: i32) -> *const c_char {
    // An integer, not the enum: a C program can pass any number.
    let known = usize::try_from(status).ok().and_then(|at| Status::ALL.get(at));
    known.map_or(c"unknown status", |status| status.message()).as_ptr()
}

/// Runs the body of a C function. A panic becomes a status.
pub(crate) fn guard(body: impl FnOnce() -> Result<(), Status>) -> Status {
    // After a panic nothing of the body is used again: results were set to their empty values
    // before, and objects are immutable.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => Status::Ok,
        Ok(Err(status)) => status,
        Err(_) => Status::Panic,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_status() {
        assert_eq!(guard(|| panic!("a panic for tests")), Status::Panic);
        assert_eq!(guard(|| Err(Status::NotAUrl)), Status::NotAUrl);
        assert_eq!(guard(|| Ok(())), Status::Ok);
    }

    #[test]
    fn every_number_has_a_message() {
        for (at, status) in Status::ALL.into_iter().enumerate() {
            assert_eq!(status as usize, at);
        }
        for number in [i32::MIN, -1, 0, 8, 9, i32::MAX] {
            // SAFETY: the function returns static text that ends in NUL.
            let message = unsafe { CStr::from_ptr(verger_status_message(number)) };
            assert_eq!(message == c"unknown status", !(0..=8).contains(&number));
        }
    }
}
