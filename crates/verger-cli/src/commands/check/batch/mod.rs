//! `verger check --batch`: questions and answers in JSON Lines.
//!
//! # Flow
//!
//! A thread reads lines in blocks (`block.rs`). A pool of threads (`pool.rs`) answers lines that
//! have a robots.txt (`worker.rs`), with a cache of parsed files (`files.rs`). The main thread
//! writes the results in order. For a line without a robots.txt, the main thread asks the robots
//! client when the block is back from the pool, and writes the answer in its turn, so that the
//! files of several sites are fetched at once.
//!
//! # Scope
//!
//! Memory does not grow with the batch: blocks that are read, in the pool or waiting for a site are
//! limited, and so are buffered answers. If the writer of the batch writes line by line, it gets
//! each answer before the next line.

mod block;
mod files;
mod pool;
mod worker;

use std::cell::Cell;
use std::collections::HashSet;
use std::io::{self, Write as _};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use verger_json::{Id, NamedCrawler, Question};

use self::block::Blocks;
use self::pool::Pool;
use self::worker::{FileLine, Part, Worker};
use super::queue::Queue;
use super::tally::{Stop, Summary, Tally, end};
use super::writer::JsonWriter;
use crate::answer::Answer;
use crate::args::{Check, Format};
use crate::console::{Console, Messages, Out};
use crate::crawler::Remark;
use crate::error::{Error, ExitStatus};
use crate::input::Lines;
use crate::limits::REMARKS_SHOWN;
use crate::live::{LiveClient, PendingDecision};
use crate::robots_file::LastFile;

pub(super) fn run(args: &Check, path: &Path, console: &mut Console) -> Result<ExitStatus, Error> {
    let Some(values) = args.format.unwrap_or(Format::Jsonl).values() else {
        let message = "expected `jsonl` or `json` as the format of a batch, but found `text`";
        return Err(Error::new(message));
    };
    let lines = Lines::open(path)?;
    let name = lines.name().to_owned();
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or_else(cores, usize::from);
    let worker = Arc::new(Worker::new(args.reading.dialect, args.explain));
    let mut blocks = Blocks::read_ahead(lines)?;
    let pool = Pool::start(&worker, threads)?;
    let mut batch = Batch {
        args,
        name,
        worker,
        queue: Queue::new(),
        client: None,
        last_file: LastFile::default(),
        remarks: Remarks::default(),
        writer: JsonWriter::new(values),
    };
    let result = batch.answer_all(&mut blocks, pool, console);
    let Batch { client, remarks, writer, name, .. } = batch;
    console.messages.progress.finish();
    if let Some(Ok(client)) = client {
        client.close(&mut console.messages);
    }
    if remarks.has_more && result.is_ok() {
        console.messages.warning("there are more agents like these");
    }
    let none = Error::new(format!("no question in `{name}`"))
        .with_hint("a batch has one question, a JSON object, on each line");
    let summary = Summary { none, unit: "lines", counts_one: true };
    Ok(end(result, writer.tally, &summary, &mut console.messages))
}

struct Batch<'a> {
    args: &'a Check,
    /// Name of the batch, escaped.
    name: String,
    worker: Arc<Worker>,
    queue: Queue<Pending>,
    /// Opened for the first line that needs it.
    client: Option<Result<LiveClient, Error>>,
    last_file: LastFile,
    remarks: Remarks,
    writer: JsonWriter,
}

/// An item of the queue.
enum Pending {
    /// Finished answers.
    Json { json: Vec<u8>, tally: Tally },
    /// A line with its robots.txt whose answers are too long for a buffer.
    Long(Box<FileLine>),
    /// A line without a robots.txt, if the robots client could not be started.
    Failed { id: Option<Id>, line: u64, error: Error },
    /// A URL of a line without a robots.txt.
    Url { of: Rc<LiveLine>, url: Vec<u8>, decision: PendingDecision },
    /// The end of such a line.
    End(Rc<LiveLine>),
}

/// A line without a robots.txt.
struct LiveLine {
    id: Option<Id>,
    crawler: NamedCrawler,
    line: u64,
    has_failed: Cell<bool>,
}

