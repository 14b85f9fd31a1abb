//! `verger page`: what a page tells a crawler.

use std::io::{self, Read as _, Write as _};
use std::path::Path;

use verger::{Dialect, Untrusted};
use verger_fetch::fetch::FetchOutcome;
use verger_fetch::net::NetworkError;
use verger_json::{AnswerError, Values};
use verger_page::{Html, HtmlReader, Page};

use crate::args::{Page as PageArgs, PageFormat};
use crate::asker::{self, Asker};
use crate::console::{Out, Talk, written};
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::hints::{about_proxy, let_in};
use crate::input::{hint_at_fetching, open as open_file, read_head, read_stdin_once, shown};
use crate::limits::INPUT_BYTES;
use crate::live::{Live, NoPage, nameless};
use crate::output::write_page;
use crate::page_fetch::{PageFailure, PageWay};
use crate::page_report::PageReport;
use crate::quote::quoted;
use crate::reply::Reply;
use crate::robots_file::LastFile;

pub(super) fn run(args: &PageArgs, out: &mut Out, talk: &mut Talk) -> ExitStatus {
    let asker = match asker::of_names(args.crawler.as_deref(), &args.agents, false) {
        Ok(asker) => asker,
        Err(error) => return talk.fail(&error),
    };
    // An empty agent is an error below.
    let given = asker.iter().filter(|asker| !asker::has_empty_token(asker));
    for (_, remark) in given.flat_map(|asker| asker::remarks(asker, &Dialect::RFC9309)) {
        remark.say("", talk);
    }
    // Directives are addressed to product tokens.
    let asker = asker.map(asker::with_headers_read);
    let asker = asker.as_ref();
    let done = match &args.address {
        Some(url) => fetch(args, url.as_encoded_bytes(), asker, out, talk),
        None => read(args, asker, out, talk),
    };
    done.unwrap_or_else(|error| talk.fail(&error))
}

/// The page at a URL, asked for politely.
fn fetch(
    args: &PageArgs,
    url: &[u8],
    asker: Option<&Asker>,
    out: &mut Out,
    talk: &mut Talk,
) -> Result<ExitStatus, Error> {
    let name = String::from_utf8_lossy(url);
    let is_html =
        [".html", ".htm"].iter().any(|ending| name.to_ascii_lowercase().ends_with(ending));
    if Path::new(&*name).is_file() || is_html && !name.contains("://") {
        let file = quoted(url);
        let error = Error::new(format!("expected a URL, but found the name of a file, {file}"));
        let error = error.with_hint(format!("did you mean `--html {}`?", Untrusted::new(url)));
        return fail(args, url, &error, None, out, talk);
    }
    // The client fetches for this crawler, and its groups have to be found.
    let named = asker.filter(|asker| !asker::has_empty_token(asker)).map(asker::named_crawler);
    if let Some(Err(error)) = named {
        return fail(args, url, &error, None, out, talk);
    }
    let live = Live::open(&args.live, asker, &Dialect::default())?;
    if let Some(warning) = asker.and_then(|asker| nameless(&args.live, asker)) {
        talk.warning(warning);
    }
    let fetched = live.page(url);
    live.close().iter().for_each(|notice| talk.warning(notice));
    let nobody = Asker::chain(vec!["verger".to_owned()]);
    let who = asker.unwrap_or(&nobody);
    let mut file = LastFile::default();
    let page = match fetched {
        Ok(page) => page,
        Err(NoPage { error, decision: None }) => return fail(args, url, &error, None, out, talk),
        Err(NoPage { error, decision: Some(decision) }) => {
            let checked = decision.url().as_str().as_bytes();
            let reply = Reply::decided(checked, who, file.of(&decision), &decision, false);
            return fail(args, url, &error, Some(PageWay::of(&reply, None)), out, talk);
        }
    };
    let (decision, found) = (page.decision(), page.url().as_str().as_bytes());
    let reply = Reply::decided(found, who, file.of(decision), decision, false);
    let way = PageWay::of(&reply, Some(&page));
    if !page.is_success() {
        let error = Error::new(format!("{}: {}", quoted(page.url().as_str()), page.outcome()));
        let hint = match page.outcome() {
            FetchOutcome::Refused(refusal) if page.hops().len() <= 1 => let_in(refusal),
            &FetchOutcome::Network(NetworkError::Proxy(error)) => about_proxy(error),
            _ => None,
        };
        let error = error.with_hint_of(hint);
        return fail(args, url, &error, Some(way), out, talk);
    }
    if page.is_truncated() {
        let limit = page.body().len();
        talk.warning(format_args!("the page is longer than {limit} bytes: the rest was not read"));
    }
    let (statements, html) = (page.statements(), page.html());
    let mut report = PageReport::of(statements, html, Some(found), asker, &args.combine);
    report.way = Some(way);
    Ok(tell(args, &report, Some(&reply), out, talk))
}

/// Says why there is no page: to programs in its place.
fn fail(
    args: &PageArgs,
    url: &[u8],
    error: &Error,
    way: Option<PageWay<'_>>,
    out: &mut Out,
    talk: &mut Talk,
) -> Result<ExitStatus, Error> {
    if args.format == PageFormat::Text {
        return Err(error.clone());
    }
    let failure = AnswerError::new(Some(url), None, error.to_string());
    let result = Values::lines().write(out, &PageFailure { failure, way });
    Ok(written(result.and_then(|()| out.flush()), ExitStatus::Error, talk))
}

/// A page on disk or standard input.
fn read(
    args: &PageArgs,
    asker: Option<&Asker>,
    out: &mut Out,
    talk: &mut Talk,
) -> Result<ExitStatus, Error> {
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
    let url = args.url.as_ref().map(|url| url.as_encoded_bytes());
    let report = PageReport::of(&page, html.as_ref(), url, asker, &args.combine);
    Ok(tell(args, &report, None, out, talk))
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

fn tell(
    args: &PageArgs,
    report: &PageReport<'_>,
    reply: Option<&Reply<'_>>,
    out: &mut Out,
    talk: &mut Talk,
) -> ExitStatus {
    warn(report, talk);
    let status =
        if report.restricts.is_empty() { ExitStatus::Success } else { ExitStatus::Finding };
    let palette = out.palette();
    let result = match args.format {
        PageFormat::Text => write_page(out, palette, report, reply),
        PageFormat::Json => Values::lines().write(out, report),
    };
    written(result.and_then(|()| out.flush()), status, talk)
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
