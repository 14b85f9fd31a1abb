//! `verger diff`: shows which URLs a change of robots.txt opens and closes.

use std::ffi::OsString;

use verger::{Crawler, Origin, Robots, quoted};
use verger_analysis::{
    Budget, Direction, FileComparison, OTHERS, UrlChanges, compare_files, compared_crawler,
    compared_names,
};
use verger_json::diff::{ComparedFile, DiffReport, analyses};
use verger_json::{NamedCrawler, Values};

use crate::args::{Diff, DiffFormat, FailOn};
use crate::by_crawler::RequestCrawler;
use crate::by_header::ByHeader;
use crate::console::Console;
use crate::crawler::{fallback, show_remarks};
use crate::error::{Error, ExitStatus};
use crate::input::read_stdin_once;
use crate::limits::CHANGED_URLS_BYTES;
use crate::output::outline_of_diff;
use crate::robots_file::RobotsFile;
use crate::robots_place::{RobotsPlace, refuse_live_args};
use crate::site_urls::SiteUrls;

pub(super) fn run(args: &Diff, console: &mut Console) -> Result<ExitStatus, Error> {
    let places = [&args.old, &args.new].map(|name| RobotsPlace::new(name));
    let has_site = places.iter().any(|place| matches!(place, RobotsPlace::Site(_)));
    if !has_site && !SiteUrls::needs_network(&args.site) {
        refuse_live_args(&args.live, &args.new)?;
    }
    read_stdin_once(args.site.lists().chain([args.old.as_ref(), args.new.as_ref()]))?;
    let [before, after] = &places;
    let load = |place: &RobotsPlace, console: &mut Console| {
        let dialect = &args.reading.dialect;
        let file = place.load(dialect, None, &args.live, &mut console.messages)?;
        if let Some(warning) = file.truncation() {
            console.messages.warning(warning);
        }
        Ok::<_, Error>(file)
    };
    let files = [&load(before, console)?, &load(after, console)?];
    let mut agents = args.agents.clone();
    agents.extend(args.site.log_agent.as_ref().map(OsString::from));
    let given: Vec<OsString> = args.tokens.iter().chain(&agents).cloned().collect();
    let names = names(files, &given)?;
    let dialect = &args.reading.dialect;
    let is_token = |name: &str| args.tokens.iter().any(|it| it.eq_ignore_ascii_case(name));
    let read = |name: &str| match name {
        _ if is_token(name) => NamedCrawler::token(name),
        _ => NamedCrawler::agent(name, dialect),
    };
    for name in given.iter().filter_map(|name| name.to_str()).filter(|name| *name != OTHERS) {
        let crawler = read(name);
        if let Some(note) = crawler.known().and_then(fallback) {
            console.messages.note(note);
        }
        show_remarks(&crawler, &files.map(RobotsFile::robots), dialect, &mut console.messages);
    }
    let [before, after] = files.map(RobotsFile::robots);
    let crawler =
        |name: &String| compared_crawler(name, &[before, after], |it| read(it).crawler().clone());
    let crawlers: Vec<Crawler> = names.iter().map(crawler).collect();
    let comparison = compare_files(before, after, &crawlers, &mut Budget::default());
    let origin = places.iter().find_map(RobotsPlace::origin);
    let mut report =
        DiffReport::of(files.map(compared), &names, &crawlers, &comparison, origin.as_ref());
    let mut unread_sitemaps = 0;
    if args.site.are_given() {
        let files = [before, after];
        let (by_header, only) = (ByHeader::default(), None);
        let mut requests =
            Requests { files, crawlers: &crawlers, comparison: &comparison, by_header, only };
        let of_log = args.site.log_agent.as_deref();
        requests.only = of_log.map(|name| requests.row_of(read(name).crawler()));
        unread_sitemaps = add_urls(args, origin, requests, &mut report, console)?;
    }
    let mut status = status(args.fail_on, &report);
    if status == ExitStatus::Error {
        let error = "`--fail-on` needs a complete comparison, but changes may be missing";
        console.messages.error(&Error::new(error));
    }
    if unread_sitemaps > 0 {
        status = ExitStatus::Error;
    }
    let palette = console.palette;
    Ok(console.finish(status, |out| match args.format {
        DiffFormat::Text => outline_of_diff(&report, [false; 2]).write_text(out, palette),
        DiffFormat::Markdown => outline_of_diff(&report, [false; 2]).write_markdown(out),
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

/// Counts the changed ones of given URLs, for the crawlers with changes: requests for their own
/// crawler, other URLs for all. Returns the number of sitemaps that could not be read.
fn add_urls(
    args: &Diff,
    origin: Option<Origin>,
    mut requests: Requests<'_, '_>,
    report: &mut DiffReport<'_>,
    console: &mut Console,
) -> Result<u64, Error> {
    let Requests { files, crawlers, comparison, .. } = requests;
    let found = comparison.differences.iter();
    let sides: Vec<_> = found.map(|found| analyses(files, crawlers, found)).collect();
    let list_bytes = CHANGED_URLS_BYTES / sides.len().max(1);
    let changes = sides.iter().map(|[before, after]| UrlChanges::new(before, after));
    let mut changes: Vec<UrlChanges<'_, '_, '_>> =
        changes.map(|changes| changes.with_list_bytes(list_bytes)).collect();
    let urls = SiteUrls { args: &args.site, live: &args.live, origin, robots: files[1] };
    let mut not_compared = 0_u64;
    let totals = urls.read(&mut console.messages, &mut |url, header| match header
        .map(|header| requests.row(header))
    {
        None => changes.iter_mut().for_each(|changes| changes.add(url, 1)),
        Some(Row::Changed(at)) => changes[at].add(url, 1),
        Some(Row::Unchanged) => {}
        Some(Row::NotCompared) => not_compared += 1,
    })?;
    if not_compared > 0 {
        console.messages.warning(format_args!(
            "requests not counted, because their crawlers were not compared: {not_compared}"
        ));
    }
    let unit = if totals.are_requests { "requests of these crawlers" } else { "given URLs" };
    report.add_urls(&changes, unit);
    Ok(totals.unread_sitemaps)
}

/// The place of the requests of a crawler in a report.
#[derive(Clone, Copy)]
enum Row {
    /// The difference with this index.
    Changed(usize),
    Unchanged,
    NotCompared,
}

/// The requests of logs, each judged as its crawler.
struct Requests<'a, 'r> {
    files: [&'r Robots; 2],
    crawlers: &'a [Crawler],
    comparison: &'a FileComparison<'r>,
    /// The rows of recent headers.
    by_header: ByHeader<Row>,
    /// The row of all requests, if they are those of one crawler.
    only: Option<Row>,
}

impl Requests<'_, '_> {
    /// The row of the crawler that a header names.
    fn row(&mut self, header: &[u8]) -> Row {
        if let Some(row) = self.only.or_else(|| self.by_header.get(header)) {
            return row;
        }
        let of = RequestCrawler::of(&String::from_utf8_lossy(header), &self.files);
        let row = self.row_of(&of.crawler);
        self.by_header.insert(header, row)
    }

    /// The row of a compared crawler to which the same groups apply: these decide all answers.
    fn row_of(&self, crawler: &Crawler) -> Row {
        let groups = |crawler: &Crawler| {
            self.files.map(|robots| {
                robots.groups_for(crawler).map(|group| group.position()).collect::<Vec<_>>()
            })
        };
        if crawler.ignores_robots() {
            return Row::Unchanged;
        }
        let wanted = groups(crawler);
        let is_same = |at: &usize| groups(&self.crawlers[*at]) == wanted;
        if let Some(at) =
            self.comparison.differences.iter().position(|it| it.crawlers.iter().any(is_same))
        {
            return Row::Changed(at);
        }
        let has_no_group = wanted.iter().all(Vec::is_empty);
        if has_no_group || self.comparison.unchanged.iter().any(is_same) {
            return Row::Unchanged;
        }
        Row::NotCompared
    }
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
