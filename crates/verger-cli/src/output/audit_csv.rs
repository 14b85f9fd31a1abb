//! An audit as CSV: a row for each crawler.

use std::io::{self, Write};

use verger::Untrusted;
use verger_audit::Verdict;

use crate::audit_report::AuditReport;

/// Writes the rows of an audit after a line of names.
pub(crate) fn write_audit_csv(out: &mut impl Write, audit: &AuditReport) -> io::Result<()> {
    let verdicts = Verdict::ALL.map(Verdict::name).join(",");
    writeln!(
        out,
        "crawler,operator,purpose,site,proved,accepted,requests,{verdicts},too_fast,refused_robots_txt,preferences,addresses,first,last"
    )?;
    for row in &audit.report.crawlers {
        let operator = row.operator.as_deref().unwrap_or_default();
        let purpose = row.purpose.unwrap_or_default();
        let (token, operator) = (cell(&row.token), cell(operator));
        let requests = row.verdicts.total();
        let site = row.origin.and_then(|at| audit.report.history.get(at));
        let site = site.map_or_else(String::new, |site| site.origin.to_string());
        write!(
            out,
            "{token},{operator},{purpose},{site},{},{},{requests}",
            row.is_proved, row.is_accepted
        )?;
        for verdict in Verdict::ALL {
            write!(out, ",{}", row.verdicts.get(verdict))?;
        }
        let time = |time: Option<_>| {
            time.map_or_else(String::new, |it: verger::access::Timestamp| it.to_string())
        };
        writeln!(
            out,
            ",{},{},{},{},{},{}",
            row.too_fast,
            row.refused_robots_txt,
            row.preferences,
            row.addresses,
            time(row.first),
            time(row.last)
        )?;
    }
    Ok(())
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
