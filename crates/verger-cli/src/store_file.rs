//! Where the store is.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;

use crate::error::Error;
use crate::quote::quoted;

/// Whether a store in memory is meant, which is no file.
pub(crate) fn is_memory(given: &Path) -> bool {
    given == Path::new("memory")
}

/// The path of the store: the one that was given, or the default.
///
/// The library reads no environment, so the program says where the user's cache is.
pub(crate) fn path(given: Option<&Path>) -> Result<PathBuf, Error> {
    if given == Some(Path::new(":memory:")) {
        let error = Error::new("expected the path of a store, but found `:memory:`");
        return Err(error.with_hint(
            "`--store memory` keeps nothing on disk; a file of that name is `./:memory:`",
        ));
    }
    if let Some(path) = given {
        return match url(path) {
            None => Ok(path.to_owned()),
            Some(rest) => {
                let found = quoted(path.as_os_str().as_encoded_bytes());
                let error =
                    Error::new(format!("expected the path of a store, but found the URL {found}"));
                Err(error.with_hint(format!("`--store` takes a path, such as {}", quoted(rest))))
            }
        };
    }
    let strategy = etcetera::choose_base_strategy().map_err(|_| {
        Error::new("expected a home directory for the store, but found none")
            .with_hint("say where the store is with `--store`")
    })?;
    Ok(strategy.cache_dir().join("verger").join("store.sqlite"))
}

/// The text after the scheme of a URL, such as `sqlite://x`, which other programs take for a store.
fn url(path: &Path) -> Option<&str> {
    let (scheme, rest) = path.to_str()?.split_once("://")?;
    let is_scheme =
        scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-".contains(&byte));
    (is_scheme && !scheme.is_empty()).then_some(rest)
}
