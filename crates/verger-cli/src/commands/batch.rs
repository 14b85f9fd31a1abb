//! `verger check --batch`: questions and answers in JSON Lines.
//!
//! # Flow
//!
//! A line is read, answered and forgotten; only the robots.txt of the last line is kept, so that lines
//! about one file parse it once, and memory does not grow with the batch.

use std::io::{self, Write as _};
use std::path::Path;

use verger::Dialect;

use super::batch_line::{Question, Source, decode};
use crate::answer::{Failure, Reply};
use crate::args::{Check, Format};
use crate::asker::Asker;
use crate::console::{Out, Talk, written};
use crate::error::{Error, quoted};
use crate::exit::ExitStatus;
use crate::input::{Lines, place, read_robots};
use crate::output::{Answers, JsonAnswers};
use crate::robots_file::RobotsFile;
use crate::tally::Tally;
use crate::url_text;

pub(super) fn run(args: &Check, path: &Path, out: &mut Out, talk: &mut Talk) -> ExitStatus {
    let answers = match args.format.unwrap_or(Format::Jsonl) {
        Format::Jsonl => JsonAnswers::lines(),
        Format::Json => JsonAnswers::array(),
        Format::Text => {
            let message = "expected `jsonl` or `json` as the format of a batch, but found `text`";
            return talk.fail(&Error::new(message));
        }
    };
    let lines = match Lines::open(path) {
        Ok(lines) => lines,
        Err(error) => return talk.fail(&error),
    };
    let mut batch = Batch {
        dialect: args.dialect,
        last: None,
        warned: false,
        replies: Replies {
            explain: args.explain,
            answers: Answers::Json(answers),
            tally: Tally::default(),
        },
    };
    let result = batch.answer_all(lines, out, talk);
    let tally = batch.replies.tally;
    talk.progress.finish();
    if let (Ok(()), Some(words)) = (&result, tally.last_word("lines")) {
        talk.error(&Error::new(words));
    }
    talk.finish();
    written(result, tally.status(), talk)
}

struct Batch {
    dialect: Dialect,
    /// The robots.txt of the last question.
    last: Option<Parsed>,
    warned: bool,
    replies: Replies,
}

/// A robots.txt, and what it was made from.
struct Parsed {
    source: Source,
    dialect: Dialect,
    file: RobotsFile,
}

impl Batch {
    fn answer_all(&mut self, mut lines: Lines, out: &mut Out, talk: &mut Talk) -> io::Result<()> {
        loop {
            // Whoever writes the batch line by line may wait for an answer before the next line.
            if lines.may_wait() {
                out.flush()?;
            }
            let Some(read) = lines.advance() else {
                break;
            };
            let question = read.and_then(|()| Question::read(lines.line()));
            let answered = match question {
                Ok(question) => {
                    self.warn(&question.asker, &lines, talk);
                    self.answer(question, lines.number(), out)?
                }
                Err(error) => {
                    self.replies.fail(None, lines.number(), &error, out)?;
                    false
                }
            };
            self.replies.tally.question(answered);
            talk.progress.show(&lines);
        }
        self.replies.answers.finish(out)?;
        out.flush()
    }

    /// Says of the first unusual agent that it is one. A batch often has the same one on every line.
    fn warn(&mut self, asker: &Asker, lines: &Lines, talk: &mut Talk) {
        if let (false, Some((token, problem))) = (self.warned, asker.problem()) {
            self.warned = true;
            let (name, number) = (lines.name(), lines.number());
            talk.warning(format_args!("{name}:{number}: agent {} {problem}", quoted(token)));
        }
    }

    /// Answers a line; `false` when some part of it could not be.
    fn answer(&mut self, question: Question, line: u64, out: &mut Out) -> io::Result<bool> {
        let Question { source, dialect, asker, urls } = question;
        let dialect = dialect.unwrap_or(self.dialect);
        let last = self.last.take().filter(|it| it.source == source && it.dialect == dialect);
        let parsed = match last.map_or_else(|| Parsed::read(source, dialect), Ok) {
            Ok(parsed) => self.last.insert(parsed),
            Err(error) => {
                self.replies.fail(None, line, &error, out)?;
                return Ok(false);
            }
        };
        let mut answered = true;
        for url in &urls {
            answered &= self.replies.answer(url, line, &asker, &parsed.file, out)?;
        }
        Ok(answered)
    }
}

impl Parsed {
    fn read(source: Source, dialect: Dialect) -> Result<Self, Error> {
        let parse = |name, bytes: &[u8]| RobotsFile::parse(name, bytes, &dialect);
        let file = match &source {
            Source::Text(text) => parse(String::new(), text.as_bytes()),
            Source::Base64(text) => parse(String::new(), &decode("robots_b64", text)?),
            Source::File(name) => {
                let path = Path::new(name);
                parse(place(path), &read_robots(path, &dialect)?)
            }
        };
        Ok(Self { source, dialect, file })
    }
}

/// What is written, and what it comes to.
struct Replies {
    explain: bool,
    answers: Answers,
    tally: Tally,
}

impl Replies {
    /// Answers for one URL; `false` when an error stands in the place of the answer.
    fn answer(
        &mut self,
        url: &[u8],
        line: u64,
        asker: &Asker,
        file: &RobotsFile,
        out: &mut Out,
    ) -> io::Result<bool> {
        if let Err(error) = url_text::check(url, &file.robots().dialect()) {
            self.fail(Some(url), line, &error, out)?;
            return Ok(false);
        }
        let reply = Reply::ask(url, asker, file, self.explain);
        self.tally.verdict(reply.verdict.is_allowed());
        self.answers.write(out, &reply)?;
        Ok(true)
    }

    fn fail(
        &mut self,
        url: Option<&[u8]>,
        line: u64,
        error: &Error,
        out: &mut Out,
    ) -> io::Result<()> {
        self.tally.error();
        let failure = Failure::new(url, Some(line), error.to_string());
        self.answers.write_failure(out, &failure)
    }
}
