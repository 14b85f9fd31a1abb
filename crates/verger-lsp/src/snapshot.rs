//! A file at one time.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use verger_lint::Settings;

use crate::config::settings_of;
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
    /// The number of the change, and that of the last one.
    pub(crate) number: u64,
    pub(crate) last: Arc<AtomicU64>,
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
        self.number == self.last.load(Ordering::Relaxed)
    }
}

/// Whether a file has tests, and is no robots.txt.
pub(crate) fn has_tests(uri: &str) -> bool {
    uri.ends_with("robots.test.toml")
}
