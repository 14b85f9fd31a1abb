//! `verger check` without `--robots`: the robots.txt of each URL's origin, through the store.

use std::ffi::OsString;
use std::io::{self, Write as _};

use verger::access::Kind;

use crate::answer::{Failure, Reply};
use crate::args::{Check, Format};
use crate::asker::Asker;
use crate::console::{Out, Talk, written};
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::input::Lines;
use crate::live::{Live, nameless};
use crate::output::{Answers, JsonAnswers, TextAnswers};
use crate::robots_file::RobotsFile;
use crate::tally::Tally;

pub(super) fn run(
    args: &Check,
    asker: Asker,
    lists: Vec<Lines>,
    out: &mut Out,
    talk: &mut Talk,
) -> ExitStatus {
    let live = match Live::open(&args.live, &asker, &args.reading.dialect) {
        Ok(live) => live,
        Err(error) => return talk.fail(&error),
    };
    for (_, problem) in asker.problems(&args.reading.dialect) {
        talk.warning(problem);
    }
    if let Some(warning) = nameless(&args.live, &asker) {
        talk.warning(warning);
    }
    let answers = match args.format.unwrap_or(Format::Text) {
        Format::Text => Answers::Text(TextAnswers::new(out.palette())),
        Format::Json => Answers::Json(JsonAnswers::array()),
        Format::Jsonl => Answers::Json(JsonAnswers::lines()),
    };
    let mut session =
        Session { live, asker, explain: args.explain, answers, tally: Tally::default() };
    let result = session.answer_all(lists, &args.urls, out, talk);
    let tally = session.tally;
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
    explain: bool,
    answers: Answers,
    tally: Tally,
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
            loop {
                if list.may_wait() {
                    out.flush()?;
                }
                let Some(read) = list.advance() else { break };
                match read {
                    Ok(()) => self.answer(list.line(), Some(&list), out, talk)?,
                    Err(error) => self.fail(None, Some(&list), &error, out, talk)?,
                }
                talk.progress.show(&list);
            }
        }
        for url in urls {
            self.answer(url.as_encoded_bytes(), None, out, talk)?;
        }
        self.answers.finish(out)?;
        out.flush()
    }

    fn answer(
        &mut self,
        url: &[u8],
        from: Option<&Lines>,
        out: &mut Out,
        talk: &mut Talk,
    ) -> io::Result<()> {
        let decision = match self.live.check(url) {
            Ok(decision) => decision,
            Err(error) => return self.fail(Some(url), from, &error, out, talk),
        };
        let name = decision.record().map_or_else(String::new, |it| it.origin().robots_url());
        let file = RobotsFile::of(name, decision.robots().clone());
        // What a client sends is what is explained.
        let explains = self.explain && decision.access().kind() == Kind::Rules;
        let explanation =
            explains.then(|| file.robots().explain(self.asker.crawler(), decision.url().as_str()));
        let reply = Reply {
            id: None,
            url,
            asker: &self.asker,
            file: &file,
            verdict: decision.verdict(),
            explanation,
            decision: Some(&decision),
        };
        self.tally.question(true);
        self.tally.verdict(reply.verdict.is_allowed());
        self.answers.write(out, &reply)?;
        // The next answer may take a while.
        out.flush()
    }

    fn fail(
        &mut self,
        url: Option<&[u8]>,
        from: Option<&Lines>,
        error: &Error,
        out: &mut Out,
        talk: &mut Talk,
    ) -> io::Result<()> {
        self.tally.question(false);
        self.tally.error();
        if self.answers.is_text() {
            out.flush()?;
            let place = from.map(|list| format!("{}:{}: ", list.name(), list.number()));
            talk.error_at(&place.unwrap_or_default(), error);
            return Ok(());
        }
        let failure = Failure::new(url, from.map(Lines::number), error.to_string());
        self.answers.write_failure(out, &failure)
    }
}
