//! Findings as diagnostics of the protocol.

use std::cmp::Reverse;
use std::fmt::Write as _;

use lsp_types::{DiagnosticSeverity, DiagnosticTag, Range};
use serde_json::{Value, json};
use verger::Span;
use verger::diagnostic::Severity;
use verger_lint::{Finding, Label, Report};

use crate::limits::{DIAGNOSTICS, RELATED};
use crate::snapshot::Snapshot;
use crate::text::Text;

/// The name of the server in diagnostics.
const SOURCE: &str = "verger";

/// The rules whose lines have no effect. Editors show such lines in grey.
const WITHOUT_EFFECT: [&str; 3] = ["dead-rule", "redundant-rule", "repeated-rule"];

/// The diagnostics of a report, the most severe first, because there may be too many; and one about
/// wrong settings.
pub(crate) fn diagnostics(report: &Report, snapshot: &Snapshot) -> Vec<Value> {
    let first = snapshot.text.range(first_line(&snapshot.text));
    let mut findings: Vec<&Finding> = report.findings.iter().collect();
    let omitted: usize = report.omitted.iter().map(|(_, number)| number).sum();
    let further = findings.len().saturating_sub(DIAGNOSTICS) + omitted;
    findings.sort_by_key(|finding| Reverse(finding.severity));
    // In a file of which the engine reads another text (UTF-16), all are at the first line.
    let has_places = has_places(report, &snapshot.text);
    let found = findings.iter().take(DIAGNOSTICS).map(|it| diagnostic(it, has_places, snapshot));
    let mut found: Vec<Value> = found.collect();
    if further > 0 {
        let message = format!("{further} further findings are not shown; `verger lint` lists more");
        found.push(remark(first, DiagnosticSeverity::INFORMATION, &message));
    }
    let (_, wrong) = snapshot.settings();
    found.extend(wrong.iter().map(|it| remark(first, DiagnosticSeverity::ERROR, it)));
    found
}

fn diagnostic(finding: &Finding, has_places: bool, snapshot: &Snapshot) -> Value {
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
    let text = &snapshot.text;
    let range = |span| text.range(if has_places { place(span, text) } else { first_line(text) });
    let related = |label: &Label| {
        let location = json!({ "uri": snapshot.uri, "range": range(label.span) });
        json!({ "location": location, "message": label.text })
    };
    let mut found = remark(range(finding.span), severity, &message);
    found["code"] = json!(finding.rule.code);
    found["codeDescription"] = json!({ "href": finding.rule.url() });
    found["relatedInformation"] = finding.labels.iter().take(RELATED).map(related).collect();
    if WITHOUT_EFFECT.contains(&finding.rule.code) {
        found["tags"] = json!([DiagnosticTag::UNNECESSARY]);
    }
    found
}

/// A diagnostic without a rule.
pub(crate) fn remark(range: Range, severity: DiagnosticSeverity, message: &str) -> Value {
    json!({ "range": range, "severity": severity, "source": SOURCE, "message": message })
}

/// The place of a finding. One about the whole file is at the first line.
pub(crate) fn place(span: Span, text: &Text) -> Span {
    if is_of_file(span) { first_line(text) } else { span }
}

/// Whether a finding is about the whole file.
pub(crate) const fn is_of_file(span: Span) -> bool {
    span.end == 0
}

/// Whether the places of a report are places of the text: the engine reads its beginning.
pub(crate) fn has_places(report: &Report, text: &Text) -> bool {
    text.content.as_bytes().starts_with(&report.text)
}

/// The first line, without a byte order mark.
pub(crate) fn first_line(text: &Text) -> Span {
    let line = text.line(0);
    let mark = line.len() - line.trim_start_matches('\u{feff}').len();
    Span { start: mark, end: line.len() }
}
