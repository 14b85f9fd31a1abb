//! The settings of a file: the nearest `verger.toml` in its folder or above, as in `verger lint`.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use verger::Untrusted;
use verger_lint::{Config, Settings};

use crate::limits::CONFIG_BYTES;

/// The settings of a file: the defaults if it was never saved, without a `verger.toml`, and if that is
/// wrong. Then there is a sentence about it.
pub(crate) fn settings_of(path: Option<&Path>) -> (Settings, Option<String>) {
    let files = path.into_iter().flat_map(|path| path.ancestors().skip(1));
    let mut files = files.map(|folder| folder.join("verger.toml"));
    // Also a link without a target, which is an error: the settings would be missing.
    let Some(file) = files.find(|file| file.symlink_metadata().is_ok()) else {
        return (Settings::default(), None);
    };
    let read = || {
        let text = String::from_utf8(read_file(&file, CONFIG_BYTES)?);
        let text = text.map_err(|_| "expected UTF-8, but found other bytes".to_owned())?;
        Config::parse(&text).map_err(|error| {
            let place = error.position();
            format!("line {}, column {}: {error}", place.line, place.column)
        })
    };
    match read() {
        Ok(config) => (config.settings(), None),
        Err(message) => {
            let name = Untrusted::new(file.as_os_str().as_encoded_bytes());
            let message = format!("{name}: {message}; files are checked with the defaults");
            (Settings::default(), Some(message))
        }
    }
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
