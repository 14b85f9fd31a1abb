//! `verger bulk check`: URLs against policies.
//!
//! # Flow
//!
//! If all policies fit in memory, each unit of URLs is read, checked and written by one task.
//! Otherwise policies and URLs are divided into partitions by origin. A task loads the policies of a
//! partition and answers its URLs. The last stage reads the units again, and takes the answer of each
//! row from the partition of its origin. Answers of a partition are in the order of rows, so nothing
//! is sorted. The output is the same in both cases.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, RecordBatch, StringArray, UInt32Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::take::take;
use serde::{Deserialize, Serialize};
use serde_json::json;
use verger_arrow::OriginReader;

use super::Run;
use super::answers::{Answers, StoredAnswer, fields};
use crate::args::Check;
use crate::console::{note, warning};
use crate::error::{Error, Result, brief, shown};
use crate::format::Format;
use crate::input::{Inputs, Unit};
use crate::job::{Counts, Task};
use crate::limits::PARTITIONS;
use crate::origin::partition;
use crate::output::PartWriter;
use crate::policy_table::{OriginRows, PolicyRecord, PolicyTable, agents};
use crate::resolve::bytes_of;
use crate::shuffle::{Cursor, ShuffleReader, ShuffleWriter, read_all};
use crate::table::{Batch, Columns, Wanted, as_text};
use crate::time;

pub(super) fn run(args: &Check) -> Result<ExitCode> {
    let output = args.run.output()?;
    let formats = [Format::Parquet, Format::Csv, Format::JsonLines, Format::List];
    let inputs = Inputs::find(&args.inputs, None, &output, &formats, "URLs")?;
    let policies = Inputs::find(&args.policies, None, &output, &[Format::Parquet], "policies")?;
    let description = json!({
        "inputs": inputs.description,
        "policies": policies.description,
        "agents": args.agents,
        "columns": [&args.url_column, &args.time_column.clone().unwrap_or_default()],
        "keep": args.keep,
        "max_age": args.max_age,
        "without_url": args.without_url,
        "explain": args.explain,
    });
    let run = Run::begin(&args.run, output, "check", &description)?;
    let (units, policies) = (inputs.units()?, policies.units()?);
    let known = run.job.once(|task| agents(&policies, task))?;
    let agents = if args.agents.is_empty() { known.clone() } else { args.agents.clone() };
    if let Some(unknown) = agents.iter().find(|agent| !known.contains(agent)) {
        let error = format!(
            "expected a crawler of the policies with `--agent`, but found `{}`",
            brief(unknown)
        );
        let known: Vec<String> =
            known.iter().take(20).map(|it| format!("`{}`", brief(it))).collect();
        return Err(
            Error::new(error).with_hint(format!("the policies are for {}", known.join(", ")))
        );
    }
    if agents.is_empty() {
        return Err(Error::new("missing rows in the policies"));
    }
    let check = CheckRun {
        args,
        units: &units,
        policies: &policies,
        agents: &agents,
        columns: columns(args),
    };
    let schema = check.schema()?;
    let table = run.job.once(|task| check.load(task, args.run.memory_bytes()))?;
    let (parts, counts) = match &table {
        Some(table) => {
            report(table);
            run.job.stage(
                "check",
                units.len(),
                |_| Ok(0),
                |task| check.write(&run, &schema, AnswerSource::Table(table), task),
            )?
        }
        None => check.run_in_partitions(&run, &schema)?,
    };
    run.end(&parts, &parts, &schema, &counts)
}

fn report(table: &PolicyTable) {
    note(&format!(
        "in memory: origins: {}, different policies: {}",
        table.origins.len(),
        table.policies.len()
    ));
    if table.damaged > 0 {
        warning(&format!(
            "policies that are damaged or of another version: {}; their answers are null",
            table.damaged
        ));
    }
}

fn columns(args: &Check) -> Columns {
    let mut wanted = vec![Wanted::required(&[&args.url_column])];
    wanted.extend(args.time_column.as_deref().map(|name| Wanted::required(&[name])));
    Columns { wanted, kept: args.keep.clone(), is_strict: false }
}

/// The settings of a run.
struct CheckRun<'a> {
    args: &'a Check,
    units: &'a [Unit],
    policies: &'a [Unit],
    agents: &'a [String],
    columns: Columns,
}