impl Batch<'_> {
    fn answer_all(
        &mut self,
        blocks: &mut Blocks,
        pool: Pool,
        console: &mut Console,
    ) -> Result<(), Stop> {
        let result = self.answer_blocks(blocks, pool, console);
        if !matches!(result, Err(Stop::Write(_))) {
            // Questions in the queue are answered even if the batch stops early.
            self.answer_rest(&mut console.out)?;
        }
        result?;
        self.writer.values.finish(&mut console.out)?;
        Ok(console.out.flush()?)
    }

    fn answer_blocks(
        &mut self,
        blocks: &mut Blocks,
        mut pool: Pool,
        console: &mut Console,
    ) -> Result<(), Stop> {
        let mut may_wait = false;
        loop {
            let read = if pool.is_full() { None } else { blocks.next_if_read() };
            if let Some(block) = read {
                pool.add(block);
                continue;
            }
            if let Some(done) = pool.next() {
                let (parts, end) = done?;
                for part in parts {
                    self.add(part, console)?;
                }
                may_wait = end.may_wait;
                console.messages.progress.show(end.progress);
                continue;
            }
            if may_wait {
                // The writer of the batch may wait for an answer before it writes the next line.
                self.answer_rest(&mut console.out)?;
            }
            let Some(block) = blocks.next()? else { return Ok(()) };
            pool.add(block);
        }
    }

    /// Adds a result of a block to the queue.
    fn add(&mut self, part: Part, console: &mut Console) -> io::Result<()> {
        match part {
            Part::Json { json, tally } => {
                let bytes = json.len();
                self.queue.push(Pending::Json { json, tally }, bytes);
            }
            Part::Long(line) => {
                let bytes = line.bytes();
                self.queue.push(Pending::Long(line), bytes);
            }
            Part::Live { question, line } => self.ask(*question, line, &mut console.out)?,
            Part::Remark { line, token, remark } => {
                self.remarks.show(token, &remark, (&self.name, line), &mut console.messages);
            }
        }
        self.answer_ready(&mut console.out)
    }

    /// Asks the robots client about the URLs of a line.
    fn ask(&mut self, question: Question, line: u64, out: &mut Out) -> io::Result<()> {
        let Question { id, crawler, urls, dialect, .. } = question;
        let (args, default) = (&self.args.live, &self.args.reading.dialect);
        let client = self.client.get_or_insert_with(|| LiveClient::open(args, None, default));
        if let Err(error) = client {
            let error = error.clone();
            self.queue.push(Pending::Failed { id, line, error }, 0);
            return Ok(());
        }
        let of = Rc::new(LiveLine { id, crawler, line, has_failed: Cell::new(false) });
        for url in urls {
            if let Some(Ok(client)) = &self.client {
                let decision = client.ask(&of.crawler, &dialect, &url);
                let bytes = url.len();
                self.queue.push(Pending::Url { of: Rc::clone(&of), url, decision }, bytes);
            }
            self.answer_ready(out)?;
        }
        let bytes = of.crawler.bytes();
        self.queue.push(Pending::End(of), bytes);
        Ok(())
    }

    /// Writes the answers that are ready, and those that exceed the limits of the queue.
    fn answer_ready(&mut self, out: &mut Out) -> io::Result<()> {
        while let Some(pending) = self.queue.pop_ready(Pending::is_ready) {
            self.answer(pending, out)?;
        }
        Ok(())
    }

    fn answer_rest(&mut self, out: &mut Out) -> io::Result<()> {
        while let Some(pending) = self.queue.pop() {
            self.answer(pending, out)?;
        }
        out.flush()
    }

    fn answer(&mut self, pending: Pending, out: &mut Out) -> io::Result<()> {
        if !pending.is_ready() {
            // The wait can be long.
            out.flush()?;
        }
        match pending {
            Pending::Json { json, tally } => self.writer.lines(&json, tally, out)?,
            Pending::Long(line) => self.worker.answer_long(line, &mut self.writer, out)?,
            Pending::Failed { id, line, error } => {
                self.writer.tally.question(false);
                self.writer.fail((id.as_ref(), line), None, &error, out)?;
            }
            Pending::Url { of, url, decision } => {
                let Some(Ok(client)) = &self.client else { return Ok(()) };
                match client.wait(decision, &url) {
                    Ok(decision) => {
                        let (file, explain) = (self.last_file.of(&decision), self.args.explain);
                        let answer =
                            Answer::of_decision(&url, &of.crawler, file, &decision, explain);
                        if answer.is_unanswered() {
                            of.has_failed.set(true);
                        }
                        self.writer.answer(&Answer { id: of.id.as_ref(), ..answer }, out)?;
                    }
                    Err(error) => {
                        of.has_failed.set(true);
                        let line = (of.id.as_ref(), of.line);
                        self.writer.fail(line, Some(&url), &error, out)?;
                    }
                }
            }
            Pending::End(of) => self.writer.tally.question(!of.has_failed.get()),
        }
        Ok(())
    }
}

impl Pending {
    fn is_ready(&self) -> bool {
        match self {
            Self::Url { decision, .. } => decision.is_ready(),
            _ => true,
        }
    }
}

/// The first remarks on unusual agents. Each agent has one, because batches often repeat an agent
/// on every line.
#[derive(Default)]
struct Remarks {
    agents: HashSet<String>,
    has_more: bool,
}

impl Remarks {
    /// Shows the remark on an agent, unless it is a repetition or over the limit.
    fn show(
        &mut self,
        agent: String,
        remark: &Remark,
        (name, line): (&str, u64),
        messages: &mut Messages,
    ) {
        let is_new = !self.agents.contains(&agent);
        self.has_more |= is_new && self.agents.len() == REMARKS_SHOWN;
        if is_new && self.agents.len() < REMARKS_SHOWN {
            self.agents.insert(agent);
            remark.show(format_args!("{name}:{line}: "), messages);
        }
    }
}
