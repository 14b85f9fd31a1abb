//! `verger check` without `--robots`: the robots.txt of each URL's origin, through the store.
//!
//! # Flow
//!
//! A URL is asked about when it is read, and answered in its turn, so that the files of several
//! sites are fetched at once. If the writer of a list waits for an answer, nothing is read ahead.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::rc::Rc;

use verger::{Dialect, quoted};
use verger_json::NamedCrawler;

use super::queue::Queue;
use super::writer::AnswerWriter;
use super::{finish, open, start};
use crate::answer::Answer;
use crate::args::Check;
use crate::console::Console;
use crate::error::{Error, ExitStatus};
use crate::hints::failure_hint;
use crate::input::{Lines, place};
use crate::live::{LiveClient, PendingDecision, header_warning};
use crate::robots_file::LastFile;

pub(super) fn run(args: &Check, console: &mut Console) -> Result<ExitStatus, Error> {
    if let Some(file) = args.urls.iter().map(std::path::Path::new).find(|path| path.is_file()) {
        let file = place(file);
        let error = Error::new(format!("expected URLs, but found the file `{file}`"));
        return Err(error.with_hint(format!("did you mean `--robots {file}`?")));
    }
    let (crawler, mut lists) = open(args)?;
    let dialect = args.reading.dialect;
    let client = LiveClient::open(&args.live, Some(&crawler), &dialect)?;
    let writer = start(args, &crawler, &[], console);
    if let Some(warning) = header_warning(&args.live, &crawler) {
        console.messages.warning(warning);
    }
    let mut check = LiveCheck {
        client,
        crawler,
        dialect,
        explain: args.explain,
        queue: Queue::new(),
        writer,
        last_file: LastFile::default(),
        guard_hint: None,
        truncated: HashSet::new(),
        has_unanswered: false,
    };
    let result = check.answer_all(&mut lists, &args.urls, console);
    console.messages.progress.finish();
    let LiveCheck { client, writer, guard_hint, has_unanswered, .. } = check;
    client.close(&mut console.messages);
    if let Some(hint) = guard_hint.filter(|_| result.is_ok() && writer.json.is_none()) {
        console.messages.hint(hint);
    }
    Ok(finish(args, &writer, result, has_unanswered, &mut console.messages))
}

struct LiveCheck {
    client: LiveClient,
    crawler: NamedCrawler,
    dialect: Dialect,
    explain: bool,
    queue: Queue<Question>,
    writer: AnswerWriter,
    last_file: LastFile,
    /// Flag that permits the first refused address.
    guard_hint: Option<String>,
    /// URLs of truncated files that were reported.
    truncated: HashSet<String>,
    /// Whether the client itself failed to request some robots.txt.
    has_unanswered: bool,
}

struct Question {
    /// Name of the list, escaped, and number of the line.
    line: Option<(Rc<str>, u64)>,
    url: Result<(Vec<u8>, PendingDecision), Error>,
}

impl LiveCheck {
    fn answer_all(
        &mut self,
        lists: &mut [Lines],
        urls: &[OsString],
        console: &mut Console,
    ) -> io::Result<()> {
        for list in lists {
            let name: Rc<str> = list.name().into();
            loop {
                if list.may_wait() {
                    // The writer of the list may wait for an answer before it writes the next line.
                    self.answer_rest(console)?;
                }
                let Some(read) = list.advance() else { break };
                let line = Some((Rc::clone(&name), list.number()));
                self.ask(line, read.map(|()| list.line()), console)?;
                list.show_in(&mut console.messages.progress);
            }
        }
        for url in urls {
            self.ask(None, Ok(url.as_encoded_bytes()), console)?;
        }
        self.answer_rest(console)?;
        self.writer.finish(&mut console.out)
    }

    /// Asks about a URL, and writes the answers that are ready.
    fn ask(
        &mut self,
        line: Option<(Rc<str>, u64)>,
        url: Result<&[u8], Error>,
        console: &mut Console,
    ) -> io::Result<()> {
        let bytes = url.as_ref().map_or(0, |url| url.len());
        let ask = |url: &[u8]| (url.to_vec(), self.client.ask(&self.crawler, &self.dialect, url));
        self.queue.push(Question { line, url: url.map(ask) }, bytes);
        while let Some(question) = self.queue.pop_ready(Question::is_answered) {
            self.answer(question, console)?;
        }
        Ok(())
    }

    fn answer_rest(&mut self, console: &mut Console) -> io::Result<()> {
        while let Some(question) = self.queue.pop() {
            self.answer(question, console)?;
        }
        console.out.flush()
    }

    fn answer(&mut self, question: Question, console: &mut Console) -> io::Result<()> {
        if !question.is_answered() {
            // The wait can be long.
            console.out.flush()?;
        }
        let line = question.line.as_ref().map(|(list, line)| (&**list, *line));
        let (url, pending) = match question.url {
            Ok(asked) => asked,
            Err(error) => return self.writer.fail(None, line, &error, console),
        };
        let decision = match self.client.wait(pending, &url) {
            Ok(decision) => decision,
            Err(error) => return self.writer.fail(Some(&url), line, &error, console),
        };
        let file = self.last_file.of(&decision);
        let answer = Answer::of_decision(&url, &self.crawler, file, &decision, self.explain);
        self.has_unanswered |= answer.is_unanswered();
        if self.writer.json.is_none()
            && let Some(warning) = truncation(&answer)
            && self.truncated.insert(file.name().to_owned())
        {
            // On a terminal, the warning precedes the answers from this file.
            console.out.flush()?;
            console.messages.warning(warning);
        }
        if self.guard_hint.is_none() {
            self.guard_hint = answer.record().and_then(failure_hint);
        }
        self.writer.answer(&answer, &mut console.out)
    }
}

/// The warning that a fetched file is truncated, if it is.
fn truncation(answer: &Answer<'_>) -> Option<String> {
    let file = answer.decision?.file()?;
    let name = quoted(answer.file.name());
    let cut = file.cut_at.filter(|_| file.is_truncated());
    let cut =
        cut.map(|limit| format!("{name} is longer than {limit} bytes: the rest was not read"));
    cut.or_else(|| answer.file.truncation())
}

impl Question {
    fn is_answered(&self) -> bool {
        self.url.as_ref().map_or(true, |(_, pending)| pending.is_ready())
    }
}
