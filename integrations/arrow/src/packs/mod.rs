//! Metric packs: one struct for each file, and tables over all of them.

mod builders;

use std::sync::Arc;

use arrow_array::builder::{Float64Builder, StringBuilder, UInt64Builder};
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Fields};
use verger::Dialect;
use verger_metrics::{
    Changes, Consent, CrawlerAccess, Kind, Pack, Restriction, Statements, Table, Tally, Value,
};

use crate::{Column, Error, rows};
use builders::{Cell, Row, type_of};

/// The fields of a pack's struct: those of its type in `verger_metrics`.
///
/// - `consent`: `names_star`, `star`, `all_agents`, and a list `agents` with `agent` and
///   `restriction`.
/// - `crawlers`: lists of the known crawlers that are `named`, `closed` out, `partly_closed` out, or
///   `undecided`, and `closed_purposes`.
/// - `statements`: maps of `counts`, and a list of `preferences`.
pub fn fields(pack: Pack) -> Fields {
    let field = |(name, cell): &(&'static str, Cell)| Field::new(*name, type_of(cell), true);
    row(pack, Dialect::RFC9309, b"").iter().map(field).collect()
}

/// Returns the metrics of a pack for each file: a struct of [`pack`](crate::types::pack).
///
/// # Errors
///
/// If the column is not text.
pub fn pack_metrics(
    robots: &dyn Array,
    pack: Pack,
    dialect: Dialect,
) -> Result<StructArray, Error> {
    let rows = robots.len();
    let robots = Column::new("robots", robots, rows)?;
    let found = (0..rows).map(|at| Some(cells(row(pack, dialect, robots.get(at)?))));
    Ok(structs(fields(pack), found))
}

/// Returns the tables of a pack over all files, by their names. A null is not counted: nothing is
/// known about its site.
///
/// # Errors
///
/// If the column is not text.
pub fn tables(
    robots: &dyn Array,
    pack: Pack,
    dialect: Dialect,
) -> Result<Vec<(&'static str, StructArray)>, Error> {
    let rows = robots.len();
    let robots = Column::new("robots", robots, rows)?;
    let mut tally = Tally::in_dialect(pack, dialect);
    (0..rows).filter_map(|at| robots.get(at)).for_each(|body| tally.add(body));
    Ok(tally.tables().iter().map(|table| (table.name, table_array(table))).collect())
}

/// The values of a row.
fn cells(row: Row) -> impl Iterator<Item = Cell> {
    row.into_iter().map(|(_, cell)| cell)
}

/// Builds a column of structs from rows of values; `None` is a null.
fn structs<R: IntoIterator<Item = Cell>>(
    fields: Fields,
    rows: impl Iterator<Item = Option<R>>,
) -> StructArray {
    let mut builders: Vec<_> = fields.iter().map(|it| builders::builder(it.data_type())).collect();
    let mut valid = Vec::new();
    for row in rows {
        valid.push(row.is_some());
        if let Some(row) = row {
            for (builder, cell) in builders.iter_mut().zip(row) {
                builders::append(builder.as_mut(), cell);
            }
        } else {
            for builder in &mut builders {
                builders::append_null(builder.as_mut());
            }
        }
    }
    let arrays = builders.iter_mut().map(|builder| builder.finish()).collect();
    StructArray::new(fields, arrays, Some(NullBuffer::from(valid)))
}

/// The fields of changes: `edited`, whether the bytes differ; lists of the known crawlers to which the
/// file was `closed`, `restricted`, `relaxed` or `opened`; lists of statements `gained` and `lost`.
pub fn change_fields() -> Fields {
    let list = || DataType::List(Arc::new(Field::new("item", DataType::Utf8, true)));
    let lists = ["closed", "restricted", "relaxed", "opened", "gained", "lost"];
    let mut fields = vec![Field::new("edited", DataType::Boolean, true)];
    fields.extend(lists.map(|name| Field::new(name, list(), true)));
    Fields::from(fields)
}

/// Compares two columns of versions of files: a struct of [`changes`](crate::types::changes).
///
/// # Errors
///
/// If a column is not text, or lengths differ.
pub fn changes(
    before: &dyn Array,
    after: &dyn Array,
    dialect: Dialect,
) -> Result<StructArray, Error> {
    let rows = rows(&[before, after]);
    let (before, after) =
        (Column::new("before", before, rows)?, Column::new("after", after, rows)?);
    let found = (0..rows).map(|at| {
        let (before, after) = before.get(at).zip(after.get(at))?;
        let found = Changes::between(before, after, dialect);
        let crawlers = |is: &dyn Fn(Restriction, Restriction) -> bool| {
            let crawlers = found.crawlers.iter().filter(|(_, (one, other))| is(*one, *other));
            Cell::texts(crawlers.map(|(token, _)| *token))
        };
        Some([
            Cell::Bool(found.is_edited),
            crawlers(&|_, after| after == Restriction::All),
            crawlers(&|before, after| before < after && after != Restriction::All),
            crawlers(&|before, after| after < before && before != Restriction::All),
            crawlers(&|before, _| before == Restriction::All),
            Cell::texts(found.gained.iter().copied()),
            Cell::texts(found.lost.iter().copied()),
        ])
    });
    Ok(structs(change_fields(), found))
}

/// The metrics of one file.
fn row(pack: Pack, dialect: Dialect, body: &[u8]) -> Row {
    match pack {
        Pack::Consent => consent(&Consent::of(body, dialect)),
        Pack::Crawlers => crawlers(&CrawlerAccess::of(body, dialect)),
        Pack::Statements => statements(&Statements::of(body, dialect)),
        // Not before `verger_metrics` has another pack.
        _ => Row::new(),
    }
}

fn consent(found: &Consent) -> Row {
    let text = |it: Option<Restriction>| Cell::Text(it.map(|it| it.name().to_owned()));
    let agent = |name: &str, it| vec![("agent", Cell::text(name)), ("restriction", text(it))];
    let agents = found.agents.iter().map(|(name, it)| agent(name, *it)).collect();
    vec![
        ("names_star", Cell::Bool(found.names_star)),
        ("star", text(found.star)),
        ("all_agents", text(found.all_agents)),
        ("agents", Cell::Structs(agents, agent("", None))),
    ]
}

fn crawlers(found: &CrawlerAccess) -> Row {
    let restricted = |restriction: Option<Restriction>| {
        let crawlers = found.crawlers().filter(|(_, it)| it.restriction == restriction);
        Cell::texts(crawlers.map(|(crawler, _)| crawler.token()))
    };
    let named = found.crawlers().filter(|(_, it)| it.is_named);
    vec![
        ("named", Cell::texts(named.map(|(crawler, _)| crawler.token()))),
        ("closed", restricted(Some(Restriction::All))),
        ("partly_closed", restricted(Some(Restriction::Some))),
        ("undecided", restricted(None)),
        ("closed_purposes", Cell::texts(found.closed_purposes())),
    ]
}

fn statements(found: &Statements) -> Row {
    let preference = |vocabulary: &str, name: &str, answer: &str| {
        vec![
            ("vocabulary", Cell::text(vocabulary)),
            ("use", Cell::text(name)),
            ("answer", Cell::text(answer)),
        ]
    };
    let preferences = found.preferences.iter();
    let preferences =
        preferences.map(|(vocabulary, name, answer)| preference(vocabulary, name, answer));
    let counts = found.counts.iter().map(|(key, count)| ((*key).to_owned(), *count));
    vec![
        ("counts", Cell::counts(counts)),
        ("preferences", Cell::Structs(preferences.collect(), preference("", "", ""))),
    ]
}

/// A table as a struct of its columns.
fn table_array(table: &Table) -> StructArray {
    let mut fields = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for (at, (name, kind)) in table.columns.iter().enumerate() {
        let cells = table.rows.iter().map(|row| &row[at]);
        let (kind, array): (DataType, ArrayRef) = match kind {
            Kind::Text => {
                let mut builder = StringBuilder::new();
                for cell in cells {
                    let Value::Text(text) = cell else {
                        builder.append_null();
                        continue;
                    };
                    builder.append_value(text);
                }
                (DataType::Utf8, Arc::new(builder.finish()))
            }
            Kind::Count => {
                let mut builder = UInt64Builder::new();
                for cell in cells {
                    let Value::Count(count) = cell else {
                        builder.append_null();
                        continue;
                    };
                    builder.append_value(*count);
                }
                (DataType::UInt64, Arc::new(builder.finish()))
            }
            Kind::Share => {
                let mut builder = Float64Builder::new();
                for cell in cells {
                    let Value::Share(share) = cell else {
                        builder.append_null();
                        continue;
                    };
                    builder.append_value(*share);
                }
                (DataType::Float64, Arc::new(builder.finish()))
            }
        };
        fields.push(Field::new(*name, kind, true));
        arrays.push(array);
    }
    StructArray::new(Fields::from(fields), arrays, None)
}
