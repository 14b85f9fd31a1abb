//! A crawler with an HTTP library of its own: the engine says what to fetch and when, what an answer
//! means, and what may be fetched then. Here the library is `ureq`; any other will do.
//!
//! ```sh
//! cargo run -p verger --features url --example own_http -- ExampleBot https://shop.example/cart
//! ```
#![expect(clippy::print_stdout, reason = "a program that answers on stdout")]

use std::collections::HashMap;
use std::error::Error;
use std::io::Read as _;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ureq::Agent;
use url::Url;
use verger::access::{Fetched, Meaning, Outcome, Profile, State, Timestamp};
use verger::{Origin, Robots, Untrusted, Verdict, limits};

/// What fetch results mean for this crawler.
const PROFILE: Profile = Profile::RFC9309;

/// Between two requests to one site, where it does not ask for more, and where it asks for too much.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(5 * 60);

/// What is kept for an origin: the state, and the file of the last success.
#[derive(Default)]
struct Record {
    state: State,
    robots: Option<Robots>,
    /// When a page was asked for last.
    asked: Option<Instant>,
}

/// What this crawler knows.
struct Known {
    http: Agent,
    records: HashMap<Origin, Record>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let name = words.next().ok_or("usage: own_http NAME URL…")?;
    let http = Agent::config_builder()
        // Redirects are followed below, by the rules; a status is an outcome and no error.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .proxy(None)
        .timeout_global(Some(Duration::from_secs(30)))
        .user_agent(format!("{name}/1.0 (+https://bot.example/)"))
        .build();
    let mut known = Known { http: http.into(), records: HashMap::new() };
    for word in words {
        let shown = Untrusted::new(&word);
        // What is asked about is what will be sent, and not what somebody wrote: `/x/../cart` is `/cart`.
        let url = Url::parse(&word)?;
        let url = url.as_str();
        match Origin::of(url)? {
            Some(origin) => {
                let record = known.record(&origin);
                let verdict = verdict(record, &name, url)?;
                println!("{shown}: {verdict}");
                if verdict.is_allowed() {
                    let pause = pause(record, &name);
                    println!("{shown}: {}", known.page(&origin, url, pause));
                }
            }
            None => println!("{shown}: no robots.txt is needed"),
        }
    }
    Ok(())
}

/// What a record says of a URL.
fn verdict<'r>(
    record: &'r Record,
    name: &'r str,
    url: &'r str,
) -> Result<Verdict<'r>, &'static str> {
    let access = record.state.access(&PROFILE, now(), false);
    let verdict = access.verdict(record.robots.as_ref(), name, url);
    verdict.ok_or("robots.txt has not been asked for")
}

/// How long a site is left alone between two requests.
fn pause(record: &Record, name: &str) -> Duration {
    let asked = record.robots.as_ref().and_then(|robots| robots.crawl_delay(name));
    asked.unwrap_or_default().clamp(PAUSE, LONGEST_PAUSE)
}

impl Known {
    /// One page, when its site has had its pause. A redirect is another URL, with rules of its own.
    fn page(&mut self, origin: &Origin, url: &str, pause: Duration) -> String {
        let record = self.records.entry(origin.clone()).or_default();
        if let Some(asked) = record.asked {
            sleep(pause.saturating_sub(asked.elapsed()));
        }
        let answer = self.http.get(url).call();
        record.asked = Some(Instant::now());
        match answer {
            Ok(response) => format!("status {}", response.status().as_u16()),
            Err(error) => Untrusted::new(&error.to_string()).to_string(),
        }
    }

    /// The record of an origin, fetched first where it has to be.
    fn record(&mut self, origin: &Origin) -> &Record {
        let record = self.records.entry(origin.clone()).or_default();
        if record.state.needs_fetch(now()) {
            let (fetched, body) = fetch(&self.http, &origin.robots_url());
            if PROFILE.meaning(fetched.outcome) == Meaning::Rules
                && fetched.outcome != Outcome::NotModified
            {
                record.robots = Some(Robots::parse(&body));
            }
            // A number of your own spreads the retries of many crawlers.
            let random = u64::from(std::process::id());
            record.state = record.state.after(&PROFILE, fetched, now(), random);
        }
        record
    }
}

/// One fetch of a robots.txt through its redirects: what came of it, and the body.
fn fetch(http: &Agent, url: &str) -> (Fetched, Vec<u8>) {
    let network = || (Fetched::from(Outcome::Network), Vec::new());
    let Ok(mut url) = Url::parse(url) else { return network() };
    for _ in 0..=PROFILE.redirects {
        let Ok(response) = http.get(url.as_str()).call() else { return network() };
        let status = response.status().as_u16();
        if matches!(status, 301 | 302 | 303 | 307 | 308) {
            let location = response.headers().get("location").and_then(|it| it.to_str().ok());
            let next = location.and_then(|location| url.join(location).ok());
            let may_follow = |next: &Url| match next.scheme() {
                "https" => true,
                "http" => url.scheme() != "https" || PROFILE.follow_downgrades,
                _ => false,
            };
            let Some(next) = next.filter(may_follow) else {
                return (Outcome::BrokenRedirect.into(), Vec::new());
            };
            url = next;
            continue;
        }
        // What was not asked for cannot be read, and a file that cannot be read allows nothing.
        if response.headers().get("content-encoding").is_some_and(|it| it != "identity") {
            return network();
        }
        let outcome = if status == 200 { Outcome::Success } else { Outcome::Status(status) };
        // The header fields as the library has them, here an `http::HeaderMap`.
        let fetched = Fetched::of(outcome, response.headers(), now());
        let mut body = Vec::new();
        // One byte more tells the parser that there is more.
        let most = u64::try_from(limits::BODY_BYTES).unwrap_or(u64::MAX) + 1;
        // A body that breaks off is no answer: half of a file could allow what the other half forbids.
        if response.into_body().into_reader().take(most).read_to_end(&mut body).is_err() {
            return network();
        }
        return (fetched, body);
    }
    (Outcome::RedirectLimit.into(), Vec::new())
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_seconds(since.as_secs())
}
