//! `verger check --robots`: one file for all URLs, and nothing is fetched.

use std::path::Path;

use verger::Dialect;

use super::session::Source;
use crate::asker::Asker;
use crate::error::Error;
use crate::input::{hint_at_fetching, place, read_robots};
use crate::reply::Reply;
use crate::robots_file::RobotsFile;
use crate::url_text;

/// The file of `--robots`.
pub(super) struct File(RobotsFile);

impl File {
    pub(super) fn open(robots: &Path, dialect: &Dialect) -> Result<Self, Error> {
        let bytes = read_robots(robots, dialect)
            .map_err(|error| hint_at_fetching(error, robots, "verger check --robots - …"))?;
        Ok(Self(RobotsFile::parse(place(robots), &bytes, dialect)))
    }
}

impl Source for File {
    type Asked = Result<(), Error>;

    fn warnings(&self) -> Vec<String> {
        self.0.truncation().into_iter().collect()
    }

    fn ask(&self, _: &Asker, dialect: &Dialect, url: &[u8]) -> Self::Asked {
        url_text::check(url, dialect)
    }

    fn is_answered(_: &Self::Asked) -> bool {
        true
    }

    fn reply<'a>(
        &'a mut self,
        asked: Self::Asked,
        url: &'a [u8],
        asker: &'a Asker,
        explain: bool,
    ) -> Result<Reply<'a>, Error> {
        asked?;
        Ok(Reply::ask(url, asker, &self.0, explain))
    }

    fn close(self) -> Vec<String> {
        Vec::new()
    }
}
