//! `verger audit`: crawlers that disobeyed a robots.txt.

mod clients;
mod follow;

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::Path;
use std::rc::Rc;

use verger::Origin;
use verger::access::Timestamp;
use verger_audit::log::{LogOptions, LogTotals, Request, first_time, read_log};
use verger_audit::{Audit as Judge, Counts, History, Options, Report, Verdict};
use verger_json::Values;
use verger_registry::{Crawler, Registry};

use self::clients::Clients;
use self::follow::Following;
use crate::args::{Audit, AuditFormat};
use crate::audit_history::Histories;
use crate::audit_report::{AuditReport, LogKeys};
use crate::console::Console;
use crate::error::{Error, ExitStatus};
use crate::evidence::Evidence;
use crate::input::{Watched, is_stdin, open, place, read_stdin_once, shown};
use crate::output::{write_audit, write_audit_csv, write_audit_html};
use crate::proof::Session;
use crate::sentence::{counted, did_you_mean, quoted};
use crate::url_check::origin_of;

pub(super) fn run(args: &Audit, console: &mut Console) -> Result<ExitStatus, Error> {
    if args.all_logs().next().is_none() {
        return Err(Error::new("missing an access log").with_hint("`-` is standard input"));
    }
    read_stdin_once(args.all_logs().chain(args.history.iter().map(Path::new)))?;
    let log_options = LogOptions { format: args.log_format.clone(), zone: args.log_zone };
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
    let is_read_by_programs = matches!(args.format, AuditFormat::Json | AuditFormat::Csv);
    if is_single && (is_read_by_programs || !args.fail_on.is_empty()) {
        console
            .messages
            .warning("the past was not seen: all requests are judged by one robots.txt");
    }
    let agents = tokens(&args.agent, &histories)?;
    let evidence = args.evidence.as_deref();
    let evidence =
        evidence.map(|it| Evidence::new(it, args.show_addresses, agents.clone(), &histories));
    let mut evidence = evidence.transpose()?;
    let session = Session::open(&args.proof)?;
    let options = Options {
        robots_at_edge: args.robots_at_edge,
        accept_unproved: tokens(&args.accept_unproved, &histories)?,
        since: args.since,
        until: args.until,
        ..Options::default()
    };
    let mut judge = Judge::new(histories.clone(), &session.identifier, options);
    let mut clients = Clients::new(&session);
    let counters = Rc::new(RefCell::new(Counts::default()));
    let paths = in_order_of_time(args, &log_options)?;
    let (mut logs, mut order) = (Vec::new(), Order::default());
    let (mut has_hosts, mut has_local_times) = (false, false);
    for (at, path) in paths.iter().enumerate() {
        let name = place(path);
        let mut each = |request: Request<'_>| {
            let client = clients.identify(&request);
            let judged = judge.add(&request, client.as_deref());
            order.add(&request, judged.verdict);
            has_hosts |= request.host.is_some();
            if args.follow {
                counters.borrow_mut().add(judged.verdict);
            }
            if let Some(evidence) = &mut evidence {
                let address = client.as_ref().and_then(|it| it.address).or(request.peer);
                let proof = || client.as_ref().map(ToString::to_string).unwrap_or_default();
                evidence.add(&name, &request, &judged, address, proof);
            }
        };
        let read = if args.follow && at + 1 == paths.len() {
            let follow = Following::open(path, Rc::clone(&counters))?;
            read_log(follow, &log_options, &mut each)
        } else {
            let watched = Watched::open(path, &mut console.messages.progress)?;
            read_log(watched, &log_options, &mut each)
        };
        let totals = read.map_err(|error| Error::new(format!("{}: {error}", shown(path))))?;
        if totals.is_truncated || totals.too_long > 0 {
            // A fetch of robots.txt may be among the lines that were lost.
            judge.gap();
        }
        if totals.has_local_times && !has_local_times {
            has_local_times = true;
            let what = "the times have no zone, so 14 hours before and after them are uncertain";
            console.messages.warning(format_args!("{name}: {what}; `--log-zone` names it"));
        }
        logs.push(log_keys(&name, &totals, console));
        order.finish(&name, console)?;
    }
    console.messages.progress.finish();
    session.warn(&mut console.messages);
    let mut report = judge.finish();
    report.skipped = logs.iter().map(|log| log.skipped).sum();
    let fails = fails(&report, &args.fail_on);
    AuditReport::select(&mut report, &agents, &args.verdict);
    if let Some(evidence) = &evidence {
        let count = evidence.finish(&histories)?;
        console
            .messages
            .note(format_args!("evidence about {} was written", counted(count as u64, "crawler")));
        if count > 0 && !has_hosts {
            let why = "no log tells the host, so all requests count as those of the site";
            console.messages.note(format_args!("{why}: check that it has no other"));
        }
    }
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

