//! An error at the start of the service: cause and hint.

use std::error::Error;
use std::fmt;

use verger::Untrusted;
use verger::limits::QUOTED_CHARS;

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

/// Foreign text in backticks, escaped and cut.
pub(crate) fn quoted<T: AsRef<[u8]> + ?Sized>(text: &T) -> String {
    Untrusted::new(text).limited_to(QUOTED_CHARS).quoted().to_string()
}
