//! Records: every line with a key that is neither a user-agent line nor a rule.

use pyo3::prelude::*;
use verger::LineIndex;

use crate::text::shown;

/// A line with a key that is neither a user-agent line nor a rule, such as `Sitemap` or
/// `Crawl-delay`.
#[pyclass(frozen, get_all, module = "verger")]
pub(crate) struct Record {
    /// The usual spelling of the key: `"Crawl-delay"`; empty for an unknown key.
    kind: &'static str,
    /// The key as written.
    key: String,
    /// The value as written; bytes that are not UTF-8 are shown as `\xNN`.
    value: String,
    /// The bytes of the value.
    value_bytes: Vec<u8>,
    /// The line, from 1.
    line: usize,
    /// The index of its group, from 0; `None` outside of groups.
    group: Option<usize>,
}

impl Record {
    /// `lines` is the index of the file: finding a line without it takes time linear in the text.
    pub(crate) fn of(record: &verger::extension::Record<'_>, lines: &LineIndex) -> Self {
        Self {
            kind: record.kind().key(),
            key: shown(record.key()),
            value: shown(record.value()),
            value_bytes: record.value().to_vec(),
            line: lines.position(record.span().start).line,
            group: record.group(),
        }
    }
}

#[pymethods]
impl Record {
    fn __repr__(&self) -> String {
        format!("<Record line {}: {:?}: {:?}>", self.line, self.key, self.value)
    }
}
