//! `Content-Signal`: Cloudflare's signals for permitted uses of content (REP-EXT-30 to REP-EXT-32).

use alloc::vec::Vec;

use super::usage::Preference;
use super::value::{InvalidValue, split_path};

/// One `Content-Signal` line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContentSignal<'r> {
    /// The path of the line, a pattern as written; `None` for every path.
    pub path: Option<&'r [u8]>,
    /// Keys and values as written, in order.
    pub entries: Vec<(&'r [u8], &'r [u8])>,
}

/// The signals for the three uses, and the limit of each use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Signals {
    /// `search`: a search index with links and short excerpts.
    pub search: Preference,
    /// `ai-input`: input of AI models, for example for answers.
    pub ai_input: Preference,
    /// `ai-train`: training or fine-tuning AI models.
    pub ai_train: Preference,
    /// `use`: the extent of the permitted uses (REP-EXT-32); `None` if it is not stated.
    pub extent: Option<Extent>,
}

/// The extent of the permitted uses, from the narrowest to the widest (REP-EXT-32).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the key has three words")]
pub enum Extent {
    /// `immediate`: to interact with the content, and to store nothing.
    Immediate,
    /// `reference`: to index it, and to show excerpts with a link.
    Reference,
    /// `full`: to summarise and reproduce it.
    Full,
}

impl Extent {
    /// `immediate`, `reference` or `full`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Immediate => "immediate",
            Self::Reference => "reference",
            Self::Full => "full",
        }
    }

    fn of_word(word: &[u8]) -> Option<Self> {
        let all = [Self::Immediate, Self::Reference, Self::Full];
        all.into_iter().find(|extent| word.eq_ignore_ascii_case(extent.word().as_bytes()))
    }

    /// The narrower of two statements.
    const fn narrower(left: Option<Self>, right: Option<Self>) -> Option<Self> {
        match (left, right) {
            (Some(a), Some(b)) if a as u8 > b as u8 => right,
            (None, _) => right,
            _ => left,
        }
    }
}

/// A key and its value.
type Entry<'r> = (&'r [u8], &'r [u8]);

const EXPECTED: InvalidValue = InvalidValue::expected("signals such as `search=yes`");

/// Reads `key=value[, key=value…]`.
fn entries(signals: &[u8]) -> Result<Vec<Entry<'_>>, InvalidValue> {
    let entries = signals.split(|&octet| octet == b',').map(|entry| {
        let equals = entry.iter().position(|&octet| octet == b'=').ok_or(EXPECTED)?;
        let (key, word) = (entry[..equals].trim_ascii(), entry[equals + 1..].trim_ascii());
        if key.is_empty() || word.is_empty() { Err(EXPECTED) } else { Ok((key, word)) }
    });
    entries.collect()
}

/// `yes` or `no`; nothing is stated by another word.
fn signal(word: &[u8]) -> Preference {
    let is = |known: &[u8]| word.eq_ignore_ascii_case(known);
    if is(b"yes") {
        Preference::Allowed
    } else if is(b"no") {
        Preference::Disallowed
    } else {
        Preference::Unknown
    }
}

impl Signals {
    /// Reads the entries of a line without a path, or of the HTTP header with the same name
    /// (REP-EXT-32).
    ///
    /// # Errors
    ///
    /// If an entry is not `key=value`, or if a path is before the entries.
    pub fn parse(value: &[u8]) -> Result<Self, InvalidValue> {
        match split_path(value) {
            (None, signals) => entries(signals).map(|entries| Self::of_entries(&entries)),
            _ => Err(EXPECTED),
        }
    }

