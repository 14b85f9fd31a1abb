//! `verger check` with URLs: one robots.txt, one crawler.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;

use verger::Dialect;

use super::check_replies::{ListLine, Replies};
use super::live;
use crate::args::{Check, Format};
use crate::asker::Asker;
use crate::console::{Out, Talk, written};
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::hints::{VendorHint, note};
use crate::input::{Lines, hint_at_fetching, is_stdin, place, read_robots};
use crate::output::Answers;
use crate::reply::Reply;
use crate::robots_file::RobotsFile;
use crate::url_text;

pub(super) fn run(args: &Check, out: &mut Out, talk: &mut Talk) -> ExitStatus {
    if args.robots.is_none() {
        return match open_live(args) {
            Ok((asker, lists)) => live::run(args, asker, lists, out, talk),
            Err(error) => talk.fail(&error),
        };
    }
    let (mut session, lists) = match Session::open(args, out) {
        Ok(opened) => opened,
        Err(error) => return talk.fail(&error),
    };
    session.warn(talk);
    let result = session.answer_all(lists, &args.urls, out, talk);
    if result.is_ok() {
        session.last_words(talk);
    }
    talk.progress.finish();
    written(result, session.replies.tally.status(), talk)
}

/// All that stays the same from URL to URL, and what has come of them so far.
struct Session {
    asker: Asker,
    file: RobotsFile,
    dialect: Dialect,
    explain: bool,
    replies: Replies,
    vendor_hint: Option<VendorHint>,
}

impl Session {
    /// Looks at the arguments and opens every file, so that a name misspelt ends the run before it has
    /// begun.
    fn open(args: &Check, out: &Out) -> Result<(Self, Vec<Lines>), Error> {
        let robots = args.robots.as_deref().ok_or_else(no_urls)?;
        let asker = who_asks(args)?;
        read_stdin_once(std::iter::once(robots).chain(args.urls_from.iter().map(AsRef::as_ref)))?;
        let lists: Result<Vec<Lines>, Error> =
            args.urls_from.iter().map(|path| Lines::open(path)).collect();
        let lists = lists?;
        let bytes = read_robots(robots, &args.reading.dialect)
            .map_err(|error| hint_at_fetching(error, robots, "verger check --robots - …"))?;
        let file = RobotsFile::parse(place(robots), &bytes, &args.reading.dialect);
        let answers = Answers::of(args.format.unwrap_or(Format::Text), out.palette());
        let session = Self {
            // A hint is for people.
            vendor_hint: answers.is_text().then(|| VendorHint::new(&asker)).flatten(),
            asker,
            file,
            dialect: args.reading.dialect,
            explain: args.explain,
            replies: Replies::new(answers),
        };
        Ok((session, lists))
    }

    fn warn(&self, talk: &mut Talk) {
        for (_, problem) in self.asker.problems(&self.dialect) {
            talk.warning(problem);
        }
        if let Some(truncation) = self.file.truncation() {
            talk.warning(truncation);
        }
    }

    fn answer_all(
        &mut self,
        lists: Vec<Lines>,
        urls: &[OsString],
        out: &mut Out,
        talk: &mut Talk,
    ) -> io::Result<()> {
        for mut list in lists {
            loop {
                // Whoever writes the list line by line may wait for an answer before the next line.
                if list.may_wait() {
                    out.flush()?;
                }
                let Some(read) = list.advance() else {
                    break;
                };
                match read {
                    Ok(()) => self.answer(list.line(), Some(&list), out, talk)?,
                    Err(error) => self.replies.fail(None, Some(line(&list)), &error, out, talk)?,
                }
                talk.progress.show(&list);
            }
        }
        for url in urls {
            self.answer(url.as_encoded_bytes(), None, out, talk)?;
        }
        self.replies.answers.finish(out)?;
        out.flush()
    }

    fn answer(
        &mut self,
        url: &[u8],
        from: Option<&Lines>,
        out: &mut Out,
        talk: &mut Talk,
    ) -> io::Result<()> {
        if let Err(error) = url_text::check(url, &self.dialect) {
            return self.replies.fail(Some(url), from.map(line), &error, out, talk);
        }
        let reply = Reply::ask(url, &self.asker, &self.file, self.explain);
        if let Some(hint) = &mut self.vendor_hint {
            hint.look(&self.file, url, &reply.verdict);
        }
        self.replies.answer(&reply, out)
    }

    fn last_words(&self, talk: &mut Talk) {
        talk.progress.finish();
        let is_text = self.replies.answers.is_text();
        if self.replies.tally.asked() == 0 {
            talk.warning("no URL was asked about");
        }
        if let Some(words) = self
            .replies
            .tally
            .last_word("URLs")
            .filter(|_| !is_text || self.replies.tally.asked() > 1)
        {
            talk.error(&Error::new(words));
        }
        if is_text {
            let hint = self.vendor_hint.as_ref().and_then(VendorHint::hint);
            let note = self.asker.vendor().and_then(note);
            hint.into_iter().chain(note).for_each(|hint| talk.hint(hint));
        }
        talk.finish();
    }
}

fn line(list: &Lines) -> ListLine<'_> {
    (list.name(), list.number())
}

/// Looks at the arguments of a check that fetches.
fn open_live(args: &Check) -> Result<(Asker, Vec<Lines>), Error> {
    if let Some(file) = args.urls.iter().map(Path::new).find(|path| path.is_file()) {
        let file = place(file);
        let error = Error::new(format!("expected URLs, but found the file `{file}`"));
        return Err(error.with_hint(format!("did you mean `--robots {file}`?")));
    }
    let asker = who_asks(args)?;
    read_stdin_once(args.urls_from.iter().map(AsRef::as_ref))?;
    let lists: Result<Vec<Lines>, Error> =
        args.urls_from.iter().map(|path| Lines::open(path)).collect();
    Ok((asker, lists?))
}

/// Who asks, where something is asked.
fn who_asks(args: &Check) -> Result<Asker, Error> {
    let asker = Asker::of(&args.crawler)?.ok_or_else(no_crawler)?;
    if args.urls.is_empty() && args.urls_from.is_empty() {
        return Err(no_urls());
    }
    Ok(asker)
}

fn no_urls() -> Error {
    let error = Error::new("expected a URL, but found none");
    error.with_hint("give URLs, or a file of them with `--urls-from FILE`")
}

fn no_crawler() -> Error {
    Error::new("expected `--agent TOKEN` or `--crawler NAME`, but found neither")
        .with_hint("`--agent GPTBot` asks for the crawler whose token is `GPTBot`")
}

fn read_stdin_once<'p>(paths: impl Iterator<Item = &'p Path>) -> Result<(), Error> {
    match paths.filter(|path| is_stdin(path)).count() {
        0 | 1 => Ok(()),
        many => Err(Error::new(format!(
            "expected standard input once, because it can be read only once, but found it {many} times"
        ))),
    }
}
