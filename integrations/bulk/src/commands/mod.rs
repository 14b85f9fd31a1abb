//! The commands, and the parts of a run that they share.

mod answers;
mod changes;
mod check;
mod histories;
mod metrics;
mod policies;
mod questions;
mod rows;
mod tallies;
mod window;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

use arrow_schema::SchemaRef;
use serde_json::{Value, json};

use crate::args::{CaptureArgs, Cli, Command, Man, RunArgs, SummaryFormat, command};
use crate::capture::CaptureReader;
use crate::console::warning;
use crate::error::{Error, Result, SKIPPED, STANDARD_OUTPUT, shown};
use crate::format::Format;
use crate::input::{Inputs, Unit};
use crate::job::{Counts, Job};
use crate::limits::{PARTITION_INPUT_BYTES, PARTITIONS};
use crate::output::{Output, write_new};
use crate::work_folder::WorkFolder;

/// Runs a command.
pub(crate) fn run(cli: &Cli) -> Result<ExitCode> {
    match &cli.command {
        Command::Policies(args) => policies::run(args),
        Command::Check(args) => check::run(args),
        Command::Metrics(args) => metrics::run(args),
        Command::Changes(args) => changes::run(args),
        Command::Completions(args) => {
            let mut script = Vec::new();
            clap_complete::generate(args.shell, &mut command(), "verger-bulk", &mut script);
            write(&script).map(|()| ExitCode::SUCCESS)
        }
        Command::Man(args) => man(args).map(|()| ExitCode::SUCCESS),
    }
}

/// Prints the manual page of the program, or writes those of all commands.
fn man(args: &Man) -> Result<()> {
    if let Some(dir) = &args.dir {
        let program = command().disable_help_subcommand(true);
        let written = fs::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(program, dir));
        return written.map_err(|error| Error::io("write", dir, &error));
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command())
        .render(&mut page)
        .map_err(|error| Error::new(format!("could not write a page: {error}")))?;
    write(&page)
}

impl RunArgs {
    fn output(&self) -> Result<Output> {
        Output::new(&self.output, self.compression, self.work.as_deref())
    }

    fn memory_bytes(&self) -> u64 {
        self.memory.saturating_mul(1024 * 1024)
    }
}

/// The form of work files. A new form has a new number, so that no run continues with files of
/// another one.
const WORK_FORM: u32 = 2;

/// A command that is running.
struct Run<'a> {
    args: &'a RunArgs,
    output: Output,
    job: Job,
    report: Value,
}

impl<'a> Run<'a> {
    /// Opens the work folder. `description` has everything on which the output depends.
    fn begin(
        args: &'a RunArgs,
        output: Output,
        command: &str,
        description: &Value,
    ) -> Result<Self> {
        let description = json!({
            "command": command,
            "version": env!("CARGO_PKG_VERSION"),
            "work": WORK_FORM,
            "output": [format!("{:?}", output.format), format!("{:?}", output.codec)],
            "arguments": description,
        });
        let work = match &output.work {
            Some(work) => WorkFolder::open(work.clone())?,
            None => WorkFolder::temporary()?,
        };
        output.require_writable()?;
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        let threads = args.threads.map_or_else(cores, usize::from);
        let job = Job::open(work, &description, args.restart, threads, args.memory_bytes())?;
        let report = json!({"command": command, "version": env!("CARGO_PKG_VERSION")});
        Ok(Self { args, output, job, report })
    }

    /// Joins the parts, writes the report, and removes the work folder.
    fn end(
        self,
        parts: &[PathBuf],
        files: &[PathBuf],
        schema: &SchemaRef,
        counts: &Counts,
    ) -> Result<ExitCode> {
        let Self { args, output, job, mut report } = self;
        let skipped: u64 = counts
            .iter()
            .filter(|(name, _)| name.starts_with("skipped."))
            .map(|(_, count)| count)
            .sum();
        output.assemble(parts, schema).map_err(|error| job.explained(error))?;
        report["counts"] = json!(counts);
        if !output.is_stdout() {
            Job::join_skipped(files, &output.beside(".skipped.jsonl"))?;
            let path = output.beside(".report.json");
            let text = format!("{report:#}\n");
            let failed = |error| Error::io("write", &path, &error);
            write_new(&path, |out| out.write_all(text.as_bytes()).map_err(failed))?;
        }
        job.remove()?;
        match args.format {
            // Standard output is for the rows.
            _ if output.is_stdout() => {}
            SummaryFormat::Json => write(format!("{report}\n").as_bytes())?,
            SummaryFormat::Text => {
                let width = counts.keys().map(String::len).max().unwrap_or(0);
                let lines = counts.iter().map(|(name, count)| format!("{name:width$}  {count}\n"));
                write(lines.collect::<String>().as_bytes())?;
            }
        }
        if skipped == 0 {
            return Ok(ExitCode::SUCCESS);
        }
        let list = if output.is_stdout() {
            "with an output file, a list of them is written".to_owned()
        } else {
            format!("{} lists them", shown(&output.beside(".skipped.jsonl")))
        };
        warning(&format!("skipped records: {skipped}; {list}"));
        Ok(SKIPPED.into())
    }
}

/// The input of captures, and how to read it.
struct Captures {
    units: Vec<Unit>,
    reader: CaptureReader,
    partitions: usize,
    /// Everything on which the result of reading depends.
    description: Value,
}

impl Captures {
    fn find(args: &CaptureArgs, output: &Output) -> Result<Self> {
        use Format::{Arc, Csv, Index, JsonLines, Parquet, Wacz, Warc};
        let formats = [Warc, Arc, Wacz, Parquet, Csv, JsonLines, Index];
        let (base, name) = (args.base.clone(), "captures of robots.txt");
        let inputs = Inputs::find(&args.inputs, base.as_deref(), output, &formats, name)?;
        let partitions = (inputs.bytes() / PARTITION_INPUT_BYTES + 1).min(PARTITIONS);
        let partitions = usize::try_from(partitions).unwrap_or(1);
        let units = inputs.units()?;
        let description = json!({
            "inputs": inputs.description,
            "base": base,
            "time": args.time,
            "dialect": args.dialect.name,
            "access": args.access.name,
        });
        let (dialect, default_time) = (args.dialect, args.time);
        let reader = CaptureReader { dialect, default_time, base, reads_ranks: false };
        Ok(Self { units, reader, partitions, description })
    }
}

fn write(text: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text).and_then(|()| out.flush());
    written.map_err(|error| Error::io("write", Path::new(STANDARD_OUTPUT), &error))
}
