//! An error at the start of the service: cause and hint.

use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use verger::quoted;

/// The service cannot start. `Display` writes one sentence with escaped foreign text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartError {
    message: String,
    hint: Option<String>,
}

impl StartError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    #[must_use]
    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// A suggestion for the user.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for StartError {}

/// The text of a file with at most this number of bytes.
pub(crate) fn read_text(path: &Path, most: u64) -> Result<String, StartError> {
    let shown = quoted(path.as_os_str().as_encoded_bytes());
    let error = |cause: io::Error| StartError::new(format!("could not read {shown}: {cause}"));
    // Opening a pipe would wait.
    if !path.metadata().map_err(error)?.is_file() {
        return Err(StartError::new(format!("{shown} is not a regular file")));
    }
    let mut text = String::new();
    File::open(path).map_err(error)?.take(most + 1).read_to_string(&mut text).map_err(error)?;
    // The beginning of a secret must not count as one.
    if text.len() as u64 > most {
        let message = format!("expected at most {most} bytes in {shown}, but found more");
        return Err(StartError::new(message));
    }
    Ok(text)
}
