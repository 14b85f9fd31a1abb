//! `verger check`: whether a crawler may fetch URLs.
//!
//! # Flow
//!
//! With `--robots`, `file.rs` answers each URL as soon as it is read. Without it, `live.rs` fetches
//! the robots.txt of each URL's origin, and reads URLs ahead so that several files are fetched at
//! once. Both write with `writer.rs`. A batch (`batch/`) has its own loop. `tally.rs` counts
//! answers and ends the run.

mod batch;
mod file;
mod live;
mod queue;
mod tally;
mod writer;

use std::io;

use verger::Robots;
use verger_json::NamedCrawler;

use self::tally::{Summary, end};
pub(super) use self::writer::AnswerWriter;
use crate::args::{Check, Format};
use crate::console::{Console, Messages};
use crate::crawler::{self, fallback, show_remarks};
use crate::error::{Error, ExitStatus};
use crate::input::{Lines, place, read_stdin_once};

pub(super) fn run(args: &Check, console: &mut Console) -> Result<ExitStatus, Error> {
    // Not `requires`: Clap accepts `--threads` beside any argument that excludes `--batch`.
    if args.threads.is_some() && args.batch.is_none() {
        let error = Error::new("`--threads` needs `--batch`");
        return Err(error.with_hint("only a batch is answered on several cores"));
    }
    match (&args.batch, &args.robots) {
        (Some(path), _) => batch::run(args, path, console),
        (None, Some(robots)) => file::run(args, robots, console),
        (None, None) => live::run(args, console),
    }
}

/// Opens the crawler and the lists of URLs. A missing list is an error before the first answer.
fn open(args: &Check) -> Result<(NamedCrawler, Vec<Lines>), Error> {
    let crawler = crawler::from_args(&args.crawler, &args.reading.dialect)?.ok_or_else(|| {
        Error::new("missing `--agent NAME` or `--token TOKEN`")
            .with_hint("`--agent GPTBot` checks for the crawler `GPTBot`")
    })?;
    if args.urls.is_empty() && args.urls_from.is_empty() {
        let error = Error::new("missing a URL");
        return Err(error.with_hint("give URLs, or a file with URLs in `--urls-from FILE`"));
    }
    read_stdin_once(args.robots.iter().chain(&args.urls_from))?;
    let lists: Result<_, Error> = args.urls_from.iter().map(|path| Lines::open(path)).collect();
    Ok((crawler, lists?))
}

/// Creates the writer, and shows remarks on the tokens of the crawler.
fn start(
    args: &Check,
    crawler: &NamedCrawler,
    files: &[&Robots],
    console: &mut Console,
) -> AnswerWriter {
    let messages = &mut console.messages;
    // Text answers do not repeat the crawler.
    crawler.known().and_then(fallback).into_iter().for_each(|note| messages.note(note));
    show_remarks(crawler, files, &args.reading.dialect, messages);
    AnswerWriter::new(args.format.unwrap_or(Format::Text), console.palette, args.live.offline)
}

/// Shows counts, and returns the exit status. `counts_one`: see [`Summary`].
fn finish(
    args: &Check,
    writer: &AnswerWriter,
    result: io::Result<()>,
    counts_one: bool,
    messages: &mut Messages,
) -> ExitStatus {
    let names: Vec<_> = args.urls_from.iter().map(|path| format!("`{}`", place(path))).collect();
    let summary = Summary {
        none: Error::new(format!("no URL in {}", names.join(", ")))
            .with_hint("a list has one URL on each line"),
        unit: "URLs",
        counts_one: counts_one || writer.json.is_some(),
    };
    end(result.map_err(Into::into), writer.tally, &summary, messages)
}
