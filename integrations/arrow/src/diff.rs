//! Semantic differences between two files.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::{Array, StructArray};
use arrow_schema::{DataType, Field, Fields};
use serde_json::{Value as Json, json};
use verger::{Crawler, Dialect};
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
    let literal = |agent: &str| Cow::Owned(Crawler::new(agent));
    diff_by(before, after, agents, origins, dialect, &literal)
}

/// The same for agents that are names of other crawlers than their literal token.
///
/// # Errors
///
/// As [`diff`].
pub fn diff_by<'c>(
    before: &dyn Array,
    after: &dyn Array,
    agents: &dyn Array,
    origins: Option<&dyn Array>,
    dialect: Dialect,
    crawler_of: &dyn Fn(&str) -> Cow<'c, Crawler>,
) -> Result<StructArray, Error> {
    let all: Vec<_> = [before, after, agents].into_iter().chain(origins).collect();
    let rows = rows(&all);
    let before = Column::new("before", before, rows)?;
    let after = Column::new("after", after, rows)?;
    let agents = Column::new("agents", agents, rows)?;
    let origins = origins.map(|it| Column::new("origins", it, rows)).transpose()?;
    let found = (0..rows).map(|row| {
        let (files, agent) = before.get(row).zip(after.get(row)).zip(agents.get(row))?;
        if files.0 == files.1 {
            return Some(difference(&Comparison::default()));
        }
        let crawler = crawler_of(&String::from_utf8_lossy(agent));
        let (before, after) = (dialect.parse(files.0), dialect.parse(files.1));
        let origin = origins.as_ref().and_then(|column| column.get(row));
        let origin = origin.and_then(|text| str::from_utf8(text).ok()?.parse().ok());
        let analysis = [&before, &after].map(|robots| {
            let analysis = Analysis::new(robots, &*crawler);
            match &origin {
                Some(origin) => analysis.with_origin(origin),
                None => analysis,
            }
        });
        Some(difference(&compare(&analysis[0], &analysis[1], &mut Budget::default())))
    });
    structs(fields(), found)
}

fn difference(comparison: &Comparison<'_, '_>) -> Json {
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
