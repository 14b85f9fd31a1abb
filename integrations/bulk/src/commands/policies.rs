//! `verger bulk policies`: compiled policies with the times in which they are in force.

use std::process::ExitCode;
use std::sync::Arc;

use arrow_array::builder::{
    BinaryBuilder, StringBuilder, StringDictionaryBuilder, UInt8Builder, UInt16Builder,
    UInt64Builder,
};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use data_encoding::HEXLOWER;
use serde_json::json;
use verger::access::Kind;
use verger::{Crawler, Dialect, Policy, Robots};
use verger_json::NamedCrawler;

use super::histories::{self, Histories, closed};
use crate::args::{Policies, name_of};
use crate::error::Result;
use crate::history::Interval;
use crate::job::Task;
use crate::limits::{BATCH_BYTES, BATCH_ROWS};
use crate::output::PartWriter;
use crate::time;

pub(super) fn run(args: &Policies) -> Result<ExitCode> {
    let crawlers = args.crawlers.crawlers(&args.reading.dialect)?;
    let Policies { input, reading, short, files, .. } = args;
    let folder = files.as_ref().map(|folder| folder.to_string_lossy());
    let options = json!({ "short": short, "files": folder });
    let mut histories =
        Histories::read("policies", &args.run, input, reading, &crawlers, &options)?;
    histories.files = files.as_deref();
    let schema = schema();
    let compiler =
        Compiler { crawlers, dialect: reading.dialect, short: *short, schema: Arc::clone(&schema) };
    histories.write::<Rows>(&schema, &compiler)
}

struct Compiler {
    crawlers: Vec<NamedCrawler>,
    dialect: Dialect,
    short: bool,
    schema: SchemaRef,
}

impl Compiler {
    /// The policy of an interval for each crawler.
    fn policies(&self, interval: &Interval) -> Vec<Option<Policy>> {
        let parse = |text: &[u8]| self.dialect.parse(text);
        let compile = |robots: &Robots, crawler: &Crawler| {
            let policy = robots.policy(crawler);
            Some(if self.short { policy.without_explanation() } else { policy })
        };
        let robots = match (interval.access, &interval.file) {
            (Kind::Rules, Some(file)) => Some(parse(&file.body)),
            (Kind::AllowAll, _) => Some(parse(b"")),
            _ => None,
        };
        let of = |it: &NamedCrawler| match (interval.access, &robots) {
            (_, Some(robots)) => compile(robots, it.crawler()),
            (Kind::DisallowAll, _) => {
                compile(&parse(closed(it.crawler()).as_bytes()), it.crawler())
            }
            _ => None,
        };
        self.crawlers.iter().map(of).collect()
    }
}

fn schema() -> SchemaRef {
    let name = || DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    Arc::new(Schema::new(vec![
        Field::new("origin", DataType::Utf8, false),
        Field::new("valid_from", time::data_type(), false),
        Field::new("valid_until", time::data_type(), true),
        Field::new("last_seen", time::data_type(), false),
        Field::new("captures", DataType::UInt64, false),
        Field::new("status", DataType::UInt16, true),
        Field::new("redirects", DataType::UInt8, false),
        Field::new("access", name(), false),
        Field::new("reason", name(), true),
        Field::new("hash", DataType::Utf8, true),
        Field::new("bytes", DataType::UInt64, true),
        Field::new("agent", name(), false),
        Field::new("policy", DataType::Binary, true),
    ]))
}

#[derive(Default)]
struct Rows {
    count: usize,
    bytes: usize,
    origin: StringBuilder,
    from: Vec<Option<i64>>,
    until: Vec<Option<i64>>,
    seen: Vec<Option<i64>>,
    captures: UInt64Builder,
    status: UInt16Builder,
    redirects: UInt8Builder,
    access: StringDictionaryBuilder<Int32Type>,
    reason: StringDictionaryBuilder<Int32Type>,
    hash: StringBuilder,
    file_bytes: UInt64Builder,
    agent: StringDictionaryBuilder<Int32Type>,
    policy: BinaryBuilder,
}

impl histories::Rows for Rows {
    type Parameters = Compiler;

    fn add(
        &mut self,
        origin: &str,
        intervals: &[Interval],
        compiler: &Compiler,
        task: &mut Task<'_>,
        out: &mut PartWriter<'_>,
    ) -> Result<()> {
        task.count("intervals", intervals.len() as u64);
        for interval in intervals {
            self.add_interval(origin, interval, compiler);
            if self.count >= BATCH_ROWS || self.bytes >= BATCH_BYTES {
                self.write(compiler, task, out)?;
            }
        }
        Ok(())
    }

    fn write(
        &mut self,
        compiler: &Compiler,
        task: &mut Task<'_>,
        out: &mut PartWriter<'_>,
    ) -> Result<()> {
        let mut rows = std::mem::take(self);
        if rows.count == 0 {
            return Ok(());
        }
        let columns: Vec<ArrayRef> = vec![
            Arc::new(rows.origin.finish()),
            time::array(rows.from),
            time::array(rows.until),
            time::array(rows.seen),
            Arc::new(rows.captures.finish()),
            Arc::new(rows.status.finish()),
            Arc::new(rows.redirects.finish()),
            Arc::new(rows.access.finish()),
            Arc::new(rows.reason.finish()),
            Arc::new(rows.hash.finish()),
            Arc::new(rows.file_bytes.finish()),
            Arc::new(rows.agent.finish()),
            Arc::new(rows.policy.finish()),
        ];
        let batch = RecordBatch::try_new(Arc::clone(&compiler.schema), columns)?;
        out.write(&batch)?;
        task.advance(rows.count)
    }
}

impl Rows {
    fn add_interval(&mut self, origin: &str, interval: &Interval, compiler: &Compiler) {
        let file = interval.file.as_ref();
        let hash = file.map(|file| HEXLOWER.encode(&file.hash));
        let policies = compiler.policies(interval);
        for (crawler, policy) in compiler.crawlers.iter().zip(policies) {
            self.count += 1;
            self.origin.append_value(origin);
            self.from.push(Some(interval.from));
            self.until.push(interval.until);
            self.seen.push(Some(interval.last_seen));
            self.captures.append_value(interval.captures);
            self.status.append_option(interval.status);
            self.redirects.append_value(interval.redirects);
            self.access.append_value(interval.access.name());
            self.reason.append_option(interval.reason);
            self.hash.append_option(hash.as_deref());
            self.file_bytes.append_option(file.map(|file| file.bytes));
            self.agent.append_value(name_of(crawler));
            self.bytes += policy.as_ref().map_or(0, |policy| policy.as_bytes().len());
            self.policy.append_option(policy.as_ref().map(Policy::as_bytes));
        }
    }
}
