//! `verger check --batch`: questions and answers in JSON Lines.
//!
//! # Flow
//!
//! A thread reads lines in blocks (`block.rs`). Those with a robots.txt are answered on all cores (`answering.rs`,
//! `crew.rs`), each file parsed once as long as it is kept (`files.rs`), and what comes of the blocks is written
//! in order. A line without a robots.txt is about that of the origin: the first thread asks for it when its block
//! has come back, and answers it when it is its turn, so that the files of several sites are fetched at once.
//!
//! # Scope
//!
//! Memory does not grow with the batch: blocks that are read, in work, or waiting for a site are bounded, and so
//! are the answers that are kept. Whoever writes the batch line by line gets each answer before the next line.

mod answering;
mod block;
mod crew;
mod files;
mod json_replies;
mod unusual;

use std::cell::Cell;
use std::io::{self, Write as _};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use verger::Dialect;
use verger_json::{Id, Question};

use self::answering::{Answering, FileLine, Part};
use self::block::Blocks;
use self::crew::Crew;
use self::json_replies::JsonReplies;
use self::unusual::Unusual;
use super::ending::{LastWords, Stop, end};
use crate::ahead::Ahead;
use crate::args::{Check, Format};
use crate::asker::Asker;
use crate::console::{Out, Talk};
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::input::Lines;
use crate::live::{Asked, Live};
use crate::reply::Reply;
use crate::robots_file::LastFile;
use crate::tally::Tally;

pub(super) fn run(
    args: &Check,
    path: &Path,
    out: &mut Out,
    talk: &mut Talk,
) -> Result<ExitStatus, Error> {
    let Some(answers) = args.format.unwrap_or(Format::Jsonl).values() else {
        let message = "expected `jsonl` or `json` as the format of a batch, but found `text`";
        return Err(Error::new(message));
    };
    let lines = Lines::open(path)?;
    let name = lines.name().to_owned();
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or_else(cores, usize::from);
    let answering = Arc::new(Answering::new(args.reading.dialect, args.explain));
    let crew = Crew::new(Arc::clone(&answering), threads);
    let mut blocks = Blocks::read_ahead(lines)?;
    let mut batch = Batch {
        args,
        name,
        answering,
        ahead: Ahead::new(),
        live: None,
        last_live: LastFile::default(),
        unusual: Unusual::default(),
        replies: JsonReplies::new(answers),
    };
    let result = batch.answer_all(&mut blocks, crew, out, talk);
    let Batch { live, unusual, replies, name, .. } = batch;
    talk.progress.finish();
    if let Some(Ok(live)) = live {
        live.close().iter().for_each(|notice| talk.warning(notice));
    }
    if let Some(words) = unusual.last_word().filter(|_| result.is_ok()) {
        talk.warning(words);
    }
    let of_none = Error::new(format!("nothing was asked: no line in `{name}`"))
        .with_hint("a batch has one question, a JSON object, on each line");
    let words = LastWords { of_none, questions: "lines", counts_one: true };
    Ok(end(result, replies.tally, &words, talk))
}

struct Batch<'a> {
    args: &'a Check,
    /// The name of the batch, escaped.
    name: String,
    answering: Arc<Answering>,
    ahead: Ahead<Pending>,
    /// Opened for the first line that needs it.
    live: Option<Result<Live, Error>>,
    last_live: LastFile,
    unusual: Unusual,
    replies: JsonReplies,
}

/// What waits for its turn.
enum Pending {
    /// Answers.
    Written { json: Vec<u8>, tally: Tally },
    /// A line with its robots.txt whose answers are too long to be kept.
    Long(FileLine),
    /// A line for which there is no robots client.
    Bad { id: Option<Id>, line: u64, error: Error },
    /// A URL of a line without a robots.txt.
    Url { of: Rc<LiveLine>, url: Vec<u8>, asked: Asked },
    /// The end of such a line.
    End(Rc<LiveLine>),
}

/// A line without a robots.txt.
struct LiveLine {
    id: Option<Id>,
    asker: Asker,
    line: u64,
    has_failed: Cell<bool>,
}

