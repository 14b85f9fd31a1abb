//! `verger identify`: verifies who sent a request.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use serde::Serialize;
use verger::access::Timestamp;
use verger_fetch::background::Background;
use verger_fetch::client::{Clock as _, SystemClock};
use verger_fetch::net::DnsResolver;
use verger_identity::net::Lookups;
use verger_identity::{
    Identifier, Identity, KeySet, Lists, Request, TrustedProxies, Verdict, limits,
};
use verger_json::{AnswerError, Values};

use super::identity::{read_lists, robots_client};
use super::verify::json_error;
use crate::args::{Identify, ReportFormat};
use crate::console::Console;
use crate::error::{Error, ExitStatus};
use crate::input::{Lines, read_whole, shown};
use crate::limits::{BLOCK_LINES, HEAD_BYTES, LOOK_UPS};

pub(super) fn run(args: &Identify, console: &mut Console) -> Result<ExitStatus, Error> {
    let lists = match &args.lists {
        None => Lists::bundled().clone(),
        Some(directory) => read_lists(directory)?,
    };
    if lists.is_empty() {
        let error = Error::new("expected a directory with lists of addresses, but found none");
        return Err(error.with_hint("`verger identity update DIR` fetches them"));
    }
    let mut identifier = Identifier::new(lists);
    for (url, path) in &args.key_set {
        let keys = KeySet::read(&read_whole(path, limits::KEY_SET_BYTES)?);
        let keys = keys.map_err(|error| Error::new(format!("{}: {error}", shown(path))))?;
        identifier.add_key_set(url, keys);
    }
    if !args.trusted_proxy.is_empty() {
        let proxies = TrustedProxies::new(args.trusted_proxy.clone(), &args.proxy_header);
        identifier.proxies = Some(proxies);
    }
    let failed = |error: std::io::Error| {
        Error::io("start", "look-ups", &error).with_hint("`--offline` looks up nothing")
    };
    let runtime = Background::start().map_err(failed)?;
    let mut lookups = None;
    if !args.offline {
        let _inside = runtime.enter();
        let resolver = Arc::new(DnsResolver::system().map_err(failed)?);
        lookups = Some(Lookups::new(robots_client()?, resolver));
    }
    let mut session = Session { identifier, lookups, runtime, latest: Timestamp::EPOCH };
    let status = match &args.batch {
        Some(path) => session.batch(path, console),
        None => session.single(args, console),
    }?;
    if session.identifier.lists.is_outdated(session.latest) {
        let days = limits::MAX_LIST_AGE.as_secs() / (24 * 60 * 60);
        console.messages.warning(format!(
            "a request is more than {days} days newer than the copy of a list of addresses"
        ));
        let hint = "`verger identity update DIR` fetches the lists for `--lists DIR`";
        console.messages.hint(hint.to_owned());
    }
    Ok(status)
}

/// Everything that is the same for all requests.
struct Session {
    identifier: Identifier,
    lookups: Option<Lookups>,
    runtime: Background,
    /// The latest time of a request.
    latest: Timestamp,
}

/// A result of a batch.
#[derive(Serialize)]
struct Answer<'a> {
    line: u64,
    #[serde(flatten)]
    identity: &'a Identity<'a>,
}

impl Session {
    fn single(&mut self, args: &Identify, console: &mut Console) -> Result<ExitStatus, Error> {
        let mut request = Request::default();
        if let Some(path) = &args.headers {
            let head = read_whole(path, HEAD_BYTES)?;
            let head = String::from_utf8_lossy(&head).parse();
            request = head.map_err(|error| Error::new(format!("{}: {error}", shown(path))))?;
        }
        (request.ip, request.at) = (args.ip, args.at);
        request.user_agent.clone_from(&args.user_agent);
        let identity = self.runtime.block_on(self.identify(&request));
        let (at, status) = (identity.at, status(&identity));
        let status = console.finish(status, |out| match args.format {
            ReportFormat::Text => write!(out, "{identity}"),
            ReportFormat::Json => Values::lines().write(out, &identity),
        });
        self.latest = at;
        Ok(status)
    }

    async fn identify(&self, request: &Request) -> Identity<'_> {
        match &self.lookups {
            Some(lookups) => lookups.identify(&self.identifier, request).await,
            None => self.identifier.identify(request, SystemClock.now()),
        }
    }

    /// Answers the lines of a file in order. Look-ups of a block of lines run at once.
    fn batch(&mut self, path: &Path, console: &mut Console) -> Result<ExitStatus, Error> {
        let mut lines = Lines::open(path)?;
        let (mut worst, mut json) = (ExitStatus::Success, Values::lines());
        let (mut count, mut errors) = (0, 0);
        loop {
            let mut block = Vec::new();
            while block.len() < BLOCK_LINES && (block.is_empty() || !lines.may_wait()) {
                let Some(advanced) = lines.advance() else { break };
                let read = |()| Request::of_log_line(lines.line()).map_err(|e| json_error(&e));
                block.push((lines.number(), advanced.and_then(read)));
            }
            if block.is_empty() {
                break;
            }
            count += block.len();
            let answer = async |(line, request): &(u64, Result<Request, Error>)| match request {
                Ok(request) => (*line, Ok(self.identify(request).await)),
                Err(error) => (*line, Err(error.to_string())),
            };
            let answers = stream::iter(&block).map(answer).buffered(LOOK_UPS).collect::<Vec<_>>();
            let mut latest = self.latest;
            for (line, answer) in self.runtime.block_on(answers) {
                let written = match answer {
                    Ok(identity) => {
                        latest = latest.max(identity.at);
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
            self.latest = latest;
            lines.show_in(&mut console.messages.progress);
        }
        if errors > 0 {
            let message = format!("{errors} of {count} lines could not be answered");
            console.messages.error(&Error::new(message));
        }
        Ok(console.finish(worst, |_| Ok(())))
    }
}

fn status(identity: &Identity<'_>) -> ExitStatus {
    if identity.verdict == Verdict::Verified { ExitStatus::Success } else { ExitStatus::Finding }
}
