//! `verger identify`: verifies who sent a request.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::IpAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use verger::access::Timestamp;
use verger_fetch::background::Background;
use verger_fetch::client::{Clock as _, SystemClock};
use verger_fetch::net::DnsResolver;
use verger_identity::net::Lookups;
use verger_identity::{
    HiddenClient, Identifier, Identity, KeySet, Lists, ProxyHeader, Request, RequestHead,
    TrustedProxies, Verdict, limits,
};
use verger_json::Values;

use super::identity::{read_lists, robots_client};
use super::verify::json_error;
use crate::args::{Identify, ReportFormat};
use crate::console::Console;
use crate::error::{Error, ExitStatus};
use crate::input::{Lines, read_whole, shown};
use crate::limits::{BLOCK_LINES, HEAD_BYTES, LOOK_UPS};
use crate::sentence::quoted;

pub(super) fn run(args: &Identify, console: &mut Console) -> Result<ExitStatus, Error> {
    let lists = match &args.lists {
        Some(directory) => {
            let mut lists = read_lists(directory)?;
            lists.set_proxies_of(Lists::bundled());
            Cow::Owned(lists)
        }
        None => Cow::Borrowed(Lists::bundled()),
    };
    let mut identifier = Identifier::from(lists);
    for (url, path) in &args.key_set {
        let text = read_whole(path, limits::KEY_SET_BYTES)?;
        let keys = KeySet::read(&text).map_err(|error| {
            Error::new(format!("could not read a key set from {}: {error}", shown(path)))
        })?;
        identifier = identifier.with_key_set(url, keys);
    }
    let proxies = (!args.trusted_proxy.is_empty()).then(|| {
        TrustedProxies::new(args.trusted_proxy.clone(), ProxyHeader::named(&args.proxy_header))
    });
    let lookups = (!args.offline).then(Online::start).transpose()?;
    let mut session = Session { identifier, proxies, lookups, latest: Timestamp::EPOCH };
    let status = match &args.batch {
        Some(path) => session.batch(path, console),
        None => session.single(args, console),
    }?;
    if session.identifier.lists().is_outdated(session.latest) {
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
    proxies: Option<TrustedProxies>,
    lookups: Option<Online>,
    /// The latest time of a request.
    latest: Timestamp,
}

/// Look-ups, and the runtime that runs them.
struct Online {
    lookups: Lookups,
    runtime: Background,
}

impl Online {
    fn start() -> Result<Self, Error> {
        let failed = |error: std::io::Error| {
            Error::io("start", "look-ups", &error).with_hint("`--offline` looks up nothing")
        };
        let runtime = Background::start().map_err(failed)?;
        let lookups = {
            let _inside = runtime.enter();
            let resolver = Arc::new(DnsResolver::system().map_err(failed)?);
            Lookups::new(robots_client()?, resolver)
        };
        Ok(Self { lookups, runtime })
    }
}

/// A request of a batch.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BatchRequest {
    ip: Option<IpAddr>,
    user_agent: Option<String>,
    at: Option<Time>,
    method: Option<String>,
    scheme: Option<String>,
    authority: Option<String>,
    target: Option<String>,
    headers: Option<BTreeMap<String, OneOrMore>>,
    /// Returned with the result.
    id: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Time {
    Seconds(f64),
    Text(String),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

/// A request with its parts in one place.
struct OwnedRequest {
    ip: Option<IpAddr>,
    user_agent: String,
    at: Timestamp,
    head: Option<RequestHead>,
    id: Option<Value>,
}

/// A result of a batch.
#[derive(Serialize)]
struct BatchResult<'a> {
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Value>,
    #[serde(flatten)]
    identity: &'a Identity<'a>,
}

/// An error in place of a result.
#[derive(Serialize)]
struct BatchError {
    error: ErrorKeys,
}

#[derive(Serialize)]
struct ErrorKeys {
    line: u64,
    message: String,
}

impl Session {
    fn single(&mut self, args: &Identify, console: &mut Console) -> Result<ExitStatus, Error> {
        let head = match &args.headers {
            Some(path) => {
                let text = read_whole(path, HEAD_BYTES)?;
                let head = String::from_utf8_lossy(&text).parse::<RequestHead>();
                Some(head.map_err(|error| Error::new(format!("{}: {error}", shown(path))))?)
            }
            None => None,
        };
        let named = head.as_ref().and_then(|head| head.values("user-agent").next());
        let user_agent = args.user_agent.as_deref().or(named).unwrap_or_default().to_owned();
        let at = args.at.unwrap_or_else(|| SystemClock.now());
        let request = OwnedRequest { ip: args.ip, user_agent, at, head, id: None };
        self.latest = at;
        let identity = self.identify(&request);
        let status = status(identity.verdict);
        Ok(console.finish(status, |out| match args.format {
            ReportFormat::Text => write!(out, "{identity}"),
            ReportFormat::Json => Values::lines().write(out, &identity),
        }))
    }

    fn identify<'a>(&'a self, owned: &'a OwnedRequest) -> Identity<'a> {
        let mut request = Request::new(&owned.user_agent, owned.at);
        if let Some(peer) = owned.ip {
            request = request.with_address(self.client(peer, owned.head.as_ref()));
        }
        if let Some(head) = &owned.head {
            request = request.with_head(head);
        }
        match &self.lookups {
            Some(Online { lookups, runtime }) => {
                runtime.block_on(lookups.identify(&self.identifier, request))
            }
            None => self.identifier.identify(request),
        }
    }

    fn client(&self, peer: IpAddr, head: Option<&RequestHead>) -> Result<IpAddr, HiddenClient> {
        let Some(proxies) = &self.proxies else { return Ok(peer) };
        let values: Vec<_> =
            head.iter().flat_map(|head| head.values(proxies.header().name())).collect();
        proxies.client(peer, values)
    }

    /// Answers the lines of a file in order. Look-ups of a block of lines run at once.
    fn batch(&mut self, path: &Path, console: &mut Console) -> Result<ExitStatus, Error> {
        let mut lines = Lines::open(path)?;
        let mut worst = ExitStatus::Success;
        let (mut count, mut errors) = (0, 0);
        let mut json = Values::lines();
        loop {
            let mut block = Vec::new();
            while block.len() < BLOCK_LINES && (block.is_empty() || !lines.may_wait()) {
                let Some(advanced) = lines.advance() else { break };
                block.push((lines.number(), advanced.and_then(|()| request(lines.line()))));
            }
            if block.is_empty() {
                if errors > 0 {
                    let message = format!("{errors} of {count} lines could not be answered");
                    console.messages.error(&Error::new(message));
                }
                return Ok(console.finish(worst, |_| Ok(())));
            }
            count += block.len();
            let times = block.iter().filter_map(|(_, request)| Some(request.as_ref().ok()?.at));
            self.latest = times.fold(self.latest, Timestamp::max);
            for ((line, request), identity) in block.iter().zip(self.identify_all(&block)) {
                let written = match (request, identity) {
                    (Ok(request), Some(identity)) => {
                        worst = worst.max(status(identity.verdict));
                        let id = request.id.as_ref();
                        json.write(
                            &mut console.out,
                            &BatchResult { line: *line, id, identity: &identity },
                        )
                    }
                    (request, _) => {
                        worst = ExitStatus::Error;
                        errors += 1;
                        let message =
                            request.as_ref().err().map(ToString::to_string).unwrap_or_default();
                        let error = ErrorKeys { line: *line, message };
                        json.write(&mut console.out, &BatchError { error })
                    }
                };
                written.map_err(|error| Error::io("write", "standard output", &error))?;
            }
            lines.show_in(&mut console.messages.progress);
        }
    }

    fn identify_all<'a>(
        &'a self,
        block: &'a [(u64, Result<OwnedRequest, Error>)],
    ) -> Vec<Option<Identity<'a>>> {
        let one = |request: &'a Result<OwnedRequest, Error>| {
            request.as_ref().ok().map(|it| self.identify(it))
        };
        if self.lookups.is_none() {
            return block.iter().map(|(_, request)| one(request)).collect();
        }
        let all: Vec<_> = block.iter().map(|_| Mutex::new(None)).collect();
        thread::scope(|scope| {
            for first in 0..LOOK_UPS.min(block.len()) {
                let (all, one) = (&all, &one);
                scope.spawn(move || {
                    let places = all.iter().zip(block).skip(first).step_by(LOOK_UPS);
                    for (place, (_, request)) in places {
                        *place.lock().unwrap_or_else(PoisonError::into_inner) = one(request);
                    }
                });
            }
        });
        all.into_iter()
            .map(|place| place.into_inner().unwrap_or_else(PoisonError::into_inner))
            .collect()
    }
}

