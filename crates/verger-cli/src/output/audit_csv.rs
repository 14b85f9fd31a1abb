//! An audit as CSV, a row for each crawler: the values of `templates/audit.csv`.

use std::io::{self, Write};

use askama::Template;
use verger::Untrusted;
use verger_audit::Verdict;

use crate::audit_report::AuditReport;

/// Writes the rows of an audit after a line of names.
pub(crate) fn write_audit_csv(out: &mut impl Write, audit: &AuditReport) -> io::Result<()> {
    writeln!(out, "{}", Csv { audit })
}

#[derive(Template)]
#[template(path = "audit.csv", escape = "none")]
struct Csv<'a> {
    audit: &'a AuditReport,
}

/// A text in quotation marks. Spreadsheets run a text that begins like a formula, so it begins with
/// an apostrophe instead.
fn cell(text: &str) -> String {
    let text = Untrusted::new(text).to_string();
    let is_formula = text.starts_with(['=', '+', '-', '@']);
    let mark = if is_formula { "'" } else { "" };
    format!("\"{mark}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_no_formulas() {
        for (text, expected) in [
            ("GPTBot", r#""GPTBot""#),
            ("a\"b,c", r#""a""b,c""#),
            ("=1+1", r#""'=1+1""#),
            ("-x", r#""'-x""#),
            ("a\nb", r#""a\nb""#),
        ] {
            assert_eq!(cell(text), expected);
        }
    }
}
