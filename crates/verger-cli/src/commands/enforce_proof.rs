//! `verger enforce --prove`: the answers of a running server, compared with robots.txt.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io::Write as _;
use std::thread::sleep;

use serde::Serialize;
use url::{Position, Url};
use verger::{Dialect, Robots, Untrusted, quoted};
use verger_enforce::{Answer, Case, Plan};
use verger_fetch::failure::{Failure, NetworkError};
use verger_json::Values;

use crate::args::{Enforce, ReportFormat};
use crate::console::Console;
use crate::error::{Error, ExitStatus};
use crate::live::LiveClient;
use crate::sentence::counted;
use crate::url_check::{hint_for, text_of};

/// The result for a crawler.
#[derive(Debug, Default, Serialize)]
struct Row {
    /// The crawlers with the same rules that asked.
    crawlers: BTreeSet<String>,
    requests: u64,
    /// Requests that the server does not accept from anybody: status 400 or 414.
    not_accepted: u64,
    differences: Vec<Difference>,
}

/// An answer that differs from robots.txt.
#[derive(Debug, Serialize)]
struct Difference {
    crawler: String,
    target: String,
    /// Whether robots.txt disallows it.
    disallowed: bool,
    /// `None` if the server closed the connection.
    status: Option<u16>,
    /// To which URL the answer redirects.
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<String>,
}

pub(super) fn prove(
    args: &Enforce,
    url: &OsStr,
    answer: &Answer,
    plan: &Plan,
    robots: &Robots,
    console: &mut Console,
) -> Result<ExitStatus, Error> {
    let bytes = url.as_encoded_bytes();
    let url = Url::parse(text_of(bytes)?).ok().filter(Url::has_host);
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https")).ok_or_else(|| {
        let error = format!("expected the URL of a server, but found {}", quoted(bytes));
        Error::new(error).with_optional_hint(hint_for(bytes))
    })?;
    let redirect = match answer {
        Answer::Redirect(to) => url.join(to).ok(),
        _ => None,
    };
    let live = LiveClient::open(&args.live, None, &Dialect::RFC9309)?;
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    let cases = plan.cases(robots, args.requests);
    let total = cases.len() as u64;
    for (done, case) in (0..).zip(&cases) {
        if done > 0 {
            sleep(args.rate);
        }
        console.messages.progress.show(Some((done, total)));
        let (status, location) = match live.raw_status(&url, &head(&url, case, args.head)) {
            Ok((status, to)) => (Some(status), to.filter(|_| (300..400).contains(&status))),
            // The server closed the connection: 444 of nginx.
            Err(Failure::Network(NetworkError::Incomplete(_))) => (None, None),
            Err(failure) => {
                let site = quoted(url.as_str());
                let error = Error::new(format!("could not ask {site}: {failure}"));
                let is_private = matches!(failure, Failure::Refused(_));
                let hint = "`--allow-net 127.0.0.1` allows a server on this machine";
                return Err(error.with_optional_hint(is_private.then(|| hint.to_owned())));
            }
        };
        let row = rows.entry(case.group.clone()).or_default();
        row.crawlers.insert(case.crawler.clone());
        row.requests += 1;
        let is_refused = match status {
            None | Some(401 | 403 | 406 | 429 | 451) => true,
            Some(300..400) => {
                let to = location.as_ref().and_then(|it| url.join(it).ok());
                to.is_some() && to == redirect
            }
            Some(400 | 414) => {
                row.not_accepted += 1;
                continue;
            }
            Some(_) => false,
        };
        if is_refused != case.is_refused {
            let target = Untrusted::new(&case.target).to_string();
            let (crawler, disallowed) = (case.crawler.clone(), case.is_refused);
            let location = location.map(|it| Untrusted::new(&it).to_string());
            row.differences.push(Difference { crawler, target, disallowed, status, location });
        }
    }
    console.messages.progress.finish();
    live.close(&mut console.messages);
    let differs = rows.values().any(|row| !row.differences.is_empty());
    let status = if differs { ExitStatus::Finding } else { ExitStatus::Success };
    Ok(console.finish(status, |out| match args.format {
        ReportFormat::Json => Values::lines().write(out, &rows),
        ReportFormat::Text => rows.iter().try_for_each(|(name, row)| {
            let count = counted(row.requests, "request");
            let differing = row.differences.len() as u64;
            let differing = counted(differing, "difference");
            let others = match row.crawlers.len() as u64 {
                1 => String::new(),
                more => format!(" and {} with the same rules", counted(more - 1, "other")),
            };
            writeln!(out, "{}{others}: {count}, {differing}", Untrusted::new(name))?;
            for it in &row.differences {
                let expected = if it.disallowed { "disallowed" } else { "allowed" };
                let found = it.status.map_or_else(|| "no answer".to_owned(), |it| it.to_string());
                let to = it.location.as_ref().map(|it| format!(" to {it}")).unwrap_or_default();
                let name = Untrusted::new(&it.crawler);
                let expected = format!("{} is {expected} for {name}", it.target);
                writeln!(out, "  {expected}, but the server answered {found}{to}")?;
            }
            if row.not_accepted > 0 {
                let count = counted(row.not_accepted, "request");
                writeln!(out, "  {count} got status 400 or 414, as from anybody")?;
            }
            Ok(())
        }),
    }))
}

/// The head of a request.
fn head(url: &Url, case: &Case, is_head: bool) -> Vec<u8> {
    let method = if is_head { "HEAD" } else { "GET" };
    let host = &url[Position::BeforeHost..Position::AfterPort];
    let mut head = format!("{method} ").into_bytes();
    head.extend(&case.target);
    head.extend(format!(" HTTP/1.1\r\nHost: {host}\r\n").bytes());
    let fields = format!("User-Agent: {}\r\nAccept: */*\r\nConnection: close\r\n\r\n", case.header);
    head.extend(fields.bytes());
    head
}
