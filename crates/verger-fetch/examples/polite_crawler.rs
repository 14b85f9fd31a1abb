//! A small polite crawler: follows the links of some sites, one request at a time to each, and obeys
//! robots.txt, crawl delays, redirects, outages and page directives without a line of its own for them.
//!
//! ```sh
//! cargo run -p verger-fetch --example polite_crawler -- --pages 50 ExampleBot https://shop.example/
//! ```
//!
//! Results go to stdout, one line for each page; progress goes to stderr.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program, with data and talk")]

use std::collections::{HashSet, VecDeque};
use std::error::Error;

use lol_html::{RewriteStrSettings, element, rewrite_str};
use tokio::task::JoinSet;
use url::Url;
use verger::{Crawler, Origin, Untrusted};
use verger_fetch::client::{Page, RobotsClient, TurnError};
use verger_fetch::fetch::Identity;
use verger_fetch::guard::Guard;
use verger_page::Combine;

/// Pages that are fetched, or wait for their turn, at the same time.
const AT_ONCE: usize = 64;

/// URLs that wait. A calendar without end stops here.
const QUEUE: usize = 100_000;

/// What is still to be fetched, and what has been seen.
struct Frontier {
    /// The sites that the crawl stays on.
    origins: HashSet<Origin>,
    queue: VecDeque<Url>,
    seen: HashSet<Url>,
}

impl Frontier {
    fn add(&mut self, mut url: Url) {
        url.set_fragment(None);
        let is_ours =
            Origin::of(url.as_str()).ok().flatten().is_some_and(|it| self.origins.contains(&it));
        if is_ours && self.seen.len() < QUEUE && self.seen.insert(url.clone()) {
            self.queue.push_back(url);
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let Arguments { name, start, pages, guard } = Arguments::read()?;
    // Say who you are, and where one can read about you.
    let identity = Identity::new(&format!("{name}/1.0 (+https://bot.example/)"))?;
    let client =
        RobotsClient::builder(Crawler::new(name.as_str()), identity).guard(guard).build()?;

    let mut frontier =
        Frontier { origins: HashSet::new(), queue: VecDeque::new(), seen: HashSet::new() };
    for url in start {
        frontier.origins.extend(Origin::of(url.as_str())?);
        frontier.add(url);
    }

    let mut tasks = JoinSet::new();
    let mut done = 0;
    loop {
        while tasks.len() < AT_ONCE && done + tasks.len() < pages {
            let Some(url) = frontier.queue.pop_front() else { break };
            let client = client.clone();
            tasks.spawn(async move { (client.get(url.as_str()).await, url) });
        }
        let Some(finished) = tasks.join_next().await else { return Ok(()) };
        let (result, url) = finished?;
        match result {
            Ok(page) => {
                done += 1;
                report(&url, &page);
                for link in links(&page) {
                    frontier.add(link);
                }
            }
            // The decision says which rule, on which line.
            Err(TurnError::Disallowed(decision)) => println!("-    {}: {decision}", shown(&url)),
            Err(error) => println!("-    {}: {error}", shown(&url)),
        }
        eprint!("\r{done} fetched, {} in line, {} under way ", frontier.queue.len(), tasks.len());
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
    if !page.is_success() || page.directives(&Combine::GOOGLE).nofollow() {
        return links;
    }
    let text = String::from_utf8_lossy(page.body());
    let link = element!("a[href]", |element| {
        let href = element.get_attribute("href").unwrap_or_default();
        links.extend(page.url().join(&href).ok());
        Ok(())
    });
    let settings = RewriteStrSettings::new().append_element_content_handler(link);
    // A page that cannot be read to its end has the links found so far.
    let _ = rewrite_str(&text, settings);
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
