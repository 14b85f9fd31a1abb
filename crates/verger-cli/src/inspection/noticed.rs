//! What is to be noticed about a file.

use serde::{Serialize, Serializer};
use verger::diagnostic::{Diagnostic, DiagnosticKind, Diagnostics, Severity};
use verger_json::Foreign;

use crate::limits::DIAGNOSED_BYTES;
use crate::robots_file::RobotsFile;

/// What there is to notice, up to the engine's limit, and how much there is in all.
#[derive(Debug, Serialize)]
pub(crate) struct DiagnosticsKeys<'a> {
    pub(crate) total: usize,
    pub(crate) list: Vec<DiagnosticKeys<'a>>,
}

impl<'a> DiagnosticsKeys<'a> {
    pub(super) fn of(found: &Diagnostics, file: &'a RobotsFile) -> Self {
        let list = found.list.iter().map(|found| DiagnosticKeys::of(found, file)).collect();
        Self { total: found.total, list }
    }
}

/// One thing noticed.
#[derive(Debug, Serialize)]
pub(crate) struct DiagnosticKeys<'a> {
    pub(crate) code: &'static str,
    #[serde(serialize_with = "severity")]
    pub(crate) severity: Severity,
    pub(crate) message: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    span: [usize; 2],
    /// What it is about, as far as it is shown.
    #[serde(flatten)]
    pub(crate) text: Foreign<Option<&'a [u8]>>,
    /// Whether the span has more of it.
    #[serde(skip)]
    pub(crate) is_cut: bool,
}

impl<'a> DiagnosticKeys<'a> {
    fn of(found: &Diagnostic, file: &'a RobotsFile) -> Self {
        let position = file.position(found.span.start);
        let whole = &file.robots().text()[found.span.range()];
        let text = Some(beginning(whole)).filter(|text| !text.is_empty());
        let message = match found.kind {
            // The one sentence for it, which knows the limit.
            DiagnosticKind::Truncated | DiagnosticKind::CountsAsNone => file.truncation(),
            _ => None,
        };
        Self {
            code: found.code(),
            severity: found.severity(),
            message: message.unwrap_or_else(|| found.to_string()),
            line: position.line,
            column: position.column,
            span: [found.span.start, found.span.end],
            text: Foreign::new("text", text),
            is_cut: text.is_some_and(|text| text.len() < whole.len()),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn severity<S: Serializer>(severity: &Severity, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(severity.name())
}

/// As much of a text as is shown beside a diagnostic; no character is cut.
fn beginning(text: &[u8]) -> &[u8] {
    let Some(short) = text.get(..DIAGNOSED_BYTES) else {
        return text;
    };
    let is_inside = |byte: &u8| (0x80..0xC0).contains(byte);
    match text.get(DIAGNOSED_BYTES) {
        Some(next) if is_inside(next) => {
            let tail = short.iter().rev().take(3).take_while(|byte| is_inside(byte)).count();
            &short[..DIAGNOSED_BYTES - tail - 1]
        }
        _ => short,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_text_ends_between_characters() {
        let shown = |before: usize| {
            let text = format!("{}日本", "a".repeat(before));
            beginning(text.as_bytes()).len()
        };
        assert_eq!([90, 96, 97, 98, 99, 100].map(shown), [96, 99, 100, 98, 99, 100]);
        assert_eq!(beginning(&[0x80; 200]).len(), 96);
    }
}
