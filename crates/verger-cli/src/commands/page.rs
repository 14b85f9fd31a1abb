//! `verger page`: shows the directives of a page for a crawler.

use std::io::{self, Read as _};
use std::path::Path;

use verger::{Dialect, Untrusted, quoted};
use verger_fetch::client::{Clock as _, SystemClock};
use verger_json::{AnswerError, NamedCrawler, Values};
use verger_page::{Html, HtmlReader, Page};

use crate::answer::Answer;
use crate::args::{CrawlerArgs, Page as PageArgs, ReportFormat};
use crate::console::{Console, Messages};
use crate::crawler::{self, by_product_tokens, has_empty_token, show_remarks};
use crate::error::{Error, ExitStatus};
use crate::input::{hint_at_fetching, open as open_file, read_stdin_once, read_whole, shown};
use crate::limits::{HEAD_BYTES, INPUT_BYTES};
use crate::live::{LiveClient, PageError, failure_of, header_warning};
use crate::output::write_page;
use crate::page_report::{PageEvidence, PageFailure, PageReport};
use crate::robots_file::LastFile;

pub(super) fn run(args: &PageArgs, console: &mut Console) -> Result<ExitStatus, Error> {
    let (agents, token) = (args.agents.clone(), args.token.clone());
    let crawler = CrawlerArgs { agents, token, union: false };
    let crawler = crawler::from_args(&crawler, &Dialect::RFC9309)?;
    // An empty agent is an error below.
    if let Some(crawler) = crawler.as_ref().filter(|crawler| !has_empty_token(crawler)) {
        show_remarks(crawler, &[], &Dialect::RFC9309, &mut console.messages);
    }
    let crawler = crawler.as_ref();
    match &args.address {
        Some(url) => fetch(args, url.as_encoded_bytes(), crawler, console),
        None => read(args, crawler, console),
    }
}

/// Fetches a page politely.
fn fetch(
    args: &PageArgs,
    url: &[u8],
    crawler: Option<&NamedCrawler>,
    console: &mut Console,
) -> Result<ExitStatus, Error> {
    let name = String::from_utf8_lossy(url);
    let is_html =
        [".html", ".htm"].iter().any(|ending| name.to_ascii_lowercase().ends_with(ending));
    if Path::new(&*name).is_file() || is_html && !name.contains("://") {
        let file = quoted(url);
        let error = Error::new(format!("expected a URL, but found the name of a file, {file}"));
        let error = error.with_hint(format!("did you mean `--html {}`?", Untrusted::new(url)));
        return fail(args, url, &error, None, console);
    }
    // The client checks the robots.txt for this crawler, so a group must be able to name it.
    let by_tokens = crawler.filter(|crawler| !has_empty_token(crawler)).map(by_product_tokens);
    if let Some(Err(error)) = by_tokens {
        return fail(args, url, &error, None, console);
    }
    let live = LiveClient::open(&args.live, crawler, &Dialect::default())?;
    if let Some(warning) = crawler.and_then(|crawler| header_warning(&args.live, crawler)) {
        console.messages.warning(warning);
    }
    let fetched = live.page(url);
    live.close(&mut console.messages);
    let default = NamedCrawler::token("verger");
    let client_crawler = crawler.unwrap_or(&default);
    let mut file = LastFile::default();
    let page = match fetched {
        Ok(page) => page,
        Err(PageError { error, decision: None }) => {
            return fail(args, url, &error, None, console);
        }
        Err(PageError { error, decision: Some(decision) }) => {
            let checked = decision.url().as_str().as_bytes();
            let answer =
                Answer::of_decision(checked, client_crawler, file.of(&decision), &decision, false);
            return fail(args, url, &error, Some(PageEvidence::of(&answer, None)), console);
        }
    };
    let (decision, found) = (page.decision(), page.url().as_str().as_bytes());
    let answer = Answer::of_decision(found, client_crawler, file.of(decision), decision, false);
    let evidence = PageEvidence::of(&answer, Some(&page));
    if let Some(error) = failure_of(&page) {
        return fail(args, url, &error, Some(evidence), console);
    }
    let (statements, html, now) = (page.statements(), page.html(), SystemClock.now());
    let mut report = PageReport::of(statements, html, Some(found), crawler, &args.combine, now);
    report.evidence = Some(evidence);
    // The reader of HTML has the smaller limit; one warning is enough.
    if page.is_truncated() && report.stopped != Some("bytes") {
        console.messages.warning(too_long(page.body().len()));
    }
    Ok(write(args, &report, Some(&answer), console))
}

/// Reports an error: in JSON in place of the report.
fn fail(
    args: &PageArgs,
    url: &[u8],
    error: &Error,
    evidence: Option<PageEvidence<'_>>,
    console: &mut Console,
) -> Result<ExitStatus, Error> {
    if args.format == ReportFormat::Text {
        return Err(error.clone());
    }
    let failure = AnswerError::new(Some(url), None, error.to_string());
    let failure = PageFailure { failure, evidence };
    Ok(console.finish(ExitStatus::Error, |out| Values::lines().write(out, &failure)))
}

/// Reads a page from files or standard input.
fn read(
    args: &PageArgs,
    crawler: Option<&NamedCrawler>,
    console: &mut Console,
) -> Result<ExitStatus, Error> {
    if let Some(flag) = args.live.first_given() {
        return Err(Error::new(format!("expected a URL with `{flag}`, but found files")));
    }
    read_stdin_once(args.headers.iter().chain(&args.html))?;
    let mut page = Page::new();
    if let Some(path) = &args.headers {
        let head = read_whole(path, HEAD_BYTES)
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
    let url = args.url.as_ref().map(|url| url.as_encoded_bytes());
    let (html, now) = (html.as_ref(), SystemClock.now());
    let report = PageReport::of(&page, html, url, crawler, &args.combine, now);
    Ok(write(args, &report, None, console))
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
            Err(error) => return Err(Error::io("read", &shown(path), &error)),
        }
    }
    Ok(reader.finish())
}

fn write(
    args: &PageArgs,
    report: &PageReport<'_>,
    answer: Option<&Answer<'_>>,
    console: &mut Console,
) -> ExitStatus {
    warn(report, &mut console.messages);
    let status =
        if report.restricts.is_empty() { ExitStatus::Success } else { ExitStatus::Finding };
    let palette = console.palette;
    console.finish(status, |out| match args.format {
        ReportFormat::Text => write_page(out, palette, report, answer),
        ReportFormat::Json => Values::lines().write(out, report),
    })
}

fn warn(report: &PageReport<'_>, messages: &mut Messages) {
    match report.stopped {
        Some("bytes") => messages.warning(too_long(verger_page::limits::HTML_BYTES)),
        Some(_) => messages.warning("elements are nested too deeply: the rest was not read"),
        None => {}
    }
    if report.truncated {
        messages.warning("the statements of the page exceed a limit: some were ignored");
    }
}

fn too_long(limit: usize) -> String {
    format!("the page is longer than {limit} bytes: the rest was not read")
}
