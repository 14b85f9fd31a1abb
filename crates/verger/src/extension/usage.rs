//! `Content-Usage`: preferences for the use of content (REP-EXT-33 to REP-EXT-38).

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::structured::{Member, dictionary};
use super::value::{InvalidValue, split_path};

/// One `Content-Usage` line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContentUsage<'r> {
    /// The path of the line, a pattern as written; `None` for every path.
    pub path: Option<&'r [u8]>,
    /// The preferences of the line.
    pub usage: Usage,
    /// Keys outside the vocabulary with their preferences, each once, in order. They have no
    /// effect.
    pub unknown: Vec<(&'r [u8], Preference)>,
}

/// A category of use in the vocabulary of the IETF's AI Preferences group (REP-EXT-36, REP-AMB-63).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Category {
    /// The key in a `Content-Usage` line or header.
    pub key: &'static str,
    /// A short description of the covered uses.
    pub covers: &'static str,
    /// The document that defines it.
    pub source: &'static str,
    /// The date of this document, as `YYYY-MM-DD`.
    pub date: &'static str,
}

impl Category {
    /// The vocabulary. Other keys are stored and reported, and have no effect.
    pub const ALL: &'static [Self] = &[
        Self::of_vocab_08("train-ai", "training of generative models"),
        Self::of_vocab_08("ai-use", "input of generative models, unless a user provided it"),
        Self::of_vocab_08(SEARCH, "search results that lead back to the content"),
    ];

    const fn of_vocab_08(key: &'static str, covers: &'static str) -> Self {
        Self { key, covers, source: "draft-ietf-aipref-vocab-08", date: "2026-09-14" }
    }

    fn position(key: &[u8]) -> Option<usize> {
        Self::ALL.iter().position(|category| category.key.as_bytes() == key)
    }
}

/// The category that overrides the others for uses that are search.
const SEARCH: &str = "search";

/// The preferences for the [categories](Category::ALL) of the vocabulary.
///
/// # Examples
///
/// ```
/// use verger::extension::{Preference, Usage};
///
/// let usage = Usage::parse(b"search=y, ai-use=n, bots=n")?;
/// assert_eq!(usage.preference("ai-use"), Preference::Disallowed);
/// assert_eq!(usage.preference("train-ai"), Preference::Unknown);
/// assert!(usage.stated().eq([("ai-use", "n"), ("search", "y")]));
/// assert!(usage.overridden_by_search().eq(["ai-use"]));
/// # Ok::<(), verger::extension::InvalidValue>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Usage {
    /// In the order of the vocabulary.
    preferences: [Preference; Category::ALL.len()],
}

/// The preference for one use, or the signal for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "both vocabularies have three answers")]
pub enum Preference {
    /// `n` or `no`.
    Disallowed,
    /// `y` or `yes`.
    Allowed,
    /// No statement: neither granted nor restricted (REP-EXT-31).
    #[default]
    Unknown,
}

impl Preference {
    /// Combines two preferences for the same use: `n` wins over `y`, and `y` over no statement.
    pub(super) const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Disallowed, _) | (_, Self::Disallowed) => Self::Disallowed,
            (Self::Allowed, _) | (_, Self::Allowed) => Self::Allowed,
            (Self::Unknown, Self::Unknown) => Self::Unknown,
        }
    }

    /// `y`, `n`, or `None` for no statement.
    pub const fn token(self) -> Option<&'static str> {
        match self {
            Self::Disallowed => Some("n"),
            Self::Allowed => Some("y"),
            Self::Unknown => None,
        }
    }
}

impl Usage {
    /// Reads a structured-field dictionary of a line, or of the HTTP header with the same name.
    ///
    /// # Errors
    ///
    /// If it does not parse; it then states no preference.
    pub fn parse(value: &[u8]) -> Result<Self, InvalidValue> {
        let mut usage = Self::default();
        read(value, |key, preference| usage.state(key, preference))?;
        Ok(usage)
    }

    /// The preference for a category, by its key; `Unknown` for a key outside the vocabulary.
    pub fn preference(&self, key: &str) -> Preference {
        Category::position(key.as_bytes())
            .map_or(Preference::Unknown, |category| self.preferences[category])
    }

    /// The stated categories with `y` or `n`, in the order of the vocabulary.
    pub fn stated(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let all = Category::ALL.iter().zip(self.preferences);
        all.filter_map(|(category, preference)| Some((category.key, preference.token()?)))
    }

    /// The categories with `n` beside `search=y`: the latter permits these uses as far as they are
    /// search (REP-EXT-36).
    pub fn overridden_by_search(self) -> impl Iterator<Item = &'static str> {
        let is_permitted = self.preference(SEARCH) == Preference::Allowed;
        self.stated().filter(move |(_, token)| is_permitted && *token == "n").map(|(key, _)| key)
    }

    /// Keys outside of the vocabulary have no effect (REP-EXT-36).
    fn state(&mut self, key: &[u8], preference: Preference) {
        if let Some(category) = Category::position(key) {
            self.preferences[category] = preference;
        }
    }

    /// Combines two statements: for each use, any `n` wins.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        for (preference, other) in self.preferences.iter_mut().zip(other.preferences) {
            *preference = preference.and(other);
        }
        self
    }
}