impl Batch<'_> {
    fn answer_all(
        &mut self,
        blocks: &mut Blocks,
        crew: Crew,
        out: &mut Out,
        talk: &mut Talk,
    ) -> Result<(), Stop> {
        let result = self.answer_blocks(blocks, crew, out, talk);
        if !matches!(result, Err(Stop::Write(_))) {
            // What has been asked is answered, however the batch ends.
            self.answer_rest(out)?;
        }
        result?;
        self.replies.answers.finish(out)?;
        Ok(out.flush()?)
    }

    fn answer_blocks(
        &mut self,
        blocks: &mut Blocks,
        mut crew: Crew,
        out: &mut Out,
        talk: &mut Talk,
    ) -> Result<(), Stop> {
        let mut may_wait = false;
        loop {
            let read = if crew.is_full() { None } else { blocks.next_if_there() };
            if let Some(block) = read {
                crew.take(block)?;
                continue;
            }
            if let Some(done) = crew.next() {
                let (parts, end) = done?;
                for part in parts {
                    self.take(part, out, talk)?;
                }
                may_wait = end.may_wait;
                talk.progress.show_at(end.line, end.progress);
                continue;
            }
            if may_wait {
                // Whoever writes the batch line by line may wait for an answer before the next line.
                self.answer_rest(out)?;
            }
            let Some(block) = blocks.next()? else { return Ok(()) };
            crew.take(block)?;
        }
    }

    /// Puts what has come of a block in its place.
    fn take(&mut self, part: Part, out: &mut Out, talk: &mut Talk) -> io::Result<()> {
        match part {
            Part::Written { json, tally } => {
                let bytes = json.len();
                self.ahead.push(Pending::Written { json, tally }, bytes);
            }
            Part::Long(line) => {
                let bytes = line.bytes();
                self.ahead.push(Pending::Long(line), bytes);
            }
            Part::Live { question, dialect, line } => {
                self.ask(question, &dialect, line, out)?;
            }
            Part::Unusual { line, token, remark } => {
                self.unusual.tell(&token, &remark, (&self.name, line), talk);
            }
        }
        self.answer_ready(out)
    }

    /// Asks about the URLs of a line without a robots.txt.
    fn ask(
        &mut self,
        question: Question,
        dialect: &Dialect,
        line: u64,
        out: &mut Out,
    ) -> io::Result<()> {
        let Question { id, crawler: asker, urls, .. } = question;
        let (args, own) = (&self.args.live, &self.args.reading.dialect);
        let live = self.live.get_or_insert_with(|| Live::open(args, None, own));
        if let Err(error) = live {
            let error = error.clone();
            self.ahead.push(Pending::Bad { id, line, error }, 0);
            return Ok(());
        }
        let of = Rc::new(LiveLine { id, asker, line, has_failed: Cell::new(false) });
        for url in urls {
            if let Some(Ok(live)) = &self.live {
                let asked = live.ask(&of.asker, dialect, &url);
                let bytes = url.len();
                self.ahead.push(Pending::Url { of: Rc::clone(&of), url, asked }, bytes);
            }
            self.answer_ready(out)?;
        }
        let bytes = of.asker.bytes();
        self.ahead.push(Pending::End(of), bytes);
        Ok(())
    }

    /// Answers whose turn it is.
    fn answer_ready(&mut self, out: &mut Out) -> io::Result<()> {
        while let Some(pending) =
            self.ahead.pop_if_full().or_else(|| self.ahead.pop_if(Pending::is_answered))
        {
            self.answer(pending, out)?;
        }
        Ok(())
    }

    fn answer_rest(&mut self, out: &mut Out) -> io::Result<()> {
        while let Some(pending) = self.ahead.pop() {
            self.answer(pending, out)?;
        }
        out.flush()
    }

    fn answer(&mut self, pending: Pending, out: &mut Out) -> io::Result<()> {
        if !pending.is_answered() {
            // It may take a while.
            out.flush()?;
        }
        match pending {
            Pending::Written { json, tally } => self.replies.written(&json, tally, out)?,
            Pending::Long(line) => self.answering.answer_long(line, &mut self.replies, out)?,
            Pending::Bad { id, line, error } => {
                self.replies.tally.question(false);
                self.replies.fail((id.as_ref(), line), None, &error, out)?;
            }
            Pending::Url { of, url, asked } => {
                let Some(Ok(live)) = &self.live else { return Ok(()) };
                match live.wait(asked, &url) {
                    Ok(decision) => {
                        let (file, explain) = (self.last_live.of(&decision), self.args.explain);
                        let reply = Reply::decided(&url, &of.asker, file, &decision, explain);
                        if reply.is_unanswered() {
                            of.has_failed.set(true);
                        }
                        self.replies.answer(&Reply { id: of.id.as_ref(), ..reply }, out)?;
                    }
                    Err(error) => {
                        of.has_failed.set(true);
                        self.replies.fail((of.id.as_ref(), of.line), Some(&url), &error, out)?;
                    }
                }
            }
            Pending::End(of) => self.replies.tally.question(!of.has_failed.get()),
        }
        Ok(())
    }
}

impl Pending {
    fn is_answered(&self) -> bool {
        match self {
            Self::Url { asked, .. } => asked.is_answered(),
            _ => true,
        }
    }
}
