//! A crawler with a custom HTTP library: the engine decides what to fetch and when, and interprets
//! the responses. Here the library is `ureq`; any other one works, too.
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

/// The meaning of fetch results for this crawler.
const PROFILE: Profile = Profile::RFC9309;

/// Pauses between two requests to one site: the default, and the maximum.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(5 * 60);

/// The record of an origin: the state, and the file of the last success.
#[derive(Default)]
struct Record {
    state: State,
    robots: Option<Robots>,
    /// Time of the last request for a page.
    last_request: Option<Instant>,
}

/// The HTTP client and the records of all origins.
struct Client {
    http: Agent,
    records: HashMap<Origin, Record>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let name = words.next().ok_or("usage: own_http NAME URL…")?;
    let http = Agent::config_builder()
        // `fetch` follows redirects itself, according to the profile; a status is an outcome, not
        // an error.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .proxy(None)
        .timeout_global(Some(Duration::from_secs(30)))
        .user_agent(format!("{name}/1.0 (+https://bot.example/)"))
        .build();
    let mut client = Client { http: http.into(), records: HashMap::new() };
    for word in words {
        let shown = Untrusted::new(&word);
        // Check the normalised URL, not raw input: `/x/../cart` is `/cart`.
        let url = Url::parse(&word)?;
        let url = url.as_str();
        match Origin::of(url)? {
            Some(origin) => {
                let record = client.record(&origin);
                let verdict = verdict(record, &name, url)?;
                println!("{shown}: {verdict}");
                if verdict.is_allowed() {
                    let pause = pause(record, &name);
                    println!("{shown}: {}", client.page(&origin, url, pause));
                }
            }
            None => println!("{shown}: no robots.txt is needed"),
        }
    }
    Ok(())
}

/// The verdict of a record for a URL.
fn verdict<'r>(
    record: &'r Record,
    name: &'r str,
    url: &'r str,
) -> Result<Verdict<'r>, &'static str> {
    let access = record.state.access(&PROFILE, now(), false);
    let verdict = access.verdict(record.robots.as_ref(), name, url);
    verdict.ok_or("robots.txt has not been fetched")
}

/// The pause between two requests to a site.
fn pause(record: &Record, name: &str) -> Duration {
    let asked = record.robots.as_ref().and_then(|robots| robots.crawl_delay(name));
    asked.unwrap_or_default().clamp(PAUSE, LONGEST_PAUSE)
}

impl Client {
    /// Fetches a page after the pause of its site. A redirect is another URL with its own check.
    fn page(&mut self, origin: &Origin, url: &str, pause: Duration) -> String {
        let record = self.records.entry(origin.clone()).or_default();
        if let Some(last) = record.last_request {
            sleep(pause.saturating_sub(last.elapsed()));
        }
        let answer = self.http.get(url).call();
        record.last_request = Some(Instant::now());
        match answer {
            Ok(response) => format!("status {}", response.status().as_u16()),
            Err(error) => Untrusted::new(&error.to_string()).to_string(),
        }
    }

    /// The record of an origin, after a fetch if one is due.
    fn record(&mut self, origin: &Origin) -> &Record {
        let record = self.records.entry(origin.clone()).or_default();
        if record.state.needs_fetch(now()) {
            let (fetched, body) = fetch(&self.http, &origin.robots_url());
            if PROFILE.meaning(fetched.outcome) == Meaning::Rules
                && fetched.outcome != Outcome::NotModified
            {
                record.robots = Some(Robots::parse(&body));
            }
            // A different number for each crawler spreads their retries.
            let random = u64::from(std::process::id());
            record.state = record.state.after(&PROFILE, fetched, now(), random);
        }
        record
    }
}

/// Fetches a robots.txt through its redirects. Returns the outcome and the body.
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
        // An unrequested encoding cannot be decoded, and an unreadable file allows nothing.
        if response.headers().get("content-encoding").is_some_and(|it| it != "identity") {
            return network();
        }
        let outcome = if status == 200 { Outcome::Success } else { Outcome::Status(status) };
        // The header fields in the form of the library, here an `http::HeaderMap`.
        let fetched = Fetched::of(outcome, response.headers(), now());
        let mut body = Vec::new();
        // One byte more shows the parser that the file is longer than the limit.
        let most = u64::try_from(limits::BODY_BYTES).unwrap_or(u64::MAX) + 1;
        // An incomplete body is a failure: the missing half of a file could contain the disallow
        // rules.
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
