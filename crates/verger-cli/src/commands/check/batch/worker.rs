//! Answers to the lines of a block, on any thread.
//!
//! A line with its robots.txt is answered into a buffer. The main thread does the rest: lines
//! without a robots.txt, remarks on agents, and answers that are too long for the buffer.

use std::io::{self, Write};
use std::sync::Arc;

use verger::Dialect;
use verger_json::{Id, Question, QuestionFile, Values};

use super::block::Block;
use super::files::Files;
use crate::answer::Answer;
use crate::commands::check::tally::Tally;
use crate::commands::check::writer::JsonWriter;
use crate::crawler::{Remark, remarks};
use crate::error::Error;
use crate::limits::ANSWER_BYTES;
use crate::robots_file::RobotsFile;
use crate::url_check;

/// The configuration and the cache that all threads share.
#[derive(Debug)]
pub(super) struct Worker {
    /// Dialect of lines without a `dialect`.
    dialect: Dialect,
    explain: bool,
    files: Files,
}

/// A part of the result of a block, in order.
#[derive(Debug)]
pub(super) enum Part {
    /// Answers, one on each line.
    Json { json: Vec<u8>, tally: Tally },
    /// A remark on an unusual agent.
    Remark { line: u64, token: String, remark: Remark },
    /// A line without a robots.txt.
    Live { question: Box<Question>, line: u64 },
    /// A line whose answers are too long for the buffer.
    Long(Box<FileLine>),
}

/// A line with its robots.txt, and the number of answered URLs.
#[derive(Debug)]
pub(super) struct FileLine {
    question: Question,
    file: Arc<RobotsFile>,
    number: u64,
    /// Index of the next URL.
    next: usize,
    has_failed: bool,
}

impl Worker {
    pub(super) fn new(dialect: Dialect, explain: bool) -> Self {
        Self { dialect, explain, files: Files::default() }
    }

    /// Answers a block.
    pub(super) fn answer(&self, block: &Block) -> Vec<Part> {
        let mut answers = BlockAnswers::new(self);
        for (line, text, error) in block.lines() {
            // Writing to memory cannot fail.
            let _ = answers.line(line, text, error);
        }
        answers.finish()
    }

    /// Writes the rest of the answers to a line.
    pub(super) fn answer_long(
        &self,
        mut line: Box<FileLine>,
        writer: &mut JsonWriter,
        out: &mut impl Write,
    ) -> io::Result<()> {
        while line.answer_next(self.explain, writer, out)? {}
        Ok(())
    }
}

/// The answers to a block so far.
struct BlockAnswers<'a> {
    worker: &'a Worker,
    parts: Vec<Part>,
    json: Vec<u8>,
    writer: JsonWriter,
    /// Bytes of answers in all parts.
    bytes: usize,
    /// The robots.txt of the last line. The next line often has the same one.
    last: Option<(QuestionFile, Dialect, Arc<RobotsFile>)>,
}

impl<'a> BlockAnswers<'a> {
    fn new(worker: &'a Worker) -> Self {
        let writer = JsonWriter::new(Values::lines());
        Self { worker, parts: Vec::new(), json: Vec::new(), writer, bytes: 0, last: None }
    }

    fn line(&mut self, line: u64, text: &[u8], error: Option<&Error>) -> io::Result<()> {
        let read = error.cloned().map_or_else(
            || {
                let read = Question::read(text, &self.worker.dialect);
                read.map_err(|error| Error::new(error.to_string()))
            },
            Err,
        );
        let mut question = match read {
            Ok(question) => question,
            Err(error) => return self.fail((Id::find(text).as_ref(), line), &error),
        };
        let dialect = question.dialect;
        for (token, remark) in remarks(&question.crawler, &[], &dialect) {
            self.parts.push(Part::Remark { line, token: token.to_owned(), remark });
        }
        let Some(source) = question.source.take() else {
            self.end_part();
            self.parts.push(Part::Live { question: Box::new(question), line });
            return Ok(());
        };
        let file = match self.file(source, dialect) {
            Ok(file) => file,
            Err(error) => return self.fail((question.id.as_ref(), line), &error),
        };
        let mut line = FileLine { question, file, number: line, next: 0, has_failed: false };
        while self.bytes + self.json.len() <= ANSWER_BYTES {
            if !line.answer_next(self.worker.explain, &mut self.writer, &mut self.json)? {
                return Ok(());
            }
        }
        self.end_part();
        self.parts.push(Part::Long(Box::new(line)));
        Ok(())
    }

