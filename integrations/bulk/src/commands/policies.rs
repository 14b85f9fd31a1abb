//! `verger bulk policies`: compiled policies with the times in which they are in force.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::builder::{
    BinaryBuilder, StringBuilder, StringDictionaryBuilder, UInt8Builder, UInt16Builder,
    UInt64Builder,
};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use serde_json::json;
use verger::access::Kind;
use verger::{Crawler, Dialect, Policy, Robots};

use super::{Captures, Run};
use crate::args::{NamedCrawler, Policies};
use crate::error::{ExitStatus, Result};
use crate::history::{Interval, Version, intervals};
use crate::job::Task;
use crate::limits::{BATCH_BYTES, BATCH_ROWS};
use crate::output::PartWriter;
use crate::resolve::{Resolver, bytes_of};
use crate::shuffle::ShuffleReader;
use crate::time;

pub(super) fn run(args: &Policies) -> Result<ExitStatus> {
    let crawlers = args.crawlers.crawlers()?;
    let output = args.run.output()?;
    let captures = Captures::find(&args.input, &args.reading, &output)?;
    let description = json!({
        "captures": captures.description(&args.reading),
        "crawlers": crawlers.iter().map(|it| (&it.name, format!("{:?}", it.crawler))).collect::<Vec<_>>(),
        "short": args.short,
    });
    let run = Run::begin(&args.run, output, "policies", &description)?;
    let resolver = Resolver {
        job: &run.job,
        units: &captures.units,
        partitions: captures.partitions,
        reader: &captures.reader,
        profile: &args.reading.access,
    };
    let resolved = resolver.run()?;
    let schema = schema();
    let compiler =
        Compiler { crawlers: &crawlers, dialect: args.reading.dialect, short: args.short };
    let needed = |number| bytes_of(&resolved.versions, number);
    let (parts, counts) = run.job.stage("write", captures.partitions, needed, |task| {
        let path = task.path.clone();
        let mut out = PartWriter::new(&path, &run.output)?;
        let mut rows = Rows::default();
        for (origin, versions) in origins(&resolved.versions, task.number)? {
            task.count("origins", 1);
            task.count("versions", versions.len() as u64);
            let clock = task.clock;
            let (found, replaced) = intervals(versions, &args.reading.access);
            task.count("replaced", replaced);
            task.count("intervals", found.len() as u64);
            for interval in &found {
                clock.compare(|| rows.add(&origin, interval, &compiler));
                if rows.count >= BATCH_ROWS || rows.bytes >= BATCH_BYTES {
                    rows.write(&schema, task, &mut out)?;
                }
            }
        }
        rows.write(&schema, task, &mut out)?;
        task.count("rows", out.finish()?);
        Ok(())
    })?;
    let mut all = resolved.counts;
    all.extend(counts);
    run.end("policies", &parts, &resolved.files, &schema, &all)
}

/// The versions of each origin of a partition, in the order of origins.
pub(super) fn origins(
    files: &[PathBuf],
    partition: usize,
) -> Result<BTreeMap<String, Vec<Version>>> {
    let mut origins: BTreeMap<String, Vec<Version>> = BTreeMap::new();
    for file in files {
        ShuffleReader::open(file)?.read(partition, |version: Version| {
            match origins.get_mut(&version.origin) {
                Some(versions) => versions.push(version),
                None => drop(origins.insert(version.origin.clone(), vec![version])),
            }
            Ok(())
        })?;
    }
    Ok(origins)
}

/// The text of a robots.txt that closes everything for a crawler, also if it ignores groups for `*`.
pub(super) fn closed(crawler: &Crawler) -> String {
    let mut text = String::new();
    for token in crawler.tokens() {
        let _ = writeln!(text, "User-agent: {}", token.as_str());
    }
    text + "User-agent: *\nDisallow: /\n"
}

struct Compiler<'a> {
    crawlers: &'a [NamedCrawler],
    dialect: Dialect,
    short: bool,
}

impl Compiler<'_> {
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
            (_, Some(robots)) => compile(robots, &it.crawler),
            (Kind::DisallowAll, _) => compile(&parse(closed(&it.crawler).as_bytes()), &it.crawler),
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

/// A hash in hexadecimal digits.
pub(super) fn hex(hash: &[u8; 32]) -> String {
    hash.iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
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

impl Rows {
    fn add(&mut self, origin: &str, interval: &Interval, compiler: &Compiler<'_>) {
        let file = interval.file.as_ref();
        let hash = file.map(|file| hex(&file.hash));
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
            self.agent.append_value(&crawler.name);
            self.bytes += policy.as_ref().map_or(0, |policy| policy.as_bytes().len());
            self.policy.append_option(policy.as_ref().map(Policy::as_bytes));
        }
    }

    fn write(
        &mut self,
        schema: &SchemaRef,
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
        let batch = RecordBatch::try_new(Arc::clone(schema), columns)?;
        task.clock.write(|| out.write(&batch))?;
        task.advance(rows.count)
    }
}
