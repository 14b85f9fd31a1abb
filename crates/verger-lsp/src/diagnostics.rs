//! Findings as diagnostics of the protocol.

use std::fmt::Write as _;
use std::str::FromStr as _;

use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag,
    Location, NumberOrString, Range, Uri,
};
use verger::Span;
use verger::diagnostic::Severity;
use verger_lint::{Finding, Label, Report};

use crate::limits::{DIAGNOSTICS, RELATED};
use crate::snapshot::Snapshot;
use crate::text::Text;

/// The name of the server in diagnostics.
pub(crate) const SOURCE: &str = "verger";

/// The rules whose lines have no effect. Editors show such lines in grey.
const WITHOUT_EFFECT: [&str; 3] = ["dead-rule", "redundant-rule", "repeated-rule"];

/// The diagnostics of a report, the most severe first if there are too many, and one about wrong
/// settings.
pub(crate) fn diagnostics(report: &Report, snapshot: &Snapshot) -> Vec<Diagnostic> {
    let text = &snapshot.text;
    // Editors send URIs that are not escaped, such as `file:///app/[shop]/robots.txt`.
    let escaped = snapshot.uri.bytes().map(|byte| match byte {
        0..=b' ' | 127.. => format!("%{byte:02X}"),
        _ if br#""<>[\]^`{|}"#.contains(&byte) => format!("%{byte:02X}"),
        _ => char::from(byte).to_string(),
    });
    let uri = Uri::from_str(&escaped.collect::<String>()).ok();
    let first = text.range(first_line(text));
    let mut findings: Vec<&Finding> = report.findings.iter().collect();
    let omitted: usize = report.omitted.iter().map(|(_, number)| number).sum();
    let further = findings.len().saturating_sub(DIAGNOSTICS) + omitted;
    if further > 0 {
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        findings.truncate(DIAGNOSTICS);
    }
    let mut found: Vec<Diagnostic> = findings
        .into_iter()
        .map(|finding| diagnostic(finding, report, text, uri.as_ref()))
        .collect();
    if further > 0 {
        let message = format!("{further} further findings are not shown; `verger lint` lists more");
        found.push(remark(first, DiagnosticSeverity::INFORMATION, message));
    }
    let (_, wrong) = snapshot.settings();
    found.extend(wrong.iter().map(|it| remark(first, DiagnosticSeverity::ERROR, it.clone())));
    found
}

fn diagnostic(finding: &Finding, report: &Report, text: &Text, uri: Option<&Uri>) -> Diagnostic {
    let mut message = finding.message.clone();
    for (name, part) in [("example", &finding.url), ("help", &finding.help)] {
        if let Some(part) = part {
            let _ = write!(message, "\n{name}: {part}");
        }
    }
    let severity = match finding.severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Note => DiagnosticSeverity::INFORMATION,
    };
    let related = |label: &Label| {
        let location = Location::new(uri?.clone(), place(label.span, report, text));
        Some(DiagnosticRelatedInformation { location, message: label.text.clone() })
    };
    let labels: Vec<_> = finding.labels.iter().take(RELATED).filter_map(related).collect();
    let href = Uri::from_str(&finding.rule.url()).ok();
    let code = finding.rule.code;
    Diagnostic {
        code: Some(NumberOrString::String(code.to_owned())),
        code_description: href.map(|href| CodeDescription { href }),
        related_information: Some(labels).filter(|labels| !labels.is_empty()),
        tags: WITHOUT_EFFECT.contains(&code).then(|| vec![DiagnosticTag::UNNECESSARY]),
        ..remark(place(finding.span, report, text), severity, message)
    }
}

/// A diagnostic without a rule.
pub(crate) fn remark(range: Range, severity: DiagnosticSeverity, message: String) -> Diagnostic {
    Diagnostic {
        range,
        severity: Some(severity),
        source: Some(SOURCE.to_owned()),
        message,
        ..Diagnostic::default()
    }
}

/// The range of a finding. One about the whole file, or in a file of which the engine reads another
/// text (UTF-16), is at the first line.
fn place(span: Span, report: &Report, text: &Text) -> Range {
    if has_places(report, text) && !is_of_file(span) {
        text.range(span)
    } else {
        text.range(first_line(text))
    }
}

/// Whether a finding is about the whole file.
pub(crate) const fn is_of_file(span: Span) -> bool {
    span.end == 0
}

/// Whether the places of a report are places of the text: the engine reads its beginning.
pub(crate) fn has_places(report: &Report, text: &Text) -> bool {
    text.bytes().starts_with(&report.text)
}

/// The first line, without a byte order mark.
pub(crate) fn first_line(text: &Text) -> Span {
    let line = text.line(0);
    let mark = line.len() - line.trim_start_matches('\u{feff}').len();
    Span { start: mark, end: line.len() }
}
