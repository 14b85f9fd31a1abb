//! Answering the lines of a block, on any thread.
//!
//! A line with its robots.txt is answered to the end, and its answers are kept until it is their turn. What
//! only the first thread can do is handed back to it: questions about the robots.txt of origins, warnings, and
//! answers that are too long to be kept.

use std::io::{self, Write};
use std::sync::Arc;

use verger::Dialect;
use verger_json::{Id, Question, Source, Values};

use super::block::Block;
use super::files::Files;
use super::json_replies::JsonReplies;
use crate::agent_text::Remark;
use crate::asker;
use crate::error::Error;
use crate::limits::KEPT_BYTES;
use crate::reply::Reply;
use crate::robots_file::RobotsFile;
use crate::tally::Tally;
use crate::url_text;

/// What all threads share.
#[derive(Debug)]
pub(super) struct Answering {
    /// Of lines that name none.
    dialect: Dialect,
    explain: bool,
    files: Files,
}

/// What has come of a block, in order.
#[derive(Debug)]
pub(super) enum Part {
    /// Answers, one on each line.
    Written { json: Vec<u8>, tally: Tally },
    /// An unusual agent, and a sentence that says so.
    Unusual { line: u64, token: String, remark: Remark },
    /// A line without a robots.txt.
    Live { question: Question, dialect: Dialect, line: u64 },
    /// A line whose answers are too long to be kept.
    Long(FileLine),
}

/// A line with its robots.txt, and how far it has been answered.
#[derive(Debug)]
pub(super) struct FileLine {
    question: Question,
    file: Arc<RobotsFile>,
    number: u64,
    /// The URL to be answered next.
    next: usize,
    has_failed: bool,
}

/// Reads a line.
fn read(text: &[u8]) -> Result<Question, Error> {
    Question::read(text).map_err(|error| {
        // A line has no place for a hint beside the message.
        let hint = error.unknown_crawler().map(|name| format!(": {}", asker::known_names(name)));
        Error::new(format!("{error}{}", hint.unwrap_or_default()))
    })
}

impl Answering {
    pub(super) fn new(dialect: Dialect, explain: bool) -> Self {
        Self { dialect, explain, files: Files::default() }
    }

    /// Answers a block.
    pub(super) fn answer(&self, block: &Block) -> Vec<Part> {
        let mut work = Work::new(self);
        for (line, text, error) in block.lines() {
            // Nothing can fail that is written into memory.
            let _ = work.line(line, text, error);
        }
        work.close()
    }

    /// Answers a line whose answers were too long to be kept.
    pub(super) fn answer_long(
        &self,
        mut line: FileLine,
        replies: &mut JsonReplies,
        out: &mut impl Write,
    ) -> io::Result<()> {
        while line.answer_next(self.explain, replies, out)? {}
        Ok(())
    }
}

/// A block that is being answered.
struct Work<'a> {
    with: &'a Answering,
    parts: Vec<Part>,
    json: Vec<u8>,
    replies: JsonReplies,
    /// Bytes of answers in all parts.
    kept: usize,
    /// The robots.txt of the last line: the next one often has the same.
    last: Option<(Source, Dialect, Arc<RobotsFile>)>,
}

impl<'a> Work<'a> {
    fn new(with: &'a Answering) -> Self {
        let replies = JsonReplies::new(Values::lines());
        Self { with, parts: Vec::new(), json: Vec::new(), replies, kept: 0, last: None }
    }

    fn line(&mut self, line: u64, text: &[u8], error: Option<&Error>) -> io::Result<()> {
        let read = error.cloned().map_or_else(|| read(text), Err);
        let mut question = match read {
            Ok(question) => question,
            Err(error) => return self.fail((Id::find(text).as_ref(), line), &error),
        };
        let dialect = question.dialect.unwrap_or(self.with.dialect);
        for (token, remark) in asker::remarks(&question.crawler, &dialect) {
            self.parts.push(Part::Unusual { line, token: token.to_owned(), remark });
        }
        let Some(source) = question.source.take() else {
            self.end_part();
            self.parts.push(Part::Live { question, dialect, line });
            return Ok(());
        };
        let file = match self.file(source, dialect) {
            Ok(file) => file,
            Err(error) => return self.fail((question.id.as_ref(), line), &error),
        };
        let mut line = FileLine { question, file, number: line, next: 0, has_failed: false };
        while self.kept + self.json.len() <= KEPT_BYTES {
            if !line.answer_next(self.with.explain, &mut self.replies, &mut self.json)? {
                return Ok(());
            }
        }
        self.end_part();
        self.parts.push(Part::Long(line));
        Ok(())
    }

