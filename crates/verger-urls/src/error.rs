//! Errors of inputs.

use core::fmt;

/// An input that could not be read.
///
/// `Display` is a sentence without a final stop. Foreign text in it is escaped. It names the line,
/// if there is one, but not the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputError {
    message: String,
    line: Option<u64>,
}

impl InputError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), line: None }
    }

    pub(crate) fn at(line: u64, message: impl Into<String>) -> Self {
        Self { message: message.into(), line: Some(line) }
    }

    pub(crate) fn read(error: &std::io::Error) -> Self {
        Self::new(format!("could not read: {error}"))
    }

    /// The same error with a text in front of it, such as the name of a file.
    #[must_use]
    pub(crate) fn with_name(mut self, name: &str) -> Self {
        self.message = format!("{name}: {}", self.message);
        self
    }

    /// The line, counted from 1.
    pub const fn line(&self) -> Option<u64> {
        self.line
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.line {
            Some(line) => write!(f, " (line {line})"),
            None => Ok(()),
        }
    }
}

impl core::error::Error for InputError {}
