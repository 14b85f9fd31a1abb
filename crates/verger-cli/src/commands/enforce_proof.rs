//! `verger enforce --prove`: the answers of a running server, compared with robots.txt.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::thread::sleep;

use serde::Serialize;
use url::{Position, Url};
use verger::{Dialect, Robots, Untrusted, quoted};
use verger_enforce::{Answer, Case, Plan};
use verger_fetch::failure::{Failure, NetworkError};
use verger_fetch::fetch::sent_url;
use verger_json::Values;
use verger_registry::Registry;

use crate::args::{Enforce, ReportFormat};
use crate::console::Console;
use crate::error::{Error, ExitStatus};
use crate::hints::remedy;
use crate::live::LiveClient;
use crate::sentence::counted;
use crate::url_check::{hint_for, text_of};

/// The result for a crawler.
#[derive(Debug, Default, Serialize)]
struct Row {
    /// The crawlers with the same rules that asked.
    crawlers: BTreeSet<String>,
    requests: u64,
    /// Targets of their rules, in several spellings; none for browsers.
    targets: usize,
    /// Those of them that were asked for.
    asked_targets: usize,
    /// Requests for targets that robots.txt disallows.
    disallowed: u64,
    /// Requests that the server does not accept from anybody: status 400 or 414.
    not_accepted: u64,
    differences: Vec<Difference>,
    /// Allowed targets that the server refuses to browsers in the same way, so not because of a
    /// crawler.
    refused_to_browsers: Vec<Difference>,
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
    // The targets are those of robots.txt.
    let is_server = |url: &Url| {
        url.has_host()
            && matches!(url.scheme(), "http" | "https")
            && &url[Position::BeforePath..] == "/"
    };
    let url = sent_url(text_of(bytes)?).filter(is_server).ok_or_else(|| {
        let error =
            format!("expected the URL of a server without a path, but found {}", quoted(bytes));
        Error::new(error).with_optional_hint(hint_for(bytes))
    })?;
    let redirect = match answer {
        Answer::Redirect(to) => url.join(to).ok(),
        _ => None,
    };
    let live = LiveClient::open(&args.live, None, &Dialect::RFC9309)?;
    let ask = |case: &Case| {
        sleep(args.rate);
        match live.raw_status(&url, &head(&url, case, args.head)) {
            Ok((status, to)) => Ok((Some(status), to.filter(|_| (300..400).contains(&status)))),
            // The server closed the connection: 444 of nginx.
            Err(Failure::Network(NetworkError::Incomplete(_))) => Ok((None, None)),
            Err(failure) => {
                let site = quoted(url.as_str());
                let error = Error::new(format!("could not ask {site}: {failure}"));
                Err(error.with_optional_hint(remedy(&failure, false)))
            }
        }
    };
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    // The answers to a browser by targets that were refused to a crawler.
    let (mut of_browser, mut serves_browsers) = (BTreeMap::new(), false);
    // Crawlers to which an allowed target is refused, and those to which one is not, by the rules.
    let (mut refused, mut served) = (BTreeSet::<&str>::new(), BTreeSet::<&str>::new());
    // Crawlers to which a disallowed target is refused.
    let mut kept = BTreeSet::<&str>::new();
    let cases = plan.cases(robots, args.requests);
    let total = cases.requests.len() as u64;
    for (done, case) in (0..).zip(&cases.requests) {
        console.messages.progress.show(Some((done, total)));
        let found = ask(case)?;
        let row = rows.entry(case.class.clone()).or_default();
        row.crawlers.insert(case.crawler.clone());
        row.requests += 1;
        (row.asked_targets, row.targets) =
            cases.targets.get(&case.class).copied().unwrap_or_default();
        row.disallowed += u64::from(case.is_refused);
        let is_refused = match found.0 {
            None | Some(401 | 403 | 406 | 429 | 451) => true,
            Some(300..400) => {
                let to = found.1.as_ref().and_then(|it| url.join(it).ok());
                to.is_some() && to == redirect
            }
            Some(400 | 414) => {
                row.not_accepted += 1;
                continue;
            }
            Some(_) => false,
        };
        serves_browsers |= case.crawler == Case::BROWSER && !is_refused;
        let is_by_rules = is_refused && found.0 == answer.status();
        let must_serve = !case.is_refused && !case.is_exempt;
        if must_serve && !is_by_rules {
            served.insert(&case.crawler);
        }
        if is_refused == case.is_refused {
            kept.extend(is_refused.then_some(&*case.crawler));
            continue;
        }
        // Without robots.txt, no crawler knows a rule; and 429 is about the number of requests.
        let browser = plan.case_of_browser(case.target.clone());
        let is_about_target = !case.target.starts_with(b"/robots.txt") && found.0 != Some(429);
        let may_be_usual = is_refused && is_about_target && !browser.is_refused;
        if may_be_usual && !of_browser.contains_key(&case.target) {
            of_browser.insert(case.target.clone(), ask(&browser)?);
        }
        let is_usual = may_be_usual && of_browser[&case.target] == found;
        if must_serve && !is_usual {
            refused.insert(&case.crawler);
        }
        let list = if is_usual { &mut row.refused_to_browsers } else { &mut row.differences };
        let target = Untrusted::new(&case.target).to_string();
        let (crawler, disallowed, (status, location)) =
            (case.crawler.clone(), case.is_refused, found);
        list.push(Difference { crawler, target, disallowed, status, location });
    }
    console.messages.progress.finish();
    live.close(&mut console.messages);
    // A server that has blocked this client refuses everything to it.
    for row in rows.values_mut().filter(|_| !serves_browsers) {
        row.differences.append(&mut row.refused_to_browsers);
    }
    if let Some(hint) = address_hint(&refused, &served).filter(|_| serves_browsers) {
        console.messages.hint(hint);
    }
    let differences: Vec<_> = rows.values().flat_map(|row| &row.differences).collect();
    let passes = |it: &&Difference| it.disallowed && !kept.contains(&*it.crawler);
    if !differences.is_empty() && !kept.is_empty() && differences.iter().all(passes) {
        let hint = "if the rules were made with `--purpose` or `--agent`, prove with the same";
        console.messages.hint(hint.to_owned());
    }
    let sum = |number: fn(&Row) -> usize| rows.values().map(number).sum();
    let part = part_of(sum(|it| it.asked_targets), sum(|it| it.targets));
    if let Some(most) = rows.values().map(|it| it.targets).max().filter(|_| !part.is_empty()) {
        console.messages.hint(format!("`--requests {most}` asks for all targets"));
    }
    let differing = differences.len() as u64;
    let status = if differing > 0 { ExitStatus::Finding } else { ExitStatus::Success };
    Ok(console.finish(status, |out| match args.format {
        ReportFormat::Json => Values::lines().write(out, &rows),
        ReportFormat::Text => {
            rows.iter().try_for_each(|(name, row)| write_row(out, name, row))?;
            let mut usual: BTreeMap<_, u64> = BTreeMap::new();
            for it in rows.values().flat_map(|row| &row.refused_to_browsers) {
                *usual.entry((&it.target, answer_of(it))).or_default() += 1;
            }
            for ((target, found), count) in &usual {
                let count = counted(*count, "request");
                writeln!(out, "the server refuses `{target}` to browsers, too ({found}): {count}")?;
            }
            match (differing, usual.is_empty()) {
                (0, true) => writeln!(out, "every answer agrees with robots.txt{part}"),
                (0, false) => writeln!(out, "every other answer agrees with robots.txt{part}"),
                _ => writeln!(out, "{} from robots.txt{part}", counted(differing, "difference")),
            }
        }
    }))
}

