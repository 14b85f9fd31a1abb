//! Findings of the linter, counted.

use std::sync::Arc;

use arrow_array::{Array, StructArray};
use arrow_schema::{DataType, Field, Fields};
use serde_json::{Value as Json, json};
use verger::diagnostic::Severity;
use verger_lint::Settings;

use crate::{Column, Distinct, Error, rows, structs};

/// The fields of counted findings: `errors`, `warnings`, `notes`, and `rules`, the codes of the
/// rules that found something, in the order of the text, each once.
pub fn fields() -> Fields {
    let count = |name| Field::new(name, DataType::UInt32, true);
    let code = Field::new("item", DataType::Utf8, true);
    let rules = Field::new("rules", DataType::List(Arc::new(code)), true);
    Fields::from(vec![count("errors"), count("warnings"), count("notes"), rules])
}

/// Lints each file with these settings: a struct of [`lint`](crate::types::lint).
///
/// # Errors
///
/// If the column is not text.
pub fn lint(robots: &dyn Array, settings: &Settings) -> Result<StructArray, Error> {
    let rows = rows(&[robots]);
    let robots = Column::new("robots", robots, rows)?;
    let (mut distinct, mut linted) = (Distinct::default(), Vec::new());
    let found = (0..rows).map(|row| {
        let file = robots.get(row)?;
        let number = distinct.number(file);
        if number == linted.len() {
            linted.push(counts(file, settings));
        }
        Some(linted[number].clone())
    });
    structs(fields(), found)
}

/// The findings of a file.
fn counts(file: &[u8], settings: &Settings) -> Json {
    let findings = verger_lint::lint(file, settings).findings;
    let count = |severity| findings.iter().filter(|it| it.severity == severity).count();
    let mut rules = Vec::new();
    for finding in &findings {
        if !rules.contains(&finding.rule.code) {
            rules.push(finding.rule.code);
        }
    }
    json!({
        "errors": count(Severity::Error),
        "warnings": count(Severity::Warning),
        "notes": count(Severity::Note),
        "rules": rules,
    })
}