/// Whether a proved crawler has one of these verdicts. Impostors and browsers are never proved.
fn fails(report: &Report, verdicts: &[Verdict]) -> bool {
    verdicts.iter().any(|&verdict| match verdict {
        Verdict::Impostor | Verdict::NotACrawler => report.verdicts.get(verdict) > 0,
        _ => report.crawlers.iter().any(|row| row.is_accepted && row.verdicts.get(verdict) > 0),
    })
}

/// The tokens of crawlers by their names: of the registry, or in a file of a history.
fn tokens(names: &[OsString], histories: &[(Origin, History)]) -> Result<Vec<String>, Error> {
    let versions = || histories.iter().flat_map(|(_, history)| history.versions());
    let token = |name: &OsString| {
        let name = name.to_string_lossy();
        if let Some(known) = Registry::bundled().find(&name) {
            return Ok(known.token().to_owned());
        }
        let is_here = |text: &[u8]| {
            text.windows(name.len()).any(|it| it.eq_ignore_ascii_case(name.as_bytes()))
        };
        if !name.is_empty() && versions().filter_map(|it| it.text.as_deref()).any(is_here) {
            return Ok(name.into_owned());
        }
        let known = Registry::bundled().crawlers().iter().map(Crawler::token);
        let error = Error::new(format!(
            "no known crawler and no robots.txt has the name {}",
            quoted(&*name)
        ));
        Err(error.with_optional_hint(did_you_mean(&name, known)))
    };
    names.iter().map(token).collect()
}

/// Whether the logs are in order of time. What a crawler received is known only from the lines before
/// its request, so a late line of a fetch of robots.txt can lead to a wrong accusation.
#[derive(Default)]
struct Order {
    /// The first lines of the logs.
    first: Vec<Vec<u8>>,
    /// Whether the present log has begun.
    has_begun: bool,
    /// The latest time of the logs before, and so far.
    before: u64,
    latest: u64,
    /// Fetches of robots.txt that are earlier than a line before, by more than [`LATE_SECONDS`].
    late: u64,
    /// Whether one of them is earlier than a line of another log.
    overlaps: bool,
    is_twice: bool,
}

/// Servers write a line at the end of a request, often with the time of its beginning.
const LATE_SECONDS: u64 = 60;

impl Order {
    fn add(&mut self, request: &Request<'_>, verdict: Verdict) {
        if !self.has_begun {
            self.has_begun = true;
            self.is_twice |= self.first.iter().any(|first| first == request.raw);
            self.first.push(request.raw.to_vec());
        }
        let Some(at) = request.at.map(Timestamp::seconds) else { return };
        // Also those of impostors and unknown clients.
        if verdict == Verdict::RobotsTxt || request.target.starts_with(b"/robots.txt") {
            let end = at.saturating_add(LATE_SECONDS);
            self.late += u64::from(end < self.latest);
            self.overlaps |= end < self.before;
        }
        self.latest = self.latest.max(at);
    }

    /// Called at the end of each log.
    fn finish(&mut self, name: &str, console: &mut Console) -> Result<(), Error> {
        if self.is_twice {
            return Err(Error::new(format!("{name}: another log begins with the same line"))
                .with_hint("each log is given once, also if it is compressed"));
        }
        if self.overlaps {
            return Err(Error::new(format!("{name}: the times of the logs overlap")).with_hint(
                "merge the logs of several servers by time first, such as by `sort -m`",
            ));
        }
        if self.late > 0 {
            let lines = counted(self.late, "line");
            let what = "with fetches of robots.txt earlier than lines before; sort the log by time";
            console.messages.warning(format_args!("{name}: {lines} {what}"));
        }
        (self.has_begun, self.late, self.before) = (false, 0, self.latest);
        Ok(())
    }
}

/// The logs in the order of their first requests: the judgement depends on the order. Standard input
/// is the last.
fn in_order_of_time<'a>(args: &'a Audit, options: &LogOptions) -> Result<Vec<&'a Path>, Error> {
    let times = args.all_logs().map(|path| {
        let time = if is_stdin(path) { None } else { first_time(open(path)?, options) };
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
