//! A small polite crawler: follows the links of some sites, one request at a time to each. The
//! client handles robots.txt, crawl delays, redirects, outages and page directives.
//!
//! ```sh
//! cargo run -p verger-fetch --example polite_crawler -- --pages 50 ExampleBot https://shop.example/
//! ```
//!
//! Results go to stdout, one line for each page; progress goes to stderr.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program, with results and progress"
)]

use std::collections::{HashMap, HashSet, VecDeque};
use std::error::Error;
use std::time::Duration;

use html5gum::{Token, Tokenizer};
use tokio::task::JoinSet;
use tokio::time::sleep;
use url::Url;
use verger_fetch::client::{FetchedPage, RobotsClient, TurnError};
use verger_fetch::failure::Failure;
use verger_fetch::fetch::Identity;
use verger_fetch::guard::{Guard, parse_net};
use verger_fetch::polite::Politeness;
use verger_fetch::verger::{Crawler, Origin, Untrusted};
use verger_fetch::verger_page::Combine;

/// Sites in progress at the same time.
const AT_ONCE: usize = 64;

/// Maximum number of URLs of one site. An endless calendar stops here.
const KNOWN: usize = 10_000;

/// Consecutive failed tries after which a site is given up.
const RETRIES: u32 = 8;

/// Maximum wait before a site is tried again. A site that needs longer is given up.
const LONGEST_WAIT: Duration = Duration::from_secs(10 * 60);

/// Maximum wait for a turn. A site that needs longer is postponed in favour of others.
const TURN_WAIT: Duration = Duration::from_secs(60);

/// Wait before a site is tried again if no other wait is known.
const SHORT_WAIT: Duration = Duration::from_secs(5);

/// The URLs to fetch. Sites take turns, and each has one URL in progress, so a slow site delays
/// only itself.
#[derive(Default)]
struct Frontier {
    /// The sites of the crawl.
    sites: HashMap<Origin, Site>,
    /// Sites with a URL to fetch and none in progress.
    ready: VecDeque<Origin>,
}

#[derive(Default)]
struct Site {
    queue: VecDeque<Url>,
    known: HashSet<Url>,
    /// Whether it is ready, in progress, or waiting.
    is_active: bool,
    /// Consecutive failed tries.
    failures: u32,
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

    /// Marks the target of a redirect as known.
    fn know(&mut self, url: &Url) {
        if let Some(site) = origin(url).and_then(|origin| self.sites.get_mut(&origin)) {
            site.known.insert(url.clone());
        }
    }

    fn next(&mut self) -> Option<Url> {
        let origin = self.ready.pop_front()?;
        self.sites.get_mut(&origin)?.queue.pop_front()
    }

    /// Makes the site ready for its next URL.
    fn done(&mut self, url: &Url) {
        if let Some(site) = self.site(url) {
            site.failures = 0;
        }
        self.resume(url);
    }

    /// Stores a URL for another try. Returns whether the site gets one.
    fn keep(&mut self, url: &Url) -> bool {
        let Some(site) = self.site(url) else { return false };
        site.failures += 1;
        let is_kept = site.failures <= RETRIES;
        if is_kept {
            site.queue.push_front(url.clone());
        }
        is_kept
    }

    /// Makes the site ready again, at once or after a wait.
    fn resume(&mut self, url: &Url) {
        let Some(site) = self.site(url) else { return };
        site.is_active = !site.queue.is_empty();
        if site.is_active {
            self.ready.extend(origin(url));
        }
    }

    /// Gives up all remaining URLs of a site. Returns their number.
    fn give_up(&mut self, url: &Url) -> usize {
        self.site(url).map_or(0, |site| site.queue.drain(..).count())
    }

