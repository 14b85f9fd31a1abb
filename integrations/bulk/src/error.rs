//! Errors with hints, and exit codes.

use std::fmt::{self, Display};
use std::io;
use std::path::Path;

use parquet::errors::ParquetError;
use verger::Untrusted;
use verger::limits::QUOTED_CHARS;

use crate::remote::{explain, is_in_s3, is_remote};

/// An error of a run: a message with its place and cause, and a hint. Foreign text is escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Error {
    message: String,
    /// A remedy.
    pub(crate) hint: Option<String>,
    /// Whether the reader of standard output wants no more, which needs no message.
    pub(crate) is_closed_pipe: bool,
    /// Whether a request has failed, so that the same command can succeed later.
    pub(crate) is_of_server: bool,
}

/// The result of an action that can end a run.
pub(crate) type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, is_closed_pipe: false, is_of_server: false }
    }

    /// A failed action on a file, such as `read`.
    pub(crate) fn io(action: &str, path: &Path, error: &io::Error) -> Self {
        use io::ErrorKind::{BrokenPipe, FileTooLarge, QuotaExceeded, StorageFull};
        let failure = explain(error);
        let is_of_server = failure.is_some();
        let (text, mut hint) = failure.unwrap_or_else(|| (error.to_string(), None));
        let is_full = matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge);
        if is_full && path != Path::new(STANDARD_OUTPUT) {
            hint =
                Some("the work folder needs space beside the output; `--work` places it elsewhere");
        }
        let cause = text.split_once(" (os error").map_or(&*text, |(words, _)| words);
        let message = format!("could not {action} {}: {}", shown(path), brief(cause));
        let is_closed_pipe = error.kind() == BrokenPipe;
        Self { message, hint: hint.map(str::to_owned), is_closed_pipe, is_of_server }
    }

    /// A file that is not readable, with a remedy if a list or index of archives can have its name.
    pub(crate) fn named(path: &Path, error: &io::Error, is_named: bool) -> Self {
        let is_wrong = is_named && error.kind() == io::ErrorKind::NotFound;
        let hint = "the names in lists and indexes of archives are relative to `--base`";
        let error = Self::io("read", path, error);
        if is_wrong { error.or_hint(hint) } else { error }
    }

    /// A failed writing of a table, which can be due to the disk or a server.
    pub(crate) fn write(path: &Path, error: &dyn std::error::Error) -> Self {
        match error.source().and_then(|source| source.downcast_ref()) {
            Some(source) => Self::io("write", path, source),
            None => Self::io("write", path, &io::Error::other(error.to_string())),
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

    #[must_use]
    pub(crate) fn or_hint(self, hint: &str) -> Self {
        if self.hint.is_none() { self.with_hint(hint) } else { self }
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

impl From<ParquetError> for Error {
    fn from(error: ParquetError) -> Self {
        Self::new(format!("could not process Parquet: {}", brief(&error.to_string())))
    }
}

impl From<verger_arrow::Error> for Error {
    fn from(error: verger_arrow::Error) -> Self {
        Self::new(error.to_string())
    }
}

/// Whether a decoder has found damaged data. Errors of other kinds come from the file or a server.
pub(crate) fn is_damage(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof};
    let is_of_data = matches!(error.kind(), InvalidData | InvalidInput | Other | UnexpectedEof);
    is_of_data && explain(error).is_none()
}

/// A path in backticks, escaped. URLs are without the secrets that a user or query can be.
pub(crate) fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    let Some((scheme, rest)) = text.split_once("://").filter(|_| is_remote(path)) else {
        return format!("`{}`", Untrusted::new(path.as_os_str().as_encoded_bytes()));
    };
    // In the keys of S3, these are usual characters.
    let end = rest.find(['?', '#']).filter(|_| !is_in_s3(path)).unwrap_or(rest.len());
    let (rest, hidden) = (&rest[..end], if end < rest.len() { "?…" } else { "" });
    let host = rest.find('/').unwrap_or(rest.len());
    let user = rest[..host].rfind('@').map_or(0, |at| at + 1);
    format!("`{scheme}://{}{hidden}`", Untrusted::new(&rest[user..]))
}

/// Foreign text, escaped and cut to a length for sentences.
pub(crate) fn brief(text: &str) -> String {
    Untrusted::new(text).limited_to(QUOTED_CHARS).to_string()
}

/// The name of standard output in messages.
pub(crate) const STANDARD_OUTPUT: &str = "standard output";

/// The exit code of a run with a complete output that skipped records; the report lists them.
pub(crate) const SKIPPED: u8 = 1;

/// The exit code of an error; the output is not complete.
pub(crate) const FAILURE: u8 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_shown_without_secrets() {
        for (path, expected) in [
            ("https://u:secret@h.example/a@b.warc", "`https://h.example/a@b.warc`"),
            ("https://h.example/a?signature=secret.warc", "`https://h.example/a?…`"),
            ("https://h.example#secret", "`https://h.example?…`"),
            ("s3://key:secret@bucket/a?b", "`s3://bucket/a?b`"),
            ("a@b/c?d", "`a@b/c?d`"),
        ] {
            assert_eq!(shown(Path::new(path)), expected);
        }
    }
}
