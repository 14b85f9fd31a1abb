//! Findings of the linter (feature `lint`): the JSON of `verger lint`, and SARIF.
//!
//! `docs/json.md` describes the keys of [`LintReport`]. [`sarif()`] writes the log that code
//! scanning services read.

mod sarif;

use std::collections::BTreeMap;

use serde::Serialize;
use verger_lint::{Fix, Report, Rule};

use crate::foreign::Foreign;

pub use self::sarif::sarif;

/// The findings of a file.
///
/// # Examples
///
/// ```
/// use verger_json::Values;
/// use verger_json::lint::LintReport;
/// use verger_lint::{Settings, lint};
///
/// let report = lint(b"User-agent: *\nDissalow: /cart\n", &Settings::default());
/// let mut out = Vec::new();
/// Values::lines().write(&mut out, &LintReport::of(&report))?;
/// assert!(out.starts_with(br#"{"file":"robots.txt","findings":[{"code":"misspelt-key","#));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema))]
pub struct LintReport<'a> {
    #[serde(flatten)]
    #[cfg_attr(feature = "_openapi", schema(schema_with = crate::schema::file))]
    file: Foreign<&'a [u8]>,
    findings: Vec<FindingKeys<'a>>,
    /// The number of findings that are left out, by rule.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    omitted: BTreeMap<&'static str, usize>,
}

impl<'a> LintReport<'a> {
    /// The findings of a report.
    pub fn of(report: &'a Report) -> Self {
        let findings = report.findings.iter();
        Self {
            file: Foreign::new("file", &*report.name),
            findings: findings.map(|finding| FindingKeys::of(finding, report)).collect(),
            omitted: report.omitted.iter().map(|(rule, it)| (rule.code, *it)).collect(),
        }
    }
}

/// An error in place of the findings of a file.
#[derive(Clone, Debug, Serialize)]
pub struct LintError<'a> {
    #[serde(flatten)]
    file: Foreign<&'a [u8]>,
    error: &'a str,
}

impl<'a> LintError<'a> {
    /// An error about the file with this name.
    pub const fn new(file: &'a [u8], error: &'a str) -> Self {
        Self { file: Foreign { key: "file", text: file }, error }
    }
}

/// A rule of the linter, for a list of rules.
///
/// # Examples
///
/// ```
/// use verger_json::lint::RuleKeys;
///
/// let rule = verger_lint::rule("nul").expect("a rule of this name");
/// let json = serde_json::to_string(&RuleKeys::of(rule))?;
/// assert!(json.starts_with(r#"{"code":"nul","category":"syntax","severity":"warning","#));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct RuleKeys {
    code: &'static str,
    category: &'static str,
    severity: &'static str,
    summary: String,
    url: String,
    page: String,
}

impl RuleKeys {
    /// The keys of a rule.
    pub fn of(rule: &'static Rule) -> Self {
        Self {
            code: rule.code,
            category: rule.category.name(),
            severity: rule.severity.name(),
            summary: rule.summary(),
            url: rule.url(),
            page: rule.page(),
        }
    }
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = Finding))]
struct FindingKeys<'a> {
    code: &'static str,
    severity: &'static str,
    category: &'static str,
    message: &'a str,
    #[serde(flatten)]
    place: PlaceKeys,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<LabelKeys<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<FixKeys<'a>>,
}

impl<'a> FindingKeys<'a> {
    fn of(finding: &'a verger_lint::Finding, report: &Report) -> Self {
        let labels = finding.labels.iter();
        Self {
            code: finding.rule.code,
            severity: finding.severity.name(),
            category: finding.rule.category.name(),
            message: &finding.message,
            place: PlaceKeys::of(finding.span, report),
            labels: labels.map(|label| LabelKeys::of(label, report)).collect(),
            url: finding.url.as_deref(),
            help: finding.help.as_deref(),
            fix: finding.fix.as_ref().map(|fix| FixKeys::of(fix, report)),
        }
    }
}

/// Positions from 1, columns in bytes.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = Place))]
struct PlaceKeys {
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    span: [usize; 2],
}

impl PlaceKeys {
    fn of(span: verger::Span, report: &Report) -> Self {
        let (start, end) = (report.position(span.start), report.position(span.end));
        Self {
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            span: [span.start, span.end],
        }
    }
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = Label))]
struct LabelKeys<'a> {
    message: &'a str,
    #[serde(flatten)]
    place: PlaceKeys,
}

impl<'a> LabelKeys<'a> {
    fn of(label: &'a verger_lint::Label, report: &Report) -> Self {
        Self { message: &label.text, place: PlaceKeys::of(label.span, report) }
    }
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = Fix))]
struct FixKeys<'a> {
    title: &'a str,
    safety: &'static str,
    edits: Vec<EditKeys<'a>>,
}

impl<'a> FixKeys<'a> {
    fn of(fix: &'a Fix, report: &Report) -> Self {
        let edits = fix.edits.iter().map(|edit| EditKeys {
            place: PlaceKeys::of(edit.span, report),
            text: Foreign::new("text", &*edit.text),
        });
        Self { title: &fix.title, safety: fix.safety.name(), edits: edits.collect() }
    }
}

/// The bytes of a place are replaced by a text.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = Edit))]
struct EditKeys<'a> {
    #[serde(flatten)]
    place: PlaceKeys,
    #[serde(flatten)]
    #[cfg_attr(feature = "_openapi", schema(schema_with = crate::schema::text))]
    text: Foreign<&'a [u8]>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use verger_lint::{Settings, lint};

    #[test]
    fn findings_have_the_keys_of_the_contract_in_order() {
        let text = b"User-agent: *\nDissalow: /\xc3\xa9\xff\n";
        let mut settings = Settings::default();
        settings.select = vec!["misspelt-key".to_owned()];
        let mut report = lint(text, &settings);
        report.name = b"\xff".to_vec();
        assert_eq!(
            serde_json::to_string(&LintReport::of(&report)).unwrap(),
            concat!(
                "{\"file\":\"\u{fffd}\",\"file_b64\":\"/w==\",\"findings\":[",
                r#"{"code":"misspelt-key","severity":"warning","category":"syntax","#,
                r#""message":"the key is misspelt; it is read as `Disallow`, but not by every reader","#,
                r#""line":2,"column":1,"end_line":2,"end_column":9,"span":[14,22],"#,
                r#""fix":{"title":"write `Disallow`","safety":"unsafe","edits":["#,
                r#"{"line":2,"column":1,"end_line":2,"end_column":9,"span":[14,22],"text":"Disallow"}]}}]}"#,
            )
        );
    }

    #[test]
    fn an_error_replaces_the_findings() {
        let json = serde_json::to_string(&LintError::new(b"x", "could not read `x`")).unwrap();
        assert_eq!(json, r#"{"file":"x","error":"could not read `x`"}"#);
    }
}
