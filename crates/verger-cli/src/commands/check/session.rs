//! The URLs of lists and arguments, asked and answered in their order.
//!
//! # Flow
//!
//! A URL is asked about when it is read, and answered when it is its turn: where robots.txt is fetched, the
//! files of several sites are fetched at once. Nothing is read ahead of a writer who may wait for an answer.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::rc::Rc;

use verger::Dialect;

use super::ending::{LastWords, Stop, end};
use super::replies::{About, Replies};
use crate::ahead::Ahead;
use crate::args::{Check, Format};
use crate::asker::{self, Asker};
use crate::console::{Out, Talk};
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::hints::{VendorHint, after_failure, note};
use crate::input::Lines;
use crate::output::Answers;
use crate::quote::quoted;
use crate::reply::Reply;

/// Where answers come from.
pub(super) trait Source {
    /// A question that has been asked, and perhaps answered meanwhile.
    type Asked;

    /// What is to be said before the first answer.
    fn warnings(&self) -> Vec<String>;

    fn ask(&self, asker: &Asker, dialect: &Dialect, url: &[u8]) -> Self::Asked;

    /// Whether there is nothing to wait for.
    fn is_answered(asked: &Self::Asked) -> bool;

    /// Waits for the answer.
    fn reply<'a>(
        &'a mut self,
        asked: Self::Asked,
        url: &'a [u8],
        asker: &'a Asker,
        explain: bool,
    ) -> Result<Reply<'a>, Error>;

    /// Ends it; what is to be said of that.
    fn close(self) -> Vec<String>;
}

/// All that stays the same from URL to URL, and what has come of them so far.
pub(super) struct Session<S: Source> {
    source: S,
    asker: Asker,
    dialect: Dialect,
    explain: bool,
    ahead: Ahead<Question<S::Asked>>,
    replies: Replies,
    vendor_hint: Option<VendorHint>,
    /// How to let in the first address that was refused.
    guard_hint: Option<String>,
    /// Truncated files that were reported, by URL.
    truncated: HashSet<String>,
    /// Whether some answer is in the place of one that the site could not be asked for.
    has_unanswered: bool,
}

/// A question, and where it stands.
struct Question<A> {
    from: Option<Place>,
    what: Result<(Vec<u8>, A), Error>,
}

/// A line of a list.
struct Place {
    /// The name of the list, escaped.
    list: Rc<str>,
    line: u64,
}

impl<S: Source> Session<S> {
    pub(super) fn new(args: &Check, source: S, asker: Asker, out: &Out) -> Self {
        let format = args.format.unwrap_or(Format::Text);
        let answers = Answers::of(format, out.palette(), args.live.offline);
        Self {
            source,
            // A hint is for people.
            vendor_hint: answers.is_text().then(|| VendorHint::new(&asker)).flatten(),
            asker,
            dialect: args.reading.dialect,
            explain: args.explain,
            ahead: Ahead::new(),
            replies: Replies::new(answers),
            guard_hint: None,
            truncated: HashSet::new(),
            has_unanswered: false,
        }
    }

    /// Answers everything.
    pub(super) fn run(
        mut self,
        lists: Vec<Lines>,
        urls: &[OsString],
        out: &mut Out,
        talk: &mut Talk,
    ) -> ExitStatus {
        for (_, remark) in asker::remarks(&self.asker, &self.dialect) {
            remark.say("", talk);
        }
        self.source.warnings().iter().for_each(|warning| talk.warning(warning));
        let names: Vec<String> = lists.iter().map(|list| format!("`{}`", list.name())).collect();
        let result = self.answer_all(lists, urls, out, talk);
        talk.progress.finish();
        let Self { source, asker, replies, vendor_hint, guard_hint, has_unanswered, .. } = self;
        source.close().iter().for_each(|notice| talk.warning(notice));
        let is_text = replies.answers.is_text();
        if result.is_ok() && is_text {
            let hint = vendor_hint.as_ref().and_then(VendorHint::hint);
            let note = asker.vendor().and_then(note);
            guard_hint.into_iter().chain(hint).chain(note).for_each(|hint| talk.hint(hint));
        }
        let words = LastWords {
            of_none: Error::new(format!("nothing was asked: no URL in {}", names.join(", ")))
                .with_hint("a list has one URL on each line"),
            questions: "URLs",
            // People see that it is the only one, but not that an answer is none.
            counts_one: !is_text || has_unanswered,
        };
        end(result.map_err(Stop::Write), replies.tally, &words, talk)
    }

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
        let what = url.map(|url| (url.to_vec(), self.source.ask(&self.asker, &self.dialect, url)));
        self.ahead.push(Question { from, what }, bytes);
        while let Some(question) =
            self.ahead.pop_if_full().or_else(|| self.ahead.pop_if(Question::is_answered::<S>))
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

    fn answer(
        &mut self,
        question: Question<S::Asked>,
        out: &mut Out,
        talk: &mut Talk,
    ) -> io::Result<()> {
        if !question.is_answered::<S>() {
            // It may take a while.
            out.flush()?;
        }
        let line = question.from.as_ref().map(|from| (&*from.list, from.line));
        let (url, asked) = match question.what {
            Ok(asked) => asked,
            Err(error) => {
                self.replies.tally.question(false);
                return self.replies.fail(About { url: None, line }, &error, out, talk);
            }
        };
        let reply = self.source.reply(asked, &url, &self.asker, self.explain);
        let is_unanswered = reply.as_ref().is_ok_and(Reply::is_unanswered);
        self.has_unanswered |= is_unanswered;
        self.replies.tally.question(reply.is_ok() && !is_unanswered);
        match reply {
            Ok(reply) => {
                if let Some(hint) = &mut self.vendor_hint {
                    hint.look(&reply);
                }
                if self.replies.answers.is_text()
                    && let Some(warning) = truncation(&reply)
                    && self.truncated.insert(reply.file.name().to_owned())
                {
                    // On a screen it stands before the answers that it is about.
                    out.flush()?;
                    talk.warning(warning);
                }
                if self.guard_hint.is_none() {
                    self.guard_hint = reply.record().and_then(after_failure);
                }
                self.replies.answer(&reply, out)
            }
            Err(error) => self.replies.fail(About { url: Some(&url), line }, &error, out, talk),
        }
    }
}

/// The warning that a fetched file was cut; `None` for any other. A file on disk is reported when it is
/// opened.
fn truncation(reply: &Reply<'_>) -> Option<String> {
    let file = reply.decision?.file()?;
    let name = quoted(reply.file.name());
    let cut = file.cut_at.filter(|_| file.is_truncated());
    let cut =
        cut.map(|limit| format!("{name} is longer than {limit} bytes: the rest was not read"));
    cut.or_else(|| reply.file.truncation())
}

impl<A> Question<A> {
    fn is_answered<S: Source<Asked = A>>(&self) -> bool {
        self.what.as_ref().map_or(true, |(_, asked)| S::is_answered(asked))
    }
}
