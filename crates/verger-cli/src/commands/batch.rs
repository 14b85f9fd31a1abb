//! `verger check --batch`: questions and answers in JSON Lines.
//!
//! # Flow
//!
//! A line is read, answered and forgotten; only the robots.txt of the last line is kept, so that lines
//! about one file parse it once, and memory does not grow with the batch. A line without a robots.txt is
//! about that of the origin: it is asked when it is read and answered when it is its turn, so that the
//! files of several sites are fetched at once. Nothing is read ahead of a writer who may wait for an
//! answer.

use std::cell::Cell;
use std::io::{self, Write as _};
use std::path::Path;
use std::rc::Rc;

use super::batch_line::{Question, Source};
use super::batch_parsed::Parsed;
use super::batch_replies::Replies;
use super::unusual::Unusual;
use crate::ahead::Ahead;
use crate::args::{Check, Format};
use crate::asker::Asker;
use crate::console::{Out, Talk, written};
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::id::Id;
use crate::input::Lines;
use crate::live::{Asked, Live};
use crate::output::{Answers, JsonAnswers};
use crate::robots_file::LastFile;
use crate::tally::Tally;

pub(super) fn run(args: &Check, path: &Path, out: &mut Out, talk: &mut Talk) -> ExitStatus {
    let Some(answers) = JsonAnswers::of(args.format.unwrap_or(Format::Jsonl)) else {
        let message = "expected `jsonl` or `json` as the format of a batch, but found `text`";
        return talk.fail(&Error::new(message));
    };
    let lines = match Lines::open(path) {
        Ok(lines) => lines,
        Err(error) => return talk.fail(&error),
    };
    let mut batch = Batch {
        args,
        ahead: Ahead::new(),
        live: None,
        last_live: LastFile::default(),
        last: None,
        unusual: Unusual::default(),
        replies: Replies {
            explain: args.explain,
            answers: Answers::Json(answers),
            tally: Tally::default(),
        },
    };
    let result = batch.answer_all(lines, out, talk);
    let tally = batch.replies.tally;
    talk.progress.finish();
    if let Some(Ok(live)) = batch.live {
        live.close().iter().for_each(|notice| talk.warning(notice));
    }
    if let Some(words) = batch.unusual.last_word() {
        talk.warning(words);
    }
    if tally.asked() == 0 {
        talk.warning("no line was read");
    }
    if let (Ok(()), Some(words)) = (&result, tally.last_word("lines")) {
        talk.error(&Error::new(words));
    }
    talk.finish();
    written(result, tally.status(), talk)
}

struct Batch<'a> {
    args: &'a Check,
    ahead: Ahead<Pending>,
    /// Opened for the first line that needs it.
    live: Option<Result<Live, Error>>,
    last_live: LastFile,
    /// The robots.txt of the last question.
    last: Option<Parsed>,
    unusual: Unusual,
    replies: Replies,
}

/// What waits for its turn.
enum Pending {
    /// A line with its robots.txt.
    Line { question: Question, source: Source, line: u64 },
    /// A line that is none.
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
    fn answer_all(&mut self, mut lines: Lines, out: &mut Out, talk: &mut Talk) -> io::Result<()> {
        loop {
            // Whoever writes the batch line by line may wait for an answer before the next line.
            if lines.may_wait() {
                self.answer_rest(out)?;
            }
            let Some(read) = lines.advance() else {
                break;
            };
            let (line, bytes) = (lines.number(), lines.line().len());
            match read.and_then(|()| Question::read(lines.line())) {
                Ok(mut question) => {
                    let dialect = question.dialect.unwrap_or(self.args.reading.dialect);
                    self.unusual.look(&question.asker, &dialect, &lines, talk);
                    match question.source.take() {
                        Some(source) => {
                            self.ahead.push(Pending::Line { question, source, line }, bytes);
                        }
                        None => self.ask(question, line, out)?,
                    }
                }
                Err(error) => {
                    let id = Id::find(lines.line());
                    self.ahead.push(Pending::Bad { id, line, error }, 0);
                }
            }
            self.answer_ready(out)?;
            talk.progress.show(&lines);
        }
        self.answer_rest(out)?;
        self.replies.answers.finish(out)?;
        out.flush()
    }

    /// Asks about the URLs of a line without a robots.txt.
    fn ask(&mut self, question: Question, line: u64, out: &mut Out) -> io::Result<()> {
        let Question { id, dialect, asker, urls, .. } = question;
        let dialect = dialect.unwrap_or(self.args.reading.dialect);
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
                let asked = live.ask(&of.asker, &dialect, &url);
                let bytes = url.len();
                self.ahead.push(Pending::Url { of: Rc::clone(&of), url, asked }, bytes);
            }
            self.answer_ready(out)?;
        }
        self.ahead.push(Pending::End(of), 0);
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
            Pending::Line { question, source, line } => {
                let answered = self.answer_line(question, source, line, out)?;
                self.replies.tally.question(answered);
            }
            Pending::Bad { id, line, error } => {
                self.replies.fail(id.as_ref(), None, line, &error, out)?;
                self.replies.tally.question(false);
            }
            Pending::Url { of, url, asked } => {
                let Some(Ok(live)) = &self.live else { return Ok(()) };
                match live.wait(asked, &url) {
                    Ok(decision) => {
                        let file = self.last_live.of(&decision);
                        let (id, asker) = (of.id.as_ref(), &of.asker);
                        self.replies.decided(id, &url, asker, file, &decision, out)?;
                    }
                    Err(error) => {
                        of.has_failed.set(true);
                        self.replies.fail(of.id.as_ref(), Some(&url), of.line, &error, out)?;
                    }
                }
            }
            Pending::End(of) => self.replies.tally.question(!of.has_failed.get()),
        }
        Ok(())
    }

    /// Answers a line with its robots.txt; `false` when some part of it could not be.
    fn answer_line(
        &mut self,
        question: Question,
        source: Source,
        line: u64,
        out: &mut Out,
    ) -> io::Result<bool> {
        let Question { id, dialect, asker, urls, .. } = question;
        let id = id.as_ref();
        let dialect = dialect.unwrap_or(self.args.reading.dialect);
        let last = self.last.take().filter(|it| it.source == source && it.dialect == dialect);
        let parsed = match last.map_or_else(|| Parsed::read(source, dialect), Ok) {
            Ok(parsed) => self.last.insert(parsed),
            Err(error) => {
                self.replies.fail(id, None, line, &error, out)?;
                return Ok(false);
            }
        };
        let mut answered = true;
        for url in &urls {
            answered &= self.replies.answer(id, url, line, &asker, &parsed.file, out)?;
        }
        Ok(answered)
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
