//! The error of a store.

use std::error::Error;
use std::fmt;
#[cfg(feature = "sqlite")]
use std::path::Path;

use verger::Untrusted;

/// A failed call of a store. It says nothing about the record.
#[derive(Debug)]
pub struct StoreError {
    kind: StoreErrorKind,
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// The kinds of [`StoreError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// The store does not exist and was not to be created.
    Absent,
    /// Another process held the file for too long.
    Busy,
    /// The store was closed, or ended with an error before.
    Closed,
    /// The file is damaged and could not be moved away.
    Damaged,
    /// The file or its folder must not be used because of its owner, mode or kind.
    Denied,
    /// The disk or a quota is full.
    Full,
    /// The operating system failed to read or write.
    Io,
    /// A newer version of the library created the store.
    Newer,
    /// The file or its folder cannot be written to.
    ReadOnly,
    /// The store did not answer in time.
    Stalled,
    /// The record is larger than the store accepts.
    TooLarge,
    /// The file is not a store.
    Unrecognised,
}

impl StoreErrorKind {
    /// Whether the same call may succeed later without a change by the caller.
    pub const fn is_temporary(self) -> bool {
        matches!(self, Self::Busy | Self::Full | Self::Io | Self::Stalled)
    }
}

impl StoreError {
    /// An error with a message for people.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_fetch::store::{StoreError, StoreErrorKind};
    ///
    /// let error = StoreError::new(StoreErrorKind::Busy, "another process writes")
    ///     .with_source(std::io::Error::other("locked"));
    /// assert!(error.kind().is_temporary());
    /// assert_eq!(error.to_string(), "another process writes: locked");
    /// ```
    pub fn new(kind: StoreErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// Adds the source of the error.
    #[must_use]
    pub fn with_source(self, source: impl Error + Send + Sync + 'static) -> Self {
        Self { source: Some(Box::new(source)), ..self }
    }

    pub(super) fn too_large(bytes: u64, most: u64) -> Self {
        Self::new(
            StoreErrorKind::TooLarge,
            format!("expected a record of at most {most} bytes, but found one of {bytes}"),
        )
    }

    /// The kind of the error.
    pub const fn kind(&self) -> StoreErrorKind {
        self.kind
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.source {
            Some(source) => write!(f, ": {}", Untrusted::new(&source.to_string())),
            None => Ok(()),
        }
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// A path for output, in backticks.
#[cfg(feature = "sqlite")]
pub(super) fn shown(path: &Path) -> impl fmt::Display {
    Untrusted::new(path.as_os_str().as_encoded_bytes()).quoted()
}
