//! The error of an invalid suite.

/// A problem with a file of the suite.
#[derive(Debug)]
pub struct LoadError {
    place: String,
    message: String,
}

impl LoadError {
    pub(super) fn new(place: impl Into<String>, message: impl std::fmt::Display) -> Self {
        Self { place: place.into(), message: message.to_string() }
    }
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for LoadError {}
