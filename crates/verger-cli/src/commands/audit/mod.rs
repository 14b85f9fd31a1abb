//! `verger audit`: crawlers that disobeyed a robots.txt.

mod follow;
mod order;

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use verger::{Origin, quoted};
use verger_audit::log::{LogOptions, Request, read_log};
use verger_audit::{Audit as Judge, Counts, CrawlerReport, History, Options, Report, Verdict};
use verger_json::Values;
use verger_registry::Registry;

use self::follow::Following;
use self::order::{in_order_of_time, not_in_order};
use crate::args::{Audit, AuditFormat};
use crate::audit_history::Histories;
use crate::audit_report::{AuditReport, LogKeys, LogTraits};
use crate::console::Console;
use crate::error::{Error, ExitStatus};
use crate::evidence::Evidence;
use crate::input::{Watched, is_stdin, place, read_stdin_once, shown};
use crate::output::{write_audit, write_audit_csv, write_audit_html};
use crate::proof::Session;
use crate::sentence::counted;
use crate::site_urls::problems;

pub(super) fn run(args: &Audit, console: &mut Console) -> Result<ExitStatus, Error> {
    if args.since.zip(args.until).is_some_and(|(since, until)| since >= until) {
        return Err(Error::new("expected `--since` before `--until`"));
    }
    if args.follow && !args.logs.iter().any(|it| is_stdin(it)) {
        let hint = "`tail -n +1 -F access.log | verger audit - --follow …`";
        return Err(Error::new("expected the log `-` for `--follow`").with_hint(hint));
    }
    console.messages.warnings = Some(Vec::new());
    read_stdin_once(
        args.logs.iter().map(PathBuf::as_path).chain(args.history.iter().map(Path::new)),
    )?;
    let log_options = LogOptions { format: args.log_format.clone(), zone: args.log_zone };
    let histories = Histories(args).read(&mut console.messages)?;
    let agents = tokens(&args.agent, &histories)?;
    let mut session = Session::open(&args.proof)?;
    session.agents.clone_from(&agents);
    let options = Options {
        robots_at_edge: args.robots_at_edge,
        accept_unproved: tokens(&args.accept_unproved, &histories)?,
        lifetime: args.lifetime,
        since: args.since,
        until: args.until,
        top_verdicts: args.verdict.clone(),
    };
    let mut judge = Judge::new(histories.clone(), &session.identifier, options);
    let counters = RefCell::new(Counts::default());
    let paths = in_order_of_time(args, &log_options)?;
    // Its folder is made, so after errors of other arguments.
    let new = |folder| Evidence::new(folder, args, agents.clone(), &histories);
    let mut evidence = args.evidence.as_deref().map(new).transpose()?;
    if histories.iter().any(|(_, history)| history.is_single()) {
        let past = "the past was not seen: all requests are judged by one robots.txt";
        console.messages.warning(format_args!("{past}, as if it had never changed"));
    }
    let (mut logs, mut traits) = (Vec::<LogKeys>::new(), LogTraits::default());
    for (path, missing) in &paths {
        let name = place(path);
        if let Some(missing) = missing {
            console.messages.warning(missing);
            judge.gap();
        }
        let mut contradiction = None;
        let mut each = |request: Request<'_>| {
            let identify = |claim: &_| session.runtime.block_on(session.identify(claim));
            let judged = judge.add(&request, identify);
            let late = request.written().filter(|_| judged.contradicts);
            contradiction = contradiction.or(late.map(|time| (request.line, time)));
            traits.host |= request.host.is_some();
            traits.proxy_field |=
                request.headers.iter().any(|(name, _)| *name == session.identifier.proxies.field());
            traits.robots_txt |= request.is_for_robots_txt();
            if args.follow && judged.is_counted {
                counters.borrow_mut().add(judged.verdict);
            }
            if let Some(evidence) = &mut evidence {
                evidence.add(&name, &request, &judged);
            }
        };
        let read = if args.follow && is_stdin(path) {
            read_log(Following::new(&counters), &log_options, &mut each)
        } else {
            let watched = Watched::open(path, &mut console.messages.progress)?;
            read_log(watched, &log_options, &mut each)
        };
        let totals = read.map_err(|error| Error::new(format!("{}: {error}", shown(path))))?;
        if let Some((line, time)) = contradiction {
            return Err(not_in_order(&name, line, time));
        }
        if totals.ends_with_loss {
            judge.gap();
        }
        problems(path, &totals).for_each(|problem| console.messages.warning(problem));
        logs.push(LogKeys { name, totals });
    }
    console.messages.progress.finish();
    if let Some(LogKeys { name, .. }) = logs.iter().find(|log| log.totals.has_local_times) {
        let what = "the times have no zone, so 14 hours before and after them are uncertain";
        console.messages.warning(format_args!("{name}: {what}; `--log-zone` names it"));
    }
    if !args.proof.trusted_proxy.is_empty() && !traits.proxy_field {
        let why = "so the clients of `--trusted-proxy` are not known";
        let field = quoted(&args.proof.proxy_header);
        console
            .messages
            .warning(format_args!("no line has the field {field} of `--proxy-header`, {why}"));
    }
    session.warn(&mut console.messages);
    let report = judge.finish();
    let fails = fails(&report, &args.fail_on);
    if let Some(evidence) = &evidence {
        let count = evidence.finish(&histories)?;
        let crawlers = counted(count as u64, "crawler");
        console.messages.note(format_args!("evidence about {crawlers} was written"));
        if evidence.lost > 0 {
            let lost = counted(evidence.lost, "request");
            let why = "the line of the fetch of robots.txt was not found";
            console.messages.warning(format_args!("the evidence lacks {lost}, because {why}"));
        }
        if count > 0 && !traits.host {
            let why = "no log names the host, so all requests count as those of the site";
            console.messages.note(format_args!("{why}: check that it has no other"));
        }
    }
    let status = if fails { ExitStatus::Finding } else { ExitStatus::Success };
    let warnings = console.messages.warnings.take().unwrap_or_default();
    let mut audit = AuditReport::new(report, logs, traits, warnings);
    audit.select(&agents, &args.verdict);
    let palette = console.palette;
    Ok(console.finish(status, |out| match args.format {
        AuditFormat::Text => write_audit(out, palette, &audit),
        AuditFormat::Json => Values::lines().write(out, &audit),
        AuditFormat::Csv => write_audit_csv(out, &audit),
        AuditFormat::Html => write_audit_html(out, &audit),
    }))
}

/// Whether a crawler that is proved or accepted has one of these verdicts. Impostors are neither.
fn fails(report: &Report, verdicts: &[Verdict]) -> bool {
    verdicts.iter().any(|&verdict| {
        let counts = |row: &CrawlerReport| row.is_accepted || verdict == Verdict::Impostor;
        report.crawlers.iter().any(|row| counts(row) && row.verdicts.get(verdict) > 0)
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
        let is_it = |part: &[u8]| part.eq_ignore_ascii_case(name.as_bytes());
        let is_here = |text: &[u8]| text.windows(name.len()).any(is_it);
        if !name.is_empty() && versions().filter_map(|it| it.text.as_deref()).any(is_here) {
            return Ok(name.into_owned());
        }
        let near = Registry::bundled().similar(&name, []);
        let why = "no known crawler and no robots.txt has the name";
        let error = Error::new(format!("{why} {}", quoted(&*name)));
        Err(error.with_optional_hint(near.map(|near| near.question())))
    };
    names.iter().map(token).collect()
}