    fn site(&mut self, url: &Url) -> Option<&mut Site> {
        self.sites.get_mut(&origin(url)?)
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
    // The crawler's name and a page about it.
    let identity = Identity::new(&format!("{name}/1.0 (+https://bot.example/)"))?;
    let client = RobotsClient::builder(Crawler::new(name.as_str()), identity)
        .politeness(Politeness { longest_wait: Some(TURN_WAIT), ..Politeness::default() })
        .guard(guard)
        .build()?;

    let mut frontier = Frontier::default();
    for url in start {
        let origin = origin(&url).ok_or("expected a URL with a host")?;
        frontier.sites.entry(origin).or_default();
        frontier.add(url);
    }

    let mut tasks = JoinSet::new();
    // Waiting sites, each with a URL of it.
    let mut resting = JoinSet::new();
    let mut done = 0;
    loop {
        while tasks.len() < AT_ONCE && done + tasks.len() < pages {
            let Some(url) = frontier.next() else { break };
            let client = client.clone();
            tasks.spawn(async move { (client.get(url.as_str()).await, url) });
        }
        let (result, url) = tokio::select! {
            Some(finished) = tasks.join_next() => finished?,
            Some(rested) = resting.join_next(), if done + tasks.len() < pages => {
                frontier.resume(&rested?);
                continue;
            }
            else => break,
        };
        let next = match &result {
            Ok(page) => after_page(page),
            Err(error) => after_error(error, &url),
        };
        match (next, result) {
            (Next::Again(wait), _) if wait <= LONGEST_WAIT && frontier.keep(&url) => {
                resting.spawn(async move {
                    sleep(wait).await;
                    url
                });
            }
            (Next::Again(_) | Next::LeaveSite, result) => {
                let why = match result {
                    Ok(page) => page.failure().map(ToString::to_string).unwrap_or_default(),
                    Err(error) => error.to_string(),
                };
                let others = match frontier.give_up(&url) {
                    0 => String::new(),
                    others => format!(", with {others} other URLs of the site"),
                };
                println!("-    {}: given up{others}: {why}", shown(&url));
                frontier.done(&url);
            }
            (Next::GoOn, Ok(page)) => {
                frontier.done(&url);
                done += 1;
                report(&url, &page);
                // The targets of redirects have been fetched as well.
                frontier.know(page.url());
                for link in links(&page) {
                    frontier.add(link);
                }
            }
            (Next::GoOn, Err(error)) => {
                frontier.done(&url);
                // A redirect may have led to another URL, perhaps of another site.
                let refused = match &error {
                    TurnError::Disallowed(decision) | TurnError::Unreachable { decision, .. } => {
                        decision.url()
                    }
                    _ => &url,
                };
                // The error has the rule and its line.
                println!("-    {}: {error}", shown(refused));
            }
        }
        eprint!("\r{done} fetched, {} in line, {} under way ", frontier.waiting(), tasks.len());
    }
    if frontier.waiting() > 0 {
        println!("-    not fetched: {} more URLs", frontier.waiting());
    }
    Ok(())
}

/// The step after a page or an error.
enum Next {
    /// The next URL of the site.
    GoOn,
    /// The same URL, after a wait.
    Again(Duration),
    /// No more URLs of the site.
    LeaveSite,
}

/// Tries again after an overloaded server or a broken connection. The next turn respects the
/// back-off of the site.
fn after_page(page: &FetchedPage) -> Next {
    match (page.status(), page.failure()) {
        (Some(429 | 503), _) | (_, Some(Failure::Network(_))) => Next::Again(SHORT_WAIT),
        _ => Next::GoOn,
    }
}

fn after_error(error: &TurnError, url: &Url) -> Next {
    match error.retry_in() {
        Some(wait) => Next::Again(wait.max(SHORT_WAIT)),
        // robots.txt cannot be requested until the configuration of this crawler changes.
        None if matches!(error, TurnError::Unreachable { decision, .. }
            if origin(decision.url()) == origin(url)) =>
        {
            Next::LeaveSite
        }
        None => Next::GoOn,
    }
}

fn report(url: &Url, page: &FetchedPage) {
    let directives = page.directives(&Combine::GOOGLE);
    let status = page.status().map_or_else(|| "-".to_owned(), |status| status.to_string());
    let note = match page.failure() {
        Some(failure) => failure.to_string(),
        None if directives.noindex() => "fetched, not to be indexed".to_owned(),
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
