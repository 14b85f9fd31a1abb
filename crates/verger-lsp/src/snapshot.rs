//! A file at one time, with the settings of its `verger.toml`, as in `verger lint`.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use verger::Untrusted;
use verger_lint::{Config, Report, Settings, lint_while};

use crate::limits::CONFIG_BYTES;
use crate::text::Text;

/// A file at one time.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    /// As the editor writes it.
    pub(crate) uri: String,
    pub(crate) path: Option<PathBuf>,
    pub(crate) text: Arc<Text>,
    /// All open files, for a file of tests.
    pub(crate) others: Vec<(PathBuf, Arc<Text>)>,
    /// Read when they are needed.
    pub(crate) settings: OnceLock<(Settings, Option<String>)>,
    /// That of the analysis.
    pub(crate) report: OnceLock<Report>,
    /// Whether the text or the settings have changed since.
    pub(crate) is_outdated: AtomicBool,
}

impl Snapshot {
    pub(crate) fn is_current(&self) -> bool {
        !self.is_outdated.load(Ordering::Relaxed)
    }

    /// The settings: the defaults if the file was never saved, without a `verger.toml`, and if that
    /// is wrong. Then there is a sentence about it.
    pub(crate) fn settings(&self) -> &(Settings, Option<String>) {
        self.settings.get_or_init(|| {
            let file = self.path.as_deref().and_then(Config::file_of);
            let Some(file) = file else { return Default::default() };
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
        })
    }

    /// The report of the analysis, which is done once; `None` if it was ended.
    pub(crate) fn report(&self, goes_on: &dyn Fn() -> bool) -> Option<&Report> {
        if self.report.get().is_none() {
            let report = lint_while(self.text.content.as_bytes(), &self.settings().0, goes_on)?;
            let _ = self.report.set(report);
        }
        self.report.get()
    }
}

/// Whether a file has tests, and is not a robots.txt.
pub(crate) fn has_tests(uri: &str) -> bool {
    uri.ends_with("robots.test.toml")
}

/// Reads a file up to a limit. A longer one, and one that is not a file, is an error.
pub(crate) fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    let read = || {
        let mut bytes = Vec::new();
        // Some files of the system have more bytes than they say.
        if path.metadata()?.is_file()
            && fs::File::open(path)?.take(limit + 1).read_to_end(&mut bytes)? as u64 <= limit
        {
            return Ok(bytes);
        }
        Err(io::Error::other(format!("it is not a file of at most {limit} bytes")))
    };
    read().map_err(|error| format!("could not read it: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn files_without_a_length_are_read_up_to_the_limit() {
        assert!(read_file(Path::new("/proc/self/pagemap"), 1000).is_err());
        assert!(read_file(Path::new("/proc/self/status"), 1 << 20).is_ok());
    }
}
