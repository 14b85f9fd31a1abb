//! `verger check --robots FILE`: one file for all URLs. Nothing is fetched.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;

use verger_json::NamedCrawler;

use super::writer::{AnswerWriter, Line};
use super::{finish, open, start};
use crate::answer::Answer;
use crate::args::Check;
use crate::console::Console;
use crate::error::{Error, ExitStatus};
use crate::input::{Lines, hint_at_fetching, place, read_robots};
use crate::robots_file::RobotsFile;
use crate::url_check;

pub(super) fn run(args: &Check, robots: &Path, console: &mut Console) -> Result<ExitStatus, Error> {
    let (crawler, mut lists) = open(args)?;
    let dialect = &args.reading.dialect;
    let bytes = read_robots(robots, dialect)
        .map_err(|error| hint_at_fetching(error, robots, "verger check --robots - …"))?;
    let file = RobotsFile::parse(place(robots), &bytes, dialect);
    drop(bytes);
    let writer = start(args, &crawler, &[file.robots()], console);
    if let Some(warning) = file.truncation() {
        console.messages.warning(warning);
    }
    let mut check = FileCheck { crawler: &crawler, file: &file, explain: args.explain, writer };
    let result = check.answer_all(&mut lists, &args.urls, console);
    console.messages.progress.finish();
    Ok(finish(args, &check.writer, result, false, &mut console.messages))
}

struct FileCheck<'a> {
    crawler: &'a NamedCrawler,
    file: &'a RobotsFile,
    explain: bool,
    writer: AnswerWriter,
}

impl FileCheck<'_> {
    fn answer_all(
        &mut self,
        lists: &mut [Lines],
        urls: &[OsString],
        console: &mut Console,
    ) -> io::Result<()> {
        for list in lists {
            loop {
                if list.may_wait() {
                    // The writer of the list may wait for an answer before it writes the next line.
                    console.out.flush()?;
                }
                let Some(read) = list.advance() else { break };
                let line = Some((list.name(), list.number()));
                match read {
                    Ok(()) => self.answer(list.line(), line, console)?,
                    Err(error) => self.writer.fail(None, line, &error, console)?,
                }
                list.show_in(&mut console.messages.progress);
            }
        }
        for url in urls {
            self.answer(url.as_encoded_bytes(), None, console)?;
        }
        self.writer.finish(&mut console.out)
    }

    fn answer(
        &mut self,
        url: &[u8],
        line: Option<Line<'_>>,
        console: &mut Console,
    ) -> io::Result<()> {
        match url_check::check(url, &self.file.robots().dialect()) {
            Ok(()) => {
                let answer = Answer::of_file(url, self.crawler, self.file, self.explain);
                self.writer.answer(&answer, &mut console.out)
            }
            Err(error) => self.writer.fail(Some(url), line, &error, console),
        }
    }
}
