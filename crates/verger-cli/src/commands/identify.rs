//! `verger identify`: verifies who sent a request; `verger identity`: keys, and lists of addresses.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use futures_util::{StreamExt as _, stream};
use serde::Serialize;
use tempfile::NamedTempFile;
use verger::quoted;
use verger_audit::log::{LogFormat, LogLines, LogOptions};
use verger_fetch::background::Background;
use verger_fetch::client::{Clock as _, SystemClock};
use verger_fetch::url::Url;
use verger_identity::net::read_lists;
use verger_identity::{Identity, Lists, Request, SigningKey, Status, Verdict, limits, may_be_cut};
use verger_json::{AnswerError, Values};
use verger_registry::{Crawler, Registry};

use super::verify::json_error;
use crate::args::{Identify, Identity as Action, KeyFile, ReportFormat};
use crate::console::Console;
use crate::error::{Error, ExitStatus};
use crate::input::{Lines, read_whole, shown};
use crate::limits::{BLOCK_BYTES, BLOCK_LINES, HEAD_BYTES, LOOK_UPS};
use crate::proof::{Session, in_file, robots_client};
use crate::sentence::counted;

pub(super) fn run(args: &Identify, console: &mut Console) -> Result<ExitStatus, Error> {
    let session = Session::open(&args.proof)?;
    let status = match &args.batch {
        Some(path) => batch(&session, path, args.log_format.clone(), console),
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
        let head: Result<_, String> = String::from_utf8_lossy(&head).parse();
        request = head.map_err(|error| in_file(path, error))?;
    }
    (request.ip, request.at, request.user_agent) = (args.ip, args.at, args.user_agent.clone());
    let identity = session.runtime.block_on(session.identify(&request));
    let of_address = identity.claims.iter().flat_map(|it| [&it.addresses, &it.reverse_dns]);
    let mut decided =
        of_address.filter(|it| matches!(it.status, Status::Verified | Status::Failed));
    if identity.address.is_some_and(may_be_cut) && decided.next().is_some() {
        console.messages.note(
            "the address ends with 0: in a log, such an address would not be checked, because many logs \
             replace the end of addresses by 0",
        );
    }
    if let (Some(address), []) = (identity.address, &identity.claims[..])
        && let Some(crawler) = session.identifier.lists.crawlers(address, identity.at).next()
    {
        let operator = crawler.operator().unwrap_or_else(|| crawler.token());
        console.messages.hint(format!(
            "{address} is in a list of {operator}, but a header without the name of a crawler claims nothing: \
             operators also fetch with headers of browsers"
        ));
    }
    Ok(console.finish(status(&identity), |out| match args.format {
        ReportFormat::Text => write!(out, "{identity}"),
        ReportFormat::Json => Values::lines().write(out, &identity),
    }))
}

