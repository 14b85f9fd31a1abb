//! Errors with hints, and exit codes.

use std::fmt::{self, Display};
use std::process::ExitCode;

use verger::{Position, Reason};

/// A message, and a hint that is shown apart from it. Foreign text in both is escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Error {
    message: String,
    hint: Option<String>,
    /// Whether it is about a text that the engine does not accept as a URL.
    pub(crate) is_not_a_url: bool,
    /// The line of [`at`](Self::at).
    pub(crate) line: Option<usize>,
}

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, is_not_a_url: false, line: None }
    }

    /// A failed action of the operating system, such as `read`, with its reason.
    pub(crate) fn io(action: &str, name: &str, error: &std::io::Error) -> Self {
        Self::new(format!("could not {action} {name}: {}", reason(error)))
    }

    #[must_use]
    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    #[must_use]
    pub(crate) fn with_optional_hint(self, hint: Option<String>) -> Self {
        Self { hint, ..self }
    }

    /// The error after its place: `FILE:LINE:COLUMN: `.
    #[must_use]
    pub(crate) fn at(mut self, file: &str, Position { line, column }: Position) -> Self {
        self.message = format!("{file}:{line}:{column}: {}", self.message);
        self.line = Some(line);
        self
    }

    /// `not_a_url` if the engine disallows the text (REP-AMB-62).
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

/// The message of the system without its error number.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}

/// Exit status of a run, in ascending severity: the most severe of all answers is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub(crate) enum ExitStatus {
    /// 0: nothing is disallowed, or the command succeeded.
    #[default]
    Success,
    /// 1: the answer is a no, such as a disallowed URL, a problem, a difference or an unknown
    /// crawler.
    Finding,
    /// 2: something could not be answered, read or written.
    Error,
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status as u8)
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
            Error::io("read", "`x`", &error).to_string(),
            "could not read `x`: No such file or directory"
        );
        assert_eq!(
            Error::io("write", "`x`", &io::Error::other("y")).to_string(),
            "could not write `x`: y"
        );
        let error = Error::io("start", "a thread", &io::Error::from_raw_os_error(12));
        assert_eq!(error.to_string(), "could not start a thread: Cannot allocate memory");
    }

    #[test]
    fn statuses_are_ordered_by_severity() {
        assert!(ExitStatus::Success < ExitStatus::Finding);
        assert!(ExitStatus::Finding < ExitStatus::Error);
        assert_eq!(
            [0, 1, 2],
            [ExitStatus::Success, ExitStatus::Finding, ExitStatus::Error].map(|s| s as u8)
        );
    }
}
