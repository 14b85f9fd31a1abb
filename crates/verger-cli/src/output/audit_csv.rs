//! An audit as CSV: a row for each crawler.

use std::io::{self, Write};

use verger::Untrusted;
use verger_audit::{CrawlerReport, Verdict};

use crate::audit_report::AuditReport;

/// Writes the rows of an audit after a line of names.
pub(crate) fn write_audit_csv(out: &mut impl Write, audit: &AuditReport) -> io::Result<()> {
    let verdicts = Verdict::ALL.map(Verdict::name).join(",");
    writeln!(
        out,
        "token,operator,purpose,origin,is_proved,is_accepted,requests,{verdicts},too_fast,refused_robots_txt,preferences,addresses,first,last"
    )?;
    for row in &audit.report.crawlers {
        let site = row.origin.and_then(|at| audit.report.history.get(at));
        let facts = [
            cell(&row.token),
            cell(row.operator.as_deref().unwrap_or_default()),
            row.purpose.unwrap_or_default().to_owned(),
            site.map(|site| site.origin.to_string()).unwrap_or_default(),
            row.is_proved.to_string(),
            row.is_accepted.to_string(),
            row.verdicts.total().to_string(),
        ];
        let verdicts = Verdict::ALL.map(|verdict| row.verdicts.get(verdict));
        let CrawlerReport { too_fast, refused_robots_txt, preferences, .. } = *row;
        let further = [too_fast, refused_robots_txt, preferences, row.addresses as u64];
        let numbers = verdicts.into_iter().chain(further).map(|number| number.to_string());
        let times = [row.first, row.last].map(|time| time.map(|it| it.to_string()));
        let times = times.into_iter().map(Option::unwrap_or_default);
        let cells: Vec<_> = facts.into_iter().chain(numbers).chain(times).collect();
        writeln!(out, "{}", cells.join(","))?;
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