    fn of_entries(entries: &[Entry<'_>]) -> Self {
        let stated = entries.iter().filter_map(|&(key, word)| Self::of_entry(key, word));
        stated.fold(Self::default(), Self::and)
    }

    /// The stated keys with their words, in the order `search`, `ai-input`, `ai-train`, `use`.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let text = "User-agent: *\nContent-Signal: ai-train=no, search=YES, use=reference\n";
    /// let signals = Robots::parse(text).content_signals("ExampleBot", "/");
    /// let stated: Vec<_> = signals.stated().collect();
    /// assert_eq!(stated, [("search", "yes"), ("ai-train", "no"), ("use", "reference")]);
    /// ```
    pub fn stated(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let word = |signal| match signal {
            Preference::Allowed => Some("yes"),
            Preference::Disallowed => Some("no"),
            Preference::Unknown => None,
        };
        let words = [
            ("search", word(self.search)),
            ("ai-input", word(self.ai_input)),
            ("ai-train", word(self.ai_train)),
            ("use", self.extent.map(Extent::word)),
        ];
        words.into_iter().filter_map(|(key, word)| Some((key, word?)))
    }

    /// The statement of one entry; `None` for an unknown key, and nothing stated for an unknown
    /// word.
    fn of_entry(key: &[u8], word: &[u8]) -> Option<Self> {
        let is = |known: &[u8]| key.eq_ignore_ascii_case(known);
        let none = Self::default();
        if is(b"search") {
            Some(Self { search: signal(word), ..none })
        } else if is(b"ai-input") {
            Some(Self { ai_input: signal(word), ..none })
        } else if is(b"ai-train") {
            Some(Self { ai_train: signal(word), ..none })
        } else {
            is(b"use").then(|| Self { extent: Extent::of_word(word), ..none })
        }
    }

    /// Combines two statements: for each use, any `no` wins; of two extents, the narrower one.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            search: self.search.and(other.search),
            ai_input: self.ai_input.and(other.ai_input),
            ai_train: self.ai_train.and(other.ai_train),
            extent: Extent::narrower(self.extent, other.extent),
        }
    }
}

impl<'r> ContentSignal<'r> {
    /// Reads `[path] key=value[, key=value…]`.
    pub(super) fn parse(value: &'r [u8]) -> Result<Self, InvalidValue> {
        let (path, signals) = split_path(value);
        Ok(Self { path, entries: entries(signals)? })
    }

    /// The line's signals. ASCII case does not matter.
    pub fn signals(&self) -> Signals {
        Signals::of_entries(&self.entries)
    }

    /// Whether a known key has an unknown word.
    pub(super) fn has_unknown_signal(&self) -> bool {
        let is_unknown =
            |&(key, word): &(_, _)| Signals::of_entry(key, word) == Some(Signals::default());
        self.entries.iter().any(is_unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Robots;

    #[test]
    fn all_entries_are_stored_and_known_keys_give_signals() {
        let line = b"/a search = YES,ai-Input=no , use=full,search=no, ai-train=maybe, other=yes";
        let line = ContentSignal::parse(line).expect("valid");
        assert_eq!(line.path, Some(&b"/a"[..]));
        assert_eq!(line.entries.len(), 6);
        let signals = line.signals();
        assert_eq!(signals.search, Preference::Disallowed);
        assert_eq!(signals.ai_input, Preference::Disallowed);
        assert_eq!(signals.ai_train, Preference::Unknown);
        assert_eq!(signals.extent, Some(Extent::Full));
        let line = ContentSignal::parse(b"AI-TRAIN=yes").expect("valid");
        assert_eq!(line.signals().ai_train, Preference::Allowed);
    }

    /// REP-EXT-32.
    #[test]
    fn the_narrowest_extent_counts_and_an_unknown_word_states_nothing() {
        for (value, expected) in [
            ("search=yes,ai-train=no,use=reference", Some("reference")),
            ("Use=FULL", Some("full")),
            ("use=full, use=immediate, use=reference", Some("immediate")),
            ("use=full, use=excerpt", Some("full")),
            ("use=yes, search=yes", None),
            ("search=yes", None),
        ] {
            let line = ContentSignal::parse(value.as_bytes()).expect("valid");
            let signals = line.signals();
            assert_eq!(signals.extent.map(Extent::word), expected, "{value}");
            let is_unknown = value.contains("excerpt") || value.contains("use=yes");
            assert_eq!(line.has_unknown_signal(), is_unknown, "{value}");
            assert_eq!(signals.stated().any(|(key, _)| key == "use"), expected.is_some());
        }
    }

    #[test]
    fn a_malformed_entry_invalidates_the_line() {
        for value in ["", "search", "search=", "=yes", "search=yes,", "/a"] {
            assert!(ContentSignal::parse(value.as_bytes()).is_err(), "{value}");
        }
    }

    #[test]
    fn signals_are_per_group_and_by_the_longest_path() {
        let robots = Robots::parse(
            "User-agent: *\nContent-Signal: search=yes\nContent-Signal: /a search=no\nAllow: /\n\n\
             User-agent: b\nDisallow: /x\n",
        );
        assert_eq!(robots.content_signals("c", "/").search, Preference::Allowed);
        assert_eq!(robots.content_signals("c", "/a").search, Preference::Disallowed);
        assert_eq!(robots.content_signals("b", "/").search, Preference::Unknown);
    }
}
