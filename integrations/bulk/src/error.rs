//! Errors with hints, and exit codes.

use std::fmt::{self, Display};
use std::io;
use std::path::Path;

use verger::Untrusted;
use verger::limits::QUOTED_CHARS;

/// An error of a run: a message with its place and cause, and a hint. Foreign text is escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Error {
    message: String,
    /// A remedy.
    pub(crate) hint: Option<String>,
    /// Whether the reader of standard output wants no more, which needs no message.
    pub(crate) is_closed_pipe: bool,
}

/// The result of an action that can end a run.
pub(crate) type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, is_closed_pipe: false }
    }

    /// A failed action on a file, such as `read`.
    pub(crate) fn io(action: &str, path: &Path, error: &io::Error) -> Self {
        let text = error.to_string();
        let cause = text.split_once(" (os error").map_or(&*text, |(words, _)| words);
        let error_kind = error.kind();
        let text = format!("could not {action} {}: {}", shown(path), brief(cause));
        let request = error.get_ref().and_then(|it| it.downcast_ref::<RequestError>());
        let hint = request.and_then(|request| request.hint);
        let error = Self { hint: hint.map(str::to_owned), ..Self::new(text) };
        match error_kind {
            io::ErrorKind::StorageFull => error.with_hint(
                "the work folder needs space beside the output; `--work` places it elsewhere",
            ),
            io::ErrorKind::BrokenPipe => Self { is_closed_pipe: true, ..error },
            _ => error,
        }
    }

    /// A failed action on a Parquet file, which can be due to the disk or a server.
    pub(crate) fn parquet(action: &str, path: &Path, error: parquet::errors::ParquetError) -> Self {
        let source =
            std::error::Error::source(&error).and_then(|it| it.downcast_ref::<io::Error>());
        match source {
            Some(source) => Self::io(action, path, source),
            None => error.into(),
        }
    }

    /// A file that is not readable in its format.
    pub(crate) fn format(path: &Path, format: &str, error: &dyn Display) -> Self {
        let cause = error.to_string();
        Self::new(format!("could not read {} as {format}: {}", shown(path), brief(&cause)))
    }

    #[must_use]
    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<arrow_schema::ArrowError> for Error {
    fn from(error: arrow_schema::ArrowError) -> Self {
        Self::new(format!("could not process columns: {}", brief(&error.to_string())))
    }
}

impl From<parquet::errors::ParquetError> for Error {
    fn from(error: parquet::errors::ParquetError) -> Self {
        Self::new(format!("could not process Parquet: {}", brief(&error.to_string())))
    }
}

impl From<verger_arrow::Error> for Error {
    fn from(error: verger_arrow::Error) -> Self {
        Self::new(error.to_string())
    }
}

/// A remedy for a file of a list or index that does not exist.
pub(crate) const BASE_HINT: &str =
    "the names in lists and indexes of archives are relative to `--base`";

/// A failed request to a server: its cause, and a remedy. Part of an `io::Error`.
#[derive(Debug)]
pub(crate) struct RequestError {
    cause: String,
    hint: Option<&'static str>,
}

impl RequestError {
    pub(crate) fn new(cause: impl Into<String>) -> Self {
        Self { cause: cause.into(), hint: None }
    }

    #[must_use]
    pub(crate) fn with_hint(self, hint: &'static str) -> Self {
        Self { hint: Some(hint), ..self }
    }
}

impl Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cause)
    }
}

impl std::error::Error for RequestError {}

impl From<RequestError> for io::Error {
    fn from(error: RequestError) -> Self {
        Self::new(io::ErrorKind::Unsupported, error)
    }
}

/// Whether data is damaged. Decoders report damage by these kinds; others come from the system or a
/// server, and end a run.
pub(crate) fn is_damage(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof};
    matches!(error.kind(), InvalidData | InvalidInput | Other | UnexpectedEof)
}

/// A path in backticks, escaped.
pub(crate) fn shown(path: &Path) -> String {
    format!("`{}`", Untrusted::new(path.as_os_str().as_encoded_bytes()))
}

/// Foreign text, escaped and cut to a length for sentences.
pub(crate) fn brief(text: &str) -> String {
    Untrusted::new(text).limited_to(QUOTED_CHARS).to_string()
}

/// The exit code of a run with a complete output that skipped records; the report lists them.
pub(crate) const SKIPPED: u8 = 1;

/// The exit code of an error; the output is not complete.
pub(crate) const FAILURE: u8 = 2;
