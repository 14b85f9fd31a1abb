//! `verger bulk policies`: compiled policies with the times in which they are in force.

use std::process::ExitCode;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    BinaryArray, DictionaryArray, RecordBatch, StringArray, UInt8Array, UInt16Array, UInt64Array,
};
use data_encoding::HEXLOWER;
use serde_json::json;
use verger::Policy;

use super::histories::{Histories, text};
use super::rows::Column;
use crate::args::{Policies, name_of};
use crate::error::Result;
use crate::history::Interval;
use crate::time;

pub(super) fn run(args: &Policies) -> Result<ExitCode> {
    let crawlers = args.crawlers.crawlers(&args.input.dialect)?;
    let Policies { input, short, files, .. } = args;
    let folder = files.as_ref().map(|folder| folder.to_string_lossy());
    let options = json!({ "short": short, "files": folder });
    let histories = Histories::read("policies", &args.run, input, &crawlers, &options)?;
    histories.write(files.as_deref(), batch, |origin, intervals, task, out| {
        task.count("intervals", intervals.len() as u64);
        for interval in intervals {
            // Once for all crawlers.
            let robots = interval.file.as_ref().map(|file| input.dialect.parse(&file.body));
            // The rows of all crawlers share the file.
            let mut bytes = interval.file.as_ref().map_or(0, |file| file.body.len());
            for it in &crawlers {
                let policy = match &robots {
                    Some(robots) => Some(robots.policy(it.crawler())),
                    None => text(interval, it.crawler())
                        .map(|text| input.dialect.policy(&text, it.crawler())),
                };
                let policy = policy.map(|it| if *short { it.without_explanation() } else { it });
                bytes += policy.as_ref().map_or(0, |policy| policy.as_bytes().len());
                let (origin, interval) = (origin.to_owned(), interval.clone());
                let row = Row { origin, interval, agent: name_of(it), policy };
                out.add(row, std::mem::take(&mut bytes))?;
            }
        }
        Ok(())
    })
}

/// A row of the output.
struct Row<'c> {
    origin: String,
    interval: Interval,
    agent: &'c str,
    policy: Option<Policy>,
}

/// A column of names that repeat.
type Names = DictionaryArray<Int32Type>;

fn batch(rows: &[Row<'_>]) -> Result<RecordBatch> {
    let intervals = || rows.iter().map(|row| &row.interval);
    let files = || intervals().map(|it| it.file.as_ref());
    let times = |of: fn(&Interval) -> Option<i64>| time::array(intervals().map(of).collect());
    let origins = StringArray::from_iter_values(rows.iter().map(|row| &row.origin));
    let captures = UInt64Array::from_iter_values(intervals().map(|it| it.captures));
    let statuses: UInt16Array = intervals().map(|it| it.status).collect();
    let redirects = UInt8Array::from_iter_values(intervals().map(|it| it.redirects));
    let accesses: Names = intervals().map(|it| it.access.name()).collect();
    let reasons: Names = intervals().map(|it| it.reason).collect();
    let hashes: StringArray = files().map(|it| Some(HEXLOWER.encode(&it?.hash))).collect();
    let lengths: UInt64Array = files().map(|it| Some(it?.bytes)).collect();
    let agents: Names = rows.iter().map(|row| row.agent).collect();
    let policies = rows.iter().map(|row| row.policy.as_ref().map(Policy::as_bytes));
    let columns: [Column<'_>; 13] = [
        ("origin", Arc::new(origins), false),
        ("valid_from", times(|it| Some(it.from)), false),
        ("valid_until", times(|it| it.until), true),
        ("last_seen", times(|it| Some(it.last_seen)), false),
        ("captures", Arc::new(captures), false),
        ("status", Arc::new(statuses), true),
        ("redirects", Arc::new(redirects), false),
        ("access", Arc::new(accesses), false),
        ("reason", Arc::new(reasons), true),
        ("hash", Arc::new(hashes), true),
        ("bytes", Arc::new(lengths), true),
        ("agent", Arc::new(agents), false),
        ("policy", Arc::new(policies.collect::<BinaryArray>()), true),
    ];
    Ok(RecordBatch::try_from_iter_with_nullable(columns)?)
}
