//! `verger audit`: crawlers that disobeyed a robots.txt.

mod clients;
mod follow;

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::Path;
use std::rc::Rc;

use verger::access::Timestamp;
use verger_audit::log::{LogFormat, LogTotals, Request, first_time, read_log};
use verger_audit::{Audit as Judge, Options};
use verger_json::Values;
use verger_registry::Registry;

use self::clients::Clients;
use self::follow::{Counters, Following};
use crate::args::{Audit, AuditFormat};
use crate::audit_history::Histories;
use crate::audit_report::{AuditReport, LogKeys};
use crate::console::Console;
use crate::error::{Error, ExitStatus};
use crate::evidence::{Evidence, Filter};
use crate::input::{Watched, is_stdin, open, place, read_stdin_once, shown};
use crate::output::{write_audit, write_audit_csv, write_audit_html};
use crate::proof::Session;
use crate::sentence::counted;
use crate::url_check::origin_of;

pub(super) fn run(args: &Audit, console: &mut Console) -> Result<ExitStatus, Error> {
    if args.all_logs().next().is_none() {
        return Err(Error::new("missing an access log").with_hint("`-` is standard input"));
    }
    read_stdin_once(args.all_logs().chain(args.history.iter().map(Path::new)))?;
    let format = args.log_format.as_ref();
    let origins = args.origin.iter().map(|text| origin_of(text.as_encoded_bytes()));
    let origins = origins.collect::<Result<Vec<_>, _>>()?;
    let histories = Histories {
        origins,
        specs: &args.history,
        archive: args.archive.as_deref(),
        deploy_delay: args.deploy_delay,
    };
    let histories = histories.read(&mut console.messages)?;
    let is_single = histories.iter().any(|(_, history)| history.is_single());
    if is_single && matches!(args.format, AuditFormat::Json | AuditFormat::Csv) {
        console
            .messages
            .warning("the past was not seen: all requests are judged by one robots.txt");
    }
    let agents = tokens(&args.agent);
    let (since, until) = (args.since, args.until);
    let filter = Filter { agents: agents.clone(), since, until };
    let evidence = args.evidence.as_deref();
    let evidence = evidence.map(|it| Evidence::new(it, args.show_addresses, filter));
    let mut evidence = evidence.transpose()?;
    let session = Session::open(&args.proof)?;
    let options = Options {
        robots_at_edge: args.robots_at_edge,
        accept_unproved: tokens(&args.accept_unproved),
        since,
        until,
        ..Options::default()
    };
    let mut judge = Judge::new(histories.clone(), &session.identifier, options);
    let mut clients = Clients::new(&session);
    let counters = Rc::new(RefCell::new(Counters::default()));
    let paths = in_order_of_time(args, format)?;
    let mut logs = Vec::new();
    for (at, path) in paths.iter().enumerate() {
        let name = place(path);
        let mut each = |request: Request<'_>| {
            let client = clients.identify(&request);
            let judged = judge.add(&request, client.as_deref());
            if args.follow {
                counters.borrow_mut().add(&judged);
            }
            if let Some(evidence) = &mut evidence {
                let address = client.as_ref().and_then(|it| it.address).or(request.peer);
                let proof = || client.as_ref().map(ToString::to_string).unwrap_or_default();
                evidence.add(&name, &request, &judged, address, proof);
            }
        };
        let read = if args.follow && at + 1 == paths.len() {
            let follow = Following::open(path, Rc::clone(&counters))?;
            read_log(follow, format, &mut each)
        } else {
            let watched = Watched::open(path, &mut console.messages.progress)?;
            read_log(watched, format, &mut each)
        };
        let totals = read.map_err(|error| Error::new(format!("{}: {error}", shown(path))))?;
        logs.push(log_keys(&name, &totals, console));
    }
    console.messages.progress.finish();
    session.warn(&mut console.messages);
    let mut report = judge.finish();
    report.skipped = logs.iter().map(|log| log.skipped).sum();
    AuditReport::select(&mut report, &agents, &args.verdict);
    if let Some(evidence) = &evidence {
        let count = evidence.finish(&histories)?;
        console
            .messages
            .note(format_args!("evidence about {} was written", counted(count as u64, "crawler")));
    }
    let fails = report.crawlers.iter().any(|row| {
        row.is_accepted && args.fail_on.iter().any(|verdict| row.verdicts.get(*verdict) > 0)
    });
    let status = if fails { ExitStatus::Finding } else { ExitStatus::Success };
    let audit = AuditReport::new(report, logs);
    let palette = console.palette;
    Ok(console.finish(status, |out| match args.format {
        AuditFormat::Text => write_audit(out, palette, &audit),
        AuditFormat::Json => Values::lines().write(out, &audit),
        AuditFormat::Csv => write_audit_csv(out, &audit),
        AuditFormat::Html => write_audit_html(out, &audit),
    }))
}

/// The tokens of crawlers by their names.
fn tokens(names: &[OsString]) -> Vec<String> {
    let names = names.iter().map(|name| name.to_string_lossy());
    let known = |name: &str| Registry::bundled().find(name).map(|it| it.token().to_owned());
    names.map(|name| known(&name).unwrap_or_else(|| name.into_owned())).collect()
}

/// The logs in the order of their first requests: the judgement depends on the order. Standard input
/// is the last.
fn in_order_of_time<'a>(
    args: &'a Audit,
    format: Option<&LogFormat>,
) -> Result<Vec<&'a Path>, Error> {
    let times = args.all_logs().map(|path| {
        let time = if is_stdin(path) { None } else { first_time(open(path)?, format) };
        Ok((time.unwrap_or(Timestamp::from_seconds(u64::MAX)), path))
    });
    let mut times = times.collect::<Result<Vec<_>, Error>>()?;
    times.sort_by_key(|(time, _)| *time);
    Ok(times.into_iter().map(|(_, path)| path).collect())
}

/// The numbers of a log, with warnings.
fn log_keys(name: &str, totals: &LogTotals, console: &mut Console) -> LogKeys {
    let messages = &mut console.messages;
    if totals.format.is_none() {
        messages.warning(format_args!("{name}: the log is empty"));
    }
    if let Some((line, text)) = &totals.first_skipped {
        let lines = counted(totals.skipped, "line");
        messages.warning(format_args!(
            "{name}: {lines} without a request in this format, first {text} (line {line})"
        ));
    }
    if totals.too_long > 0 {
        let lines = counted(totals.too_long, "line");
        messages.warning(format_args!("{name}: {lines} too long to be read"));
    }
    if totals.has_local_times {
        messages.warning(format_args!("{name}: the times have no zone, and are read as UTC"));
    }
    if totals.is_truncated {
        messages.warning(format_args!("{name}: the compressed data is cut off"));
    }
    LogKeys {
        name: name.to_owned(),
        format: totals.format.map(str::to_owned),
        requests: totals.requests,
        skipped: totals.skipped + totals.too_long,
        truncated: totals.is_truncated,
    }
}
