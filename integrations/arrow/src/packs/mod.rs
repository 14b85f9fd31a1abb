//! Metric packs: one struct for each response, and tables over all of them.

mod builders;

use std::sync::Arc;

use arrow_array::builder::{Float64Builder, StringBuilder, UInt64Builder};
use arrow_array::cast::AsArray as _;
use arrow_array::types::{Int16Type, Int32Type, Int64Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Fields};
use verger::Dialect;
use verger_metrics::{
    CaptureStatistics, Changes, Consent, CrawlerAccess, Fetched, Kind, Pack, Restriction,
    RobotsTxt, Statements, Table, Tally, Value,
};

use crate::{Column, Error, rows};
use builders::{Cell, Row, type_of};

/// Columns of responses to requests for robots.txt. Only the files are needed.
#[derive(Clone, Copy, Debug)]
pub struct Responses<'a> {
    /// The files; null if the fetch failed.
    pub robots: &'a dyn Array,
    /// HTTP statuses, as integers. Null in a row: unknown.
    pub status: Option<&'a dyn Array>,
    /// The headers `Content-Type`. Null in a row: the response had none.
    pub content_type: Option<&'a dyn Array>,
    /// Media types that were detected from the files.
    pub detected_type: Option<&'a dyn Array>,
    /// Whether redirects were followed.
    pub redirected: Option<&'a dyn Array>,
}

impl<'a> From<&'a dyn Array> for Responses<'a> {
    fn from(robots: &'a dyn Array) -> Self {
        Self { robots, status: None, content_type: None, detected_type: None, redirected: None }
    }
}

/// The fields of a pack's struct: those of its type in `verger_metrics`, and `error`, null unless a
/// hostile file was refused.
///
/// - `http-archive`: as published, with `record_counts.by_type` as `by_type`, and so on. Both counts
///   are maps.
/// - `common-crawl`: `outcome`, the counts, a map `unknown_directives`, lists `values` and `rulesets`.
/// - `consent`: `star` and `all_agents` with `published` and `verger`; a list `agents`.
/// - `crawlers`: lists of the known crawlers that are `named`, `closed` out, `partly_closed` out, or
///   `undecided`, and `closed_purposes`.
/// - `statements`: maps of `counts`, and a list of `preferences`.
pub fn fields(pack: Pack) -> Fields {
    let mut fields: Vec<Field> = row(pack, Dialect::RFC9309, &Fetched::default())
        .into_iter()
        .flatten()
        .map(|(name, cell)| Field::new(name, type_of(&cell), true))
        .collect();
    fields.push(Field::new("error", DataType::Utf8, true));
    Fields::from(fields)
}

/// Returns the metrics of a pack for each response: a struct of [`pack`](crate::types::pack). Packs
/// that are not the engine's ignore the dialect.
///
/// # Errors
///
/// If a column has the wrong type or length.
pub fn pack_metrics(
    responses: &Responses<'_>,
    pack: Pack,
    dialect: Dialect,
) -> Result<StructArray, Error> {
    let columns = Columns::new(responses)?;
    let fields = fields(pack);
    let metrics = &fields[..fields.len() - 1];
    let mut builders: Vec<_> = metrics.iter().map(|it| builders::builder(it.data_type())).collect();
    let (mut errors, mut valid) = (StringBuilder::new(), Vec::with_capacity(columns.rows));
    for at in 0..columns.rows {
        let fetched = columns.get(at);
        let found = fetched.as_ref().map(|fetched| row(pack, dialect, fetched));
        valid.push(fetched.is_some());
        match found {
            Some(Ok(cells)) => {
                for (builder, (_, cell)) in builders.iter_mut().zip(cells) {
                    builders::append(builder.as_mut(), Some(cell));
                }
                errors.append_null();
            }
            refused => {
                for builder in &mut builders {
                    builders::append_null(builder.as_mut());
                }
                let error = refused.and_then(Result::err).map(|error| error.to_string());
                errors.append_option(error);
            }
        }
    }
    let mut arrays: Vec<ArrayRef> = builders.iter_mut().map(|builder| builder.finish()).collect();
    arrays.push(Arc::new(errors.finish()));
    Ok(StructArray::new(fields, arrays, Some(NullBuffer::from(valid))))
}

