//! From the text of a URL to the target that patterns are compared with (REP-MATCH-1).
//!
//! # Scope
//!
//! The text is cut and brought into the dialect's normal form; nothing else changes it: dot
//! segments are not resolved, `\` is not replaced, `//` is not collapsed (REP-MATCH-4, REP-AMB-25).
//! A client that parses its URLs passes the URL that it will request.

use alloc::vec::Vec;

use crate::Dialect;
use crate::dialect::{NormalForm, Schemes, UrlSplit};
use crate::limits::TARGET_BYTES;
use crate::percent::{Form, Octets};
use crate::text::Text;
use crate::url_text::UrlText;
use crate::verdict::Reason;

/// The choices of a dialect for reading the target of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) split: UrlSplit,
    pub(crate) schemes: Schemes,
    pub(crate) form: NormalForm,
    pub(crate) robots_txt_always_allowed: bool,
}

impl Dialect {
    pub(crate) const fn reading(&self) -> Reading {
        Reading {
            split: self.url_split,
            schemes: self.schemes,
            form: self.normal_form,
            robots_txt_always_allowed: self.robots_txt_always_allowed,
        }
    }
}

impl Reading {
    /// The target for the comparison with rules; or the reason why no rule applies.
    #[inline]
    pub(crate) fn target(self, url: &[u8]) -> Result<Target<'_>, Reason> {
        let target = Target::read(url, self)?;
        // REP-MATCH-6, REP-AMB-10.
        if self.robots_txt_always_allowed && target.is_robots_txt() {
            return Err(Reason::RobotsTxtItself);
        }
        Ok(target)
    }
}

/// A target: path and query of a URL, in the normal form of a dialect. It always begins with `/`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    text: Text<'a>,
}

impl<'a> Target<'a> {
    /// The target of a URL; `None` if its scheme has no robots.txt in the dialect, or if the text
    /// is not a URL.
    pub(crate) fn of_url(url: &'a [u8], dialect: &Dialect) -> Option<Self> {
        Self::read(url, dialect.reading()).ok()
    }

    #[inline]
    fn read(url: &'a [u8], reading: Reading) -> Result<Self, Reason> {
        let path = match reading.split {
            UrlSplit::Google => google_path(url),
            UrlSplit::Generic => UrlText::split(url).target(reading.schemes)?,
        };
        Ok(Self::of_path(path, reading.form))
    }

    /// The target of a path and query without fragment; a missing `/` is added at the start.
    #[inline]
    pub(crate) fn of_path(path: &'a [u8], form: NormalForm) -> Self {
        let form = Form::of_target(form);
        let text = match path {
            [b'/', ..] => Text::new(path, form),
            [] => Text::Normal(b"/"),
            _ => Text::Read(Octets::new(path, form).preceded_by(b'/')),
        };
        Self { text }
    }

    /// Calls `run` with the octets in normal form: the text itself, or a buffer, without an
    /// allocation for up to [`TARGET_BYTES`] octets.
    #[inline]
    pub(crate) fn in_normal_form<T>(self, run: impl FnOnce(&[u8]) -> T) -> T {
        match self.text {
            Text::Normal(text) => run(text),
            Text::Read(octets) => in_buffer(octets, run),
        }
    }

    /// REP-MATCH-6: exactly this path, without a query.
    #[inline]
    pub(crate) fn is_robots_txt(self) -> bool {
        const ROBOTS_TXT: &[u8] = b"/robots.txt";
        match self.text {
            Text::Normal(text) => text == ROBOTS_TXT,
            Text::Read(octets) => octets.eq(ROBOTS_TXT.iter().copied()),
        }
    }
}

/// Separate functions, so that only targets that need a buffer have its stack frame, mostly a small
/// one.
#[inline(never)]
fn in_buffer<T>(octets: Octets<'_>, run: impl FnOnce(&[u8]) -> T) -> T {
    match octets.written(&mut [0; USUAL_TARGET_BYTES]) {
        Some(text) => run(text),
        None => in_long_buffer(octets, run),
    }
}

#[inline(never)]
fn in_long_buffer<T>(octets: Octets<'_>, run: impl FnOnce(&[u8]) -> T) -> T {
    match octets.written(&mut [0; TARGET_BYTES]) {
        Some(text) => run(text),
        None => run(&octets.collect::<Vec<u8>>()),
    }
}

