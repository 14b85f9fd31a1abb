//! `verger diff`: shows which URLs a change of robots.txt opens and closes.

use std::ffi::OsString;

use verger::{Crawler, Origin};
use verger_analysis::{Direction, FileComparison, UrlChanges, compare_files, compared_names};
use verger_json::diff::{ComparedFile, DiffReport, GivenUrls, OTHERS, analyses};
use verger_json::{NamedCrawler, Values};

use crate::args::{Diff, DiffFormat, FailOn};
use crate::console::Console;
use crate::crawler::{fallback, of_name_or_star, show_remarks};
use crate::error::{Error, ExitStatus};
use crate::input::is_stdin;
use crate::limits::CHANGED_URLS_BYTES;
use crate::output::{write_url_changes, write_url_changes_markdown};
use crate::robots_file::RobotsFile;
use crate::sentence::quoted;
use crate::site_urls::{SiteUrls, Totals};
use crate::source::{Source, refuse_live_args};

pub(super) fn run(args: &Diff, console: &mut Console) -> Result<ExitStatus, Error> {
    let sources = [&args.old, &args.new].map(|name| Source::new(name));
    let has_site = sources.iter().any(|source| matches!(source, Source::Site(_)));
    if !has_site && !SiteUrls::needs_network(&args.site) {
        refuse_live_args(&args.live, &args.new)?;
    }
    let stdin = [&args.old, &args.new].into_iter().filter(|name| is_stdin(name.as_ref()));
    let lists = args.site.urls.iter().chain(&args.site.log).filter(|path| is_stdin(path));
    if stdin.count() + lists.count() > 1 {
        return Err(Error::new("expected standard input once, because it can be read only once"));
    }
    let [before, after] = &sources;
    let load = |source: &Source, console: &mut Console| {
        let dialect = &args.reading.dialect;
        let file = source.load(dialect, None, &args.live, &mut console.messages)?;
        if let Some(warning) = file.truncation() {
            console.messages.warning(warning);
        }
        Ok::<_, Error>(file)
    };
    let files = [&load(before, console)?, &load(after, console)?];
    let mut agents = args.agents.clone();
    if agents.is_empty() {
        // The requests of a crawler are judged by its rules.
        agents.extend(args.site.log_agent.as_ref().map(OsString::from));
    }
    let names = names(files, &agents)?;
    let dialect = &args.reading.dialect;
    for agent in agents.iter().filter_map(|agent| agent.to_str()).filter(|name| *name != OTHERS) {
        let crawler = NamedCrawler::agent(agent, dialect);
        if let Some(note) = crawler.known().and_then(fallback) {
            console.messages.note(note);
        }
        show_remarks(&crawler, &files.map(RobotsFile::robots), dialect, &mut console.messages);
    }
    let [before, after] = files.map(RobotsFile::robots);
    let crawlers: Vec<Crawler> =
        names.iter().map(|name| of_name_or_star(name, &[before, after], dialect)).collect();
    let comparison = compare_files(before, after, &crawlers);
    let origin = sources.iter().find_map(Source::origin);
    let mut report =
        DiffReport::of(files.map(compared), &names, &crawlers, &comparison, origin.as_ref());
    let mut unread_sitemaps = 0;
    if args.site.are_given() {
        unread_sitemaps =
            add_urls(args, origin, files, &crawlers, &comparison, &mut report, console)?;
    }
    let mut status = status(args.fail_on, &report);
    if status == ExitStatus::Error {
        let error = "expected a complete comparison for `--fail-on`, but changes may be missing";
        console.messages.error(&Error::new(error));
    }
    if unread_sitemaps > 0 {
        status = ExitStatus::Error;
    }
    let palette = console.out.palette;
    Ok(console.finish(status, |out| match args.format {
        DiffFormat::Text => write_url_changes(out, palette, &report),
        DiffFormat::Markdown => write_url_changes_markdown(out, &report),
        DiffFormat::Json => Values::lines().write(out, &report),
    }))
}

/// The names of the compared crawlers: all that a file names, those of the arguments, and `*`.
fn names<'a>(files: [&'a RobotsFile; 2], agents: &'a [OsString]) -> Result<Vec<String>, Error> {
    let name = |agent: &'a OsString| {
        agent.to_str().filter(|name| !name.trim().is_empty()).ok_or_else(|| {
            let found = quoted(agent.as_encoded_bytes());
            Error::new(format!("expected the name of a crawler, but found {found}"))
        })
    };
    let agents: Vec<&str> = agents.iter().map(name).collect::<Result<_, _>>()?;
    Ok(compared_names(agents, &files.map(RobotsFile::robots)))
}

/// Counts the changed ones of given URLs, for the crawlers with changes. Returns the number of
/// sitemaps that could not be read.
fn add_urls(
    args: &Diff,
    origin: Option<Origin>,
    files: [&RobotsFile; 2],
    crawlers: &[Crawler],
    comparison: &FileComparison<'_>,
    report: &mut DiffReport<'_>,
    console: &mut Console,
) -> Result<u64, Error> {
    let sides: Vec<_> = comparison
        .differences
        .iter()
        .map(|found| analyses(files.map(RobotsFile::robots), crawlers, found))
        .collect();
    let list_bytes = CHANGED_URLS_BYTES / sides.len().max(1);
    let changes = sides.iter().map(|[before, after]| UrlChanges::new(before, after));
    let mut changes: Vec<UrlChanges<'_, '_, '_>> =
        changes.map(|changes| changes.with_list_bytes(list_bytes)).collect();
    let urls = SiteUrls::new(&args.site, &args.live, origin, files[1].robots());
    let totals = urls.read(false, &mut console.messages, &mut |url| {
        for changes in &mut changes {
            changes.add(url, 1);
        }
    })?;
    // Without `--agent`, the requests of one crawler do not concern the others.
    let only = args.site.log_agent.as_deref().filter(|_| args.agents.is_empty());
    let Totals { are_requests, own_group, unread_sitemaps, .. } = totals;
    report.add_urls(&changes, GivenUrls { are_requests, own_group, only });
    Ok(unread_sitemaps)
}

fn compared(file: &RobotsFile) -> ComparedFile<'_> {
    ComparedFile { name: file.name(), robots: file.robots(), lines: file.lines() }
}

/// A change of `--fail-on` is a finding. Without one, an incomplete comparison is an error.
fn status(fail_on: Option<FailOn>, report: &DiffReport<'_>) -> ExitStatus {
    let fails = match fail_on {
        None => return ExitStatus::Success,
        Some(FailOn::Closed) => report.has(Direction::Closed),
        Some(FailOn::Opened) => report.has(Direction::Opened),
        Some(FailOn::Any) => {
            report.has(Direction::Closed) || report.has(Direction::Opened) || report.has_records()
        }
    };
    match (fails, report.is_incomplete()) {
        (true, _) => ExitStatus::Finding,
        (false, true) => ExitStatus::Error,
        (false, false) => ExitStatus::Success,
    }
}
