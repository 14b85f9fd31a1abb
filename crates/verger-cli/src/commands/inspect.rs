//! `verger inspect`: shows the contents of a robots.txt.

use verger_json::{NamedCrawler, Values};

use crate::args::{Inspect, ReportFormat};
use crate::console::{Console, Messages};
use crate::crawler::{self, show_remarks};
use crate::error::{Error, ExitStatus};
use crate::hints::failure_hint;
use crate::input::{is_stdin, place, read_robots, shown};
use crate::inspection::Inspection;
use crate::live::{LiveClient, header_warning};
use crate::output::write_inspection;
use crate::record_report::copy_warning;
use crate::robots_file::RobotsFile;
use crate::sentence::quoted;
use crate::url_check::{has_port, hint_for, origin_of};

pub(super) fn run(args: &Inspect, console: &mut Console) -> Result<ExitStatus, Error> {
    let (file, crawler) = open(args, &mut console.messages)?;
    if let Some(crawler) = &crawler {
        show_remarks(crawler, &args.reading.dialect, &mut console.messages);
    }
    let inspection = Inspection::of(&file, crawler.as_ref());
    let palette = console.out.palette;
    Ok(console.finish(ExitStatus::Success, |out| match args.format {
        ReportFormat::Text => write_inspection(out, palette, &inspection),
        ReportFormat::Json => Values::lines().write(out, &inspection),
    }))
}

fn open(
    args: &Inspect,
    messages: &mut Messages,
) -> Result<(RobotsFile, Option<NamedCrawler>), Error> {
    let crawler = crawler::from_args(&args.crawler)?;
    let name = args.file.as_os_str().as_encoded_bytes();
    let file = if is_url(args) {
        fetch(args, crawler.as_ref(), messages)?
    } else {
        if let Some(flag) = args.live.first_given() {
            let found = shown(&args.file);
            let error = Error::new(format!("expected a URL with `{flag}`, but found {found}"));
            let is_file = is_stdin(&args.file) || args.file.exists();
            return Err(error.with_optional_hint(hint_for(name).filter(|_| !is_file)));
        }
        let bytes = read_robots(&args.file, &args.reading.dialect).map_err(|error| {
            let is_site = has_port(name) && !args.file.exists();
            if is_site { error.with_optional_hint(hint_for(name)) } else { error }
        })?;
        RobotsFile::parse(place(&args.file), &bytes, &args.reading.dialect)
    };
    Ok((file, crawler))
}

/// Whether the argument is a URL of the web, and not the name of a file.
fn is_url(args: &Inspect) -> bool {
    let text = args.file.to_string_lossy();
    let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    matches!(scheme.as_deref(), Some("http" | "https" | "ftp")) && !args.file.exists()
}

/// The robots.txt of a site, through the store.
fn fetch(
    args: &Inspect,
    crawler: Option<&NamedCrawler>,
    messages: &mut Messages,
) -> Result<RobotsFile, Error> {
    let origin = origin_of(args.file.as_os_str().as_encoded_bytes())?;
    let dialect = &args.reading.dialect;
    let live = LiveClient::open(&args.live, crawler, dialect)?;
    let record = live.record(&origin);
    let copy = record.as_ref().ok().and_then(|record| copy_warning(&live.client, record));
    let options = live.client.read_options().clone();
    live.close(messages);
    if let Some(warning) = crawler.and_then(|crawler| header_warning(&args.live, crawler)) {
        messages.warning(warning);
    }
    let record = record?;
    let name = origin.robots_url();
    let Some(file) = record.file_for(&options) else {
        let failure = record.last_for(&options).and_then(|last| last.failure.as_ref());
        let why = failure.map_or_else(|| "the site has none".to_owned(), ToString::to_string);
        let error = Error::new(format!("could not read {}: {why}", quoted(&name)));
        return Err(error.with_optional_hint(failure_hint(&record)));
    };
    if let Some(warning) = copy {
        messages.warning(warning);
    }
    Ok(RobotsFile::parse(name, file.body.as_bytes(), dialect))
}
