//! Answers and errors of a batch.

use std::io;

use verger_fetch::decision::Decision;

use crate::answer::Failure;
use crate::asker::Asker;
use crate::console::Out;
use crate::error::Error;
use crate::id::Id;
use crate::output::Answers;
use crate::reply::Reply;
use crate::robots_file::RobotsFile;
use crate::tally::Tally;
use crate::url_text;

/// What is written, and what it comes to.
pub(super) struct Replies {
    pub(super) explain: bool,
    pub(super) answers: Answers,
    pub(super) tally: Tally,
}

impl Replies {
    /// Answers for one URL; `false` when an error stands in the place of the answer.
    pub(super) fn answer(
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

    /// Answers by a decision.
    pub(super) fn decided(
        &mut self,
        id: Option<&Id>,
        url: &[u8],
        asker: &Asker,
        file: &RobotsFile,
        decision: &Decision,
        out: &mut Out,
    ) -> io::Result<()> {
        let reply = Reply::decided(url, asker, file, decision, self.explain);
        let reply = Reply { id, ..reply };
        self.tally.verdict(reply.verdict.is_allowed());
        self.answers.write(out, &reply)
    }

    pub(super) fn fail(
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
