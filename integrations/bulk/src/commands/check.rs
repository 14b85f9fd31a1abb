//! `verger bulk check`: URLs against policies.
//!
//! # Flow
//!
//! If all policies fit in memory, each unit of URLs is read, checked and written by one task, a
//! window of rows at a time. Otherwise policies and URLs are divided into partitions by origin. A
//! task loads the policies of a partition and answers its URLs. The last stage reads the units
//! again, and takes the answer of each row from the partition of its origin. Answers of a partition
//! are in the order of rows, so nothing is sorted. The output is the same in both cases.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray as _;
use arrow_schema::{Field, Schema, SchemaRef};
use serde_json::json;
use verger_arrow::OriginReader;

use super::Run;
use super::answers::{Answer, Answers, Explanation};
use super::questions::Questions;
use super::window::{Matched, Window};
use crate::args::Check;
use crate::cells::as_text;
use crate::check_column::CheckColumn;
use crate::console::{note, warning};
use crate::error::{Error, Result, brief, shown};
use crate::format::Format;
use crate::input::{Inputs, Unit};
use crate::job::{Counts, Task, no_bytes};
use crate::limits::{PARTITIONS, SHOWN_NAMES};
use crate::origin::partition;
use crate::output::PartWriter;
use crate::policy_table::{PolicyRecord, PolicyTable, agents};
use crate::resolve::bytes_of;
use crate::shuffle::{Cursor, ShuffleReader, ShuffleWriter, read_all};
use crate::table::{Batch, Columns, Wanted};
use crate::time;

pub(super) fn run(args: &Check) -> Result<ExitCode> {
    let output = args.run.output()?;
    let formats = [Format::Parquet, Format::Csv, Format::JsonLines, Format::List];
    let inputs = Inputs::find(&args.inputs, None, &output, &formats, "URLs")?;
    let policies = Inputs::find(&args.policies, None, &output, &[Format::Parquet], "policies")?;
    let columns = args.columns()?;
    if columns.contains(&CheckColumn::Time) && args.time_column.is_none() {
        let error = "expected `--time-column` with the column `time`";
        return Err(Error::new(error).with_hint("it names the column of the input"));
    }
    let description = json!({
        "inputs": inputs.description,
        "policies": policies.description,
        "agents": args.agents,
        "read": [&args.url_column, &args.time_column.clone().unwrap_or_default()],
        "keep": args.keep,
        "max_age": args.max_age,
        "columns": format!("{columns:?}"),
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
            known.iter().take(SHOWN_NAMES).map(|it| format!("`{}`", brief(it))).collect();
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
        explain: columns.iter().any(|column| column.needs_rule()),
        read: read(args),
        columns,
    };
    let schema = check.schema()?;
    let table = run.job.once(|task| check.load(task, args.run.memory_bytes()))?;
    let (parts, counts) = match &table {
        Some(table) => {
            report(table);
            run.job.stage("check", units.len(), no_bytes, |task| {
                check.write(&run, &schema, AnswerSource::Table(table), task)
            })?
        }
        None => check.run_in_partitions(&run, &schema)?,
    };
    if let Some(count) = counts.get(WITHOUT_PATTERN) {
        note(&format!("rows without `pattern` because of `policies --short`: {count}"));
    }
    run.end(&parts, &parts, &schema, &counts)
}

/// The count of rows with a rule whose pattern their policy does not have.
const WITHOUT_PATTERN: &str = "answers.without_pattern";

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

/// The columns of the input.
fn read(args: &Check) -> Columns {
    let mut wanted = vec![Wanted::required(&[&args.url_column])];
    wanted.extend(args.time_column.as_deref().map(|name| Wanted::required(&[name])));
    Columns { wanted, kept: args.keep.clone(), ..Columns::default() }
}

/// The settings of a run.
struct CheckRun<'a> {
    args: &'a Check,
    units: &'a [Unit],
    policies: &'a [Unit],
    agents: &'a [String],
    /// The columns of the input.
    read: Columns,
    /// The columns of the output after the kept ones.
    columns: Vec<CheckColumn>,
    /// Whether columns need the deciding rule.
    explain: bool,
}