impl<'r> ContentUsage<'r> {
    /// Reads `[path] preferences` (REP-EXT-35).
    pub(super) fn parse(value: &'r [u8]) -> Result<Self, InvalidValue> {
        let (path, preferences) = split_path(value);
        let mut usage = Usage::default();
        let mut stated = BTreeMap::new();
        let mut order = Vec::new();
        read(preferences, |key, preference| {
            usage.state(key, preference);
            // The last of equal keys counts, in the place of the first (RFC 9651 section 3.2).
            if Category::position(key).is_none() && stated.insert(key, preference).is_none() {
                order.push(key);
            }
        })?;
        let unknown = order.into_iter().filter_map(|key| Some((key, *stated.get(key)?))).collect();
        Ok(Self { path, usage, unknown })
    }
}

/// The members of a structured-field dictionary with their preferences, in order.
fn read<'r>(
    value: &'r [u8],
    mut each: impl FnMut(&'r [u8], Preference),
) -> Result<(), InvalidValue> {
    const EXPECTED: InvalidValue = InvalidValue::expected("preferences such as `train-ai=n`");
    dictionary(value, |key, member, _| each(key, preference(&member))).ok_or(EXPECTED)
}

/// REP-EXT-36: a lower-case token; any other value states nothing.
fn preference(member: &Member<'_>) -> Preference {
    match member {
        Member::Token(b"y") => Preference::Allowed,
        Member::Token(b"n") => Preference::Disallowed,
        _ => Preference::Unknown,
    }
}

/// Whether a line gives a use of the vocabulary a value other than `y` or `n`, or writes it as a
/// parameter of another use.
pub(super) fn has_unknown_preference(value: &[u8]) -> bool {
    let (_, preferences) = split_path(value);
    let mut unknown = [false; Category::ALL.len()];
    let mut is_parameter = false;
    let read = dictionary(preferences, |key, member, parameters| {
        if let Some(category) = Category::position(key) {
            unknown[category] = preference(&member) == Preference::Unknown;
        }
        is_parameter |= parameters.split(|&octet| octet == b';').any(|parameter| {
            let key = parameter.split(|&octet| octet == b'=').next().unwrap_or_default();
            Category::position(key.trim_ascii()).is_some()
        });
    });
    read.is_some() && (is_parameter || unknown.contains(&true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Robots;
    use alloc::format;

    #[track_caller]
    fn check(lines: &str, url: &str, expected: Option<(Option<&str>, Option<&str>)>) {
        let robots = Robots::parse(&format!("User-agent: *\n{lines}"));
        let found = robots.content_usage("b", url);
        let token = |usage: Usage, key| usage.preference(key).token();
        let shown = found.map(|usage| (token(usage, "train-ai"), token(usage, "search")));
        assert_eq!(shown, expected, "{lines:?} {url}");
    }

    #[test]
    fn the_longest_path_decides_and_equal_ones_are_combined() {
        let lines = "Content-Usage: search=y, train-ai=n\nContent-Usage: /a train-ai=y\n\
                     Content-Usage: /a search=n\nContent-Usage: /a train-ai=n\n";
        check(lines, "/x", Some((Some("n"), Some("y"))));
        check(lines, "/a", Some((Some("n"), Some("n"))));
        let shorter_last = "Content-Usage: /a train-ai=n\nContent-Usage: train-ai=y\n";
        check(shorter_last, "/a", Some((Some("n"), None)));
    }

    #[test]
    fn values_are_case_sensitive_and_unknown_keys_are_ignored() {
        check("Content-Usage: train-ai=Y\n", "/", Some((None, None)));
        check("CONTENT-USAGE : /a\ttrain-ai=n, foo=y # c\n", "/a", Some((Some("n"), None)));
        check("Content-Usage: train-ai=y, train-ai=n\n", "/", Some((Some("n"), None)));
        check("Content-Usage: train-ai=y, train-ai=\n", "/", Some((None, None)));
    }

    #[test]
    fn keys_outside_the_vocabulary_are_stored() {
        let line = ContentUsage::parse(b"/a x=y, train-ai=n, bots=n, x=n, z=1").expect("valid");
        let expected: [(&[u8], Preference); 3] = [
            (b"x", Preference::Disallowed),
            (b"bots", Preference::Disallowed),
            (b"z", Preference::Unknown),
        ];
        assert_eq!(line.unknown, expected);
        assert!(line.usage.stated().eq([("train-ai", "n")]));
    }

    /// REP-EXT-36.
    #[test]
    fn search_overrides_reservations_only_if_it_is_permitted() {
        for (value, expected) in [
            ("train-ai=n, ai-use=n, search=y", &["train-ai", "ai-use"][..]),
            ("search=y, train-ai=y, ai-use=n", &["ai-use"]),
            ("search=n, train-ai=n", &[]),
            ("train-ai=n", &[]),
            ("search=y", &[]),
        ] {
            let usage = Usage::parse(value.as_bytes()).expect("valid");
            assert!(usage.overridden_by_search().eq(expected.iter().copied()), "{value}");
        }
    }

    #[test]
    fn a_broken_line_states_nothing_for_its_path() {
        let lines = "Content-Usage: train-ai=n\nContent-Usage: /a train-ai=y,\nContent-Usage: /b\n";
        check(lines, "/a", Some((None, None)));
        check(lines, "/b", Some((None, None)));
        check(lines, "/c", Some((Some("n"), None)));
    }

    #[test]
    fn only_allowed_urls_have_a_usage() {
        check("Disallow: /a\nContent-Usage: train-ai=n\n", "/a", None);
        check("Disallow: /a\nContent-Usage: train-ai=n\n", "/b", Some((Some("n"), None)));
        check("Content-Usage: train-ai=n\n", "mailto:x", Some((None, None)));
    }
}
