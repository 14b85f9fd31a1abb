//! Statements about the use of content, entry by entry: `Content-Signal` and `Content-Usage`.

use std::collections::BTreeSet;

use verger::Span;

use crate::file::{File, show};
use crate::fix::{Edit, Fix, Safety, edited};

/// The keys and values of one kind of statement.
pub(crate) struct Vocabulary {
    /// The key for search.
    search: &'static str,
    /// The key for training.
    train: &'static str,
    /// The key for input of models.
    input: &'static str,
    /// The key for the extent of the uses, if there is one. It has other values.
    extent: Option<&'static str>,
    /// The values that permit and reserve.
    words: [&'static str; 2],
    /// Whether case matters.
    exact: bool,
    /// The labels of its earlier drafts.
    earlier: &'static [EarlierLabel],
}

/// A label of earlier drafts of a vocabulary.
pub(crate) struct EarlierLabel {
    pub(crate) label: &'static str,
    /// The drafts that knew it.
    pub(crate) drafts: &'static str,
    /// The key of today with the same intent, if there is one.
    pub(crate) today: Option<&'static str>,
}

const fn earlier(
    label: &'static str,
    drafts: &'static str,
    today: Option<&'static str>,
) -> EarlierLabel {
    EarlierLabel { label, drafts, today }
}

/// `Content-Signal` (REP-EXT-30).
pub(crate) const SIGNALS: Vocabulary = Vocabulary {
    search: "search",
    train: "ai-train",
    input: "ai-input",
    extent: Some("use"),
    words: ["yes", "no"],
    exact: false,
    earlier: &[],
};

/// `Content-Usage` (REP-EXT-36), with the labels of earlier drafts of draft-ietf-aipref-vocab
/// (REP-EXT-36a).
pub(crate) const USAGE: Vocabulary = Vocabulary {
    search: "search",
    train: "train-ai",
    input: "ai-use",
    extent: None,
    words: ["y", "n"],
    exact: true,
    earlier: &[
        earlier("tdm", "-01", None),
        earlier("ai", "-01", None),
        earlier("genai", "-01", Some("train-ai")),
        earlier("inference", "-01", Some("ai-use")),
        earlier("all", "-02", None),
        earlier("train-genai", "-02 and -03", Some("train-ai")),
        earlier("bots", "-03 and -04", None),
        earlier("ai-output", "-04", Some("ai-use")),
    ],
};

/// `key=value` in a statement.
pub(crate) struct Entry {
    pub(crate) key: Span,
    pub(crate) word: Span,
}

/// The entries of the value of a record, without its path.
pub(crate) fn entries(file: &File<'_>, value: Span) -> Vec<Entry> {
    let text = file.part(value);
    let is_blank = |octet: &u8| matches!(octet, b' ' | b'\t');
    let path = if text.starts_with(b"/") { text.iter().position(is_blank) } else { Some(0) };
    let list = text[path.unwrap_or(text.len())..].split(|&octet| octet == b',');
    let read = |entry: &[u8]| {
        let equals = entry.iter().position(|&octet| octet == b'=')?;
        let key = file.span_of(entry[..equals].trim_ascii());
        Some(Entry { key, word: file.span_of(entry[equals + 1..].trim_ascii()) })
    };
    list.filter_map(read).collect()
}

impl Vocabulary {
    /// Whether a key is one of the vocabulary.
    pub(crate) fn knows(&self, key: &[u8]) -> bool {
        let known = [Some(self.search), Some(self.train), Some(self.input), self.extent];
        known.into_iter().flatten().any(|known| self.is(key, known))
    }

    /// A fix that writes the keys and values of this vocabulary where those of another one, or
    /// similar ones, are written. `None` if nothing changes, or if two entries would have one key.
    pub(crate) fn correction(&self, file: &File<'_>, value: Span) -> Option<Fix> {
        let (mut edits, mut keys) = (Vec::new(), BTreeSet::new());
        for entry in entries(file, value) {
            let written = file.part(entry.key).to_ascii_lowercase();
            let key = self.meant_key(&written);
            if !keys.insert(key.map_or(written, |key| key.as_bytes().to_vec())) {
                return None;
            }
            let Some(key) = key else { continue };
            self.correct(file, entry.key, key, &mut edits);
            if let Some(word) = self.meant_word(file.part(entry.word)) {
                self.correct(file, entry.word, word, &mut edits);
            }
        }
        if edits.is_empty() {
            return None;
        }
        let title = format!("write {}", show(&edited(file.text(), value, &edits)));
        Some(Fix { title, safety: Safety::Unsafe, edits })
    }

    fn correct(&self, file: &File<'_>, span: Span, meant: &str, edits: &mut Vec<Edit>) {
        if !self.is(file.part(span), meant) {
            edits.push(Edit { span, text: meant.into() });
        }
    }

    fn is(&self, written: &[u8], known: &str) -> bool {
        let known = known.as_bytes();
        if self.exact { written == known } else { written.eq_ignore_ascii_case(known) }
    }

    /// The label of an earlier draft.
    pub(crate) fn earlier(&self, key: &[u8]) -> Option<&'static EarlierLabel> {
        self.earlier.iter().find(|it| self.is(key, it.label))
    }

    /// The key that an author probably means.
    pub(crate) fn meant_key(&self, written: &[u8]) -> Option<&'static str> {
        match &*written.to_ascii_lowercase() {
            b"search" => Some(self.search),
            b"ai-train" | b"train-ai" | b"ai_train" | b"train_ai" | b"ai-training" => {
                Some(self.train)
            }
            b"ai-input" | b"ai_input" | b"input-ai" | b"ai-use" | b"ai_use" => Some(self.input),
            _ => self.earlier(written)?.today,
        }
    }

    /// The value that an author probably means.
    fn meant_word(&self, written: &[u8]) -> Option<&'static str> {
        let [yes, no] = self.words;
        match &*written.to_ascii_lowercase() {
            b"y" | b"yes" | b"true" | b"?1" => Some(yes),
            b"n" | b"no" | b"false" | b"?0" => Some(no),
            _ => None,
        }
    }
}
