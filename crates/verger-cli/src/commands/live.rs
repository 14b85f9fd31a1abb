//! `verger check` without `--robots`: the robots.txt of each URL's origin, through the store.
//!
//! # Flow
//!
//! A URL is asked about when it is read, and answered when it is its turn: the files of several sites are
//! fetched at once. Nothing is read ahead of a writer who may wait for an answer.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::rc::Rc;

use verger::Dialect;

use super::check_replies::Replies;
use crate::ahead::Ahead;
use crate::args::{Check, Format};
use crate::asker::Asker;
use crate::console::{Out, Talk, written};
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::input::Lines;
use crate::live::{Asked, Live, nameless};
use crate::output::Answers;
use crate::reply::Reply;
use crate::robots_file::LastFile;

pub(super) fn run(
    args: &Check,
    asker: Asker,
    lists: Vec<Lines>,
    out: &mut Out,
    talk: &mut Talk,
) -> ExitStatus {
    let dialect = args.reading.dialect;
    let live = match Live::open(&args.live, Some(&asker), &dialect) {
        Ok(live) => live,
        Err(error) => return talk.fail(&error),
    };
    for (_, problem) in asker.problems(&dialect) {
        talk.warning(problem);
    }
    if let Some(warning) = nameless(&args.live, &asker) {
        talk.warning(warning);
    }
    let answers = Answers::of(args.format.unwrap_or(Format::Text), out.palette());
    let mut session = Session {
        live,
        asker,
        dialect,
        explain: args.explain,
        ahead: Ahead::new(),
        last: LastFile::default(),
        replies: Replies::new(answers),
    };
    let result = session.answer_all(lists, &args.urls, out, talk);
    let tally = session.replies.tally;
    talk.progress.finish();
    for notice in session.live.close() {
        talk.warning(notice);
    }
    if tally.asked() == 0 {
        talk.warning("no URL was asked about");
    }
    if let (Ok(()), Some(words)) = (&result, tally.last_word("URLs").filter(|_| tally.asked() > 1))
    {
        talk.error(&Error::new(words));
    }
    talk.finish();
    written(result, tally.status(), talk)
}

struct Session {
    live: Live,
    asker: Asker,
    dialect: Dialect,
    explain: bool,
    ahead: Ahead<Question>,
    last: LastFile,
    replies: Replies,
}

/// A question, and where it stands.
struct Question {
    from: Option<Place>,
    what: Result<(Vec<u8>, Asked), Error>,
}

/// A line of a list.
#[derive(Clone)]
struct Place {
    /// The name of the list, escaped.
    list: Rc<str>,
    line: u64,
}

impl Session {
    fn answer_all(
        &mut self,
        lists: Vec<Lines>,
        urls: &[OsString],
        out: &mut Out,
        talk: &mut Talk,
    ) -> io::Result<()> {
        for mut list in lists {
            let name: Rc<str> = list.name().into();
            loop {
                // Whoever writes the list line by line may wait for an answer before the next line.
                if list.may_wait() {
                    self.answer_rest(out, talk)?;
                }
                let Some(read) = list.advance() else { break };
                let from = Place { list: Rc::clone(&name), line: list.number() };
                self.ask(Some(from), read.map(|()| list.line()), out, talk)?;
                talk.progress.show(&list);
            }
        }
        for url in urls {
            self.ask(None, Ok(url.as_encoded_bytes()), out, talk)?;
        }
        self.answer_rest(out, talk)?;
        self.replies.answers.finish(out)?;
        out.flush()
    }

    /// Asks, and answers whose turn it is.
    fn ask(
        &mut self,
        from: Option<Place>,
        url: Result<&[u8], Error>,
        out: &mut Out,
        talk: &mut Talk,
    ) -> io::Result<()> {
        let bytes = url.as_ref().map_or(0, |url| url.len());
        let what = url.map(|url| (url.to_vec(), self.live.ask(&self.asker, &self.dialect, url)));
        self.ahead.push(Question { from, what }, bytes);
        while let Some(question) =
            self.ahead.pop_if_full().or_else(|| self.ahead.pop_if(Question::is_answered))
        {
            self.answer(question, out, talk)?;
        }
        Ok(())
    }

    fn answer_rest(&mut self, out: &mut Out, talk: &mut Talk) -> io::Result<()> {
        while let Some(question) = self.ahead.pop() {
            self.answer(question, out, talk)?;
        }
        out.flush()
    }

    fn answer(&mut self, question: Question, out: &mut Out, talk: &mut Talk) -> io::Result<()> {
        if !question.is_answered() {
            // It may take a while.
            out.flush()?;
        }
        let from = question.from.as_ref().map(|from| (&*from.list, from.line));
        let (url, asked) = match question.what {
            Ok(asked) => asked,
            Err(error) => return self.replies.fail(None, from, &error, out, talk),
        };
        let decision = match self.live.wait(asked, &url) {
            Ok(decision) => decision,
            Err(error) => return self.replies.fail(Some(&url), from, &error, out, talk),
        };
        let file = self.last.of(&decision);
        let reply = Reply::decided(&url, &self.asker, file, &decision, self.explain);
        self.replies.answer(&reply, out)
    }
}

impl Question {
    fn is_answered(&self) -> bool {
        self.what.as_ref().map_or(true, |(_, asked)| asked.is_answered())
    }
}
