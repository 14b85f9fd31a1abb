//! The `verger.toml` of a file: the nearest one in its folder or above.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use verger_lint::{Config, TomlError};

use crate::error::Error;
use crate::input::{place, read_regular, read_whole};
use crate::limits::CONFIG_BYTES;

/// The configuration files of a run, each read once.
#[derive(Debug, Default)]
pub(crate) struct ConfigFiles {
    /// The file of `--config` for all.
    fixed: Option<Found>,
    /// Whether no file is read.
    is_off: bool,
    /// By folder.
    found: HashMap<PathBuf, Found>,
}

/// A configuration, and the folder of its file.
#[derive(Clone, Debug, Default)]
struct Found {
    config: Config,
    folder: PathBuf,
}

impl ConfigFiles {
    /// With `fixed`, one file for all sources; with `is_off`, none.
    pub(crate) fn new(fixed: Option<&Path>, is_off: bool) -> Result<Self, Error> {
        let fixed =
            fixed.map(|file| Found::new(file, &read_whole(file, CONFIG_BYTES)?)).transpose()?;
        Ok(Self { fixed, is_off, found: HashMap::new() })
    }

    /// The configuration for a file with this path.
    pub(crate) fn of(&mut self, path: Option<&Path>) -> Result<Config, Error> {
        Ok(self.found(&absolute(path.unwrap_or(Path::new("-")))?)?.config)
    }

    /// Whether a file with this path is skipped in a search.
    pub(crate) fn excludes(&mut self, path: &Path) -> Result<bool, Error> {
        let path = absolute(path)?;
        let Found { config, folder } = self.found(&path)?;
        let Ok(below) = path.strip_prefix(&folder) else { return Ok(false) };
        let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
        Ok(config.excludes(&parts.join("/")))
    }

    /// The settings for a file with this absolute path.
    fn found(&mut self, path: &Path) -> Result<Found, Error> {
        if let Some(fixed) = &self.fixed {
            return Ok(fixed.clone());
        }
        let Some(folder) = path.parent().filter(|_| !self.is_off) else {
            return Ok(Found::default());
        };
        if let Some(found) = self.found.get(folder) {
            return Ok(found.clone());
        }
        let found = Config::file_of(path);
        let found = found.map(|file| Found::new(&file, &read_regular(&file, CONFIG_BYTES)?));
        let found = found.transpose()?.unwrap_or_default();
        self.found.insert(folder.to_owned(), found.clone());
        Ok(found)
    }
}

impl Found {
    fn new(file: &Path, bytes: &[u8]) -> Result<Self, Error> {
        let folder = absolute(file)?.parent().map(Path::to_owned).unwrap_or_default();
        Ok(Self { config: parse(file, bytes)?, folder })
    }
}

/// The nearest file in the folder of a path or above.
pub(crate) fn nearest_config(path: &Path) -> Result<Option<PathBuf>, Error> {
    Ok(Config::file_of(&absolute(path)?))
}

/// Only an absolute path has all folders above it.
fn absolute(path: &Path) -> Result<PathBuf, Error> {
    std::path::absolute(path).map_err(|error| Error::io("find", "the current folder", &error))
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Config, Error> {
    Config::parse(bytes).map_err(|error| match error.unknown_name() {
        Some(("off" | "none", known)) if known.iter().any(|it| it == "warning") => {
            toml_error(&error, path).with_hint("`lint.ignore` turns rules off")
        }
        _ => toml_error(&error, path),
    })
}

/// An error of a file in TOML with its place, and with similar or all names if one is unknown.
pub(crate) fn toml_error(error: &TomlError, file: &Path) -> Error {
    let located = Error::new(error.to_string()).at(&place(file), error.position());
    located.with_optional_hint(error.suggestion())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_nearest_file_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("a/b")).unwrap();
        fs::write(at("verger.toml"), "lint.ignore = ['nul']").unwrap();
        fs::write(at("a/verger.toml"), "lint.select = ['nul']").unwrap();
        let mut files = ConfigFiles::new(None, false).unwrap();
        let mut of = |name: &str| files.of(Some(&at(name))).unwrap().settings();
        assert_eq!(of("robots.txt").ignore, ["nul"]);
        let below = of("a/b/robots.txt");
        assert_eq!((below.select, below.ignore), (vec!["nul".to_owned()], vec![]));
        let mut none = ConfigFiles::new(None, true).unwrap();
        assert!(none.of(Some(&at("robots.txt"))).unwrap().ignore.is_none());
        let mut fixed = ConfigFiles::new(Some(&at("verger.toml")), false).unwrap();
        assert_eq!(fixed.of(Some(&at("a/x"))).unwrap().settings().ignore, ["nul"]);
    }

    #[test]
    fn problems_have_a_place_and_a_suggestion() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("verger.toml");
        let error = |text: &[u8]| {
            let error = parse(&file, text).unwrap_err();
            let message = error.to_string().replace(&place(&file), "F");
            (message, error.hint().unwrap_or_default().to_owned())
        };
        assert_eq!(
            error(b"[lint]\nselct = []\n"),
            ("F:2:1: expected a key, but found `selct`".into(), "did you mean `select`?".into())
        );
        assert_eq!(
            error(b"lint.portable = ['x']"),
            (
                "F:1:18: expected a dialect, but found `x`".into(),
                "known names: rfc9309, google, koster1996, book, orig1994, rep2019, yandex, baidu, bing"
                    .into()
            )
        );
        assert_eq!(
            error(b"lint.severity.nul = 'off'"),
            (
                "F:1:21: expected a severity, but found `off`".into(),
                "`lint.ignore` turns rules off".into()
            )
        );
        assert_eq!(error(b"\n\xff").0, "F:2:1: expected UTF-8, but found other bytes");
    }
}
