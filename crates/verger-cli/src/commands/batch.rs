//! `verger check --batch`: questions and answers in JSON Lines.
//!
//! # Flow
//!
//! A line is read, answered and forgotten; only the robots.txt of the last line is kept, so that lines
//! about one file parse it once, and memory does not grow with the batch.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::path::Path;

use verger::Dialect;

use super::batch_line::{Question, Source, decode};
use crate::answer::{Failure, Reply};
use crate::args::{Check, Format};
use crate::asker::Asker;
use crate::console::{Out, Talk, written};
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::id::Id;
use crate::input::{Lines, place, read_regular_robots};
use crate::limits::{UNUSUAL_COUNTED, UNUSUAL_TOLD};
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
        dialect: args.reading.dialect,
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

struct Batch {
    dialect: Dialect,
    /// The robots.txt of the last question.
    last: Option<Parsed>,
    unusual: Unusual,
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
                    let dialect = question.dialect.unwrap_or(self.dialect);
                    self.unusual.look(&question.asker, &dialect, &lines, talk);
                    self.answer(question, lines.number(), out)?
                }
                Err(error) => {
                    let id = Id::find(lines.line());
                    self.replies.fail(id.as_ref(), None, lines.number(), &error, out)?;
                    false
                }
            };
            self.replies.tally.question(answered);
            talk.progress.show(&lines);
        }
        self.replies.answers.finish(out)?;
        out.flush()
    }

    /// Answers a line; `false` when some part of it could not be.
    fn answer(&mut self, question: Question, line: u64, out: &mut Out) -> io::Result<bool> {
        let Question { id, source, dialect, asker, urls } = question;
        let id = id.as_ref();
        let dialect = dialect.unwrap_or(self.dialect);
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

impl Parsed {
    fn read(source: Source, dialect: Dialect) -> Result<Self, Error> {
        let parse = |name, bytes: &[u8]| RobotsFile::parse(name, bytes, &dialect);
        let file = match &source {
            Source::Text(text) => parse(String::new(), text.as_bytes()),
            Source::Base64(text) => parse(String::new(), &decode("robots_b64", text)?),
            Source::File(name) => {
                let path = Path::new(name);
                parse(place(path), &read_regular_robots(path, &dialect)?)
            }
        };
        Ok(Self { source, dialect, file })
    }
}

/// The unusual agents of a batch, which often has the same one on every line.
#[derive(Default)]
struct Unusual {
    /// Hashes, because a token may be as long as a line.
    seen: HashSet<u64>,
    hasher: RandomState,
    has_more: bool,
}

impl Unusual {
    /// Says of an unusual agent what is to be said, once, and only of the first ones.
    fn look(&mut self, asker: &Asker, dialect: &Dialect, lines: &Lines, talk: &mut Talk) {
        for (token, problem) in asker.problems(dialect) {
            let hash = self.hasher.hash_one(token);
            if self.seen.contains(&hash) {
                continue;
            }
            if self.seen.len() == UNUSUAL_COUNTED {
                self.has_more = true;
                return;
            }
            self.seen.insert(hash);
            if self.seen.len() <= UNUSUAL_TOLD {
                talk.warning(format_args!("{}:{}: {problem}", lines.name(), lines.number()));
            }
        }
    }

    /// How many were not told.
    fn last_word(&self) -> Option<String> {
        let more = self.seen.len().saturating_sub(UNUSUAL_TOLD);
        let than = if self.has_more { "more than " } else { "" };
        match more {
            0 => None,
            1 => Some("and 1 more agent like these".to_owned()),
            _ => Some(format!("and {than}{more} more agents like these")),
        }
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
        id: Option<&Id>,
        url: &[u8],
        line: u64,
        asker: &Asker,
        file: &RobotsFile,
        out: &mut Out,
    ) -> io::Result<bool> {
        if let Err(error) = url_text::check(url, &file.robots().dialect()) {
            self.fail(id, Some(url), line, &error, out)?;
            return Ok(false);
        }
        let reply = Reply { id, ..Reply::ask(url, asker, file, self.explain) };
        self.tally.verdict(reply.verdict.is_allowed());
        self.answers.write(out, &reply)?;
        Ok(true)
    }

    fn fail(
        &mut self,
        id: Option<&Id>,
        url: Option<&[u8]>,
        line: u64,
        error: &Error,
        out: &mut Out,
    ) -> io::Result<()> {
        self.tally.error();
        let failure = Failure::new(url, Some(line), error.to_string()).with_id(id);
        self.answers.write_failure(out, &failure)
    }
}
