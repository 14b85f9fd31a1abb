//! What went wrong, in one sentence, and what to do about it.

use std::fmt::{self, Display};

use verger::Reason;

/// A message, and hints that are shown apart from it.
///
/// The message is ready to be shown: foreign text in it has gone through `quote.rs`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Error {
    message: String,
    hint: Option<String>,
    is_not_a_url: bool,
}

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, is_not_a_url: false }
    }

    /// What could not be read, and what the operating system says of it.
    pub(crate) fn reading(name: &str, error: &std::io::Error) -> Self {
        Self::new(format!("could not read {name}: {}", told(error)))
    }

    /// What could not be written, and what the operating system says of it.
    pub(crate) fn writing(name: &str, error: &std::io::Error) -> Self {
        Self::new(format!("could not write {name}: {}", told(error)))
    }

    /// What could not be started, and what the operating system says of it.
    pub(crate) fn starting(name: &str, error: &std::io::Error) -> Self {
        Self::new(format!("could not start {name}: {}", told(error)))
    }

    #[must_use]
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same with a hint where there is one.
    #[must_use]
    pub(crate) fn with_hint_of(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }

    /// The same about a text that the engine does not take for a URL.
    #[must_use]
    pub(crate) fn of_no_url(mut self) -> Self {
        self.is_not_a_url = true;
        self
    }

    /// The reason of the engine for the same question: `not_a_url`, if it disallows the text (REP-AMB-62).
    pub(crate) fn reason(&self) -> Option<Reason> {
        self.is_not_a_url.then_some(Reason::NotAUrl)
    }

    pub(crate) fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The system's words without its number for them.
fn told(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn the_number_of_a_system_error_is_left_out() {
        let error = io::Error::from_raw_os_error(2);
        assert_eq!(
            Error::reading("`x`", &error).to_string(),
            "could not read `x`: No such file or directory"
        );
        assert_eq!(
            Error::writing("`x`", &io::Error::other("y")).to_string(),
            "could not write `x`: y"
        );
        let error = Error::starting("a thread", &io::Error::from_raw_os_error(12));
        assert_eq!(error.to_string(), "could not start a thread: Cannot allocate memory");
    }
}
