//! Compiled policies.

use std::ffi::c_char;
use std::ptr;

use engine::policy::PolicyError;

use crate::pointer::{boxed, free, object, place};
use crate::status::{Status, guard};
use crate::text::{self, Text, bytes};
use crate::verdict::Verdict;

/// The rules of a robots.txt for one crawler, compiled.
pub struct Policy(pub(crate) engine::Policy);

/// Compiles the rules of a robots.txt for one crawler. It parses only what the crawler needs;
/// `verger_robots_policy` compiles a parsed file. See `verger_robots_parse` for the dialect.
///
/// Free the result with `verger_policy_free`.
///
/// # Safety
///
/// `text` and `agent` point to that many bytes, `dialect` is NULL or ends in NUL, `out` is
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn verger_policy_compile(
    text: *const c_char,
    text_len: usize,
    agent: *const c_char,
    agent_len: usize,
    dialect: *const c_char,
    out: *mut *mut Policy,
) -> Status {
    guard(|| {
        // SAFETY: as this function demands.
        let (out, text, agent, dialect) = unsafe {
            let out = place(out, ptr::null_mut())?;
            (out, bytes(text, text_len)?, text::agent(agent, agent_len)?, text::dialect(dialect)?)
        };
        *out = boxed(Policy(dialect.policy(text, &*agent)));
        Ok(())
    })
}

/// Reads a policy from the bytes of `verger_policy_bytes`. It copies them.
///
/// Free the result with `verger_policy_free`.
///
/// # Safety
///
/// `data` points to `len` bytes, and `out` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn verger_policy_from_bytes(
    data: *const c_char,
    len: usize,
    out: *mut *mut Policy,
) -> Status {
    guard(|| {
        // SAFETY: as this function demands.
        let (out, bytes) = unsafe { (place(out, ptr::null_mut())?, bytes(data, len)?) };
        let policy = engine::Policy::from_bytes(bytes.into()).map_err(|error| match error {
            PolicyError::Version(_) => Status::NewerPolicy,
            _ => Status::InvalidPolicy,
        })?;
        *out = boxed(Policy(policy));
        Ok(())
    })
}

/// Returns the bytes of a policy, to be stored anywhere; empty for NULL. They are valid as long as
/// the policy.
///
/// # Safety
///
/// `policy` is NULL, or a policy of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn verger_policy_bytes(policy: *const Policy) -> Text {
    // SAFETY: as this function demands.
    let policy = unsafe { object(policy) };
    policy.map_or(Text::EMPTY, |policy| Text::new(policy.0.as_bytes()))
}

/// Frees a policy; nothing for NULL. Patterns and bytes borrowed from it become invalid.
///
/// # Safety
///
/// `policy` is NULL, or a policy of this library that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn verger_policy_free(policy: *mut Policy) {
    // SAFETY: as this function demands.
    unsafe { free(policy) };
}

/// Returns whether the crawler of a policy may fetch a URL; false on any failure.
///
/// # Safety
///
/// `policy` is NULL, or a policy of this library; `url` points to `url_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn verger_policy_is_allowed(
    policy: *const Policy,
    url: *const c_char,
    url_len: usize,
) -> bool {
    let mut verdict = Verdict::FAILURE;
    // SAFETY: as this function demands.
    unsafe { verger_policy_check(policy, url, url_len, &raw mut verdict) };
    verdict.allowed
}

/// Decides whether the crawler of a policy may fetch a URL, as `verger_robots_check`.
///
/// # Safety
///
/// `policy` is NULL, or a policy of this library; `url` points to `url_len` bytes; `out` is
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn verger_policy_check(
    policy: *const Policy,
    url: *const c_char,
    url_len: usize,
    out: *mut Verdict,
) -> Status {
    guard(|| {
        // SAFETY: as this function demands.
        let (out, policy, url) =
            unsafe { (place(out, Verdict::FAILURE)?, object(policy)?, bytes(url, url_len)?) };
        *out = Verdict::from(&policy.0.check(url));
        Ok(())
    })
}
