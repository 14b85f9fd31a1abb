//! The URLs of a site, from lists, sitemaps and logs.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::Serialize;
use verger::{Crawler, Dialect, Origin, ProductToken, Robots, quoted};
use verger_audit::limits::LINE_BYTES;
use verger_audit::log::{LogOptions, LogTotals, read_log};
use verger_fetch::limits::{Limits, PAGE};
use verger_registry::{Crawler as KnownCrawler, Registry};

use crate::args::{LiveArgs, UrlArgs};
use crate::by_header::ByHeader;
use crate::console::Messages;
use crate::error::Error;
use crate::input::{Watched, place, read_whole, shown};
use crate::limits::{PROBLEMS_SHOWN, SITEMAP_BYTES};
use crate::live::{LiveClient, failure_of};
use crate::sentence::counted;
use crate::url_check::is_url;
use crate::urls::{SitemapTotals, read_list, read_sitemaps};

/// Numbers of URLs, beside those that were passed on.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Totals {
    /// URLs that were passed on.
    #[serde(skip)]
    urls: u64,
    /// URLs of other sites, or of schemes without robots.txt.
    pub(crate) other_sites: u64,
    /// Requests of other user agents.
    pub(crate) other_agents: u64,
    /// Lines of logs without a request.
    pub(crate) skipped_lines: u64,
    /// Sitemaps of indexes that could not be read, or not to their end.
    pub(crate) unread_sitemaps: u64,
    /// Entries of sitemaps without a usable address.
    #[serde(skip)]
    pub(crate) unread_entries: u64,
    /// Whether all URLs are of logs.
    #[serde(skip)]
    pub(crate) are_requests: bool,
}

/// A function for a URL. A request of a log has its User-Agent header, empty if there is none.
pub(crate) type EachUrl<'e> = dyn FnMut(&[u8], Option<&[u8]>) + 'e;

/// Reads URLs for a robots.txt.
pub(crate) struct SiteUrls<'a> {
    pub(crate) args: &'a UrlArgs,
    pub(crate) live: &'a LiveArgs,
    /// The site of the robots.txt, if known.
    pub(crate) origin: Option<Origin>,
    pub(crate) robots: &'a Robots,
}

