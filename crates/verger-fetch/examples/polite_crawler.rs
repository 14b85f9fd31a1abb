//! A small polite crawler: follows the links of some sites, one request at a time to each, and obeys
//! robots.txt, crawl delays, redirects, outages and page directives without a line of its own for them.
//!
//! ```sh
//! cargo run -p verger-fetch --example polite_crawler -- --pages 50 ExampleBot https://shop.example/
//! ```
//!
//! Results go to stdout, one line for each page; progress goes to stderr.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program, with data and talk")]

use std::collections::{HashMap, HashSet, VecDeque};
use std::error::Error;
use std::time::Duration;

use html5gum::{Token, Tokenizer};
use tokio::task::JoinSet;
use url::Url;
use verger_fetch::client::{CheckError, Page, RobotsClient, TurnError};
use verger_fetch::fetch::Identity;
use verger_fetch::guard::Guard;
use verger_fetch::polite::Politeness;
use verger_fetch::verger::{Crawler, Origin, Untrusted};
use verger_fetch::verger_page::Combine;

/// Sites that are asked at the same time.
const AT_ONCE: usize = 64;

/// URLs that are known of one site. A calendar without end stops here.
const KNOWN: usize = 10_000;

/// A site that wants to be left alone for longer is not waited for.
const PATIENCE: Duration = Duration::from_secs(10 * 60);

/// What is still to be fetched. Sites come one after another, and each with one URL at a time, so that one
/// that is slow holds up nobody but itself.
#[derive(Default)]
struct Frontier {
    /// The sites that the crawl stays on.
    sites: HashMap<Origin, Site>,
    /// Those with a URL to fetch that nobody asks now.
    ready: VecDeque<Origin>,
}

#[derive(Default)]
struct Site {
    queue: VecDeque<Url>,
    known: HashSet<Url>,
    /// Whether it is ready or being asked.
    is_active: bool,
}

impl Frontier {
    /// Adds a URL, unless it is known or of another site.
    fn add(&mut self, mut url: Url) {
        url.set_fragment(None);
        if let Some(origin) = origin(&url)
            && let Some(site) = self.sites.get_mut(&origin)
            && site.known.len() < KNOWN
            && site.known.insert(url.clone())
        {
            site.queue.push_back(url);
            if !site.is_active {
                site.is_active = true;
                self.ready.push_back(origin);
            }
        }
    }

    /// Where a redirect led to need not be fetched again.
    fn know(&mut self, url: &Url) {
        if let Some(site) = origin(url).and_then(|origin| self.sites.get_mut(&origin)) {
            site.known.insert(url.clone());
        }
    }

    fn next(&mut self) -> Option<Url> {
        let origin = self.ready.pop_front()?;
        self.sites.get_mut(&origin)?.queue.pop_front()
    }

    /// The site may be asked again; what could not be asked now comes last.
    fn done(&mut self, url: &Url, again: bool) {
        if let Some(origin) = origin(url)
            && let Some(site) = self.sites.get_mut(&origin)
        {
            site.queue.extend(again.then(|| url.clone()));
            site.is_active = !site.queue.is_empty();
            if site.is_active {
                self.ready.push_back(origin);
            }
        }
    }

    fn waiting(&self) -> usize {
        self.sites.values().map(|site| site.queue.len()).sum()
    }
}

fn origin(url: &Url) -> Option<Origin> {
    Origin::of(url.as_str()).ok().flatten()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let Arguments { name, start, pages, guard } = Arguments::read()?;
    // Say who you are, and where one can read about you.
    let identity = Identity::new(&format!("{name}/1.0 (+https://bot.example/)"))?;
    let client = RobotsClient::builder(Crawler::new(name.as_str()), identity)
        .politeness(Politeness::default().with_longest_wait(PATIENCE))
        .guard(guard)
        .build()?;

    let mut frontier = Frontier::default();
    for url in start {
        let origin = origin(&url).ok_or("expected a URL with a host")?;
        frontier.sites.entry(origin).or_default();
        frontier.add(url);
    }

    let mut tasks = JoinSet::new();
    let mut done = 0;
    loop {
        while tasks.len() < AT_ONCE && done + tasks.len() < pages {
            let Some(url) = frontier.next() else { break };
            let client = client.clone();
            tasks.spawn(async move { (client.get(url.as_str()).await, url) });
        }
        let Some(finished) = tasks.join_next().await else { return Ok(()) };
        let (result, url) = finished?;
        let is_busy =
            matches!(result, Err(TurnError::Busy { .. } | TurnError::Check(CheckError::Busy(_))));
        frontier.done(&url, is_busy);
        match result {
            Ok(page) => {
                done += 1;
                report(&url, &page);
                // Where redirects led to has been fetched as well.
                frontier.know(page.url());
                for link in links(&page) {
                    frontier.add(link);
                }
            }
            Err(_) if is_busy => {}
            // The decision says which rule, on which line.
            Err(TurnError::Disallowed(decision)) => {
                // A redirect may have led to it, also to another site.
                println!("-    {}: {decision}", shown(decision.url()));
            }
            Err(error) => println!("-    {}: {error}", shown(&url)),
        }
        eprint!("\r{done} fetched, {} in line, {} under way ", frontier.waiting(), tasks.len());
    }
}

fn report(url: &Url, page: &Page) {
    let directives = page.directives(&Combine::GOOGLE);
    let status = page.status().map_or_else(|| "-".to_owned(), |status| status.to_string());
    let note = match page.is_success() {
        true if directives.noindex() => "fetched, not to be indexed".to_owned(),
        true => format!("{} bytes", page.body().len()),
        false => page.outcome().to_string(),
    };
    println!("{status:4} {}: {note}", shown(url));
}

/// Where the page links to, unless it says that its links are not to be followed.
fn links(page: &Page) -> Vec<Url> {
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

/// Foreign text is shown in this way only: it may hold control characters.
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
                // For intranets and tests: by default no private address is asked.
                "--allow-net" => {
                    guard = guard.allow_net(words.next().ok_or("expected a network")?.parse()?);
                }
                _ if name.is_none() => name = Some(word),
                _ => start.push(Url::parse(&word)?),
            }
        }
        let name = name.ok_or("usage: polite_crawler [--pages N] [--allow-net NET] NAME URL…")?;
        Ok(Self { name, start, pages, guard })
    }
}
