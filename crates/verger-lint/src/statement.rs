//! Statements about the use of content, entry by entry: `Content-Signal` and `Content-Usage`.

use std::collections::BTreeSet;
use std::slice;

use verger::Span;
use verger::extension::RecordKind;

use crate::file::{File, removal, show};
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
pub(crate) static SIGNALS: Vocabulary = Vocabulary {
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
pub(crate) static USAGE: Vocabulary = Vocabulary {
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

/// `key=value` in a statement, or what an author wrote for it.
pub(crate) struct Entry {
    pub(crate) key: Span,
    pub(crate) word: Span,
    /// The place of a `;` before it: the entry is a parameter, or a part of the value.
    pub(crate) semicolon: Option<Span>,
}

impl Entry {
    /// The place of the whole entry.
    pub(crate) const fn span(&self) -> Span {
        Span { end: self.word.end, ..self.key }
    }
}

/// The entries of the value of a record, without its path.
pub(crate) fn entries(file: &File<'_>, value: Span) -> Vec<Entry> {
    let text = file.part(value);
    let is_blank = |octet: &u8| matches!(octet, b' ' | b'\t');
    let path = if text.starts_with(b"/") { text.iter().position(is_blank) } else { Some(0) };
    let list = text[path.unwrap_or(text.len())..].split_inclusive(|octet| b",;".contains(octet));
    let mut semicolon = None;
    let read = |entry: &[u8]| {
        let before = semicolon.take();
        let (entry, end) = match entry.split_last() {
            Some((last @ (b',' | b';'), rest)) => (rest, Some(slice::from_ref(last))),
            _ => (entry, None),
        };
        semicolon = end.filter(|it| *it == b";").map(|it| file.span_of(it));
        let equals = entry.iter().position(|octet| b"=:".contains(octet))?;
        let [key, word] = [&entry[..equals], &entry[equals + 1..]];
        let [key, word] = [key, word].map(|part| file.span_of(part.trim_ascii()));
        Some(Entry { key, word, semicolon: before })
    };
    list.filter_map(read).collect()
}

impl Vocabulary {
    /// That of a record, if it is a statement.
    pub(crate) fn of_key(key: &[u8]) -> Option<&'static Self> {
        match RecordKind::of_key(key) {
            RecordKind::ContentSignal => Some(&SIGNALS),
            RecordKind::ContentUsage => Some(&USAGE),
            _ => None,
        }
    }

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
            if let Some(span) = entry.semicolon {
                edits.push(Edit { span, text: b",".into() });
            }
            self.correct(file, entry.key, key, &mut edits);
            let equals = Span { start: entry.key.end, end: entry.word.start };
            if self.exact || file.part(equals).trim_ascii() != b"=" {
                self.correct(file, equals, "=", &mut edits);
            }
            if let Some(word) = self.meant_word(file.part(entry.word)) {
                self.correct(file, entry.word, word, &mut edits);
            }
        }
        if let Some(b',' | b';') = file.part(value).last() {
            edits.push(removal(Span { start: value.end - 1, ..value }));
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
        let letters = written.iter().filter(|octet| !b"-_".contains(octet));
        match &*letters.map(u8::to_ascii_lowercase).collect::<Vec<_>>() {
            b"search" => Some(self.search),
            b"aitrain" | b"aitraining" | b"train" | b"trainai" | b"training" => Some(self.train),
            b"aiinput" | b"aiuse" | b"inputai" | b"useai" => Some(self.input),
            _ => self.earlier(written)?.today,
        }
    }

    /// The values of a known key.
    fn words_of(&self, key: &[u8]) -> &[&'static str] {
        match self.extent {
            Some(extent) if self.is(key, extent) => &["immediate", "reference", "full"],
            _ => &self.words,
        }
    }

    /// The first entry with a known key that has no effect, and a message about it.
    pub(crate) fn without_effect(&self, file: &File<'_>, value: Span) -> Option<(Span, String)> {
        let known = entries(file, value).into_iter().filter(|it| self.knows(file.part(it.key)));
        known.into_iter().find_map(|entry| {
            let shown = file.show(entry.span());
            if entry.semicolon.is_some() {
                return Some((
                    entry.span(),
                    format!("expected a comma before {shown}, but found `;`"),
                ));
            }
            let words = self.words_of(file.part(entry.key));
            let is_known = words.iter().any(|word| self.is(file.part(entry.word), word));
            let words = words.join("`, `");
            (!is_known)
                .then(|| (entry.span(), format!("expected one of `{words}`, but found {shown}")))
        })
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
