//! Semantic differences between two files.

use std::sync::Arc;

use arrow_array::{Array, StructArray};
use arrow_schema::{DataType, Field, Fields};
use serde_json::{Value as Json, json};
use verger::{Crawler, Dialect, Origin};
use verger_analysis::{Analysis, Budget, Comparison, Direction, compare};

use crate::{Column, Error, rows, structs};

/// The fields of a difference: `equal`, whether both files are proved to mean the same for the
/// crawler, null if that was not decided; `opened` and `closed`, for each class of URLs that
/// changes one of the shortest; `undecided`, why something may be missing, else null.
pub fn fields() -> Fields {
    let url = Arc::new(Field::new("item", DataType::Utf8, true));
    let urls = |name| Field::new(name, DataType::List(Arc::clone(&url)), true);
    Fields::from(vec![
        Field::new("equal", DataType::Boolean, true),
        urls("opened"),
        urls("closed"),
        Field::new("undecided", DataType::Utf8, true),
    ])
}

/// Compares two columns of files for each crawler: a struct of [`diff`](crate::types::diff). URLs
/// are those of the origins; without them, and for values that are no origin, of
/// `https://example.com`.
///
/// # Errors
///
/// If a column is not text, or its length differs.
pub fn diff(
    before: &dyn Array,
    after: &dyn Array,
    agents: &dyn Array,
    origins: Option<&dyn Array>,
    dialect: Dialect,
) -> Result<StructArray, Error> {
    let all: Vec<_> = [before, after, agents].into_iter().chain(origins).collect();
    let rows = rows(&all);
    let before = Column::new("before", before, rows)?;
    let after = Column::new("after", after, rows)?;
    let agents = Column::new("agents", agents, rows)?;
    let origins = origins.map(|it| Column::new("origins", it, rows)).transpose()?;
    let found = (0..rows).map(|row| {
        let ((before, after), agent) = before.get(row).zip(after.get(row)).zip(agents.get(row))?;
        let crawler = Crawler::new(&*String::from_utf8_lossy(agent));
        let origin = origins.as_ref().and_then(|column| column.get(row));
        let origin = origin.and_then(|text| str::from_utf8(text).ok()?.parse().ok());
        Some(difference(before, after, &crawler, origin.as_ref(), dialect))
    });
    structs(fields(), found)
}

/// Compares two files for a crawler: an object with the fields of [`diff`](crate::types::diff).
/// URLs are those of the origin, or of `https://example.com`.
pub fn difference(
    before: &[u8],
    after: &[u8],
    crawler: &Crawler,
    origin: Option<&Origin>,
    dialect: Dialect,
) -> Json {
    if before == after {
        return object(&Comparison::default());
    }
    let files = [before, after].map(|file| dialect.parse(file));
    let analysis = files.each_ref().map(|robots| {
        let analysis = Analysis::new(robots, crawler);
        match origin {
            Some(origin) => analysis.with_origin(origin),
            None => analysis,
        }
    });
    object(&compare(&analysis[0], &analysis[1], &mut Budget::default()))
}

fn object(comparison: &Comparison<'_, '_>) -> Json {
    let is_equal = comparison.is_equal();
    let equal = (is_equal || !comparison.changes.is_empty()).then_some(is_equal);
    let urls = |direction| -> Json {
        let changes = comparison.changes.iter().filter(|it| it.direction() == direction);
        changes.map(|change| change.witness().url()).collect()
    };
    json!({
        "equal": equal,
        "opened": urls(Direction::Opened),
        "closed": urls(Direction::Closed),
        "undecided": comparison.incomplete.map(|why| why.to_string()),
    })
}
