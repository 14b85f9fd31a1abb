//! What went wrong, in one sentence, and what to do about it.

use std::fmt::{self, Display};

use verger::{Untrusted, limits::QUOTED_CHARS};

/// A message, and hints that are shown apart from it.
///
/// The message is ready to be shown: foreign text in it has gone through [`quoted`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Error {
    message: String,
    hint: Option<String>,
}

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    /// What could not be read, and what the operating system says of it.
    pub(crate) fn reading(name: &str, error: &std::io::Error) -> Self {
        Self::new(format!("could not read {name}: {}", told(error)))
    }

    /// What could not be written, and what the operating system says of it.
    pub(crate) fn writing(name: &str, error: &std::io::Error) -> Self {
        Self::new(format!("could not write {name}: {}", told(error)))
    }

    #[must_use]
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
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

/// Foreign text in backticks, escaped and cut to what a message can hold.
pub(crate) fn quoted<T: AsRef<[u8]> + ?Sized>(text: &T) -> String {
    format!("`{}`", Untrusted::new(text).limited_to(QUOTED_CHARS))
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
    fn foreign_text_is_escaped_and_cut() {
        assert_eq!(quoted("a\x1b[2J\n"), r"`a\x1b[2J\n`");
        assert_eq!(quoted(&"a".repeat(300)).chars().count(), 203);
    }

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
    }
}