/// Answers the lines of a file in order. Look-ups of a block of lines run at once.
fn batch(
    session: &Session,
    path: &Path,
    format: Option<LogFormat>,
    console: &mut Console,
) -> Result<ExitStatus, Error> {
    let mut lines = Lines::open(path)?;
    let (mut worst, mut json) = (ExitStatus::Success, Values::lines());
    let (mut count, mut errors, has_format) = (0, 0, format.is_some());
    let mut log = LogLines::new(LogOptions { format, zone: None });
    loop {
        let (mut block, mut bytes) = (Vec::new(), 0);
        while block.is_empty()
            || (block.len() < BLOCK_LINES && bytes < BLOCK_BYTES && !lines.may_wait())
        {
            let Some(advanced) = lines.advance() else { break };
            bytes += lines.line().len();
            let request = advanced.and_then(|()| read_line(lines.line(), has_format, &mut log));
            block.extend(request.transpose().map(|request| (lines.number(), request)));
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
            errors += usize::from(answer.is_err());
            worst = worst.max(answer.as_ref().map_or(ExitStatus::Error, status));
            let out = &mut console.out;
            let written = match answer {
                Ok(identity) => json.write(out, &Answer { line, identity: &identity }),
                Err(error) => json.write(out, &AnswerError::new(None, Some(line), error)),
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

/// A request in JSON, or in a line of an access log, perhaps in a given format; `None` of a
/// directive.
fn read_line(line: &[u8], has_format: bool, log: &mut LogLines) -> Result<Option<Request>, Error> {
    let is_object = !has_format && line.trim_ascii_start().starts_with(b"{");
    let json = is_object.then(|| Request::of_log_line(line)).transpose();
    match json {
        Ok(Some(request)) => return Ok(Some(request)),
        Err(error) if !Request::has_other_keys(line) => return Err(json_error(&error)),
        _ if log.is_directive(line) => return Ok(None),
        _ => {}
    }
    let (mut found, mut has_time) = (None, true);
    log.read(line, &mut |request| match request.at {
        // Otherwise it is an object of a batch with a misspelt key.
        _ if json.is_err() && request.status.is_none() && request.user_agent.is_none() => {}
        Some(_) => found = Some((&request).into()),
        // By the lists of today, it would be judged by a guess.
        None => has_time = false,
    });
    found.map(Some).ok_or_else(|| {
        let expected = match &json {
            _ if !has_time => "a line with a time",
            Err(error) => return json_error(error),
            Ok(_) if has_format => "a line in the given format",
            Ok(_) => "a JSON object or a line of an access log",
        };
        Error::new(format!("expected {expected}, but found {}", quoted(line)))
    })
}

fn status(identity: &Identity<'_>) -> ExitStatus {
    if identity.verdict == Verdict::Verified { ExitStatus::Success } else { ExitStatus::Finding }
}

pub(super) fn run_identity(action: &Action, console: &mut Console) -> Result<ExitStatus, Error> {
    match action {
        Action::Key(KeyFile { path }) => make_key(path, console),
        Action::Directory(KeyFile { path }) => {
            let key = SigningKey::open(path).map_err(Error::new)?;
            Ok(console.finish(ExitStatus::Success, |out| out.write_all(key.key_set().as_bytes())))
        }
        Action::Update { path } => update(path, console),
    }
}

fn make_key(path: &Path, console: &mut Console) -> Result<ExitStatus, Error> {
    let failed = |error: io::Error| Error::io("write", &shown(path), &error);
    let (text, key) = SigningKey::generate()
        .map_err(|error| Error::new(format!("could not make a key: {error}")))?;
    let folder = path.parent().filter(|it| *it != Path::new("")).unwrap_or(Path::new("."));
    // A temporary file is open to its owner only. It never replaces another key.
    let mut file = NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
    file.persist_noclobber(path).map_err(|error| failed(error.error))?;
    Ok(console.finish(ExitStatus::Success, |out| writeln!(out, "{}", key.thumbprint())))
}

/// Fetches the lists of the registry into a new file.
fn update(directory: &Path, console: &mut Console) -> Result<ExitStatus, Error> {
    let failed = |error: io::Error| Error::io("write", &shown(directory), &error);
    let known = if directory.exists() { read_lists(directory) } else { Ok(Lists::default()) };
    let known = known.map_err(Error::new)?;
    let runtime = Background::start().map_err(|error| Error::io("start", "fetches", &error))?;
    let client = robots_client(&runtime)?;
    let (now, mut status, mut copies) = (SystemClock.now(), ExitStatus::Success, Vec::new());
    let crawlers = Registry::bundled().crawlers().iter();
    for text in crawlers.flat_map(Crawler::ip_ranges).collect::<BTreeSet<_>>() {
        let is_recent = |copied| now.since(copied) < limits::LIST_PAUSE;
        if known.at(text, now).is_some_and(|(_, list)| is_recent(list.copied)) {
            continue;
        }
        let fetched = Url::parse(text).map_err(|error| error.to_string()).and_then(|url| {
            let body = runtime.block_on(client.file(&url, limits::LIST_BYTES + 1));
            Lists::copy(text, now, &body.map_err(|failure| failure.to_string())?)
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
        fs::create_dir_all(directory).map_err(failed)?;
        let path = directory.join(format!("{}.json", now.to_string().replace(':', "")));
        // If it is cut off, `read_lists` does not read it.
        let beside = path.with_extension("part");
        fs::write(&beside, copies.concat()).map_err(failed)?;
        fs::rename(beside, path).map_err(failed)?;
    }
    let lists = counted(copies.len() as u64, "list");
    let were = if copies.len() == 1 { "was" } else { "were" };
    Ok(console.finish(status, |out| writeln!(out, "{lists} {were} fetched")))
}
