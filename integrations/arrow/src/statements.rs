//! Statements: records that are neither user-agent lines nor rules.

use std::sync::Arc;

use arrow_array::builder::{
    BinaryBuilder, ListBuilder, StringBuilder, StructBuilder, UInt32Builder,
};
use arrow_array::{Array, ListArray};
use arrow_schema::{DataType, Field, Fields};
use verger::{Dialect, LineIndex};

use crate::{Column, Error, rows};

/// Names of groups in the statements of one file. The names of a group are repeated for each of its
/// statements: a made file of 500 KiB would have a billion.
const AGENT_NAMES: usize = 1 << 20;

/// The fields of a statement: `kind`, the usual spelling of its key (`Crawl-delay`), null for an
/// unknown one; `key` and `value` as written; `agents`, the names of its group, null after
/// a million names in one file; `line`, from 1.
pub fn statement_fields() -> Fields {
    let name = Field::new("item", DataType::Utf8, true);
    Fields::from(vec![
        Field::new("kind", DataType::Utf8, true),
        Field::new("key", DataType::Utf8, true),
        Field::new("value", DataType::Binary, true),
        Field::new("agents", DataType::List(Arc::new(name)), true),
        Field::new("line", DataType::UInt32, true),
    ])
}

/// Returns the statements of each file: a list of structs of
/// [`statement`](crate::types::statement).
///
/// # Errors
///
/// If the column is not text, or the texts of the result can have more than 2 GiB.
pub fn statements(robots: &dyn Array, dialect: Dialect) -> Result<ListArray, Error> {
    let rows = rows(&[robots]);
    let robots = Column::new("robots", robots, rows)?;
    let item = StructBuilder::new(
        statement_fields(),
        vec![
            Box::new(StringBuilder::new()),
            Box::new(StringBuilder::new()),
            Box::new(BinaryBuilder::new()),
            Box::new(ListBuilder::new(StringBuilder::new())),
            Box::new(UInt32Builder::new()),
        ],
    );
    let mut out = ListBuilder::new(item);
    let mut bytes = 0;
    for row in 0..rows {
        let Some(file) = robots.get(row) else {
            out.append(false);
            continue;
        };
        let parsed = dialect.parse(file);
        let lines = LineIndex::new(parsed.text());
        let mut names = 0;
        for record in parsed.records() {
            let item = out.values();
            let kind = Some(record.kind().key()).filter(|kind| !kind.is_empty());
            field::<StringBuilder>(item, 0).append_option(kind);
            field::<StringBuilder>(item, 1).append_value(String::from_utf8_lossy(record.key()));
            field::<BinaryBuilder>(item, 2).append_value(record.value());
            let agents = field::<ListBuilder<StringBuilder>>(item, 3);
            let mut fits = names <= AGENT_NAMES;
            if fits {
                names += record.agents().count();
                fits = names <= AGENT_NAMES;
            }
            for agent in record.agents().filter(|_| fits) {
                let name = String::from_utf8_lossy(agent.value());
                bytes += name.len();
                agents.values().append_value(name);
            }
            agents.append(fits);
            bytes += record.key().len() + record.value().len();
            let line = lines.position(record.span().start).line;
            field::<UInt32Builder>(item, 4).append_value(u32::try_from(line).unwrap_or(u32::MAX));
            item.append(true);
            // Replaced bytes take up to three times their length.
            if bytes > Error::RESULT_BYTES / 3 {
                return Err(Error::of_result());
            }
        }
        out.append(true);
    }
    Ok(out.finish())
}

/// Returns the sitemaps of each file, as written.
///
/// # Errors
///
/// As [`statements`].
pub fn sitemaps(robots: &dyn Array, dialect: Dialect) -> Result<ListArray, Error> {
    let rows = rows(&[robots]);
    let robots = Column::new("robots", robots, rows)?;
    let mut out = ListBuilder::new(StringBuilder::new());
    let mut bytes = 0;
    for row in 0..rows {
        let file = robots.get(row);
        if let Some(file) = file {
            for sitemap in dialect.parse(file).sitemaps() {
                bytes += sitemap.raw().len();
                if bytes > Error::RESULT_BYTES / 3 {
                    return Err(Error::of_result());
                }
                out.values().append_value(String::from_utf8_lossy(sitemap.raw()));
            }
        }
        out.append(file.is_some());
    }
    Ok(out.finish())
}

/// The builder of a field.
fn field<T: arrow_array::builder::ArrayBuilder>(item: &mut StructBuilder, at: usize) -> &mut T {
    item.field_builder(at).expect("the type that `statements` has built")
}
