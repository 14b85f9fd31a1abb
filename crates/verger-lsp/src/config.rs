//! The settings of a file: those of its `verger.toml`, as in `verger lint`.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use verger::Untrusted;
use verger_lint::{Config, Settings};

use crate::limits::CONFIG_BYTES;

/// The settings of a file: the defaults if it was never saved, without a `verger.toml`, and if that is
/// wrong. Then there is a sentence about it.
pub(crate) fn settings_of(path: Option<&Path>) -> (Settings, Option<String>) {
    let Some(file) = path.and_then(Config::file_of) else { return Default::default() };
    let config = read_file(&file, CONFIG_BYTES).and_then(|bytes| {
        Config::parse(bytes).map_err(|error| {
            let place = error.position();
            format!("line {}, column {}: {error}", place.line, place.column)
        })
    });
    let wrong = |message| {
        let name = Untrusted::new(file.as_os_str().as_encoded_bytes());
        let message = format!("{name}: {message}; files are checked with the defaults");
        (Settings::default(), Some(message))
    };
    config.map_or_else(wrong, |config| (config.settings(), None))
}

/// Reads a file up to a limit. A longer one, and one that is no file, is an error.
pub(crate) fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = || {
        if !path.metadata()?.is_file() {
            return Err(std::io::Error::other("it is no file"));
        }
        File::open(path)?.take(limit + 1).read_to_end(&mut bytes)
    };
    match { read }() {
        Ok(read) if read as u64 <= limit => Ok(bytes),
        Ok(_) => Err(format!("expected at most {limit} bytes, but found more")),
        Err(error) => Err(format!("could not read it: {error}")),
    }
}
