//! The settings of a file: the nearest `verger.toml` in its folder or above, as in `verger lint`.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use verger::Position;
use verger_lint::{Config, Settings};

use crate::limits::CONFIG_BYTES;

/// The settings of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// Those of the `verger.toml`; the defaults if there is none, or if it is wrong.
    pub(crate) settings: Settings,
    /// The `verger.toml`.
    pub(crate) file: Option<PathBuf>,
    /// What is wrong with it, and where.
    pub(crate) problem: Option<(Position, String)>,
}

impl Found {
    /// The settings of a file. A file without a path, which was never saved, has the defaults.
    pub(crate) fn of(path: Option<&Path>) -> Self {
        let mut files =
            path.into_iter().flat_map(|path| path.ancestors().skip(1)).map(|it| it.join(NAME));
        // Also a link without a target, which is an error: the settings would be missing.
        let Some(file) = files.find(|file| file.symlink_metadata().is_ok()) else {
            return Self::default();
        };
        let (settings, problem) = match read(&file) {
            Ok(config) => (config.settings(), None),
            Err(problem) => (Settings::default(), Some(problem)),
        };
        Self { settings, file: Some(file), problem }
    }
}

const NAME: &str = "verger.toml";

fn read(file: &Path) -> Result<Config, (Position, String)> {
    let start = Position { line: 1, column: 1 };
    let bytes = read_file(file, CONFIG_BYTES).map_err(|message| (start, message))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| (start, "expected UTF-8, but found other bytes".to_owned()))?;
    Config::parse(&text).map_err(|error| {
        let known = error.unknown_name().map(|(_, known)| known).unwrap_or_default();
        let few = !known.is_empty() && known.len() <= KNOWN_SHOWN;
        let hint = if few { format!("; known names: {}", known.join(", ")) } else { String::new() };
        (error.position(), format!("{error}{hint}"))
    })
}

/// Number of names up to which a message lists them all.
const KNOWN_SHOWN: usize = 12;

/// Reads a file up to a limit. A longer one, and one that is no file, is an error.
pub(crate) fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = || {
        if !path.metadata()?.is_file() {
            return Err(std::io::Error::other("it is no file"));
        }
        File::open(path)?.take(limit + 1).read_to_end(&mut bytes)
    };
    let read = { read }().map_err(|error| format!("could not read it: {error}"))?;
    if read as u64 > limit {
        return Err(format!("expected at most {limit} bytes, but found more"));
    }
    Ok(bytes)
}
