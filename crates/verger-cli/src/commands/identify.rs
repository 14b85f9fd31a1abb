//! `verger identify`: verifies who sent a request; `verger identity`: keys, and lists of addresses.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use futures_util::{StreamExt as _, stream};
use serde::Serialize;
use verger_fetch::background::Background;
use verger_fetch::client::{Clock as _, SystemClock};
use verger_fetch::url::Url;
use verger_identity::net::read_lists;
use verger_identity::{Identity, Lists, Request, SigningKey, Verdict, limits};
use verger_json::{AnswerError, Values};
use verger_registry::{Crawler, Registry};

use super::verify::json_error;
use crate::args::{Identify, Identity as IdentityArgs, IdentityAction, ReportFormat};
use crate::console::Console;
use crate::error::{Error, ExitStatus};
use crate::input::{Lines, read_regular, read_whole, shown};
use crate::limits::{BLOCK_BYTES, BLOCK_LINES, HEAD_BYTES, KEY_BYTES, LOOK_UPS};
use crate::proof::{Session, in_file, robots_client};

pub(super) fn run(args: &Identify, console: &mut Console) -> Result<ExitStatus, Error> {
    let session = Session::open(&args.proof)?;
    let status = match &args.batch {
        Some(path) => batch(&session, path, console),
        None => single(&session, args, console),
    }?;
    session.warn(&mut console.messages);
    Ok(status)
}

/// A result of a batch.
#[derive(Serialize)]
struct Answer<'a> {
    line: u64,
    #[serde(flatten)]
    identity: &'a Identity<'a>,
}

fn single(session: &Session, args: &Identify, console: &mut Console) -> Result<ExitStatus, Error> {
    let mut request = Request::default();
    if let Some(path) = &args.headers {
        let head = read_whole(path, HEAD_BYTES)?;
        let head = String::from_utf8_lossy(&head).parse();
        request = head.map_err(|error| in_file(path, error))?;
    }
    (request.ip, request.at) = (args.ip, args.at);
    request.user_agent.clone_from(&args.user_agent);
    let identity = session.runtime.block_on(session.identify(&request));
    Ok(console.finish(status(&identity), |out| match args.format {
        ReportFormat::Text => write!(out, "{identity}"),
        ReportFormat::Json => Values::lines().write(out, &identity),
    }))
}

/// Answers the lines of a file in order. Look-ups of a block of lines run at once.
fn batch(session: &Session, path: &Path, console: &mut Console) -> Result<ExitStatus, Error> {
    let mut lines = Lines::open(path)?;
    let (mut worst, mut json) = (ExitStatus::Success, Values::lines());
    let (mut count, mut errors) = (0, 0);
    loop {
        let (mut block, mut bytes) = (Vec::new(), 0);
        while block.is_empty()
            || (block.len() < BLOCK_LINES && bytes < BLOCK_BYTES && !lines.may_wait())
        {
            let Some(advanced) = lines.advance() else { break };
            bytes += lines.line().len();
            let read = |()| Request::of_log_line(lines.line()).map_err(|e| json_error(&e));
            block.push((lines.number(), advanced.and_then(read)));
        }
        if block.is_empty() {
            break;
        }
        count += block.len();
        let answer = async |(line, request): &(u64, Result<Request, Error>)| match request {
            Ok(request) => (*line, Ok(session.identify(request).await)),
            Err(error) => (*line, Err(error.to_string())),
        };
        let answers = stream::iter(&block).map(answer).buffered(LOOK_UPS).collect::<Vec<_>>();
        for (line, answer) in session.runtime.block_on(answers) {
            let written = match answer {
                Ok(identity) => {
                    worst = worst.max(status(&identity));
                    json.write(&mut console.out, &Answer { line, identity: &identity })
                }
                Err(message) => {
                    worst = ExitStatus::Error;
                    errors += 1;
                    json.write(&mut console.out, &AnswerError::new(None, Some(line), message))
                }
            };
            written.map_err(|error| Error::io("write", "standard output", &error))?;
        }
        lines.show_in(&mut console.messages.progress);
    }
    if errors > 0 {
        let message = format!("{errors} of {count} lines could not be answered");
        console.messages.error(&Error::new(message));
    }
    Ok(console.finish(worst, |_| Ok(())))
}