/// Hardly any target is longer, and a buffer is cleared before use.
const USUAL_TARGET_BYTES: usize = 256;

/// REP-MATCH-5: the path in any string, as in Google's library.
fn google_path(url: &[u8]) -> &[u8] {
    let is_start = |byte: &u8| matches!(byte, b'/' | b'?' | b';');
    let from = if url.starts_with(b"//") { 2 } else { 0 };
    let early = url[from..].iter().position(is_start).map(|at| from + at);
    let scheme = url[from..].windows(3).position(|three| three == b"://").map(|at| from + at);
    // `://` counts only before every character that can start a path. The slash after its colon is
    // such a character too, and is excepted.
    let from = match (scheme, early) {
        (Some(scheme), Some(early)) if scheme < early => scheme + 3,
        _ => from,
    };
    let Some(start) = url[from..].iter().position(is_start).map(|at| from + at) else {
        return b"/";
    };
    // The fragment is searched in the whole text: one before the path leaves no path.
    let skipped = if url.starts_with(b"//") { 2 } else { 0 };
    let hash = url[skipped..].iter().position(|&byte| byte == b'#').map(|at| skipped + at);
    let path = match hash {
        Some(hash) if hash < start => return b"/",
        Some(hash) => &url[start..hash],
        None => &url[start..],
    };
    // The library passes the path as a C string.
    let end = path.iter().position(|&byte| byte == 0).unwrap_or(path.len());
    &path[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    #[track_caller]
    fn check(dialect: Dialect, url: &str, expected: Option<&str>) {
        let target = Target::of_url(url.as_bytes(), &dialect);
        let octets = target.map(|target| target.in_normal_form(<[u8]>::to_vec));
        let found: Option<String> =
            octets.map(|octets| octets.into_iter().map(char::from).collect());
        assert_eq!(found.as_deref(), expected, "{dialect:?}: {url:?}");
    }

    #[test]
    fn schemes_without_an_origin_have_no_robots_txt() {
        for url in [
            "mailto:a@b",
            "data:text/plain,/x",
            "file:///etc/x",
            "about:blank",
            "blob:http://h/1",
            "JavaScript:f()",
            "tel:112",
            "urn:x",
            "cid:y",
        ] {
            let found = Dialect::RFC9309.reading().target(url.as_bytes());
            assert_eq!(found.err(), Some(Reason::NoRobotsForScheme), "{url}");
        }
        check(Dialect::RFC9309, "ftp://h/x", Some("/x"));
        check(Dialect::RFC9309, "gopher://h/x", Some("/x"));
        check(Dialect::BOOK, "ftp://h/x", None);
        check(Dialect::BOOK, "hTTps://h/x", Some("/x"));
        check(Dialect::BOOK, "/x", Some("/x"));
    }

    #[test]
    fn google_finds_a_path_in_any_string() {
        for (url, expected) in [
            ("https://example.com;a", "/;a"),
            ("https://example.com#/x", "/"),
            ("a/b", "/b"),
            ("x", "/"),
            ("", "/"),
            ("//a/b/c", "/b/c"),
            ("//a", "/"),
            ("http://h/a/b?c=http://d.e/", "/a/b?c=http://d.e/"),
            ("http://user:pw@foo.bar:80/a", "/a"),
            ("a?b://c/d", "/?b://c/d"),
            ("/a%7e\0b", "/a%7e"),
            ("mailto:a", "/"),
            ("x#y/z", "/"),
        ] {
            check(Dialect::GOOGLE, url, Some(expected));
        }
    }

    #[test]
    fn targets_of_any_length_are_in_normal_form() {
        let asked = |url: &[u8]| {
            let target = Target::of_url(url, &Dialect::RFC9309).expect("a path");
            target.in_normal_form(<[u8]>::to_vec)
        };
        assert_eq!(asked(b"?%61=%C3%a9"), b"/?a=%C3%A9");
        for length in [
            USUAL_TARGET_BYTES - 1,
            USUAL_TARGET_BYTES,
            TARGET_BYTES - 1,
            TARGET_BYTES,
            2 * TARGET_BYTES,
        ] {
            let escaped = [&b"/"[..], &b"%61".repeat(length)].concat();
            assert_eq!(asked(&escaped), [&b"/"[..], &b"a".repeat(length)].concat());
        }
    }
}
