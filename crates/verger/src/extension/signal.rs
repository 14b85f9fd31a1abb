//! `Content-Signal`: Cloudflare's signals for permitted uses of content (REP-EXT-30 to REP-EXT-32).

use alloc::vec::Vec;

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

/// The signals for the three uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Signals {
    /// `search`: a search index with links and short excerpts.
    pub search: Signal,
    /// `ai-input`: input of AI models, for example for answers.
    pub ai_input: Signal,
    /// `ai-train`: training or fine-tuning AI models.
    pub ai_train: Signal,
}

/// The signal for one use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the signals have three states")]
pub enum Signal {
    /// `no`: reserved.
    No,
    /// `yes`: permitted.
    Yes,
    /// No signal: neither granted nor restricted (REP-EXT-31).
    #[default]
    Absent,
}

impl Signal {
    /// Combines two signals for the same use: `no` wins over `yes`, and `yes` over no signal.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::extension::Signal;
    ///
    /// assert_eq!(Signal::Yes.and(Signal::No), Signal::No);
    /// assert_eq!(Signal::Yes.and(Signal::Absent).word(), Some("yes"));
    /// ```
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Yes, _) | (_, Self::Yes) => Self::Yes,
            (Self::Absent, Self::Absent) => Self::Absent,
        }
    }

    /// `yes`, `no`, or `None` for no signal.
    pub const fn word(self) -> Option<&'static str> {
        match self {
            Self::No => Some("no"),
            Self::Yes => Some("yes"),
            Self::Absent => None,
        }
    }

    fn of_word(word: &[u8]) -> Option<Self> {
        let is = |known: &[u8]| word.eq_ignore_ascii_case(known);
        if is(b"yes") { Some(Self::Yes) } else { is(b"no").then_some(Self::No) }
    }
}

impl Signals {
    fn slot(&mut self, key: &[u8]) -> Option<&mut Signal> {
        let is = |known: &[u8]| key.eq_ignore_ascii_case(known);
        if is(b"search") {
            Some(&mut self.search)
        } else if is(b"ai-input") {
            Some(&mut self.ai_input)
        } else {
            is(b"ai-train").then_some(&mut self.ai_train)
        }
    }

    /// Combines two statements: for each use, any `no` wins.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::extension::{ContentSignal, Signal};
    ///
    /// let first = ContentSignal::parse(b"search=yes, ai-train=yes")?.signals();
    /// let both = first.and(ContentSignal::parse(b"ai-train=no")?.signals());
    /// assert_eq!((both.search, both.ai_train, both.ai_input), (Signal::Yes, Signal::No, Signal::Absent));
    /// # Ok::<(), verger::extension::InvalidValue>(())
    /// ```
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            search: self.search.and(other.search),
            ai_input: self.ai_input.and(other.ai_input),
            ai_train: self.ai_train.and(other.ai_train),
        }
    }
}

impl<'r> ContentSignal<'r> {
    /// Reads `[path] key=value[, key=value…]`.
    ///
    /// # Errors
    ///
    /// If an entry is not a key and a value with `=` between them. Unknown keys and values are
    /// valid.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::extension::{ContentSignal, Signal};
    ///
    /// let line = ContentSignal::parse(b"/news search=yes, other=1")?;
    /// assert_eq!(line.path, Some(&b"/news"[..]));
    /// assert_eq!(line.entries[1], (&b"other"[..], &b"1"[..]));
    /// assert_eq!(line.signals().search, Signal::Yes);
    /// # Ok::<(), verger::extension::InvalidValue>(())
    /// ```
    pub fn parse(value: &'r [u8]) -> Result<Self, InvalidValue> {
        const EXPECTED: InvalidValue = InvalidValue::expected("signals such as `search=yes`");
        let (path, signals) = split_path(value);
        let entries = signals
            .split(|&octet| octet == b',')
            .map(|entry| {
                let equals = entry.iter().position(|&octet| octet == b'=').ok_or(EXPECTED)?;
                let (key, word) = (entry[..equals].trim_ascii(), entry[equals + 1..].trim_ascii());
                if key.is_empty() || word.is_empty() { Err(EXPECTED) } else { Ok((key, word)) }
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { path, entries })
    }

    /// The line's signals. ASCII case does not matter.
    pub fn signals(&self) -> Signals {
        let mut signals = Signals::default();
        for &(key, word) in &self.entries {
            if let (Some(slot), Some(signal)) = (signals.slot(key), Signal::of_word(word)) {
                *slot = slot.and(signal);
            }
        }
        signals
    }

    /// Whether a known key has a value other than `yes` and `no`.
    pub(super) fn has_unknown_signal(&self) -> bool {
        let is_unknown = |&(key, word): &(&[u8], &[u8])| {
            Signals::default().slot(key).is_some() && Signal::of_word(word).is_none()
        };
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
        assert_eq!(signals.search.word(), Some("no"));
        assert_eq!(signals.ai_input.word(), Some("no"));
        assert_eq!(signals.ai_train.word(), None);
        let line = ContentSignal::parse(b"AI-TRAIN=yes").expect("valid");
        assert_eq!(line.signals().ai_train.word(), Some("yes"));
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
        assert_eq!(robots.content_signals("c", "/").search, Signal::Yes);
        assert_eq!(robots.content_signals("c", "/a").search, Signal::No);
        assert_eq!(robots.content_signals("b", "/").search, Signal::Absent);
    }
}