fn status(identity: &Identity<'_>) -> ExitStatus {
    if identity.verdict == Verdict::Verified { ExitStatus::Success } else { ExitStatus::Finding }
}

pub(super) fn run_identity(
    args: &IdentityArgs,
    console: &mut Console,
) -> Result<ExitStatus, Error> {
    match &args.action {
        IdentityAction::Key { path } => make_key(path, console),
        IdentityAction::Directory { path } => {
            let key = read_key(path)?;
            Ok(console.finish(ExitStatus::Success, |out| out.write_all(key.key_set().as_bytes())))
        }
        IdentityAction::Update { path } => update(path, console),
    }
}

fn make_key(path: &Path, console: &mut Console) -> Result<ExitStatus, Error> {
    let failed = |error: io::Error| Error::io("write", &shown(path), &error);
    let (text, key) = SigningKey::generate()
        .map_err(|error| Error::new(format!("could not make a key: {error}")))?;
    let mut options = OpenOptions::new();
    // Never in place of another key.
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let mut file = options.open(path).map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
    Ok(console.finish(ExitStatus::Success, |out| writeln!(out, "{}", key.thumbprint())))
}

/// The key of a file that only its owner can read.
fn read_key(path: &Path) -> Result<SigningKey, Error> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let found = fs::metadata(path).map_err(|error| Error::io("read", &shown(path), &error))?;
        if found.permissions().mode() & 0o077 != 0 {
            let message = format!(
                "expected a file that only its owner can read, but {} is open to others",
                shown(path)
            );
            return Err(Error::new(message)
                .with_hint("`chmod 600` closes it; if others could read the key, make a new one"));
        }
    }
    let text = read_regular(path, KEY_BYTES)?;
    let text = str::from_utf8(&text).map_err(|_| in_file(path, "expected UTF-8"))?;
    SigningKey::read(text).map_err(|error| in_file(path, error))
}

/// Fetches the lists of the registry into a new file.
fn update(directory: &Path, console: &mut Console) -> Result<ExitStatus, Error> {
    let failed = |error: io::Error| Error::io("write", &shown(directory), &error);
    fs::create_dir_all(directory).map_err(failed)?;
    let known = read_lists(directory).map_err(|error| Error::new(error.to_string()))?;
    let runtime = Background::start().map_err(|error| Error::io("start", "fetches", &error))?;
    let client = {
        let _inside = runtime.enter();
        robots_client()?
    };
    let (now, mut status, mut copies) = (SystemClock.now(), ExitStatus::Success, Vec::new());
    let crawlers = Registry::bundled().crawlers().iter();
    for text in crawlers.flat_map(Crawler::ip_ranges).collect::<BTreeSet<_>>() {
        let is_recent = |copied| now.since(copied) < limits::LIST_PAUSE;
        if known.at(text, now).is_some_and(|(_, list)| is_recent(list.copied)) {
            continue;
        }
        let fetched = text.parse::<Url>().map_err(|error| error.to_string()).and_then(|url| {
            let body = runtime.block_on(client.file(&url, limits::LIST_BYTES + 1));
            let body = body.map_err(|failure| failure.to_string())?;
            Lists::copy(text, now, &body).map_err(|error| error.to_string())
        });
        match fetched {
            Ok(copy) => copies.push(copy),
            Err(error) => {
                status = ExitStatus::Finding;
                console.messages.warning(format!("{text}: {error}"));
            }
        }
    }
    if !copies.is_empty() {
        let name = format!("{}.json", now.to_string().replace(':', ""));
        // If it is cut off, `read_lists` does not read it.
        let beside = directory.join(format!("{name}.part"));
        fs::write(&beside, copies.concat()).map_err(failed)?;
        fs::rename(beside, directory.join(name)).map_err(failed)?;
    }
    Ok(console.finish(status, |out| writeln!(out, "{} lists were fetched", copies.len())))
}
