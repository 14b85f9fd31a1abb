//! `verger page`: what a page tells a crawler.

use std::io::{self, Read as _, Write as _};
use std::path::Path;

use verger_page::{Html, HtmlReader, Page};

use crate::args::{Page as PageArgs, PageFormat};
use crate::asker::Asker;
use crate::console::{Out, Talk, written};
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::input::{hint_at_fetching, is_stdin, open, read_head, shown};
use crate::limits::INPUT_BYTES;
use crate::output::{JsonAnswers, write_page};
use crate::page_report::PageReport;

pub(super) fn run(args: &PageArgs, out: &mut Out, talk: &mut Talk) -> ExitStatus {
    let (page, html, asker) = match read(args) {
        Ok(read) => read,
        Err(error) => return talk.fail(&error),
    };
    let url = args.url.as_ref().map(|url| url.as_encoded_bytes());
    let report = PageReport::of(&page, html.as_ref(), url, asker.as_ref(), &args.combine);
    warn(&report, talk);
    let status =
        if report.restricts.is_empty() { ExitStatus::Success } else { ExitStatus::Finding };
    let result = write(args, &report, out);
    written(result, status, talk)
}

fn read(args: &PageArgs) -> Result<(Page, Option<Html>, Option<Asker>), Error> {
    let asker = Asker::of_names(args.crawler.as_deref(), &args.agents, false)?;
    let is_given = |path: &Option<_>| path.as_deref().is_some_and(is_stdin);
    if is_given(&args.headers) && is_given(&args.html) {
        return Err(Error::new(
            "expected `-` once, because standard input can be read only once, but found it 2 times",
        ));
    }
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
    Ok((page, html, asker))
}

fn read_html(path: &Path, content_type: Option<&[u8]>) -> Result<Html, Error> {
    let mut source = open(path)?;
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