/// The part of a sentence that limits it to the targets that were asked for.
fn part_of(asked: usize, all: usize) -> String {
    if asked == all { String::new() } else { format!(", for only {asked} of {all} targets") }
}

/// The answer of the server in a sentence.
fn answer_of(it: &Difference) -> String {
    let status = it.status.map_or_else(|| "no answer".to_owned(), |it| it.to_string());
    let to = it.location.as_ref().map(|it| format!(" to {}", Untrusted::new(it)));
    status + &to.unwrap_or_default()
}

fn write_row(out: &mut dyn Write, name: &str, row: &Row) -> io::Result<()> {
    let (count, disallowed) = (counted(row.requests, "request"), row.disallowed);
    let differing = counted(row.differences.len() as u64, "difference");
    let others = match row.crawlers.len() as u64 {
        1 => String::new(),
        more => format!(" and {} with the same rules", counted(more - 1, "other")),
    };
    let name = Untrusted::new(name);
    let part = part_of(row.asked_targets, row.targets);
    writeln!(
        out,
        "{name}{others}: {count}, {disallowed} for disallowed targets; {differing}{part}"
    )?;
    for it in &row.differences {
        let expected = if it.disallowed { "disallowed" } else { "allowed" };
        let expected = format!("{} is {expected} for {}", it.target, Untrusted::new(&it.crawler));
        writeln!(out, "  {expected}, but the server answered {}", answer_of(it))?;
    }
    if row.not_accepted > 0 {
        let count = counted(row.not_accepted, "request");
        writeln!(out, "  {count} got status 400 or 414, as from anybody")?;
    }
    Ok(())
}

/// The hint that the server may compare addresses: everything is refused to crawlers whose
/// operators publish theirs. `served` has those that are not refused everything.
fn address_hint(refused: &BTreeSet<&str>, served: &BTreeSet<&str>) -> Option<String> {
    let crawlers = refused.difference(served).map(|name| Registry::bundled().find(name));
    // Rules with `--verified` believe a crawler without published addresses.
    let crawlers = crawlers.map(|it| it.filter(|it| !it.ip_ranges().is_empty()));
    let crawlers = crawlers.collect::<Option<Vec<_>>>()?;
    let name = quoted(crawlers.first()?.token());
    let count = counted(crawlers.len() as u64, "crawler");
    Some(format!(
        "everything is refused to {count} with published addresses, such as {name}; with `--verified \
         refuse` that is right, because this client has none of these addresses: prove the rules without it"
    ))
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
