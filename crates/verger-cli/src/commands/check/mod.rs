//! `verger check`: may a crawler fetch these URLs?
//!
//! # Flow
//!
//! The arguments say whether a robots.txt is given (`file.rs`) or that of each URL's origin is asked for
//! (`sites.rs`); `session.rs` walks the URLs by either, and their answers and errors leave through `replies.rs`.
//! A batch (`batch/`) has questions and a way out of its own. Both end alike (`ending.rs`).

mod batch;
mod ending;
mod file;
mod replies;
mod session;
mod sites;

use std::path::Path;

use self::file::File;
use self::session::Session;
use self::sites::Sites;
use crate::args::Check;
use crate::asker::{self, Asker};
use crate::console::{Out, Talk};
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::input::{Lines, place, read_stdin_once};

pub(super) fn run(args: &Check, out: &mut Out, talk: &mut Talk) -> ExitStatus {
    // Here and not as `requires`: Clap lets that pass beside whatever excludes `--batch`.
    if args.threads.is_some() && args.batch.is_none() {
        let error = Error::new("expected `--batch` beside `--threads`, but found none");
        return talk.fail(&error.with_hint("only a batch is answered on several cores"));
    }
    let done = match (&args.batch, &args.robots) {
        (Some(path), _) => batch::run(args, path, out, talk),
        (None, Some(robots)) => check_file(args, robots, out, talk),
        (None, None) => check_web(args, out, talk),
    };
    done.unwrap_or_else(|error| talk.fail(&error))
}

fn check_file(
    args: &Check,
    robots: &Path,
    out: &mut Out,
    talk: &mut Talk,
) -> Result<ExitStatus, Error> {
    let (asker, lists) = open(args)?;
    let source = File::open(robots, &args.reading.dialect)?;
    Ok(Session::new(args, source, asker, out).run(lists, &args.urls, out, talk))
}

fn check_web(args: &Check, out: &mut Out, talk: &mut Talk) -> Result<ExitStatus, Error> {
    if let Some(file) = args.urls.iter().map(Path::new).find(|path| path.is_file()) {
        let file = place(file);
        let error = Error::new(format!("expected URLs, but found the file `{file}`"));
        return Err(error.with_hint(format!("did you mean `--robots {file}`?")));
    }
    let (asker, lists) = open(args)?;
    let source = Sites::open(&args.live, &asker, &args.reading.dialect)?;
    Ok(Session::new(args, source, asker, out).run(lists, &args.urls, out, talk))
}

/// Who asks, and about what. Every list is opened, so that a name misspelt ends the run before it has
/// begun.
fn open(args: &Check) -> Result<(Asker, Vec<Lines>), Error> {
    let asker = asker::of_args(&args.crawler)?.ok_or_else(no_crawler)?;
    if args.urls.is_empty() && args.urls_from.is_empty() {
        let error = Error::new("expected a URL, but found none");
        return Err(error.with_hint("give URLs, or a file of them with `--urls-from FILE`"));
    }
    read_stdin_once(args.robots.iter().chain(&args.urls_from))?;
    let lists: Result<_, Error> = args.urls_from.iter().map(|path| Lines::open(path)).collect();
    Ok((asker, lists?))
}

fn no_crawler() -> Error {
    Error::new("expected `--agent TOKEN` or `--crawler NAME`, but found neither")
        .with_hint("`--agent GPTBot` asks for the crawler whose token is `GPTBot`")
}