/// A line in JSON. Apache's log has octets as `\xhh`, and that of nginx as they are.
fn json_of(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    // A backslash before a backslash begins no octet.
    let parts =
        text.split("\\\\").map(|part| part.replace("\\x", "\\u00").replace("\\v", "\\u000b"));
    parts.collect::<Vec<_>>().join("\\\\")
}

/// A request in the form of a batch. Caddy's log has it as an object, and the time beside it.
fn flat(mut value: Value) -> Value {
    let Some(Value::Object(mut request)) = value.get_mut("request").map(Value::take) else {
        return value;
    };
    let scheme = if request.contains_key("tls") { "https" } else { "http" };
    let mut take = |key: &str| request.remove(key).unwrap_or_default();
    json!({
        "ip": take("remote_ip"), "at": value["ts"], "method": take("method"), "scheme": scheme,
        "authority": take("host"), "target": take("uri"), "headers": take("headers"),
    })
}

/// A request of a line.
fn request(line: &[u8]) -> Result<OwnedRequest, Error> {
    let read = serde_json::from_str(&json_of(line)).map(flat).and_then(serde_json::from_value);
    let read: BatchRequest = read.map_err(|error| json_error(&error))?;
    let at = match read.at {
        None => SystemClock.now(),
        // A time before 1970 is 1970.
        Some(Time::Seconds(seconds)) => Timestamp::from_seconds(seconds as u64),
        Some(Time::Text(text)) => text
            .parse()
            .map_err(|error| Error::new(format!("{error}, but found {}", quoted(&text))))?,
    };
    let fields: Option<Vec<(String, String)>> = read.headers.map(|fields| {
        let values = fields.into_iter().flat_map(|(name, values)| {
            let values = match values {
                OneOrMore::One(value) => vec![value],
                OneOrMore::More(values) => values,
            };
            // So logs write a field that is absent.
            let present = values.into_iter().filter(|value| !matches!(&**value, "" | "-"));
            present.map(move |value| (name.clone(), value))
        });
        values.collect()
    });
    let field = |name: &str| {
        let mut found =
            fields.iter().flatten().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.clone())
    };
    let user_agent = read.user_agent.or_else(|| field("user-agent")).unwrap_or_default();
    let authority = read.authority.or_else(|| field("host")).unwrap_or_default();
    let head = fields.map(|fields| RequestHead {
        method: read.method.unwrap_or_else(|| "GET".to_owned()),
        scheme: read.scheme.unwrap_or_else(|| "https".to_owned()),
        authority,
        target: read.target.unwrap_or_else(|| "/".to_owned()),
        fields,
    });
    Ok(OwnedRequest { ip: read.ip, user_agent, at, head, id: read.id })
}

const fn status(verdict: Verdict) -> ExitStatus {
    match verdict {
        Verdict::Verified => ExitStatus::Success,
        Verdict::Failed | Verdict::Undecided => ExitStatus::Finding,
    }
}
