//! Findings of the linter, counted.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder, UInt32Builder};
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Fields};
use verger::diagnostic::Severity;
use verger_lint::Settings;

use crate::{Column, Distinct, Error, rows};

/// The fields of counted findings: `errors`, `warnings`, `notes`, and `rules`, the codes of the rules
/// that found something, in the order of the text, each once.
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
    let mut counts = [(); 3].map(|()| UInt32Builder::with_capacity(rows));
    let mut rules = ListBuilder::new(StringBuilder::new());
    let mut valid = Vec::with_capacity(rows);
    for row in 0..rows {
        let file = robots.get(row);
        valid.push(file.is_some());
        let Some(file) = file else {
            counts.iter_mut().for_each(UInt32Builder::append_null);
            rules.append(false);
            continue;
        };
        let number = distinct.number(file);
        if number == linted.len() {
            linted.push(Counts::of(file, settings));
        }
        let found: &Counts = &linted[number];
        for (builder, count) in counts.iter_mut().zip(found.by_severity) {
            builder.append_value(count);
        }
        for code in &found.rules {
            rules.values().append_value(code);
        }
        rules.append(true);
    }
    let mut columns: Vec<ArrayRef> =
        counts.iter_mut().map(|builder| Arc::new(builder.finish()) as ArrayRef).collect();
    columns.push(Arc::new(rules.finish()));
    Ok(StructArray::new(fields(), columns, Some(NullBuffer::from(valid))))
}

/// The findings of a file.
struct Counts {
    /// Errors, warnings, notes.
    by_severity: [u32; 3],
    rules: Vec<&'static str>,
}

impl Counts {
    fn of(file: &[u8], settings: &Settings) -> Self {
        let report = verger_lint::lint(file, settings);
        let mut counts = Self { by_severity: [0; 3], rules: Vec::new() };
        for finding in &report.findings {
            let at = match finding.severity {
                Severity::Error => 0,
                Severity::Warning => 1,
                Severity::Note => 2,
            };
            counts.by_severity[at] += 1;
            if !counts.rules.contains(&finding.rule.code) {
                counts.rules.push(finding.rule.code);
            }
        }
        counts
    }
}
