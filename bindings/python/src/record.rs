//! Records: every line with a key that is neither a user-agent line nor a rule.

use std::borrow::Cow;

use pyo3::prelude::*;
use verger::LineIndex;

use crate::pickle::{Reduced, reduced};
use crate::text::shown;

/// A line with a key that is neither a user-agent line nor a rule, such as `Sitemap` or
/// `Crawl-delay`.
#[pyclass(frozen, get_all, eq, hash, module = "verger")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Record {
    /// The usual spelling of the key: `"Crawl-delay"`; empty for an unknown key.
    kind: Cow<'static, str>,
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

/// The parts of a pickled record: kind, key, bytes of the value, line, group.
type RecordParts = (String, String, Vec<u8>, usize, Option<usize>);

impl Record {
    /// `lines` is the index of the file: finding a line without it takes time linear in the text.
    pub(crate) fn of(record: &verger::extension::Record<'_>, lines: &LineIndex) -> Self {
        Self {
            kind: record.kind().key().into(),
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

    fn __reduce__(slf: PyRef<'_, Self>) -> PyResult<Reduced<'_, RecordParts>> {
        let (kind, key) = (slf.kind.to_string(), slf.key.clone());
        reduced::<Self, _>(slf.py(), (kind, key, slf.value_bytes.clone(), slf.line, slf.group))
    }

    #[staticmethod]
    #[pyo3(signature = (*parts))]
    fn _restore(parts: RecordParts) -> Self {
        let (kind, key, value_bytes, line, group) = parts;
        Self { kind: kind.into(), key, value: shown(&value_bytes), value_bytes, line, group }
    }
}
