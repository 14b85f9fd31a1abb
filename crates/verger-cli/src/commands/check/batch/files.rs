//! A cache of the parsed robots.txt files of a batch.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use verger::Dialect;
use verger_json::{QuestionFile, decode_base64};

use crate::error::Error;
use crate::input::{place, read_regular_robots};
use crate::limits::PARSED_BYTES;
use crate::robots_file::RobotsFile;

/// Used files, shared by all threads. A full cache is emptied.
#[derive(Debug, Default)]
pub(super) struct Files(Mutex<Cache>);

#[derive(Debug, Default)]
struct Cache {
    slots: HashMap<Key, Slot>,
    bytes: usize,
}

/// The source of a parsed file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    source: QuestionFile,
    dialect: Dialect,
    /// Length and modification time of a file.
    version: Option<(u64, Option<SystemTime>)>,
}

/// The first thread that needs a file parses it, and the others wait.
type Slot = Arc<OnceLock<Result<Arc<RobotsFile>, Error>>>;

impl Files {
    /// The robots.txt of a source.
    pub(super) fn find(
        &self,
        source: QuestionFile,
        dialect: Dialect,
    ) -> Result<Arc<RobotsFile>, Error> {
        let version = match &source {
            QuestionFile::File(name) => {
                fs::metadata(name).ok().map(|it| (it.len(), it.modified().ok()))
            }
            _ => None,
        };
        let key = Key { source, dialect, version };
        let slot = self.cache().slot(&key);
        let found = slot.get_or_init(|| parse(&key.source, &dialect).map(Arc::new)).clone();
        if found.is_err() {
            // A later read can succeed.
            self.cache().remove(&key);
        }
        found
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, Cache> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cache {
    fn slot(&mut self, key: &Key) -> Slot {
        if let Some(slot) = self.slots.get(key) {
            return Arc::clone(slot);
        }
        if self.bytes + key.bytes() > PARSED_BYTES {
            *self = Self::default();
        }
        self.bytes += key.bytes();
        Arc::clone(self.slots.entry(key.clone()).or_default())
    }

    fn remove(&mut self, key: &Key) {
        if self.slots.remove(key).is_some() {
            self.bytes -= key.bytes();
        }
    }
}

impl Key {
    /// Approximate size of an entry: the source, the text, and tables of ordinary size.
    fn bytes(&self) -> usize {
        const TABLES: usize = 512;
        let (QuestionFile::Text(text) | QuestionFile::Base64(text) | QuestionFile::File(text)) =
            &self.source;
        let file =
            self.version.map_or(0, |(bytes, _)| usize::try_from(bytes).unwrap_or(usize::MAX));
        text.len().saturating_add(file).saturating_mul(3).saturating_add(TABLES)
    }
}

fn parse(source: &QuestionFile, dialect: &Dialect) -> Result<RobotsFile, Error> {
    let parse = |name, bytes: &[u8]| RobotsFile::parse(name, bytes, dialect);
    Ok(match source {
        QuestionFile::Text(text) => parse(String::new(), text.as_bytes()),
        QuestionFile::Base64(text) => parse(
            String::new(),
            &decode_base64("robots_b64", text).map_err(|error| Error::new(error.to_string()))?,
        ),
        QuestionFile::File(name) => {
            let path = Path::new(name);
            parse(place(path), &read_regular_robots(path, dialect)?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: impl Into<String>) -> QuestionFile {
        QuestionFile::Text(text.into())
    }

    #[test]
    fn a_text_is_parsed_once_for_each_dialect() {
        let files = Files::default();
        let find = |dialect| files.find(text("User-agent: *\n"), dialect).unwrap();
        let first = find(Dialect::RFC9309);
        assert!(Arc::ptr_eq(&first, &find(Dialect::RFC9309)));
        assert!(!Arc::ptr_eq(&first, &find(Dialect::GOOGLE)));
        // The kind of source is part of the key.
        let other = files.find(QuestionFile::Base64("User".into()), Dialect::RFC9309).unwrap();
        assert!(!Arc::ptr_eq(&first, &other));
    }

    #[test]
    fn the_cache_is_bounded() {
        let files = Files::default();
        let large = "#".repeat(1_000_000);
        for number in 0..100 {
            files.find(text(format!("{large}{number}")), Dialect::RFC9309).unwrap();
            let cache = files.cache();
            let bytes = cache.slots.keys().map(Key::bytes).sum::<usize>();
            assert_eq!((bytes, bytes <= PARSED_BYTES), (cache.bytes, true));
        }
    }

    #[test]
    fn a_changed_file_is_read_again_and_an_error_is_not_cached() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("robots.txt");
        let source = || QuestionFile::File(path.to_str().unwrap().to_owned());
        let files = Files::default();
        assert!(files.find(source(), Dialect::RFC9309).is_err());
        for text in ["User-agent: *\n", "User-agent: *\nDisallow: /\n"] {
            fs::write(&path, text).unwrap();
            let found = files.find(source(), Dialect::RFC9309).unwrap();
            assert_eq!(found.robots().text(), text.as_bytes());
        }
    }
}