impl SiteUrls<'_> {
    /// Whether something is fetched.
    pub(crate) fn needs_network(args: &UrlArgs) -> bool {
        args.sitemap.iter().any(|name| is_url(Path::new(name)))
    }

    /// Passes each URL to a function: first lists, then sitemaps, then logs.
    pub(crate) fn read(
        &self,
        messages: &mut Messages,
        each: &mut EachUrl<'_>,
    ) -> Result<Totals, Error> {
        let are_requests = self.args.urls.is_empty() && self.args.sitemap.is_empty();
        let mut totals = Totals { are_requests, ..Totals::default() };
        let mut count = |url: &[u8], header: Option<&[u8]>, totals: &mut Totals| {
            if self.is_of_other_site(url) {
                totals.other_sites += 1;
            } else {
                totals.urls += 1;
                each(url, header);
            }
        };
        let dialect = self.robots.dialect();
        for path in &self.args.urls {
            let mut has_url = false;
            let mut first = Vec::new();
            let reader = Watched::open(path, &mut messages.progress)?;
            let read = read_list(reader, |line| {
                has_url |= dialect.reads_url(line);
                if first.is_empty() {
                    line.clone_into(&mut first);
                }
                count(line, None, &mut totals);
            });
            let list = read.map_err(|error| input_error(path, &error))?;
            let lines = list.lines;
            if lines > 0 && !has_url {
                let found =
                    if lines == 1 { "its line is neither" } else { "none of its lines is one" };
                let name = shown(path);
                let error = Error::new(format!("expected URLs or paths in {name}, but {found}"));
                let is_log = read_log(&first[..], &LogOptions::default(), |_| ()).is_ok();
                let hint =
                    is_log.then(|| "this looks like an access log: `--log` reads it".to_owned());
                return Err(error.with_optional_hint(hint));
            }
        }
        let mut live = None;
        for name in &self.args.sitemap {
            let mut each = |url: &str| count(url.as_bytes(), None, &mut totals);
            let text = name.to_string_lossy();
            let sitemaps = self.read_sitemap(&text, &mut live, messages, &mut each)?;
            totals.unread_sitemaps += sitemaps.unread;
            totals.unread_entries += sitemaps.invalid;
            warn_of_problems(&name.to_string_lossy(), &sitemaps, messages);
        }
        if let Some(live) = live {
            live.close(messages);
        }
        let mut wanted = self.args.log_agent.as_deref().map(Wanted::new);
        let options = LogOptions { format: self.args.log_format.clone(), zone: None };
        for path in &self.args.log {
            let reader = Watched::open(path, &mut messages.progress)?;
            let mut has_header = false;
            let read = read_log(reader, &options, |request| {
                has_header |= request.user_agent.is_some();
                let header = request.user_agent.as_deref().unwrap_or_default();
                if wanted.as_mut().is_none_or(|wanted| wanted.is_in(header)) {
                    count(&request.target, Some(header), &mut totals);
                } else {
                    totals.other_agents += 1;
                }
            });
            let log = read.map_err(|error| input_error(path, &error))?;
            totals.skipped_lines += log.skipped + log.too_long;
            for warning in problems(path, &log) {
                messages.warning(warning);
            }
            if !has_header && log.requests > 0 {
                let name = place(path);
                let note = "no request has a User-Agent header, so its crawler is unknown";
                messages.note(format_args!("{name}: {note}"));
            }
        }
        messages.progress.finish();
        if totals.urls == 0 {
            let error = Error::new("no URL of the site was found");
            let hint = match (totals.other_sites, totals.other_agents) {
                (0, 0) => None,
                (0, agents) => Some(format!("requests of other user agents: {agents}")),
                (sites, _) => Some(format!("URLs of other sites: {sites}")),
            };
            return Err(error.with_optional_hint(hint));
        }
        Ok(totals)
    }

    /// Whether a URL has another origin than the robots.txt, or no robots.txt (REP-ACCESS-8).
    fn is_of_other_site(&self, url: &[u8]) -> bool {
        if url.starts_with(b"/") {
            return false;
        }
        let dialect = self.robots.dialect();
        match str::from_utf8(url).map(Origin::of) {
            Ok(Ok(None)) => dialect.reads_url(url) && !dialect.needs_robots("", url),
            Ok(Ok(found)) => self.origin.is_some() && found != self.origin,
            _ => false,
        }
    }

    /// Reads a sitemap, and those of an index.
    fn read_sitemap(
        &self,
        name: &str,
        live: &mut Option<LiveClient>,
        messages: &mut Messages,
        each: &mut dyn FnMut(&str),
    ) -> Result<SitemapTotals, Error> {
        let start = name;
        let mut known = HashSet::new();
        let mut files = HashSet::new();
        let load = |name: &str| -> Result<Option<Vec<u8>>, String> {
            if is_url(Path::new(start)) {
                let fetched = self.fetch(name, live, &mut known, messages);
                // The address in an index is not the user's choice.
                let is_asked = name == start;
                let text =
                    |error| if is_asked { messages.text_of(&error) } else { error.to_string() };
                return fetched.map_err(text);
            }
            let path = if name == start { PathBuf::from(name) } else { sibling(start, name)? };
            // Sitemaps that differ in their query or folder have one name.
            if !files.insert(path.clone()) {
                let (index, name) = (quoted(start), quoted(name));
                return Err(format!(
                    "{index} lists {name}, and a file of this name was read before"
                ));
            }
            read_whole(&path, SITEMAP_BYTES).map(Some).map_err(|error| error.to_string())
        };
        // Foreign text in the message is escaped.
        read_sitemaps(name, load, each).map_err(Error::new)
    }

    /// The sitemap with a URL; `None` if it is one of `known`, the final URLs of all that were
    /// fetched.
    fn fetch(
        &self,
        url: &str,
        live: &mut Option<LiveClient>,
        known: &mut HashSet<String>,
        messages: &mut Messages,
    ) -> Result<Option<Vec<u8>>, Error> {
        if known.contains(url) {
            return Ok(None);
        }
        if live.is_none() {
            let limits = Limits { page: PAGE.most, ..Limits::default() };
            let dialect = Dialect::default();
            *live = Some(LiveClient::with_limits(self.live, None, &dialect, limits)?);
        }
        let Some(client) = live else { return Err(Error::new("no client")) };
        let page = client.page(url.as_bytes()).map_err(|error| error.error)?;
        if let Some(error) = failure_of(&page) {
            return Err(error);
        }
        let last = page.url().as_str();
        if !known.insert(last.to_owned()) {
            return Ok(None);
        }
        if page.is_truncated() {
            let limit = page.body().len();
            let message =
                format!("expected at most {limit} bytes at {}, but found more", quoted(url));
            return Err(Error::new(message));
        }
        if page.has_trailing_bytes() {
            let name = place(Path::new(url));
            messages.warning(format_args!("{name}: ignored the bytes after the compressed data"));
        }
        Ok(Some(page.body().to_vec()))
    }
}

/// The file for a URL in an index: the one with the same name in the folder of the index.
fn sibling(index: &str, url: &str) -> Result<PathBuf, String> {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_name = !name.is_empty() && !name.contains('\\') && name != "." && name != "..";
    let file = Path::new(index).parent().unwrap_or(Path::new("")).join(name);
    if is_name && file.is_file() {
        return Ok(file);
    }
    Err(format!(
        "{} lists {}, and there is no such file beside it; `--sitemap URL` fetches an index with its sitemaps",
        quoted(index),
        quoted(url)
    ))
}

fn input_error(path: &Path, error: &str) -> Error {
    Error::new(format!("{}: {error}", shown(path)))
}

