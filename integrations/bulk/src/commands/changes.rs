//! `verger bulk changes`: changes of the meaning of robots.txt between captures.

use std::borrow::Cow;
use std::process::ExitCode;
use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, RecordBatch, StringArray, UInt32Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::take::take;
use serde_json::Value;
use verger::access::Kind;
use verger::{Crawler, Dialect};
use verger_json::NamedCrawler;

use super::histories::{self, Histories, closed};
use crate::args::{Changes, name_of};
use crate::error::Result;
use crate::history::Interval;
use crate::job::Task;
use crate::limits::{BATCH_BYTES, BATCH_ROWS};
use crate::output::PartWriter;
use crate::time;

pub(super) fn run(args: &Changes) -> Result<ExitCode> {
    let crawlers = args.crawlers.crawlers(&args.reading.dialect)?;
    let Changes { input, reading, .. } = args;
    let histories = Histories::read("changes", &args.run, input, reading, &crawlers, &Value::Null)?;
    let schema = schema();
    let comparison = Comparison { crawlers, dialect: reading.dialect, schema: Arc::clone(&schema) };
    histories.write::<Rows>(&schema, &comparison)
}

/// Parameters of all comparisons.
struct Comparison {
    crawlers: Vec<NamedCrawler>,
    dialect: Dialect,
    schema: SchemaRef,
}

fn schema() -> SchemaRef {
    let mut fields = vec![
        Field::new("origin", DataType::Utf8, false),
        Field::new("before", time::data_type(), false),
        Field::new("after", time::data_type(), false),
        Field::new("agent", DataType::Utf8, false),
        Field::new("access_before", DataType::Utf8, false),
        Field::new("access_after", DataType::Utf8, false),
    ];
    let compared = verger_arrow::types::diff();
    fields.extend(compared.iter().filter(|it| it.name() != "equal").map(|it| Field::clone(it)));
    Arc::new(Schema::new(fields))
}

/// Pairs of versions. A null text is unknown.
#[derive(Default)]
struct Rows {
    bytes: usize,
    origin: Vec<String>,
    before: Vec<Option<i64>>,
    after: Vec<Option<i64>>,
    agent: Vec<String>,
    access: [Vec<&'static str>; 2],
    texts: [BinaryBuilder; 2],
}

impl histories::Rows for Rows {
    type Parameters = Comparison;

    fn add(
        &mut self,
        origin: &str,
        intervals: &[Interval],
        comparison: &Comparison,
        task: &mut Task<'_>,
        out: &mut PartWriter<'_>,
    ) -> Result<()> {
        // Unknown rules between two versions do not hide the change.
        let known: Vec<&Interval> =
            intervals.iter().filter(|interval| interval.access != Kind::Unknown).collect();
        task.count("intervals.unknown", (intervals.len() - known.len()) as u64);
        for pair in known.windows(2) {
            for crawler in &comparison.crawlers {
                self.add_pair(origin, pair[0], pair[1], crawler);
            }
            if self.origin.len() >= BATCH_ROWS || self.bytes > BATCH_BYTES {
                self.write(comparison, task, out)?;
            }
        }
        Ok(())
    }

    fn write(
        &mut self,
        comparison: &Comparison,
        task: &mut Task<'_>,
        out: &mut PartWriter<'_>,
    ) -> Result<()> {
        let mut rows = std::mem::take(self);
        if rows.origin.is_empty() {
            return Ok(());
        }
        task.count("pairs.compared", rows.origin.len() as u64);
        let names =
            |values: &[&str]| -> ArrayRef { Arc::new(StringArray::from_iter_values(values)) };
        let origins: ArrayRef = Arc::new(StringArray::from_iter_values(&rows.origin));
        let agents: ArrayRef = Arc::new(StringArray::from_iter_values(&rows.agent));
        let [before, after] = &mut rows.texts;
        let (before, after) = (before.finish(), after.finish());
        let crawler_of = |name: &str| {
            let found = comparison.crawlers.iter().find(|it| name_of(it) == name);
            found.map_or_else(|| Cow::Owned(Crawler::new(name)), |it| Cow::Borrowed(it.crawler()))
        };
        let (known, dialect) = (Some(&origins as _), comparison.dialect);
        let found = verger_arrow::diff_by(&before, &after, &agents, known, dialect, &crawler_of)?;
        // A pair that is not proved to be equal has a row.
        let equal = found.column(0).as_boolean();
        let differs = (0..equal.len()).filter(|&row| equal.is_null(row) || !equal.value(row));
        let differs: UInt32Array =
            differs.map(|row| u32::try_from(row).unwrap_or(u32::MAX)).collect();
        let columns = [
            origins,
            time::array(rows.before),
            time::array(rows.after),
            agents,
            names(&rows.access[0]),
            names(&rows.access[1]),
        ];
        let columns = columns.into_iter().chain(found.columns()[1..].iter().cloned());
        let taken = columns.map(|column| Ok(take(&column, &differs, None)?));
        let batch =
            RecordBatch::try_new(Arc::clone(&comparison.schema), taken.collect::<Result<_>>()?)?;
        let undecided = batch.num_rows() - batch.column(batch.num_columns() - 1).null_count();
        task.count("undecided", undecided as u64);
        out.write(&batch)?;
        task.advance(equal.len())
    }
}

impl Rows {
    fn add_pair(
        &mut self,
        origin: &str,
        before: &Interval,
        after: &Interval,
        crawler: &NamedCrawler,
    ) {
        let text = |interval: &Interval| match (&interval.access, &interval.file) {
            (Kind::Rules, Some(file)) => file.body.clone(),
            (Kind::DisallowAll, _) => closed(crawler.crawler()).into_bytes(),
            _ => Vec::new(),
        };
        self.origin.push(origin.to_owned());
        self.before.push(Some(before.from));
        self.after.push(Some(after.from));
        self.agent.push(name_of(crawler).to_owned());
        for (at, interval) in [before, after].into_iter().enumerate() {
            let text = text(interval);
            self.bytes += text.len();
            self.access[at].push(interval.access.name());
            self.texts[at].append_value(text);
        }
    }
}
