//! Markdown tables that are readable as text, and formatted figures.

use std::fmt::{self, Write as _};

/// A table: a head, and rows with the same number of cells.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Self {
        Self { head: head.iter().map(|&cell| cell.to_owned()).collect(), rows: Vec::new() }
    }

    /// Adds a row; missing cells are empty.
    pub(crate) fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let mut row: Vec<String> =
            cells.into_iter().map(|cell| cell.into().replace('|', "\\|")).collect();
        row.resize(self.head.len(), String::new());
        self.rows.push(row);
    }
}

impl fmt::Display for Table {
    /// All columns have the width of their widest cell. Every column except the first is
    /// right-aligned if all its cells begin with a digit or a sign, or are empty.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = || std::iter::once(&self.head).chain(&self.rows);
        let columns: Vec<(usize, bool)> = (0..self.head.len())
            .map(|column| {
                let width = all().map(|row| width(&row[column])).max().unwrap_or(0).max(3);
                let is_right = column > 0 && self.rows.iter().all(|row| is_figure(&row[column]));
                (width, is_right)
            })
            .collect();
        let line = |row: &[String]| {
            let cells = row.iter().zip(&columns).map(|(cell, &(wide, is_right))| {
                let gap = " ".repeat(wide - width(cell));
                if is_right { format!("{gap}{cell}") } else { format!("{cell}{gap}") }
            });
            cells.collect::<Vec<_>>().join(" | ")
        };
        writeln!(f, "| {} |", line(&self.head))?;
        let rules = columns.iter().map(|&(width, is_right)| {
            let mut rule = "-".repeat(width);
            if is_right {
                rule.pop();
                rule.push(':');
            }
            rule
        });
        writeln!(f, "| {} |", rules.collect::<Vec<_>>().join(" | "))?;
        self.rows.iter().try_for_each(|row| writeln!(f, "| {} |", line(row)))
    }
}

fn width(cell: &str) -> usize {
    cell.chars().count()
}

fn is_figure(cell: &str) -> bool {
    cell.chars().next().is_none_or(|first| first.is_ascii_digit() || "–<>≤≥*".contains(first))
}

/// A figure with three significant digits, and commas between thousands.
pub(crate) fn figure(number: f64) -> String {
    let number = number.abs();
    if number == 0.0 {
        return "0".to_owned();
    }
    if number < 10.0 {
        return format!("{number:.2}");
    }
    if number < 100.0 {
        return format!("{number:.1}");
    }
    // Further digits would not be significant.
    #[expect(clippy::cast_possible_truncation, reason = "the exponent of a figure")]
    let scale = 10_f64.powi((number.log10().floor() as i32 - 2).max(0));
    grouped((number / scale).round() * scale)
}

/// A whole number with commas between thousands.
pub(crate) fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count with commas between thousands.
#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
pub(super) fn grouped_count(count: usize) -> String {
    grouped(count as f64)
}

/// Nanoseconds in a suitable unit.
pub(crate) fn time(nanos: f64) -> String {
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")];
    let unit = units.iter().find(|(size, _)| nanos >= *size);
    let (size, name) = unit.unwrap_or(&(1.0, "ns"));
    format!("{} {name}", figure(nanos / size))
}

/// A ratio.
pub(crate) fn times(ratio: f64) -> String {
    format!("{} x", figure(ratio))
}

/// A share in percent. Almost all does not become 100 %.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent >= 100.0 {
        return "100 %".to_owned();
    }
    let mut out = String::new();
    // Truncated, not rounded. Writing to a string cannot fail.
    let _ = write!(out, "{:.2} %", (percent * 100.0).floor() / 100.0);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_aligned_columns() {
        let mut table = Table::new(&["peer", "ns", "note"]);
        table.row(["verger", "60", "a|b"]);
        table.row(["fast-robots", "1,200"]);
        let expected = "\
| peer        |    ns | note |
| ----------- | ----: | ---- |
| verger      |    60 | a\\|b |
| fast-robots | 1,200 |      |
";
        assert_eq!(table.to_string(), expected);
    }

    #[test]
    fn three_digits_count() {
        let cases = [
            (0.0, "0"),
            (1.234, "1.23"),
            (12.34, "12.3"),
            (123.4, "123"),
            (1_234_567.0, "1,230,000"),
        ];
        for (number, expected) in cases {
            assert_eq!(figure(number), expected);
        }
    }

    #[test]
    fn times_have_the_unit_that_suits_them() {
        for (nanos, expected) in [(59.6, "59.6 ns"), (1_900.0, "1.90 µs"), (3.9e9, "3.90 s")] {
            assert_eq!(time(nanos), expected);
        }
    }

    #[test]
    fn nearly_all_is_not_all() {
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent(0.999_999), "99.99 %");
        assert_eq!(percent(0.996_24), "99.62 %");
    }
}
