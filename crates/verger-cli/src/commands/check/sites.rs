//! `verger check` without `--robots`: the robots.txt of each URL's origin, through the store.

use verger::Dialect;
use verger_fetch::decision::Decision;

use super::session::Source;
use crate::args::LiveArgs;
use crate::asker::Asker;
use crate::error::Error;
use crate::live::{Asked, Live, nameless};
use crate::reply::Reply;
use crate::robots_file::LastFile;

/// The client that asks the sites, or, with `--offline`, what is kept of them, and what the last answer rests on.
pub(super) struct Sites {
    live: Live,
    nameless: Option<String>,
    decision: Option<Decision>,
    file: LastFile,
}

impl Sites {
    pub(super) fn open(args: &LiveArgs, asker: &Asker, dialect: &Dialect) -> Result<Self, Error> {
        Ok(Self {
            live: Live::open(args, Some(asker), dialect)?,
            nameless: nameless(args, asker),
            decision: None,
            file: LastFile::default(),
        })
    }
}

impl Source for Sites {
    type Asked = Asked;

    fn warnings(&self) -> Vec<String> {
        self.nameless.iter().cloned().collect()
    }

    fn ask(&self, asker: &Asker, dialect: &Dialect, url: &[u8]) -> Asked {
        self.live.ask(asker, dialect, url)
    }

    fn is_answered(asked: &Asked) -> bool {
        asked.is_answered()
    }

    fn reply<'a>(
        &'a mut self,
        asked: Asked,
        url: &'a [u8],
        asker: &'a Asker,
        explain: bool,
    ) -> Result<Reply<'a>, Error> {
        let decision = self.decision.insert(self.live.wait(asked, url)?);
        let file = self.file.of(decision);
        Ok(Reply::decided(url, asker, file, decision, explain))
    }

    fn close(self) -> Vec<String> {
        self.live.close()
    }
}
