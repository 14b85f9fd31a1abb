//! The robots.txt that lines of a batch bring or name: each parsed once, and kept while there is room.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use verger::Dialect;
use verger_json::{Source, decode_base64};

use crate::error::Error;
use crate::input::{place, read_regular_robots};
use crate::limits::FILES_BYTES;
use crate::robots_file::RobotsFile;

/// Files that were asked for lately, for all threads.
///
/// There are two halves. What is asked for is put into the young one; when that is full it becomes the old one,
/// and what has not been asked for since then is forgotten.
#[derive(Debug, Default)]
pub(super) struct Files(Mutex<Halves>);

#[derive(Debug, Default)]
struct Halves {
    young: HashMap<Key, Slot>,
    old: HashMap<Key, Slot>,
    /// Bytes of the young half.
    bytes: usize,
}

/// What a robots.txt is made from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    source: Source,
    dialect: Dialect,
    /// Of a file: what changes when it is written anew.
    version: Option<(u64, Option<SystemTime>)>,
}

/// The first who needs it parses it; others wait meanwhile.
type Slot = Arc<OnceLock<Result<Arc<RobotsFile>, Error>>>;

impl Files {
    /// The robots.txt of a source.
    pub(super) fn find(&self, source: Source, dialect: Dialect) -> Result<Arc<RobotsFile>, Error> {
        let version = match &source {
            Source::File(name) => fs::metadata(name).ok().map(|it| (it.len(), it.modified().ok())),
            _ => None,
        };
        let key = Key { source, dialect, version };
        let slot = self.halves().slot(&key);
        let found = slot.get_or_init(|| parse(&key.source, &dialect).map(Arc::new)).clone();
        if found.is_err() {
            // It may be there the next time.
            self.halves().forget(&key);
        }
        found
    }

    fn halves(&self) -> std::sync::MutexGuard<'_, Halves> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Halves {
    fn slot(&mut self, key: &Key) -> Slot {
        if let Some(slot) = self.young.get(key) {
            return Arc::clone(slot);
        }
        let slot = self.old.remove(key).unwrap_or_default();
        if self.bytes + key.bytes() > FILES_BYTES / 2 {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        self.bytes += key.bytes();
        self.young.insert(key.clone(), Arc::clone(&slot));
        slot
    }

    fn forget(&mut self, key: &Key) {
        if self.young.remove(key).is_some() {
            self.bytes -= key.bytes();
        }
    }
}

impl Key {
    /// What an entry takes, about: the source, the text, and tables of ordinary size.
    fn bytes(&self) -> usize {
        const TABLES: usize = 512;
        let (Source::Text(text) | Source::Base64(text) | Source::File(text)) = &self.source;
        let file =
            self.version.map_or(0, |(bytes, _)| usize::try_from(bytes).unwrap_or(usize::MAX));
        text.len().saturating_add(file).saturating_mul(3).saturating_add(TABLES)
    }
}

fn parse(source: &Source, dialect: &Dialect) -> Result<RobotsFile, Error> {
    let parse = |name, bytes: &[u8]| RobotsFile::parse(name, bytes, dialect);
    Ok(match source {
        Source::Text(text) => parse(String::new(), text.as_bytes()),
        Source::Base64(text) => parse(
            String::new(),
            &decode_base64("robots_b64", text).map_err(|error| Error::new(error.to_string()))?,
        ),
        Source::File(name) => {
            let path = Path::new(name);
            parse(place(path), &read_regular_robots(path, dialect)?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: impl Into<String>) -> Source {
        Source::Text(text.into())
    }

    #[test]
    fn a_text_is_parsed_once_for_each_dialect() {
        let files = Files::default();
        let find = |dialect| files.find(text("User-agent: *\n"), dialect).unwrap();
        let first = find(Dialect::RFC9309);
        assert!(Arc::ptr_eq(&first, &find(Dialect::RFC9309)));
        assert!(!Arc::ptr_eq(&first, &find(Dialect::GOOGLE)));
        // Not taken for the other kind of source.
        let other = files.find(Source::Base64("User".into()), Dialect::RFC9309).unwrap();
        assert!(!Arc::ptr_eq(&first, &other));
    }

    #[test]
    fn what_is_kept_is_bounded_and_what_is_asked_for_stays() {
        let files = Files::default();
        let asked = files.find(text("asked for"), Dialect::RFC9309).unwrap();
        let large = "#".repeat(1_000_000);
        for number in 0..100 {
            files.find(text(format!("{large}{number}")), Dialect::RFC9309).unwrap();
            let again = files.find(text("asked for"), Dialect::RFC9309).unwrap();
            assert!(Arc::ptr_eq(&asked, &again), "{number}");
            let halves = files.halves();
            let kept = halves.young.keys().chain(halves.old.keys()).map(Key::bytes).sum::<usize>();
            assert!(kept <= FILES_BYTES + 2 * 3_100_000, "{kept}");
        }
    }

    #[test]
    fn a_file_that_is_written_anew_is_read_anew_and_an_error_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("robots.txt");
        let source = || Source::File(path.to_str().unwrap().to_owned());
        let files = Files::default();
        assert!(files.find(source(), Dialect::RFC9309).is_err());
        for text in ["User-agent: *\n", "User-agent: *\nDisallow: /\n"] {
            fs::write(&path, text).unwrap();
            let found = files.find(source(), Dialect::RFC9309).unwrap();
            assert_eq!(found.robots().text(), text.as_bytes());
        }
    }
}
