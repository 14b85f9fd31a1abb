//! A file at one time, with the settings of its `verger.toml`, as in `verger lint`.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use verger::Untrusted;
use verger_lint::{Config, Settings};

use crate::limits::CONFIG_BYTES;
use crate::text::Text;

/// A file at one time.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// As the editor writes it.
    pub(crate) uri: String,
    pub(crate) path: Option<PathBuf>,
    pub(crate) text: Arc<Text>,
    /// Read when they are needed.
    pub(crate) settings: OnceLock<(Settings, Option<String>)>,
    /// All open files, for a file of tests.
    pub(crate) others: Vec<(PathBuf, Arc<Text>)>,
    /// Whether the text or the settings have changed since.
    pub(crate) is_outdated: Arc<AtomicBool>,
}

impl Snapshot {
    pub(crate) fn has_tests(&self) -> bool {
        has_tests(&self.uri)
    }

    /// The settings, and a sentence about a wrong `verger.toml`.
    pub(crate) fn settings(&self) -> &(Settings, Option<String>) {
        self.settings.get_or_init(|| settings_of(self.path.as_deref()))
    }

    pub(crate) fn is_current(&self) -> bool {
        !self.is_outdated.load(Ordering::Relaxed)
    }
}

/// Whether a file has tests, and is not a robots.txt.
pub(crate) fn has_tests(uri: &str) -> bool {
    uri.ends_with("robots.test.toml")
}

/// The settings of a file: the defaults if it was never saved, without a `verger.toml`, and if that
/// is wrong. Then there is a sentence about it.
fn settings_of(path: Option<&Path>) -> (Settings, Option<String>) {
    let Some(file) = path.and_then(Config::file_of) else { return Default::default() };
    let config = read_file(&file, CONFIG_BYTES).and_then(|bytes| {
        Config::parse(bytes).map_err(|error| {
            let place = error.position();
            let hint = error.suggestion().map(|it| format!(" ({it})")).unwrap_or_default();
            format!("line {}, column {}: {error}{hint}", place.line, place.column)
        })
    });
    let wrong = |message| {
        let name = Untrusted::new(file.as_os_str().as_encoded_bytes());
        let message = format!("{name}: {message}; files are checked with the defaults");
        (Settings::default(), Some(message))
    };
    config.map_or_else(wrong, |config| (config.settings(), None))
}

/// Reads a file up to a limit. A longer one, and one that is not a file, is an error.
pub(crate) fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = || {
        if !path.metadata()?.is_file() {
            return Err(io::Error::other("it is not a file"));
        }
        File::open(path)?.take(limit + 1).read_to_end(&mut bytes)
    };
    match { read }() {
        Ok(read) if read as u64 <= limit => Ok(bytes),
        Ok(_) => Err(format!("expected at most {limit} bytes, but found more")),
        Err(error) => Err(format!("could not read it: {error}")),
    }
}