/// Returns the tables of a pack over all responses, by their names. A hostile file is not counted.
///
/// # Errors
///
/// If a column has the wrong type or length.
pub fn tables(
    responses: &Responses<'_>,
    pack: Pack,
    dialect: Dialect,
) -> Result<Vec<(&'static str, StructArray)>, Error> {
    let columns = Columns::new(responses)?;
    let mut tally = Tally::in_dialect(pack, dialect);
    for at in 0..columns.rows {
        // A hostile file is an error of its row in `pack_metrics`.
        let _refused = tally.add(columns.get(at).as_ref());
    }
    Ok(tally.tables().iter().map(|table| (table.name, table_array(table))).collect())
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
    let fields = change_fields();
    let mut builders: Vec<_> = fields.iter().map(|it| builders::builder(it.data_type())).collect();
    let mut valid = Vec::with_capacity(rows);
    for at in 0..rows {
        let versions = before.get(at).zip(after.get(at));
        valid.push(versions.is_some());
        let Some((before, after)) = versions else {
            for builder in &mut builders {
                builders::append_null(builder.as_mut());
            }
            continue;
        };
        let found = Changes::between(before, after, dialect);
        let crawlers = |is: &dyn Fn(Restriction, Restriction) -> bool| {
            let crawlers = found.crawlers.iter().filter(|(_, (one, other))| is(*one, *other));
            Cell::texts(crawlers.map(|(token, _)| *token))
        };
        let cells = [
            Cell::Bool(Some(found.is_edited)),
            crawlers(&|_, after| after == Restriction::All),
            crawlers(&|before, after| before < after && after != Restriction::All),
            crawlers(&|before, after| after < before && before != Restriction::All),
            crawlers(&|before, _| before == Restriction::All),
            Cell::texts(found.gained.iter().copied()),
            Cell::texts(found.lost.iter().copied()),
        ];
        for (builder, cell) in builders.iter_mut().zip(cells) {
            builders::append(builder.as_mut(), Some(cell));
        }
    }
    let arrays = builders.iter_mut().map(|builder| builder.finish()).collect();
    Ok(StructArray::new(fields, arrays, Some(NullBuffer::from(valid))))
}

/// The metrics of one response.
fn row(
    pack: Pack,
    dialect: Dialect,
    fetched: &Fetched<'_>,
) -> Result<Row, verger_metrics::TooLarge> {
    Ok(match pack {
        Pack::HttpArchive => http_archive(RobotsTxt::of(fetched)?),
        Pack::CommonCrawl => common_crawl(&CaptureStatistics::of(fetched)?),
        Pack::Consent => consent(&Consent::of(fetched.body, dialect)?),
        Pack::Crawlers => crawlers(&CrawlerAccess::of(fetched.body, dialect)),
        Pack::Statements => statements(&Statements::of(fetched.body, dialect)),
        // Not before `verger_metrics` has another pack.
        _ => Row::new(),
    })
}

fn http_archive(found: RobotsTxt) -> Row {
    let (kib, over) = (found.size_kib(), found.over_google_limit());
    let by_agent =
        found.by_useragent.into_iter().map(|(agent, counts)| (agent, Cell::counts(counts)));
    vec![
        ("redirected", Cell::Bool(found.redirected)),
        ("status", Cell::Count(found.status.map(u64::from))),
        ("content_type", Cell::Text(found.content_type)),
        ("size", Cell::Count(Some(found.size))),
        ("size_kib", Cell::Float(kib)),
        ("over_google_limit", Cell::Bool(Some(over))),
        ("comment_count", Cell::Count(Some(found.comment_count))),
        ("by_type", Cell::counts(found.by_type)),
        ("by_useragent", Cell::Map(by_agent.collect(), Box::new(Cell::counts([])))),
    ]
}

fn common_crawl(found: &CaptureStatistics) -> Row {
    const KEYS: [(&str, &str); 8] = [
        ("user_agent", "user-agent"),
        ("disallow", "disallow"),
        ("allow", "allow"),
        ("crawl_delay", "crawl-delay"),
        ("sitemap", "sitemap"),
        ("clean_param", "clean-param"),
        ("host", "host"),
        ("noindex", "noindex"),
    ];
    let count = |count: u64| Cell::Count(Some(count));
    let value = |directive: &str, value: &str, number: u64| {
        vec![
            ("directive", Cell::text(directive)),
            ("value", Cell::text(value)),
            ("count", count(number)),
        ]
    };
    let values = found.values.iter().flat_map(|(directive, values)| {
        values.iter().map(|(text, number)| value(directive, text, *number))
    });
    let ruleset = |agent: &str, class: &str, allow: &[String], disallow: &[String]| {
        vec![
            ("agent", Cell::text(agent)),
            ("class", Cell::text(class)),
            ("allow", Cell::texts(allow)),
            ("disallow", Cell::texts(disallow)),
        ]
    };
    let rulesets = found.rulesets.iter();
    let rulesets =
        rulesets.map(|(agent, it)| ruleset(agent, it.class().name(), &it.allow, &it.disallow));
    let mut row = vec![
        ("outcome", Cell::text(found.outcome.name())),
        ("bom_stripped", Cell::Bool(Some(found.bom_stripped))),
        ("lines", count(found.lines)),
        ("directives", count(found.directives)),
        ("comment_lines", count(found.comment_lines)),
        ("empty_lines", count(found.empty_lines)),
        ("unknown_lines", count(found.unknown_lines)),
    ];
    row.extend(KEYS.map(|(name, key)| (name, count(found.count_of(key)))));
    row.extend([
        ("unknown_directives", Cell::counts(found.unknown_directives.clone())),
        ("values", Cell::Structs(values.collect(), value("", "", 0))),
        ("rulesets", Cell::Structs(rulesets.collect(), ruleset("", "", &[], &[]))),
    ]);
    row
}

