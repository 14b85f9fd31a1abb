//! Functions without an object.

use std::ffi::c_char;

use engine::Origin;

use crate::pointer::place;
use crate::status::{Status, guard};
use crate::text::{self, OwnedText, bytes};

/// Returns the version of this library, such as `0.1.0`, terminated by NUL. It is static.
#[unsafe(no_mangle)]
pub extern "C" fn verger_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Decides a single question about a robots.txt, without parsing the whole file. See
/// `verger_robots_parse` and `verger_robots_check` for the arguments.
///
/// # Safety
///
/// `text`, `agent` and `url` point to that many bytes, `dialect` is NULL or ends in NUL, `out` is
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn verger_is_allowed(
    text: *const c_char,
    text_len: usize,
    agent: *const c_char,
    agent_len: usize,
    url: *const c_char,
    url_len: usize,
    dialect: *const c_char,
    out: *mut bool,
) -> Status {
    guard(|| {
        // SAFETY: as this function demands.
        let (out, text, agent, url, dialect) = unsafe {
            (
                place(out, false)?,
                bytes(text, text_len)?,
                text::agent(agent, agent_len)?,
                bytes(url, url_len)?,
                text::dialect(dialect)?,
            )
        };
        *out = dialect.is_allowed(text, &*agent, url);
        Ok(())
    })
}

/// Writes the URL of the robots.txt that applies to an absolute URL; `VERGER_STATUS_NOT_A_URL` if
/// there is none.
///
/// Free the result with `verger_string_free`.
///
/// # Safety
///
/// `url` points to `url_len` bytes, and `out` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn verger_robots_url(
    url: *const c_char,
    url_len: usize,
    out: *mut OwnedText,
) -> Status {
    guard(|| {
        // SAFETY: as this function demands.
        let (out, url) = unsafe { (place(out, OwnedText::EMPTY)?, bytes(url, url_len)?) };
        let url = std::str::from_utf8(url).map_err(|_| Status::NotAUrl)?;
        let origin = Origin::of(url).ok().flatten().ok_or(Status::NotAUrl)?;
        *out = OwnedText::new(origin.robots_url());
        Ok(())
    })
}
