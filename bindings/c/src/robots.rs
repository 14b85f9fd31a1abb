//! Parsed files.

use std::ffi::c_char;
use std::fmt::Write as _;
use std::ptr;
use std::sync::OnceLock;

use crate::pointer::{boxed, free, object, place};
use crate::policy::Policy;
use crate::status::{Status, guard};
use crate::text::{self, OwnedText, Text, bytes};
use crate::verdict::Verdict;

/// A parsed robots.txt.
pub struct Robots {
    pub(crate) parsed: engine::Robots,
    /// The values of its sitemap records, read when they are first requested.
    sitemaps: OnceLock<Vec<Box<[u8]>>>,
}

/// Parses a robots.txt, given as the bytes of the response. Any bytes are valid. It copies them.
///
/// `dialect` is the name of a dialect, ending in NUL: `rfc9309` (also for NULL), `google`, `bing`,
/// `yandex`, `baidu`, `rep2019`, `koster1996`, `orig1994` or `book`.
///
/// Free the result with `verger_robots_free`.
///
/// # Safety
///
/// `text` points to `text_len` bytes, `dialect` is NULL or ends in NUL, `out` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn verger_robots_parse(
    text: *const c_char,
    text_len: usize,
    dialect: *const c_char,
    out: *mut *mut Robots,
) -> Status {
    guard(|| {
        // SAFETY: as this function demands.
        let (out, text, dialect) = unsafe {
            (place(out, ptr::null_mut())?, bytes(text, text_len)?, text::dialect(dialect)?)
        };
        *out = boxed(Robots { parsed: dialect.parse(text), sitemaps: OnceLock::new() });
        Ok(())
    })
}

/// Frees a parsed robots.txt; nothing for NULL. Patterns and sitemaps borrowed from it become
/// invalid; policies do not.
///
/// # Safety
///
/// `robots` is NULL, or from `verger_robots_parse` and not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn verger_robots_free(robots: *mut Robots) {
    // SAFETY: as this function demands.
    unsafe { free(robots) };
}

/// Returns whether a crawler may fetch a URL, as `verger_robots_check`; false on any failure.
///
/// # Safety
///
/// `robots` is NULL or from `verger_robots_parse`; `agent` and `url` point to that many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn verger_robots_is_allowed(
    robots: *const Robots,
    agent: *const c_char,
    agent_len: usize,
    url: *const c_char,
    url_len: usize,
) -> bool {
    let mut verdict = Verdict::FAILURE;
    // SAFETY: as this function demands.
    unsafe { verger_robots_check(robots, agent, agent_len, url, url_len, &raw mut verdict) };
    verdict.allowed
}

/// Decides whether a crawler may fetch a URL.
///
/// `agent` is a product token (`ExampleBot`) or a whole User-Agent header. A token is literal: the
/// documented fallbacks of known crawlers do not apply. `url` is an absolute URL or a path that
/// begins with `/`. Any other text is disallowed with reason `not_a_url`, except in dialect
/// `google`.
///
/// # Safety
///
/// `robots` is NULL or from `verger_robots_parse`; `agent` and `url` point to that many bytes;
/// `out` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn verger_robots_check(
    robots: *const Robots,
    agent: *const c_char,
    agent_len: usize,
    url: *const c_char,
    url_len: usize,
    out: *mut Verdict,
) -> Status {
    guard(|| {
        // SAFETY: as this function demands.
        let (out, robots, agent, url) = unsafe {
            let out = place(out, Verdict::FAILURE)?;
            (out, object(robots)?, text::agent(agent, agent_len)?, bytes(url, url_len)?)
        };
        *out = Verdict::from(&robots.parsed.check(&*agent, url));
        Ok(())
    })
}

/// Explains the answer for a URL in English: the verdict in one line, then one line for each
/// matching rule. Text of the file is escaped.
///
/// Free the result with `verger_string_free`.
///
/// # Safety
///
/// As `verger_robots_check`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn verger_robots_explain(
    robots: *const Robots,
    agent: *const c_char,
    agent_len: usize,
    url: *const c_char,
    url_len: usize,
    out: *mut OwnedText,
) -> Status {
    guard(|| {
        // SAFETY: as this function demands.
        let (out, robots, agent, url) = unsafe {
            let out = place(out, OwnedText::EMPTY)?;
            (out, object(robots)?, text::agent(agent, agent_len)?, bytes(url, url_len)?)
        };
        let explanation = robots.parsed.explain(&*agent, url);
        let mut text = explanation.verdict.to_string();
        for contender in &explanation.contenders {
            let line = contender.rule.position().line;
            // Writing to a string cannot fail.
            let _ = write!(text, "\nline {line}: {}: {}", contender.rule, contender.standing);
        }
        *out = OwnedText::new(text);
        Ok(())
    })
}

/// Writes the crawl delay for a crawler in seconds; `VERGER_STATUS_NONE` if there is none.
///
/// # Safety
///
/// `robots` is NULL or from `verger_robots_parse`; `agent` points to that many bytes; `out` is
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn verger_robots_crawl_delay(
    robots: *const Robots,
    agent: *const c_char,
    agent_len: usize,
    out: *mut f64,
) -> Status {
    guard(|| {
        // SAFETY: as this function demands.
        let (out, robots, agent) =
            unsafe { (place(out, 0.0)?, object(robots)?, text::agent(agent, agent_len)?) };
        *out = robots.parsed.crawl_delay(&*agent).ok_or(Status::None)?.as_secs_f64();
        Ok(())
    })
}

/// Writes the value of a sitemap record; `VERGER_STATUS_NONE` at the end of the list. Begin with
/// index 0. The value can be any text; it is valid as long as `robots`.
///
/// # Safety
///
/// `robots` is NULL or from `verger_robots_parse`; `out` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn verger_robots_sitemap(
    robots: *const Robots,
    index: usize,
    out: *mut Text,
) -> Status {
    guard(|| {
        // SAFETY: as this function demands.
        let (out, robots) = unsafe { (place(out, Text::EMPTY)?, object(robots)?) };
        let sitemaps = robots
            .sitemaps
            .get_or_init(|| robots.parsed.sitemaps().map(|sitemap| sitemap.raw().into()).collect());
        *out = Text::new(sitemaps.get(index).ok_or(Status::None)?);
        Ok(())
    })
}

/// Compiles the rules for one crawler to a policy, which checks faster and can be stored.
///
/// Free the result with `verger_policy_free`.
///
/// # Safety
///
/// `robots` is NULL or from `verger_robots_parse`; `agent` points to that many bytes; `out` is
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn verger_robots_policy(
    robots: *const Robots,
    agent: *const c_char,
    agent_len: usize,
    out: *mut *mut Policy,
) -> Status {
    guard(|| {
        // SAFETY: as this function demands.
        let (out, robots, agent) = unsafe {
            (place(out, ptr::null_mut())?, object(robots)?, text::agent(agent, agent_len)?)
        };
        *out = boxed(Policy(robots.parsed.policy(&*agent)));
        Ok(())
    })
}