/// Warnings about lines of a log that were not read.
pub(crate) fn problems(path: &Path, log: &LogTotals) -> impl Iterator<Item = String> {
    let name = place(path);
    let skipped = log.first_skipped.as_ref().zip(log.format).map(|((first, text), format)| {
        let lines = counted(log.skipped, "line");
        format!("{name}: skipped {lines} without a request in the format {format}; the first is line {first}: {text}")
    });
    let too_long = (log.too_long > 0).then(|| {
        format!("{name}: skipped {} of more than {LINE_BYTES} bytes", counted(log.too_long, "line"))
    });
    let truncated = log.is_truncated.then(|| {
        format!("{name}: the compressed data is cut off, or other bytes follow it; the lines before that were read")
    });
    [skipped, too_long, truncated].into_iter().flatten()
}

/// Warns of sitemaps that could not be read, and of unusable entries.
fn warn_of_problems(name: &str, totals: &SitemapTotals, messages: &mut Messages) {
    for problem in totals.problems.iter().take(PROBLEMS_SHOWN) {
        messages.warning(problem);
    }
    if let Some(more @ 1..) = totals.problems.len().checked_sub(PROBLEMS_SHOWN) {
        messages.warning(format_args!("{}: further problems: {more}", quoted(name)));
    }
    if totals.invalid > 0 {
        let (name, number) = (quoted(name), totals.invalid);
        messages.warning(format_args!("{name}: entries without a usable address: {number}"));
    }
}

/// The crawler of `--log-agent`.
struct Wanted {
    known: Option<&'static KnownCrawler>,
    crawler: Crawler,
    /// The answers for recent headers.
    by_header: ByHeader<bool>,
}

impl Wanted {
    fn new(name: &str) -> Self {
        let known = Registry::bundled().resolve(name, true).known;
        let crawler = Crawler::from_user_agent(name).unwrap_or_else(|_| Crawler::new(name));
        Self { known, crawler, by_header: ByHeader::default() }
    }

    /// Whether a header names it: as a known crawler, or by a product token.
    fn is_in(&mut self, header: &[u8]) -> bool {
        if let Some(answer) = self.by_header.get(header) {
            return answer;
        }
        let text = String::from_utf8_lossy(header);
        let answer = if let Some(known) = self.known {
            Registry::bundled().identify(&text).any(|found| found.token() == known.token())
        } else {
            let read = Crawler::from_user_agent(&text);
            read.iter().flat_map(Crawler::tokens).any(|word| {
                let is_same = |it: &ProductToken| it.as_str().eq_ignore_ascii_case(word.as_str());
                self.crawler.tokens().iter().any(is_same)
            })
        };
        self.by_header.insert(header, answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_crawler::ByCrawler;

    #[test]
    fn sitemaps_beside_an_index_are_found_by_their_names() {
        let folder = env!("CARGO_MANIFEST_DIR");
        let index = format!("{folder}/sitemap.xml");
        let found = sibling(&index, "https://h.example/a/Cargo.toml?x");
        assert_eq!(found, Ok(Path::new(folder).join("Cargo.toml")));
        for url in ["https://h.example/", "https://h.example/..", "x\\Cargo.toml", "https://h/none"]
        {
            assert!(sibling(&index, url).is_err(), "{url}");
        }
    }

    #[test]
    fn a_request_is_of_a_crawler_by_a_product_token_of_its_header() {
        for (name, header, expected) in [
            ("gptbot", "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)", true),
            ("GPTBot/1.0", "GPTBot", true),
            // Another crawler.
            ("Googlebot", "Googlebot-Image/1.0", false),
            ("Googlebot-Image", "Googlebot/2.1", false),
            // An earlier name of the same crawler.
            ("Yeti", "NaverBot/1.0", true),
            ("GPT", "GPTBot/1.2", false),
            ("MyBot", "Mozilla/5.0 (X11) MyBot/1", true),
        ] {
            assert_eq!(Wanted::new(name).is_in(header.as_bytes()), expected, "{name}: {header}");
        }
    }

    #[test]
    fn the_requests_of_a_crawler_are_those_of_its_row() {
        let robots = Robots::parse("User-agent: Yeti\nDisallow: /\n");
        for known in Registry::bundled().crawlers() {
            for name in known.user_agents().iter().chain(known.aliases()) {
                let header = format!("{name}/1.0 (x)");
                let mut requests = ByCrawler::new(&robots, true);
                requests.add(b"/", header.as_bytes());
                let rows = requests.rows();
                let is_in_row = rows[0].names.iter().any(|name| name == known.token());
                assert!(
                    Wanted::new(known.token()).is_in(header.as_bytes()) && is_in_row,
                    "{header}"
                );
                assert_eq!(rows[0].disallowed, u64::from(known.token() == "Yeti"), "{header}");
            }
        }
    }

    #[test]
    fn requests_are_judged_only_for_rows() {
        let robots = Robots::parse("User-agent: GPTBot\nDisallow: /\n");
        let mut requests = ByCrawler::new(&robots, false);
        requests.add(b"/", b"GPTBot/1.2");
        assert_eq!((requests.own_group(), requests.rows().len()), (1, 0));
    }
}
