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
use tokio::time::sleep;
use url::Url;
use verger_fetch::client::{CheckError, FetchedPage, RobotsClient, TurnError};
use verger_fetch::fetch::{FetchOutcome, Identity};
use verger_fetch::guard::{Guard, parse_net};
use verger_fetch::polite::Politeness;
use verger_fetch::record::Failure;
use verger_fetch::verger::{Crawler, Origin, Untrusted};
use verger_fetch::verger_page::Combine;

/// Sites that are asked at the same time.
const AT_ONCE: usize = 64;

/// URLs that are known of one site. A calendar without end stops here.
const KNOWN: usize = 10_000;

/// Failed tries in a row after which a site is given up.
const RETRIES: u32 = 8;

/// Longest wait before a site is tried again. One that needs longer is given up.
const LONGEST_WAIT: Duration = Duration::from_secs(10 * 60);

/// Longest wait for a turn. A site that needs longer makes room for others meanwhile.
const TURN_WAIT: Duration = Duration::from_secs(60);

/// Wait before a site is tried again if nothing says how long it should be.
const SHORT_WAIT: Duration = Duration::from_secs(5);

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
    /// Whether it is ready, being asked, or left alone for a while.
    is_active: bool,
    /// Failed tries in a row.
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

    /// The site may be asked for its next URL.
    fn done(&mut self, url: &Url) {
        if let Some(site) = self.site(url) {
            site.failures = 0;
        }
        self.resume(url);
    }

    /// Keeps a URL that could not be fetched now for another try. Returns whether the site gets one.
    fn keep(&mut self, url: &Url) -> bool {
        let Some(site) = self.site(url) else { return false };
        site.failures += 1;
        let is_kept = site.failures <= RETRIES;
        if is_kept {
            site.queue.push_front(url.clone());
        }
        is_kept
    }

    /// The site may be asked again, now or after it was left alone.
    fn resume(&mut self, url: &Url) {
        let Some(site) = self.site(url) else { return };
        site.is_active = !site.queue.is_empty();
        if site.is_active {
            self.ready.extend(origin(url));
        }
    }

    /// Gives up all URLs of a site that were not fetched. Returns their number.
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
    // Say who you are, and where one can read about you.
    let identity = Identity::new(&format!("{name}/1.0 (+https://bot.example/)"))?;
    let client = RobotsClient::builder(Crawler::new(name.as_str()), identity)
        .politeness(Politeness::default().with_longest_wait(TURN_WAIT))
        .guard(guard)
        .build()?;

    let mut frontier = Frontier::default();
    for url in start {
        let origin = origin(&url).ok_or("expected a URL with a host")?;
        frontier.sites.entry(origin).or_default();
        frontier.add(url);
    }

    let mut tasks = JoinSet::new();
    // Sites that are left alone for a while, each by a URL of it.
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
                    Ok(page) => page.outcome().to_string(),
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
                // Where redirects led to has been fetched as well.
                frontier.know(page.url());
                for link in links(&page) {
                    frontier.add(link);
                }
            }
            (Next::GoOn, Err(error)) => {
                frontier.done(&url);
                // A redirect may have led to another URL, also of another site.
                let refused = match &error {
                    TurnError::Disallowed(decision) | TurnError::Unreachable { decision, .. } => {
                        decision.url()
                    }
                    _ => &url,
                };
                // The error says which rule disallows it, on which line.
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

/// What comes after a page, or after none.
enum Next {
    /// The next URL of the site.
    GoOn,
    /// The same URL, after a wait.
    Again(Duration),
    /// Nothing more of the site.
    LeaveSite,
}

/// A server that cannot take more, or a connection that broke, is tried again. The next turn keeps to the
/// back-off of the site.
fn after_page(page: &FetchedPage) -> Next {
    match (page.status(), page.outcome()) {
        (Some(429 | 503), _) | (_, FetchOutcome::Network(_)) => Next::Again(SHORT_WAIT),
        _ => Next::GoOn,
    }
}

fn after_error(error: &TurnError, url: &Url) -> Next {
    let wait = match error {
        TurnError::Unreachable { decision, again_in } => match decision.failure() {
            // Neither is over before the configuration of this crawler changes.
            Some(Failure::Refused(_) | Failure::NoUrl) => {
                let is_own = origin(decision.url()) == origin(url);
                return if is_own { Next::LeaveSite } else { Next::GoOn };
            }
            _ => *again_in,
        },
        TurnError::TooLong { again_in, .. } => *again_in,
        TurnError::Busy { .. } | TurnError::Held { .. } => SHORT_WAIT,
        TurnError::Check(CheckError::Busy(_) | CheckError::Late(_) | CheckError::Ended) => {
            SHORT_WAIT
        }
        _ => return Next::GoOn,
    };
    Next::Again(wait.max(SHORT_WAIT))
}

fn report(url: &Url, page: &FetchedPage) {
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
