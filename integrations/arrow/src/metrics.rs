//! Figures of a file.

use arrow_array::{Array, StructArray};
use arrow_schema::{DataType, Field, Fields};
use serde_json::json;
use verger::{Dialect, LineIndex, RuleKind};

use crate::{Column, Error, rows, structs};

/// The fields of metrics: `bytes` of the file; counts of `lines`, `groups`, `agents` (user-agent
/// lines), `allow` and `disallow` rules, `sitemaps` and `statements` (records that are neither
/// rules nor user-agent lines, sitemaps among them), as far as the dialect reads the file;
/// `truncated`, whether its end is beyond the dialect's limit.
pub fn fields() -> Fields {
    let mut fields = vec![Field::new("bytes", DataType::UInt64, true)];
    let counts = ["lines", "groups", "agents", "allow", "disallow", "sitemaps", "statements"];
    fields.extend(counts.map(|name| Field::new(name, DataType::UInt32, true)));
    fields.push(Field::new("truncated", DataType::Boolean, true));
    Fields::from(fields)
}

/// Returns the figures of each file: a struct of [`metrics`](crate::types::metrics).
///
/// # Errors
///
/// If the column is not text.
pub fn metrics(robots: &dyn Array, dialect: Dialect) -> Result<StructArray, Error> {
    let rows = rows(&[robots]);
    let robots = Column::new("robots", robots, rows)?;
    let found = (0..rows).map(|row| {
        let file = robots.get(row)?;
        let parsed = dialect.parse(file);
        let rules = |kind| {
            let of_group =
                |group: verger::Group<'_>| group.rules().filter(|rule| rule.kind() == kind).count();
            parsed.groups().map(of_group).sum::<usize>()
        };
        Some(json!({
            "bytes": file.len(),
            "lines": lines(parsed.text()),
            "groups": parsed.groups().len(),
            "agents": parsed.groups().map(|group| group.agents().count()).sum::<usize>(),
            "allow": rules(RuleKind::Allow),
            "disallow": rules(RuleKind::Disallow),
            "sitemaps": parsed.sitemaps().count(),
            "statements": parsed.records().count(),
            "truncated": parsed.is_truncated(),
        }))
    });
    structs(fields(), found)
}

/// The number of lines: that of the last byte.
fn lines(text: &[u8]) -> usize {
    let last = text.len().checked_sub(1);
    last.map_or(0, |last| LineIndex::new(text).position(last).line)
}
