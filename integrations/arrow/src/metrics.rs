//! Figures of a file.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, UInt32Builder, UInt64Builder};
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Fields};
use verger::{Dialect, LineIndex, RuleKind};

use crate::{Column, Error, rows};

/// Names of the counts in a struct of metrics.
const COUNTS: [&str; 7] =
    ["lines", "groups", "agents", "allow", "disallow", "sitemaps", "statements"];

/// The fields of metrics: `bytes` of the file; counts of `lines`, `groups`, `agents` (user-agent
/// lines), `allow` and `disallow` rules, `sitemaps` and `statements` (records that are neither rules
/// nor user-agent lines, sitemaps among them), as far as the dialect reads the file; `truncated`,
/// whether its end is beyond the dialect's limit.
pub fn fields() -> Fields {
    let mut fields = vec![Field::new("bytes", DataType::UInt64, true)];
    fields.extend(COUNTS.map(|name| Field::new(name, DataType::UInt32, true)));
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
    let mut bytes = UInt64Builder::with_capacity(rows);
    let mut counts = COUNTS.map(|_| UInt32Builder::with_capacity(rows));
    let mut truncated = BooleanBuilder::with_capacity(rows);
    let mut valid = Vec::with_capacity(rows);
    for row in 0..rows {
        let file = robots.get(row);
        valid.push(file.is_some());
        let Some(file) = file else {
            bytes.append_null();
            counts.iter_mut().for_each(UInt32Builder::append_null);
            truncated.append_null();
            continue;
        };
        let parsed = dialect.parse(file);
        let rules = |kind| {
            let of_group =
                |group: verger::Group<'_>| group.rules().filter(|rule| rule.kind() == kind).count();
            parsed.groups().map(of_group).sum::<usize>()
        };
        let found = [
            lines(parsed.text()),
            parsed.groups().len(),
            parsed.groups().map(|group| group.agents().count()).sum(),
            rules(RuleKind::Allow),
            rules(RuleKind::Disallow),
            parsed.sitemaps().count(),
            parsed.records().count(),
        ];
        bytes.append_value(file.len() as u64);
        for (builder, count) in counts.iter_mut().zip(found) {
            builder.append_value(u32::try_from(count).unwrap_or(u32::MAX));
        }
        truncated.append_value(parsed.is_truncated());
    }
    let mut columns: Vec<ArrayRef> = vec![Arc::new(bytes.finish())];
    columns.extend(counts.iter_mut().map(|builder| Arc::new(builder.finish()) as ArrayRef));
    columns.push(Arc::new(truncated.finish()));
    Ok(StructArray::new(fields(), columns, Some(NullBuffer::from(valid))))
}

/// The number of lines: that of the last byte.
fn lines(text: &[u8]) -> usize {
    let last = text.len().checked_sub(1);
    last.map_or(0, |last| LineIndex::new(text).position(last).line)
}