    fn fail(&mut self, line: (Option<&Id>, u64), error: &Error) -> io::Result<()> {
        self.writer.tally.question(false);
        self.writer.fail(line, None, error, &mut self.json)
    }

    fn file(&mut self, source: QuestionFile, dialect: Dialect) -> Result<Arc<RobotsFile>, Error> {
        if let Some((last, of, file)) = &self.last
            && (last, of) == (&source, &dialect)
        {
            return Ok(Arc::clone(file));
        }
        let file = self.worker.files.find(source.clone(), dialect)?;
        self.last = Some((source, dialect, Arc::clone(&file)));
        Ok(file)
    }

    /// Moves the buffered answers to a part.
    fn end_part(&mut self) {
        let (json, tally) =
            (std::mem::take(&mut self.json), std::mem::take(&mut self.writer.tally));
        self.bytes += json.len();
        if tally.asked > 0 || !json.is_empty() {
            self.parts.push(Part::Json { json, tally });
        }
    }

    fn finish(mut self) -> Vec<Part> {
        self.end_part();
        self.parts
    }
}

impl FileLine {
    /// Approximate memory in bytes. A file of several lines is counted for each, because each can
    /// be the last to hold it.
    pub(super) fn bytes(&self) -> usize {
        self.question.bytes() + self.file.bytes()
    }

    /// Answers the next URL; returns `false` after the last one.
    fn answer_next(
        &mut self,
        explain: bool,
        writer: &mut JsonWriter,
        out: &mut impl Write,
    ) -> io::Result<bool> {
        let Question { id, crawler, urls, .. } = &self.question;
        let Some(url) = urls.get(self.next) else {
            writer.tally.question(!self.has_failed);
            return Ok(false);
        };
        self.next += 1;
        if let Err(error) = url_check::check(url, &self.file.robots().dialect()) {
            self.has_failed = true;
            writer.fail((id.as_ref(), self.number), Some(url), &error, out)?;
        } else {
            let answer = Answer::of_file(url, crawler, &self.file, explain);
            writer.answer(&Answer { id: id.as_ref(), ..answer }, out)?;
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
        let mut lines =
            Lines::new(Box::new(Cursor::new(text.to_owned().into_bytes())), "x".into(), None);
        let block = Block::read(&mut lines).unwrap();
        Worker::new(Dialect::RFC9309, false).answer(&block)
    }

    #[test]
    fn the_bytes_of_a_line_include_urls_agents_and_file() {
        let bytes = |robots: &str, agent: &str, url: &str| {
            // Their answers exceed the buffer.
            let urls = vec![format!("/{url}"); ANSWER_BYTES / (url.len() + 70) + 1].join("\",\"");
            let line = format!(r#"{{"robots":"{robots}","agent":"{agent}","urls":["{urls}"]}}"#);
            let parts = parts(&(line.clone() + "\n"));
            let Some(Part::Long(long)) = parts.last() else { panic!("expected a long line") };
            (long.bytes(), line.len())
        };
        for url in ["", "a", &"a".repeat(10_000)] {
            let (bytes, line) = bytes("", "x", url);
            assert!(bytes >= line, "{bytes} of {line}");
        }
        let (short, _) = bytes("", "x", "a");
        assert!(bytes(&"#".repeat(100_000), "x", "a").0 >= short + 100_000);
        assert!(bytes("", &"x".repeat(100_000), "a").0 >= short + 100_000 - 1);
    }
}
