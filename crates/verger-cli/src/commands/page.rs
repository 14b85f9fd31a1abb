//! `verger page`: what a page tells a crawler.

use std::io::{self, Read as _, Write as _};
use std::path::Path;

use verger::Dialect;
use verger_page::{Html, HtmlReader, Page};

use crate::args::{Page as PageArgs, PageFormat};
use crate::asker::Asker;
use crate::console::{Out, Talk, written};
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::input::{hint_at_fetching, open as open_file, read_head, read_stdin_once, shown};
use crate::limits::INPUT_BYTES;
use crate::live::{Live, nameless};
use crate::output::{JsonAnswers, write_page};
use crate::page_report::PageReport;
use crate::quote::quoted;

/// A page, wherever it is from.
struct Source {
    page: Page,
    html: Option<Html>,
    url: Option<Vec<u8>>,
}

pub(super) fn run(args: &PageArgs, out: &mut Out, talk: &mut Talk) -> ExitStatus {
    let (source, asker) = match open(args, talk) {
        Ok(opened) => opened,
        Err(error) => return talk.fail(&error),
    };
    let Source { page, html, url } = &source;
    let report = PageReport::of(page, html.as_ref(), url.as_deref(), asker.as_ref(), &args.combine);
    warn(&report, talk);
    let status =
        if report.restricts.is_empty() { ExitStatus::Success } else { ExitStatus::Finding };
    let result = write(args, &report, out);
    written(result, status, talk)
}

fn open(args: &PageArgs, talk: &mut Talk) -> Result<(Source, Option<Asker>), Error> {
    let asker = Asker::of_names(args.crawler.as_deref(), &args.agents, false)?;
    let source = match &args.address {
        Some(url) => fetch(args, url.as_encoded_bytes(), asker.as_ref(), talk)?,
        None => read(args)?,
    };
    Ok((source, asker))
}

/// The page at a URL, asked for politely.
fn fetch(
    args: &PageArgs,
    url: &[u8],
    asker: Option<&Asker>,
    talk: &mut Talk,
) -> Result<Source, Error> {
    let live = Live::open(&args.live, asker, &Dialect::default())?;
    if let Some(warning) = asker.and_then(|asker| nameless(&args.live, asker)) {
        talk.warning(warning);
    }
    let fetched = live.page(url);
    live.close().iter().for_each(|notice| talk.warning(notice));
    let fetched = fetched?;
    if !fetched.is_success() {
        let outcome = fetched.outcome();
        return Err(Error::new(format!("{}: {outcome}", quoted(fetched.url().as_str()))));
    }
    if fetched.is_truncated() {
        let limit = fetched.body().len();
        talk.warning(format_args!("the page is longer than {limit} bytes: the rest was not read"));
    }
    Ok(Source {
        page: fetched.statements().clone(),
        html: fetched.html().cloned(),
        url: Some(fetched.url().as_str().into()),
    })
}

fn read(args: &PageArgs) -> Result<Source, Error> {
    if let Some(flag) = args.live.first_given() {
        return Err(Error::new(format!("expected a URL with `{flag}`, but found files")));
    }
    read_stdin_once(args.headers.iter().chain(&args.html))?;
    let mut page = Page::new();
    if let Some(path) = &args.headers {
        let head = read_head(path)
            .map_err(|error| hint_at_fetching(error, path, "verger page --headers - …"))?;
        page.read_headers(head);
    }
    let html = match &args.html {
        Some(path) => Some(
            read_html(path, page.content_type())
                .map_err(|error| hint_at_fetching(error, path, "verger page --html - …"))?,
        ),
        None => None,
    };
    if let Some(html) = &html {
        page.read_html(html);
    }
    let url = args.url.as_ref().map(|url| url.as_encoded_bytes().to_vec());
    Ok(Source { page, html, url })
}

fn read_html(path: &Path, content_type: Option<&[u8]>) -> Result<Html, Error> {
    let mut source = open_file(path)?;
    let mut reader = HtmlReader::new(content_type);
    let mut buffer = vec![0; INPUT_BYTES];
    while !reader.has_stopped() {
        match source.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => reader.feed(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::reading(&shown(path), &error)),
        }
    }
    Ok(reader.finish())
}

fn warn(report: &PageReport<'_>, talk: &mut Talk) {
    match report.stopped {
        Some("bytes") => {
            let limit = verger_page::limits::HTML_BYTES;
            talk.warning(format_args!(
                "the page is longer than {limit} bytes: the rest was not read"
            ));
        }
        Some(_) => talk.warning("elements are nested too deeply: the rest was not read"),
        None => {}
    }
    if report.truncated {
        talk.warning("there is more than is kept: some of it was left out");
    }
}

fn write(args: &PageArgs, report: &PageReport<'_>, out: &mut Out) -> io::Result<()> {
    match args.format {
        PageFormat::Text => {
            let palette = out.palette();
            write_page(out, palette, report)?;
        }
        PageFormat::Json => JsonAnswers::lines().write(out, report)?,
    }
    out.flush()
}