/// The source of answers.
enum AnswerSource<'t> {
    Table(&'t PolicyTable),
    /// Answers of each partition, in the order of rows.
    Partitions(Vec<Cursor<'t>>),
}

/// A URL of a partition.
#[derive(Serialize, Deserialize)]
struct Question {
    url: String,
    time: Option<i64>,
}

/// A row with its question.
enum Asked<'r> {
    Of {
        origin: &'r str,
        url: &'r str,
        time: Option<i64>,
    },
    /// No question, for this reason.
    None(&'static str),
}

impl CheckRun<'_> {
    /// The policies, unless they need more memory.
    fn load(&self, task: &mut Task<'_>, memory: u64) -> Result<Option<PolicyTable>> {
        let mut table = PolicyTable::new(self.agents);
        for unit in self.policies {
            let mut fits = true;
            PolicyRecord::read(unit, task, |record| {
                fits = fits && table.bytes <= memory;
                if fits { table.add(&record) } else { Ok(()) }
            })?;
            if !fits {
                return Ok(None);
            }
        }
        table.finish();
        Ok(Some(table))
    }

    fn schema(&self) -> Result<SchemaRef> {
        let first = self.columns.kept_fields(&self.units[0])?;
        for unit in &self.units[1..] {
            if self.columns.kept_fields(unit)? != first {
                let error = format!(
                    "the kept columns of {} have other types than those of {}",
                    shown(&unit.path),
                    shown(&self.units[0].path)
                );
                return Err(Error::new(error).with_hint("check these files in separate runs"));
            }
        }
        let mut all = first;
        if !self.args.without_url {
            all.push(Field::new("url", DataType::Utf8, true));
        }
        if self.args.time_column.is_some() {
            all.push(Field::new("time", time::data_type(), true));
        }
        all.extend(fields(self.args.explain));
        let mut names: Vec<&String> = all.iter().map(Field::name).collect();
        names.sort();
        let repeated = names.chunk_by(|one, next| one == next).find(|group| group.len() > 1);
        if let Some([name, ..]) = repeated {
            let error = format!("the output would have two columns `{}`", brief(name));
            return Err(
                Error::new(error).with_hint("rename the column of the input, or do not keep it")
            );
        }
        Ok(Arc::new(Schema::new(all)))
    }

    /// Writes the part of a unit.
    fn write(
        &self,
        run: &Run<'_>,
        schema: &SchemaRef,
        mut source: AnswerSource<'_>,
        task: &mut Task<'_>,
    ) -> Result<()> {
        let path = task.path.clone();
        let mut out = PartWriter::new(&path, &run.output)?;
        let mut answers = Answers::new(self.agents, self.args.explain);
        let mut origins = OriginReader::default();
        let mut last: (String, Option<OriginRows<'_>>) = (String::new(), None);
        let number = task.number;
        self.columns.read(&self.units[number], task, |task, batch| {
            let (urls, times) = self.questions(&self.units[number], &batch)?;
            let url_texts = urls.as_string::<i32>();
            // Fewer rows than the batch if their patterns are long.
            let mut matching = |start: usize, answers: &mut Answers| -> Result<usize> {
                for row in start..batch.rows {
                    if answers.is_full() {
                        return Ok(row);
                    }
                    let asked = asked(url_texts, times.as_deref(), row, &mut origins);
                    match (&mut source, asked) {
                        (_, Asked::None(reason)) => answers.add_unknown(reason),
                        (AnswerSource::Table(table), Asked::Of { origin, url, time }) => {
                            if last.0 != origin {
                                last.0.clear();
                                last.0.push_str(origin);
                                last.1 = table.find(origin);
                            }
                            for agent in 0..self.agents.len() {
                                let found = (last.1, agent);
                                let answer = table.answer(found, url, time, self.args.max_age);
                                answers.add(agent, &answer);
                            }
                        }
                        (AnswerSource::Partitions(cursors), Asked::Of { origin, .. }) => {
                            let count = cursors.len();
                            for agent in 0..self.agents.len() {
                                let stored: Option<StoredAnswer> =
                                    cursors[partition(origin, count)].next()?;
                                let stored = stored.ok_or_else(|| {
                                    Error::new("the input has changed during the run")
                                })?;
                                answers.add_stored(agent, stored);
                            }
                        }
                    }
                }
                Ok(batch.rows)
            };
            let mut inputs = batch.kept.clone();
            if !self.args.without_url {
                inputs.push(Arc::clone(&urls));
            }
            inputs.extend(times.clone().map(time::array));
            let mut start = 0;
            while start < batch.rows {
                let end = matching(start, &mut answers)?;
                let (columns, counts) = answers.finish();
                for (name, count) in counts {
                    task.count(name, count);
                }
                let rows = end - start;
                let inputs = inputs.iter().map(|column| column.slice(start, rows)).collect();
                let all = self.repeated(inputs, rows)?.into_iter().chain(columns).collect();
                out.write(&RecordBatch::try_new(Arc::clone(schema), all)?)?;
                start = end;
            }
            Ok(())
        })?;
        task.count("rows", out.finish()?);
        Ok(())
    }

    /// The URLs and times of a batch.
    fn questions(
        &self,
        unit: &Unit,
        batch: &Batch,
    ) -> Result<(ArrayRef, Option<Vec<Option<i64>>>)> {
        let urls = self.columns.typed(unit, batch, 0, as_text)?;
        let urls = urls.ok_or_else(|| Error::new("expected a column of URLs"))?;
        let times = match self.args.time_column {
            Some(_) => self.columns.typed(unit, batch, 1, time::column)?,
            None => None,
        };
        Ok((urls, times))
    }

    /// Columns of the input with each row once for each crawler.
    fn repeated(&self, columns: Vec<ArrayRef>, rows: usize) -> Result<Vec<ArrayRef>> {
        let agents = self.agents.len();
        if agents == 1 {
            return Ok(columns);
        }
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        let places: UInt32Array =
            (0..rows).flat_map(|row| std::iter::repeat_n(row, agents)).collect();
        columns.iter().map(|column| Ok(take(column, &places, None)?)).collect()
    }

    /// Checks with policies that do not fit in memory.
    fn run_in_partitions(
        &self,
        run: &Run<'_>,
        schema: &SchemaRef,
    ) -> Result<(Vec<PathBuf>, Counts)> {
        let job = &run.job;
        // A partition has a fraction of the memory, because each thread loads one, and a table takes
        // about twice the space of its file.
        let bytes: u64 = self.policies.iter().map(Unit::bytes).sum::<Result<u64>>()?;
        let part = self.args.run.memory_bytes() / (4 * job.threads as u64);
        let partitions = usize::try_from((bytes / part.max(1) + 2).min(PARTITIONS)).unwrap_or(1);
        note(&format!(
            "the policies need more memory than `--memory`: checking in {partitions} partitions"
        ));
        let (policies, _) = job.stage(
            &format!("policies-{partitions}"),
            self.policies.len(),
            |_| Ok(0),
            |task| {
                let path = task.path.clone();
                let mut out = ShuffleWriter::new(&path, partitions)?;
                PolicyRecord::read(&self.policies[task.number], task, |record| {
                    out.add(partition(&record.origin, partitions), &record)
                })?;
                out.finish()
            },
        )?;
        let (urls, _) = job.stage(
            &format!("urls-{partitions}"),
            self.units.len(),
            |_| Ok(0),
            |task| {
                let path = task.path.clone();
                let mut out = ShuffleWriter::new(&path, partitions)?;
                let mut origins = OriginReader::default();
                let unit = &self.units[task.number];
                self.columns.read(unit, task, |_, batch| {
                    let (urls, times) = self.questions(unit, &batch)?;
                    let urls = urls.as_string::<i32>();
                    for row in 0..batch.rows {
                        if let Asked::Of { origin, url, time } =
                            asked(urls, times.as_deref(), row, &mut origins)
                        {
                            let question = Question { url: url.to_owned(), time };
                            out.add(partition(origin, partitions), &question)?;
                        }
                    }
                    Ok(())
                })?;
                // Damaged rows are listed by the last stage.
                task.forget_skipped()?;
                out.finish()
            },
        )?;
        let needed = |number| Ok(2 * bytes_of(&policies, number)?);
        let (answered, _) =
            job.stage(&format!("match-{partitions}"), partitions, needed, |task| {
                self.match_partition(task, &policies, &urls)
            })?;
        job.stage(
            "check",
            self.units.len(),
            |_| Ok(0),
            |task| {
                let cursor = |file| Ok(ShuffleReader::open(file)?.cursor(task.number));
                let cursors =
                    answered.iter().map(|file: &PathBuf| cursor(file)).collect::<Result<_>>()?;
                self.write(run, schema, AnswerSource::Partitions(cursors), task)
            },
        )
    }

    /// Answers the URLs of a partition.
    fn match_partition(
        &self,
        task: &mut Task<'_>,
        policies: &[PathBuf],
        urls: &[PathBuf],
    ) -> Result<()> {
        let mut table = PolicyTable::new(self.agents);
        read_all(policies, task.number, |record: PolicyRecord| table.add(&record))?;
        table.finish();
        let path = task.path.clone();
        let mut out = ShuffleWriter::new(&path, self.units.len())?;
        let mut origins = OriginReader::default();
        for (unit, file) in urls.iter().enumerate() {
            ShuffleReader::open(file)?.read(task.number, |question: Question| {
                let found = origins.of(&question.url).and_then(|origin| table.find(origin));
                for agent in 0..self.agents.len() {
                    let Question { url, time } = &question;
                    let answer = table.answer((found, agent), url, *time, self.args.max_age);
                    out.add(unit, &StoredAnswer::of(&answer, self.args.explain))?;
                }
                Ok(())
            })?;
        }
        out.finish()
    }
}

/// The question of a row.
fn asked<'r>(
    urls: &'r StringArray,
    times: Option<&[Option<i64>]>,
    row: usize,
    origins: &'r mut OriginReader,
) -> Asked<'r> {
    if urls.is_null(row) {
        return Asked::None("no_url");
    }
    let time = times.map(|times| times[row]);
    if time == Some(None) {
        return Asked::None("no_time");
    }
    let url = urls.value(row);
    match origins.of(url) {
        Some(origin) => Asked::Of { origin, url, time: time.flatten() },
        None => Asked::None("no_origin"),
    }
}
