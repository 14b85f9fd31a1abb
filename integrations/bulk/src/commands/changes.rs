//! `verger bulk changes`: changes of the meaning of robots.txt between captures.

use std::process::ExitCode;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use serde_json::Value;
use verger::access::Kind;

use super::histories::{Histories, text};
use super::rows;
use crate::args::{Changes, name_of};
use crate::error::Result;
use crate::history::Interval;
use crate::time;

pub(super) fn run(args: &Changes) -> Result<ExitCode> {
    let crawlers = args.crawlers.crawlers(&args.input.dialect)?;
    let histories = Histories::read("changes", &args.run, &args.input, &crawlers, &Value::Null)?;
    histories.write(None, batch, |origin, intervals, task, out| {
        // Unknown rules between two versions do not hide the change.
        let known: Vec<&Interval> =
            intervals.iter().filter(|interval| interval.access != Kind::Unknown).collect();
        task.count("intervals.unknown", (intervals.len() - known.len()) as u64);
        let scope = origin.parse().ok();
        for pair in known.windows(2) {
            for it in &crawlers {
                let crawler = it.crawler();
                let texts = [pair[0], pair[1]].map(|interval| text(interval, crawler));
                let [Some(before), Some(after)] = texts else { continue };
                let dialect = args.input.dialect;
                let found =
                    verger_arrow::difference(&before, &after, crawler, scope.as_ref(), dialect);
                task.count("pairs.compared", 1);
                // A pair that is not proved to be equal has a row.
                let is_equal = found["equal"] == true;
                task.count("undecided", u64::from(!is_equal && !found["undecided"].is_null()));
                if is_equal {
                    continue;
                }
                let row = Row {
                    origin: origin.to_owned(),
                    times: [pair[0].from, pair[1].from],
                    agent: name_of(it),
                    access: [pair[0].access.name(), pair[1].access.name()],
                    found,
                };
                out.add(row, before.len() + after.len())?;
            }
        }
        Ok(())
    })
}

/// A row of the output.
struct Row<'c> {
    origin: String,
    times: [i64; 2],
    agent: &'c str,
    access: [&'static str; 2],
    /// The difference of both versions.
    found: Value,
}

fn batch(rows: &[Row<'_>]) -> Result<RecordBatch> {
    fn texts<'r>(texts: impl Iterator<Item = &'r str>) -> ArrayRef {
        Arc::new(StringArray::from_iter_values(texts))
    }
    let times = |at: usize| time::array(rows.iter().map(|row| Some(row.times[at])).collect());
    let own = [
        ("origin", texts(rows.iter().map(|row| &*row.origin)), false),
        ("before", times(0), false),
        ("after", times(1), false),
        ("agent", texts(rows.iter().map(|row| row.agent)), false),
        ("access_before", texts(rows.iter().map(|row| row.access[0])), false),
        ("access_after", texts(rows.iter().map(|row| row.access[1])), false),
    ];
    let found = rows.iter().map(|row| Some(&row.found));
    let found = verger_arrow::structs(verger_arrow::types::diff(), found)?;
    let found = rows::columns(&found).filter(|(name, ..)| *name != "equal");
    Ok(RecordBatch::try_from_iter_with_nullable(own.into_iter().chain(found))?)
}
