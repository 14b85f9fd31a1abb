//! Metric packs: one struct for each file, and tables over all of them.

use std::sync::Arc;

use arrow_array::{Array, StructArray};
use arrow_schema::{DataType, Field, Fields};
use serde_json::{Value as Json, json};
use verger::Dialect;
use verger_metrics::{
    Changes, Consent, CrawlerAccess, Kind, Pack, Restriction, Statements, Table, Tally,
};

use crate::{Column, Error, rows, structs};

/// The fields of a pack's struct: those of its type in `verger_metrics`.
///
/// - `consent`: `names_star`, `star`, `all_agents`, and a list `agents` with `agent` and
///   `restriction`.
/// - `crawlers`: `site_closed`, whether the whole site is closed to every crawler; lists of the
///   known crawlers that are `named`, `closed` out, `partly_closed` out, or `undecided`, and
///   `closed_purposes`.
/// - `statements`: maps of `counts`, and a list of `preferences`.
pub fn fields(pack: Pack) -> Fields {
    let text = |name| Field::new(name, DataType::Utf8, true);
    let structs = |name, fields: &[&'static str]| {
        list(name, DataType::Struct(fields.iter().map(|name| text(*name)).collect()))
    };
    Fields::from(match pack {
        Pack::Consent => vec![
            Field::new("names_star", DataType::Boolean, true),
            text("star"),
            text("all_agents"),
            structs("agents", &["agent", "restriction"]),
        ],
        Pack::Crawlers => {
            let lists = ["named", "closed", "partly_closed", "undecided", "closed_purposes"];
            let mut fields = vec![Field::new("site_closed", DataType::Boolean, true)];
            fields.extend(lists.map(|name| list(name, DataType::Utf8)));
            fields
        }
        Pack::Statements => {
            let entry = DataType::Struct(Fields::from(vec![
                Field::new("key", DataType::Utf8, false),
                Field::new("value", DataType::UInt64, true),
            ]));
            let counts = DataType::Map(Arc::new(Field::new("entries", entry, false)), false);
            vec![
                Field::new("counts", counts, true),
                structs("preferences", &["vocabulary", "use", "answer"]),
            ]
        }
        // Not before `verger_metrics` has another pack.
        _ => Vec::new(),
    })
}

fn list(name: &str, item: DataType) -> Field {
    Field::new(name, DataType::List(Arc::new(Field::new("item", item, true))), true)
}

/// Returns the metrics of a pack for each file: a struct of [`pack`](crate::types::pack).
///
/// # Errors
///
/// If the column is not text, or the texts of the result have more than 2 GiB.
pub fn pack_metrics(
    robots: &dyn Array,
    pack: Pack,
    dialect: Dialect,
) -> Result<StructArray, Error> {
    let rows = robots.len();
    let robots = Column::new("robots", robots, rows)?;
    structs(fields(pack), (0..rows).map(|at| Some(row(pack, dialect, robots.get(at)?))))
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
    let mut tally = Tally::new(pack, dialect);
    (0..rows).filter_map(|at| robots.get(at)).for_each(|body| tally.add(body));
    tally.tables().iter().map(|it| Ok((it.name, table(it)?))).collect()
}

/// The fields of changes: `edited`, whether the bytes differ; lists of the known crawlers to which
/// the file was `closed`, `restricted`, `relaxed` or `opened`; lists of statements `gained` and
/// `lost`.
pub fn change_fields() -> Fields {
    let lists = ["closed", "restricted", "relaxed", "opened", "gained", "lost"];
    let mut fields = vec![Field::new("edited", DataType::Boolean, true)];
    fields.extend(lists.map(|name| list(name, DataType::Utf8)));
    Fields::from(fields)
}

/// Compares two columns of versions of files: a struct of [`changes`](crate::types::changes).
///
/// # Errors
///
/// If a column is not text, or lengths differ; if the texts of the result have more than 2 GiB.
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
        let crawlers = |is: fn(Restriction, Restriction) -> bool| -> Vec<&str> {
            let crawlers = found.crawlers.iter().filter(|(_, (one, other))| is(*one, *other));
            crawlers.map(|(token, _)| *token).collect()
        };
        Some(json!({
            "edited": found.is_edited,
            "closed": crawlers(|_, after| after == Restriction::All),
            "restricted": crawlers(|before, after| before < after && after != Restriction::All),
            "relaxed": crawlers(|before, after| after < before && before != Restriction::All),
            "opened": crawlers(|before, _| before == Restriction::All),
            "gained": found.gained,
            "lost": found.lost,
        }))
    });
    structs(change_fields(), found)
}

/// The metrics of one file.
fn row(pack: Pack, dialect: Dialect, body: &[u8]) -> Json {
    match pack {
        Pack::Consent => consent(&Consent::of(body, dialect)),
        Pack::Crawlers => crawlers(&CrawlerAccess::of(body, dialect)),
        Pack::Statements => statements(&Statements::of(body, dialect)),
        // As in `fields`.
        _ => json!({}),
    }
}

fn consent(found: &Consent) -> Json {
    let text = |it: Option<Restriction>| it.map(Restriction::name);
    let agent = |(name, it): (&String, &Option<Restriction>)| json!({"agent": name, "restriction": text(*it)});
    json!({
        "names_star": found.names_star,
        "star": text(found.star),
        "all_agents": text(found.all_agents),
        "agents": found.agents.iter().map(agent).collect::<Json>(),
    })
}

fn crawlers(found: &CrawlerAccess) -> Json {
    let restricted = |restriction: Option<Restriction>| -> Json {
        let crawlers = found.crawlers().filter(|(_, it)| it.restriction == restriction);
        crawlers.map(|(crawler, _)| crawler.token()).collect()
    };
    let named = found.crawlers().filter(|(_, it)| it.is_named);
    json!({
        "site_closed": found.is_site_closed(),
        "named": named.map(|(crawler, _)| crawler.token()).collect::<Json>(),
        "closed": restricted(Some(Restriction::All)),
        "partly_closed": restricted(Some(Restriction::Some)),
        "undecided": restricted(None),
        "closed_purposes": found.closed_purposes(),
    })
}

fn statements(found: &Statements) -> Json {
    let preferences = found.preferences.iter();
    let preferences = preferences.map(|(vocabulary, name, answer)| {
        json!({"vocabulary": vocabulary, "use": name, "answer": answer})
    });
    json!({"counts": found.counts, "preferences": preferences.collect::<Json>()})
}

/// Returns a table as a struct of its columns.
///
/// # Errors
///
/// If its texts have more than 2 GiB.
pub fn table(table: &Table) -> Result<StructArray, Error> {
    let field = |(name, kind): &(&'static str, Kind)| {
        let kind = match kind {
            Kind::Text => DataType::Utf8,
            Kind::Count => DataType::UInt64,
            Kind::Share => DataType::Float64,
        };
        Field::new(*name, kind, true)
    };
    let names = || table.columns.iter().map(|(name, _)| *name);
    let rows = table.rows.iter();
    let rows = rows.map(|row| Some(names().zip(row.iter().cloned()).collect::<Json>()));
    structs(table.columns.iter().map(field).collect(), rows)
}
