//! A small polite crawler: follows the links of some sites, one request at a time to each. The
//! client handles robots.txt, crawl delays, redirects, outages and page directives.
//!
//! ```sh
//! cargo run -p verger-fetch --example polite_crawler -- --pages 50 ExampleBot https://shop.example/
//! ```
//!
//! Results go to stdout, one line for each page; others go to stderr.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program, with results and progress"
)]

use std::collections::{HashSet, VecDeque};
use std::error::Error;
use std::time::Duration;

use html5gum::{Token, Tokenizer};
use tokio::task::JoinSet;
use tokio::time::sleep;
use url::Url;
use verger_fetch::client::{FetchedPage, RobotsClient};
use verger_fetch::failure::Failure;
use verger_fetch::fetch::Identity;
use verger_fetch::guard::{Guard, parse_net};
use verger_fetch::verger::{Crawler, Untrusted};
use verger_fetch::verger_page::Combine;

/// Maximum number of URLs of one site. An endless calendar stops here.
const KNOWN: usize = 10_000;

/// Consecutive failed tries after which a site is given up.
const RETRIES: u32 = 8;

/// Maximum wait before a site is tried again. A site that needs longer is given up.
const LONGEST_WAIT: Duration = Duration::from_secs(10 * 60);

/// Minimum wait before a site is tried again.
const SHORT_WAIT: Duration = Duration::from_secs(5);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let Arguments { name, start, pages, guard } = Arguments::read()?;
    // The crawler's name and a page about it.
    let identity = Identity::new(&format!("{name}/1.0 (+https://bot.example/)"))?;
    let client =
        RobotsClient::builder(Crawler::new(name.as_str()), identity).guard(guard).build()?;
    // The sites do not wait for each other.
    let mut sites = JoinSet::new();
    for url in start {
        sites.spawn(crawl(client.clone(), url, pages));
    }
    sites.join_all().await;
    Ok(())
}

/// Fetches the pages of one site, beginning with a URL.
async fn crawl(client: RobotsClient, start: Url, pages: usize) {
    let (mut queue, mut known) = (VecDeque::from([start.clone()]), HashSet::from([start.clone()]));
    let (mut done, mut failures) = (0, 0);
    while done < pages
        && let Some(url) = queue.pop_front()
    {
        let retry_in = match client.get(url.as_str()).await {
            Ok(page) => {
                report(&url, &page);
                // The targets of redirects have been fetched as well.
                known.insert(page.url().clone());
                for mut link in links(&page) {
                    link.set_fragment(None);
                    let is_new = link.origin() == start.origin() && known.len() < KNOWN;
                    if is_new && known.insert(link.clone()) {
                        queue.push_back(link);
                    }
                }
                done += 1;
                // An overloaded server, or a broken connection. The next turn respects the back-off
                // of the site.
                let is_network = matches!(page.failure(), Some(Failure::Network(_)));
                (is_network || matches!(page.status(), Some(429 | 503))).then_some(SHORT_WAIT)
            }
            Err(error) => {
                // A redirect may have led to another URL. The error has the rule and its line.
                let refused = error.decision().map_or(&url, |decision| decision.url());
                eprintln!("{}: {error}", shown(refused));
                error.retry_in()
            }
        };
        match retry_in {
            None => failures = 0,
            Some(wait) if failures < RETRIES && wait <= LONGEST_WAIT => {
                failures += 1;
                queue.push_front(url);
                sleep(wait.max(SHORT_WAIT)).await;
            }
            Some(_) => {
                let others = queue.len();
                return eprintln!("{}: given up, with {others} other URLs", shown(&url));
            }
        }
    }
}

fn report(url: &Url, page: &FetchedPage) {
    let status = page.status().map_or_else(|| "-".to_owned(), |status| status.to_string());
    let note = match page.failure() {
        Some(failure) => failure.to_string(),
        None if page.directives(&Combine::GOOGLE).noindex() => {
            "fetched, not to be indexed".to_owned()
        }
        None => format!("{} bytes", page.body().len()),
    };
    println!("{status:4} {}: {note}", shown(url));
}

/// The links of the page, unless its directives forbid following them.
fn links(page: &FetchedPage) -> Vec<Url> {
    let mut links = Vec::new();
    let is_read = page.is_success() && page.html().is_some();
    if !is_read || page.directives(&Combine::GOOGLE).nofollow() {
        return links;
    }
    let text = String::from_utf8_lossy(page.body());
    for token in Tokenizer::new(&*text) {
        let Ok(Token::StartTag(tag)) = token else { continue };
        if **tag.name == *b"a"
            && let Some(href) = tag.attributes.get(&b"href"[..])
        {
            links.extend(page.url().join(&String::from_utf8_lossy(href)).ok());
        }
    }
    links
}

/// Foreign text may contain control characters, so it is always shown in this way.
fn shown(url: &Url) -> Untrusted<'_> {
    Untrusted::new(url.as_str())
}

struct Arguments {
    name: String,
    start: Vec<Url>,
    pages: usize,
    guard: Guard,
}

impl Arguments {
    fn read() -> Result<Self, Box<dyn Error>> {
        let (mut name, mut start, mut pages, mut guard) = (None, Vec::new(), 100, Guard::new());
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            match word.as_str() {
                "--pages" => pages = words.next().ok_or("expected a number of pages")?.parse()?,
                // For intranets and tests: by default private addresses are refused.
                "--allow-net" => {
                    guard = guard.with_allowed_net(parse_net(&words.next().unwrap_or_default())?);
                }
                _ if name.is_none() => name = Some(word),
                _ => start.push(Url::parse(&word)?),
            }
        }
        let name = name.ok_or("usage: polite_crawler [--pages N] [--allow-net NET] NAME URL…")?;
        Ok(Self { name, start, pages, guard })
    }
}
