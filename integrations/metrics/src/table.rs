//! Tables over many files.

use std::collections::BTreeMap;

use serde_json::Value;
use verger::Untrusted;

/// A table over many files.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Table {
    /// The name.
    pub name: &'static str,
    /// Names and kinds of the columns.
    pub columns: &'static [(&'static str, Kind)],
    /// The rows, in a fixed order: most frequent first, then by text.
    pub rows: Vec<Vec<Value>>,
}

/// The kind of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "writers of tables handle every kind")]
pub enum Kind {
    /// Texts, null for an unknown operator.
    Text,
    /// Numbers of files or records.
    Count,
    /// Shares, from 0 to 1, null for a share of nothing.
    Share,
}

/// The share of a part in a whole, null if there is no whole.
pub(crate) fn share(part: u64, whole: u64) -> Value {
    #[expect(clippy::cast_precision_loss, reason = "no corpus has 2^53 files")]
    let share = part as f64 / whole as f64;
    share.into()
}

/// Adds sums to others.
pub(crate) fn add<const N: usize>(sums: &mut [u64; N], others: &[u64; N]) {
    sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
}

/// Adds sums by key to others.
pub(crate) fn merge<K: Ord + Clone, const N: usize>(
    sums: &mut BTreeMap<K, [u64; N]>,
    others: &BTreeMap<K, [u64; N]>,
) where
    [u64; N]: Default,
{
    for (key, other) in others {
        add(sums.entry(key.clone()).or_default(), other);
    }
}

impl Table {
    /// The table as JSON Lines, an object for each row, for files and tests.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Dialect;
    /// use verger_metrics::{Pack, Tally};
    ///
    /// let mut tally = Tally::new(Pack::Statements, Dialect::RFC9309);
    /// tally.add(b"User-agent: *\nCrawl-delay: 2\n");
    /// tally.add(b"");
    /// assert_eq!(
    ///     tally.tables()[0].to_json_lines(),
    ///     "{\"statement\":\"Crawl-delay\",\"records\":1,\"sites\":1,\"pct\":0.5}\n"
    /// );
    /// ```
    pub fn to_json_lines(&self) -> String {
        let cell = |(value, (name, _)): (&Value, &(&str, Kind))| match value {
            Value::String(text) => format!("\"{name}\":{}", Untrusted::new(text).json()),
            value => format!("\"{name}\":{value}"),
        };
        let row = |row: &Vec<Value>| {
            let cells: Vec<String> = row.iter().zip(self.columns).map(cell).collect();
            format!("{{{}}}\n", cells.join(","))
        };
        self.rows.iter().map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_json_strings() {
        let columns = &[("agent", Kind::Text), ("pct", Kind::Share)];
        let text = "a\"b\\c\n\u{1b}é";
        let rows = vec![vec![text.into(), share(0, 0)], vec!["b".into(), share(1, 4)]];
        let lines = Table { name: "t", columns, rows }.to_json_lines();
        let read: Vec<serde_json::Value> =
            lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(read[0], serde_json::json!({"agent": text, "pct": null}));
        assert_eq!(read[1], serde_json::json!({"agent": "b", "pct": 0.25}));
        assert!(!lines.contains('\u{1b}'));
    }
}