/// The source of answers.
enum AnswerSource<'t> {
    Table(&'t PolicyTable),
    /// Answers of each partition, in the order of rows.
    Partitions(Vec<Cursor<'t>>),
}

/// A URL of a partition, and its time.
type Question = (String, Option<i64>);

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
        let first = self.read.kept_fields(&self.units[0])?;
        // The units of a file are neighbours.
        for files in self.units.windows(2).filter(|pair| pair[0].path != pair[1].path) {
            let unit = &files[1];
            if self.read.kept_fields(unit)? != first {
                let error = format!(
                    "the kept columns of {} have other types than those of {}",
                    shown(&unit.path),
                    shown(&self.units[0].path)
                );
                return Err(Error::new(error).with_hint("check these files in separate runs"));
            }
        }
        let mut all = first;
        all.extend(self.columns.iter().map(|column| column.field()));
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
        let unit = &self.units[task.number];
        let mut out = PartWriter::new(&task.path, &run.output)?;
        let mut window = Window::default();
        self.read.read(unit, task, |task, batch| {
            for part in self.questions(unit, batch)?.parts(self.agents.len()) {
                window.add(part);
                // Stored answers have no need of a window.
                if window.is_full(self.agents.len())
                    || matches!(source, AnswerSource::Partitions(_))
                {
                    self.write_window(&mut window, &mut source, schema, &mut out, task)?;
                }
            }
            Ok(())
        })?;
        self.write_window(&mut window, &mut source, schema, &mut out, task)?;
        task.count("rows", out.finish()?);
        Ok(())
    }

    fn write_window(
        &self,
        window: &mut Window,
        source: &mut AnswerSource<'_>,
        schema: &SchemaRef,
        out: &mut PartWriter<'_>,
        task: &mut Task<'_>,
    ) -> Result<()> {
        let name = self.units[task.number].name();
        let matched = match source {
            AnswerSource::Table(table) => window.matched(table, self.args.max_age, self.explain),
            AnswerSource::Partitions(_) => Matched::default(),
        };
        let mut explanations = matched.explanations.into_iter();
        let mut matched = matched.answers.into_iter();
        let mut answers = Answers::new(self.agents);
        let mut origins = OriginReader::default();
        let agents = self.agents.len();
        for batch in window.take() {
            let count = batch.rows() * agents;
            let long_rows = batch.long_rows(agents);
            let mut start = 0;
            while start < count {
                answers.clear();
                let mut end = start;
                while end < count && !answers.is_full() {
                    let (answer, explanation) = match source {
                        AnswerSource::Table(_) => {
                            let answer = matched.next().unwrap_or(Answer::unknown("unknown"));
                            (answer, explanations.next())
                        }
                        AnswerSource::Partitions(cursors) => {
                            self.stored(cursors, batch.origin(end / agents, &mut origins))?
                        }
                    };
                    let bytes = long_rows.get(end / agents);
                    answers.add(answer, explanation, bytes.copied().unwrap_or_default());
                    end += 1;
                }
                for (name, count) in answers.counts() {
                    task.count(name, count);
                }
                let short = answers.without_pattern();
                if short > 0 && self.columns.contains(&CheckColumn::Pattern) {
                    task.count(WITHOUT_PATTERN, short as u64);
                }
                let columns = answers.columns(&self.columns, &name, &batch, start)?;
                out.write(&RecordBatch::try_new(Arc::clone(schema), columns)?)?;
                start = end;
            }
        }
        Ok(())
    }

    /// The next answer from the partition of an origin.
    fn stored<'t>(
        &self,
        cursors: &mut [Cursor<'_>],
        origin: std::result::Result<&str, &'static str>,
    ) -> Result<(Answer, Option<Explanation<'t>>)> {
        let count = cursors.len();
        match origin {
            Err(reason) => Ok((Answer::unknown(reason), self.explain.then(Explanation::default))),
            Ok(origin) => {
                let stored = cursors[partition(origin, count)].next()?;
                stored.ok_or_else(|| Error::new("the input has changed during the run"))
            }
        }
    }

    /// The questions of a batch.
    fn questions(&self, unit: &Unit, batch: Batch) -> Result<Questions> {
        let urls = self.read.typed(unit, &batch, 0, as_text)?;
        let urls = urls.ok_or_else(|| Error::new("expected a column of URLs"))?;
        let times = match self.args.time_column {
            Some(_) => self.read.typed(unit, &batch, 1, time::column)?,
            None => None,
        };
        let Batch { kept, places, .. } = batch;
        Ok(Questions { urls: urls.as_string::<i32>().clone(), times, kept, places })
    }

    /// Checks with policies that do not fit in memory.
    fn run_in_partitions(
        &self,
        run: &Run<'_>,
        schema: &SchemaRef,
    ) -> Result<(Vec<PathBuf>, Counts)> {
        let job = &run.job;
        // A partition has a fraction of the memory, because each thread loads one, and a table
        // takes about twice the space of its file.
        let bytes: u64 = self.policies.iter().map(Unit::bytes).sum();
        let part = self.args.run.memory_bytes() / (4 * job.threads as u64);
        let partitions = usize::try_from((bytes / part.max(1) + 2).min(PARTITIONS)).unwrap_or(1);
        note(&format!(
            "the policies need more memory than `--memory`: checking in {partitions} partitions"
        ));
        let stage = format!("policies-{partitions}");
        let (policies, _) = job.stage(&stage, self.policies.len(), no_bytes, |task| {
            let path = task.path.clone();
            let mut out = ShuffleWriter::new(&path, partitions)?;
            PolicyRecord::read(&self.policies[task.number], task, |record| {
                out.add(partition(&record.origin, partitions), &record)
            })?;
            out.finish()
        })?;
        let stage = format!("urls-{partitions}");
        let (urls, _) = job.stage(&stage, self.units.len(), no_bytes, |task| {
            let path = task.path.clone();
            let mut out = ShuffleWriter::new(&path, partitions)?;
            let mut origins = OriginReader::default();
            let unit = &self.units[task.number];
            self.read.read(unit, task, |_, batch| {
                let batch = self.questions(unit, batch)?;
                for row in 0..batch.rows() {
                    if let Ok(origin) = batch.origin(row, &mut origins) {
                        let question = (batch.urls.value(row), batch.time(row));
                        out.add(partition(origin, partitions), &question)?;
                    }
                }
                Ok(())
            })?;
            // Damaged rows are listed by the last stage.
            task.forget_skipped()?;
            out.finish()
        })?;
        let needed = |number| Ok(2 * bytes_of(&policies, number)?);
        let stage = format!("match-{partitions}");
        let (answered, _) = job.stage(&stage, partitions, needed, |task| {
            self.match_partition(task, &policies, &urls)
        })?;
        job.stage("check", self.units.len(), no_bytes, |task| {
            let files = answered.iter();
            let cursors = files.map(|file| Ok(ShuffleReader::open(file)?.cursor(task.number)));
            self.write(run, schema, AnswerSource::Partitions(cursors.collect::<Result<_>>()?), task)
        })
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
            ShuffleReader::open(file)?.read(task.number, |(url, time): Question| {
                let origin = origins.of(&url).and_then(|origin| table.number(origin));
                for agent in 0..self.agents.len() {
                    let versions = table.versions(origin, agent);
                    let answer = table.answer(versions, &url, time, self.args.max_age);
                    let explanation = self.explain.then(|| Explanation::of(&answer));
                    out.add(unit, &(Answer::of(&answer), explanation))?;
                }
                Ok(())
            })?;
        }
        out.finish()
    }
}
