//! `verger check --batch`: questions and answers in JSON Lines.
//!
//! # Flow
//!
//! A line is read, answered and forgotten; only the robots.txt of the last line is kept, so that lines
//! about one file parse it once, and memory does not grow with the batch. A line without a robots.txt is
//! about that of the origin: it is asked when it is read and answered when it is its turn, so that the
//! files of several sites are fetched at once. Nothing is read ahead of a writer who may wait for an
//! answer.

mod line;
mod parsed;
mod unusual;

use std::cell::Cell;
use std::io::{self, Write as _};
use std::path::Path;
use std::rc::Rc;

use self::line::{Question, Source};
use self::parsed::Parsed;
use self::unusual::Unusual;
use super::replies::{About, Replies};
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
use crate::reply::Reply;
use crate::robots_file::LastFile;
use crate::url_text;

pub(super) fn run(
    args: &Check,
    path: &Path,
    out: &mut Out,
    talk: &mut Talk,
) -> Result<ExitStatus, Error> {
    let Some(answers) = JsonAnswers::of(args.format.unwrap_or(Format::Jsonl)) else {
        let message = "expected `jsonl` or `json` as the format of a batch, but found `text`";
        return Err(Error::new(message));
    };
    let lines = Lines::open(path)?;
    let mut batch = Batch {
        args,
        name: lines.name().to_owned(),
        ahead: Ahead::new(),
        live: None,
        last_live: LastFile::default(),
        last: None,
        unusual: Unusual::default(),
        replies: Replies::new(Answers::Json(answers)),
    };
    let result = batch.answer_all(lines, out, talk);
    let Batch { live, unusual, replies, .. } = batch;
    talk.progress.finish();
    if let Some(Ok(live)) = live {
        live.close().iter().for_each(|notice| talk.warning(notice));
    }
    if let Some(words) = unusual.last_word() {
        talk.warning(words);
    }
    if replies.tally.asked() == 0 {
        talk.warning("no line was read");
    }
    if result.is_ok() {
        replies.last_words("lines", talk);
    }
    talk.finish();
    Ok(written(result, replies.tally.status(), talk))
}

struct Batch<'a> {
    args: &'a Check,
    /// The name of the batch, escaped.
    name: String,
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
                self.answer_rest(out, talk)?;
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
                        None => self.ask(question, line, out, talk)?,
                    }
                }
                Err(error) => {
                    let id = Id::find(lines.line());
                    self.ahead.push(Pending::Bad { id, line, error }, 0);
                }
            }
            self.answer_ready(out, talk)?;
            talk.progress.show(&lines);
        }
        self.answer_rest(out, talk)?;
        self.replies.answers.finish(out)?;
        out.flush()
    }

    /// Asks about the URLs of a line without a robots.txt.
    fn ask(
        &mut self,
        question: Question,
        line: u64,
        out: &mut Out,
        talk: &mut Talk,
    ) -> io::Result<()> {
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
            self.answer_ready(out, talk)?;
        }
        self.ahead.push(Pending::End(of), 0);
        Ok(())
    }

    /// Answers whose turn it is.
    fn answer_ready(&mut self, out: &mut Out, talk: &mut Talk) -> io::Result<()> {
        while let Some(pending) =
            self.ahead.pop_if_full().or_else(|| self.ahead.pop_if(Pending::is_answered))
        {
            self.answer(pending, out, talk)?;
        }
        Ok(())
    }

    fn answer_rest(&mut self, out: &mut Out, talk: &mut Talk) -> io::Result<()> {
        while let Some(pending) = self.ahead.pop() {
            self.answer(pending, out, talk)?;
        }
        out.flush()
    }

    fn answer(&mut self, pending: Pending, out: &mut Out, talk: &mut Talk) -> io::Result<()> {
        if !pending.is_answered() {
            // It may take a while.
            out.flush()?;
        }
        match pending {
            Pending::Line { question, source, line } => {
                let answered = self.answer_line(question, source, line, out, talk)?;
                self.replies.tally.question(answered);
            }
            Pending::Bad { id, line, error } => {
                let about = About { id: id.as_ref(), url: None, line: Some((&self.name, line)) };
                self.replies.fail(about, &error, out, talk)?;
                self.replies.tally.question(false);
            }
            Pending::Url { of, url, asked } => {
                let Some(Ok(live)) = &self.live else { return Ok(()) };
                let id = of.id.as_ref();
                match live.wait(asked, &url) {
                    Ok(decision) => {
                        let (file, explain) = (self.last_live.of(&decision), self.args.explain);
                        let reply = Reply::decided(&url, &of.asker, file, &decision, explain);
                        self.replies.answer(&Reply { id, ..reply }, out)?;
                    }
                    Err(error) => {
                        of.has_failed.set(true);
                        let line = Some((&*self.name, of.line));
                        let about = About { id, url: Some(&url), line };
                        self.replies.fail(about, &error, out, talk)?;
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
        talk: &mut Talk,
    ) -> io::Result<bool> {
        let Question { id, dialect, asker, urls, .. } = question;
        let about = About { id: id.as_ref(), url: None, line: Some((&self.name, line)) };
        let dialect = dialect.unwrap_or(self.args.reading.dialect);
        let last = self.last.take().filter(|it| it.source == source && it.dialect == dialect);
        let parsed = match last.map_or_else(|| Parsed::read(source, dialect), Ok) {
            Ok(parsed) => self.last.insert(parsed),
            Err(error) => {
                self.replies.fail(about, &error, out, talk)?;
                return Ok(false);
            }
        };
        let mut answered = true;
        for url in &urls {
            if let Err(error) = url_text::check(url, &dialect) {
                self.replies.fail(About { url: Some(url), ..about }, &error, out, talk)?;
                answered = false;
                continue;
            }
            let reply = Reply::ask(url, &asker, &parsed.file, self.args.explain);
            self.replies.answer(&Reply { id: about.id, ..reply }, out)?;
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