    fn fail(&mut self, line: (Option<&Id>, u64), error: &Error) -> io::Result<()> {
        self.replies.tally.question(false);
        self.replies.fail(line, None, error, &mut self.json)
    }

    fn file(&mut self, source: Source, dialect: Dialect) -> Result<Arc<RobotsFile>, Error> {
        if let Some((last, of, file)) = &self.last
            && (last, of) == (&source, &dialect)
        {
            return Ok(Arc::clone(file));
        }
        let file = self.with.files.find(source.clone(), dialect)?;
        self.last = Some((source, dialect, Arc::clone(&file)));
        Ok(file)
    }

    /// What comes next comes behind what has been written.
    fn end_part(&mut self) {
        let (json, tally) =
            (std::mem::take(&mut self.json), std::mem::take(&mut self.replies.tally));
        self.kept += json.len();
        if tally.asked() > 0 || !json.is_empty() {
            self.parts.push(Part::Written { json, tally });
        }
    }

    fn close(mut self) -> Vec<Part> {
        self.end_part();
        self.parts
    }
}

impl FileLine {
    /// How many bytes wait with it, about. A file that several lines have is counted for each of them: any may
    /// be the last to hold it.
    pub(super) fn bytes(&self) -> usize {
        self.question.bytes() + self.file.bytes()
    }

    /// Answers the next URL; `false` behind the last one.
    fn answer_next(
        &mut self,
        explain: bool,
        replies: &mut JsonReplies,
        out: &mut impl Write,
    ) -> io::Result<bool> {
        let Question { id, crawler: asker, urls, .. } = &self.question;
        let Some(url) = urls.get(self.next) else {
            replies.tally.question(!self.has_failed);
            return Ok(false);
        };
        self.next += 1;
        if let Err(error) = url_text::check(url, &self.file.robots().dialect()) {
            self.has_failed = true;
            replies.fail((id.as_ref(), self.number), Some(url), &error, out)?;
        } else {
            let reply = Reply::ask(url, asker, &self.file, explain);
            replies.answer(&Reply { id: id.as_ref(), ..reply }, out)?;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Lines;
    use std::io::Cursor;

    fn parts(text: &str) -> Vec<Part> {
        let mut lines = Lines::of(Box::new(Cursor::new(text.to_owned().into_bytes())), "x".into());
        let block = Block::read(&mut lines).unwrap();
        Answering::new(Dialect::RFC9309, false).answer(&block)
    }

    #[test]
    fn a_line_that_waits_counts_with_its_urls_agents_and_file() {
        let bytes = |robots: &str, agent: &str, url: &str| {
            // More than is kept of their answers.
            let urls = vec![format!("/{url}"); KEPT_BYTES / (url.len() + 70) + 1].join("\",\"");
            let line = format!(r#"{{"robots":"{robots}","agent":"{agent}","urls":["{urls}"]}}"#);
            let parts = parts(&(line.clone() + "\n"));
            let Some(Part::Long(waits)) = parts.last() else { panic!("it is not too long") };
            (waits.bytes(), line.len())
        };
        for url in ["", "a", &"a".repeat(10_000)] {
            let (held, line) = bytes("", "x", url);
            assert!(held >= line, "{held} of {line}");
        }
        let (short, _) = bytes("", "x", "a");
        assert!(bytes(&"#".repeat(100_000), "x", "a").0 >= short + 100_000);
        assert!(bytes("", &"x".repeat(100_000), "a").0 >= short + 100_000 - 1);
    }
}
