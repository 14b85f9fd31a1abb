//! Statements about the use of content, in words: what they state, and what they do not.

use std::fmt::Write as _;

use serde::{Serialize, Serializer};
use verger::extension::{ContentSignal, ContentUsage, Extension, RecordKind, Signals, Usage};
use verger_lint::{Settings, lint};

use crate::limits::USE_BYTES;

/// The uses that a statement allows and refuses.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Uses {
    Usage(Usage),
    Signals(Signals),
}

impl Serialize for Uses {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.stated().serialize(to)
    }
}

impl Uses {
    /// The path and the uses of a line.
    pub(crate) fn of_line<'r>(line: &Extension<'r>) -> Option<(Option<&'r [u8]>, Self)> {
        match line {
            Extension::ContentUsage(ContentUsage { path, usage, .. }) => {
                Some((*path, Self::Usage(*usage)))
            }
            Extension::ContentSignal(line @ ContentSignal { path, .. }) => {
                Some((*path, Self::Signals(line.signals())))
            }
            _ => None,
        }
    }

    const fn record(self) -> RecordKind {
        match self {
            Self::Usage(_) => RecordKind::ContentUsage,
            Self::Signals(_) => RecordKind::ContentSignal,
        }
    }

    /// Keys and values, as in a statement.
    pub(crate) fn stated(self) -> Vec<(&'static str, &'static str)> {
        match self {
            Self::Usage(usage) => usage.stated().collect(),
            Self::Signals(signals) => signals.stated().collect(),
        }
    }

    /// Combines two statements of one kind: for each use, the refusal wins (REP-EXT-34,
    /// REP-EXT-37).
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Usage(a), Self::Usage(b)) => Self::Usage(a.and(b)),
            (Self::Signals(a), Self::Signals(b)) => Self::Signals(a.and(b)),
            _ => self,
        }
    }

    /// The stated uses in words.
    pub(crate) fn words(self) -> String {
        let pairs: Vec<_> = self.stated().iter().map(|(key, it)| format!("{key}={it}")).collect();
        let mut words = if pairs.is_empty() { "states nothing".into() } else { pairs.join(", ") };
        if let Self::Usage(usage) = self {
            let overridden: Vec<_> = usage.overridden_by_search().collect();
            if !overridden.is_empty() {
                // REP-EXT-36.
                let overridden = overridden.join(" and ");
                let _ = write!(words, "; search=y overrides {overridden} for search");
            }
        }
        words
    }

    /// The stated uses of a value in words, and the linter's reasons why others are not stated.
    pub(crate) fn words_with_reasons(self, value: &[u8]) -> String {
        let mut words = self.words();
        // A number sign ends a line, but not the value of a header field.
        if value.len() > USE_BYTES || value.contains(&b'#') {
            return words;
        }
        let key = self.record().key().as_bytes();
        let text = [b"User-agent: *\n", key, b": ", value, b"\n"].concat();
        for finding in lint(&text, &reasons()).findings {
            let _ = write!(words, "; {}", finding.message);
            if let Some(fix) = finding.fix {
                let _ = write!(words, " ({})", fix.title);
            }
        }
        words
    }
}

/// The rules about entries of a valid statement that state nothing.
fn reasons() -> Settings {
    let rules = ["content-signal-key", "unknown-category", "unknown-preference"];
    let mut settings = Settings::default();
    settings.select = rules.map(str::to_owned).to_vec();
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_known_rules() {
        assert_eq!(reasons().unknown_name(), None);
    }
}