fn consent(found: &Consent) -> Row {
    let both = |it: verger_metrics::Restrictions| {
        vec![
            ("published", Cell::text(it.published.name())),
            ("verger", Cell::Text(it.verger.map(|it| it.name().to_owned()))),
        ]
    };
    let agent = |name: &str, it: verger_metrics::Restrictions| {
        let mut fields = vec![("agent", Cell::text(name))];
        fields.extend(both(it));
        fields
    };
    let agents = found.agents.iter().map(|(name, it)| agent(name, *it)).collect();
    vec![
        ("names_star", Cell::Bool(Some(found.names_star))),
        ("star", Cell::Struct(both(found.star))),
        ("all_agents", Cell::Struct(both(found.all_agents))),
        ("agents", Cell::Structs(agents, agent("", found.star))),
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

/// Columns of responses, for reading.
struct Columns<'a> {
    rows: usize,
    robots: Column<'a>,
    status: Option<Statuses<'a>>,
    content_type: Option<Column<'a>>,
    detected_type: Option<Column<'a>>,
    redirected: Option<&'a BooleanArray>,
}

impl<'a> Columns<'a> {
    fn new(responses: &Responses<'a>) -> Result<Self, Error> {
        let others = [
            responses.status,
            responses.content_type,
            responses.detected_type,
            responses.redirected,
        ];
        let all: Vec<_> =
            [responses.robots].into_iter().chain(others.into_iter().flatten()).collect();
        let rows = rows(&all);
        let text = |name, array: Option<&'a dyn Array>| {
            array.map(|array| Column::new(name, array, rows)).transpose()
        };
        let redirected = responses.redirected;
        let as_boolean = |array: &'a dyn Array| {
            check_length("redirected", array, rows)?;
            array.as_boolean_opt().ok_or_else(|| Error::Type {
                column: "redirected",
                found: array.data_type().clone(),
                expected: "booleans",
            })
        };
        Ok(Self {
            rows,
            robots: Column::new("robots", responses.robots, rows)?,
            status: responses.status.map(|array| Statuses::new(array, rows)).transpose()?,
            content_type: text("content_type", responses.content_type)?,
            detected_type: text("detected_type", responses.detected_type)?,
            redirected: redirected.map(as_boolean).transpose()?,
        })
    }

    fn get(&self, row: usize) -> Option<Fetched<'a>> {
        let text = |column: &Option<Column<'a>>| {
            column.as_ref().map(|column| column.get(row).and_then(|it| str::from_utf8(it).ok()))
        };
        let redirected = self.redirected.and_then(|array| {
            let row = if array.len() == 1 { 0 } else { row };
            array.is_valid(row).then(|| array.value(row))
        });
        Some(Fetched {
            body: self.robots.get(row)?,
            status: self.status.as_ref().and_then(|statuses| statuses.get(row)),
            content_type: text(&self.content_type).map(Option::unwrap_or_default),
            detected_type: text(&self.detected_type).flatten(),
            redirected,
        })
    }
}

fn check_length(column: &'static str, array: &dyn Array, rows: usize) -> Result<(), Error> {
    let found = array.len();
    if found == rows || found == 1 {
        return Ok(());
    }
    Err(Error::Length { column, found, expected: rows })
}

/// A column of HTTP statuses.
struct Statuses<'a>(&'a dyn Array);

impl<'a> Statuses<'a> {
    fn new(array: &'a dyn Array, rows: usize) -> Result<Self, Error> {
        check_length("status", array, rows)?;
        if !matches!(
            array.data_type(),
            DataType::Int16
                | DataType::Int32
                | DataType::Int64
                | DataType::UInt16
                | DataType::UInt32
                | DataType::UInt64
                | DataType::Null
        ) {
            let (column, found) = ("status", array.data_type().clone());
            return Err(Error::Type { column, found, expected: "integers of 16 to 64 bits" });
        }
        Ok(Self(array))
    }

    /// The status of a row; any other number is unknown.
    fn get(&self, row: usize) -> Option<u16> {
        let row = if self.0.len() == 1 { 0 } else { row };
        if self.0.is_null(row) {
            return None;
        }
        let array = self.0;
        match array.data_type() {
            DataType::Int16 => array.as_primitive::<Int16Type>().value(row).try_into().ok(),
            DataType::Int32 => array.as_primitive::<Int32Type>().value(row).try_into().ok(),
            DataType::Int64 => array.as_primitive::<Int64Type>().value(row).try_into().ok(),
            DataType::UInt16 => Some(array.as_primitive::<UInt16Type>().value(row)),
            DataType::UInt32 => array.as_primitive::<UInt32Type>().value(row).try_into().ok(),
            DataType::UInt64 => array.as_primitive::<UInt64Type>().value(row).try_into().ok(),
            _ => None,
        }
    }
}
