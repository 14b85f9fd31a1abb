//! `Clean-param`: query parameters that do not change a page (REP-EXT-20, REP-EXT-21, REP-AMB-61).

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use super::record::Record;
use super::value::InvalidValue;
use crate::dialect::{Dialect, NormalForm};
use crate::limits;
use crate::parse::is_space;
use crate::pattern::Pattern;
use crate::percent::Form;
use crate::search::{Searched, with_room};
use crate::target::Target;
use crate::text::Text;

/// Parameters that do not change the content of the pages whose path matches.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CleanParam<'r> {
    /// The names as written, at least one.
    pub parameters: Vec<&'r [u8]>,
    /// The path as written, a pattern; empty for every path.
    pub path: &'r [u8],
}

impl<'r> CleanParam<'r> {
    /// Reads `name[&name…] [path]`.
    pub(super) fn parse(value: &'r [u8]) -> Result<Self, InvalidValue> {
        let mut words = value.split(|&octet| is_space(octet)).filter(|word| !word.is_empty());
        let names = words.next().ok_or(EXPECTED)?;
        let path = words.next().unwrap_or_default();
        let parameters: Vec<_> = names.split(|&octet| octet == b'&').collect();
        let is_valid = words.next().is_none() && parameters.iter().all(|name| !name.is_empty());
        if is_valid { Ok(Self { parameters, path }) } else { Err(EXPECTED) }
    }

    fn covers(&self, path: &mut Searched<'_>) -> bool {
        self.path.is_empty() || Pattern::new(self.path, &PATHS).matches(path)
    }
}

impl<'r> Record<'r> {
    /// The value, or an error if the record is longer than Yandex's limit.
    pub(super) fn clean_param(&self) -> Result<CleanParam<'r>, InvalidValue> {
        // Continuation bytes of UTF-8 are not characters.
        let characters = self.text().iter().filter(|&&octet| octet & 0xC0 != 0x80).count();
        if characters > limits::CLEAN_PARAM_CHARS {
            Err(EXPECTED)
        } else {
            CleanParam::parse(self.value())
        }
    }
}

/// A name in the normal form of a target, for comparison.
fn normal(name: &[u8]) -> Vec<u8> {
    Text::new(name, Form::of_target(NormalForm::Rfc9309)).octets().collect()
}

const EXPECTED: InvalidValue =
    InvalidValue::expected("parameters such as `ref&sid /catalogue/` in 500 characters");

/// Paths are patterns as in a rule, in every dialect of the file: the record is Yandex's.
const PATHS: Dialect = Dialect::YANDEX;

/// A URL without the parameters that the records name. Calls `records` only if the URL has a query.
pub(super) fn clean_url<'r, 'u>(
    url: &'u str,
    records: impl Fn() -> Vec<CleanParam<'r>>,
) -> Cow<'u, str> {
    let end = url.find('#').unwrap_or(url.len());
    let (page, fragment) = url.split_at(end);
    let Some((base, query)) = page.split_once('?') else {
        return Cow::Borrowed(url);
    };
    // A text that begins with its query.
    let page = if base.is_empty() { "/" } else { base };
    let Some(path) = Target::of_url(page.as_bytes(), &PATHS) else {
        return Cow::Borrowed(url);
    };
    let names = |mut path: Searched<'_>| -> BTreeSet<Vec<u8>> {
        let covering = records().into_iter().filter(|clean| clean.covers(&mut path));
        covering.flat_map(|clean| clean.parameters.into_iter().map(normal)).collect()
    };
    let clean = path.in_normal_form(|path| with_room(path, names));
    let remains = |parameter: &&str| {
        let name = parameter.split('=').next().unwrap_or_default();
        !clean.contains(&normal(name.as_bytes()))
    };
    let remaining: Vec<_> = query.split('&').filter(remains).collect();
    if remaining.len() == query.split('&').count() {
        return Cow::Borrowed(url);
    }
    let mut cleaned = String::from(base);
    if !remaining.is_empty() {
        cleaned.push('?');
        cleaned.push_str(&remaining.join("&"));
    }
    if cleaned.is_empty() {
        // The text began with its query; the root remains.
        cleaned.push('/');
    }
    cleaned.push_str(fragment);
    Cow::Owned(cleaned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Robots;

    #[track_caller]
    fn check(records: &str, url: &str, expected: &str) {
        assert_eq!(Robots::parse(records).clean_url(url), expected);
    }

    #[test]
    fn named_parameters_are_removed_where_the_path_matches() {
        let records = "Clean-param: sid&sort /forum/*.php\nClean-param: ref\n";
        check(
            records,
            "https://h/forum/a/b.php?sid=1&x=2&sort=3#f",
            "https://h/forum/a/b.php?x=2#f",
        );
        check(records, "https://h/forum/x?sid=1&ref=2", "https://h/forum/x?sid=1");
        check(records, "/a?ref=1", "/a");
        check(records, "/a?ref&&b", "/a?&b");
        check(records, "/a?%72ef=1&REF=2", "/a?REF=2");
        check(records, "/a?b=ref", "/a?b=ref");
        check(records, "/a", "/a");
        check(records, "/a#?ref=1", "/a#?ref=1");
        check(records, "mailto:a?ref=1", "mailto:a?ref=1");
        check(records, "https://h?ref=1", "https://h");
        check(records, "?ref=1", "/");
        check(records, "?ref=1#f", "/#f");
    }

    #[test]
    fn a_malformed_record_cleans_nothing() {
        for value in ["", "&", "a&&b", "a /x y"] {
            assert!(CleanParam::parse(value.as_bytes()).is_err(), "{value}");
        }
        let line = |length: usize| alloc::format!("Clean-param: a /{}", "é".repeat(length - 16));
        assert_eq!(Robots::parse(&line(500)).clean_params().len(), 1);
        assert_eq!(Robots::parse(&line(501)).clean_params().len(), 0);
    }
}
