//! A polite crawler with a custom HTTP stack, here reqwest: robots.txt and pages use the same
//! client, with its connections, certificates and resolver. Verger decides on permission and time
//! of each request.
//!
//! ```sh
//! cargo run --manifest-path examples/reqwest_crawler/Cargo.toml -- ExampleBot https://shop.example/
//! ```
//!
//! Results go to stdout, one line for each page; waits go to stderr.

use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, retry};
use tokio::time::sleep;
use url::Url;
use verger_fetch::client::{Permit, RobotsClient, TurnError};
use verger_fetch::failure::{ConnectError, DnsError, Failure, Incomplete, NetworkError, Phase};
use verger_fetch::fetch::{HttpClient, HttpRequest, HttpResponse, Identity};
use verger_fetch::guard::{Guard, parse_net};
use verger_fetch::net::BoxFuture;
use verger_fetch::polite::Politeness;
use verger_fetch::verger::{Crawler, Untrusted};

/// Maximum number of redirects of one page.
const REDIRECTS: usize = 5;

/// Maximum number of bytes of a page.
const PAGE: usize = 2 * 1024 * 1024;

/// Further requests for a turn after temporary failures.
const RETRIES: usize = 5;

/// Maximum wait for a site.
const LONGEST_WAIT: Duration = Duration::from_secs(10 * 60);

/// Time for a connection, and between two reads.
const CONNECT: Duration = Duration::from_secs(10);
const READ: Duration = Duration::from_secs(10);

/// The crawler's HTTP stack.
#[derive(Clone, Debug)]
struct Http {
    client: Client,
    guard: Guard,
}

impl Http {
    fn new(user_agent: &str, guard: &Guard) -> Result<Self, Box<dyn Error>> {
        // Uses the cryptography of Verger. Feature `rustls` of reqwest needs no such lines, but
        // adds another provider.
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let roots = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
        let tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(Arc::<rustls::RootCertStore>::new(roots))
            .with_no_client_auth();
        let client = Client::builder()
            .tls_backend_preconfigured(tls)
            .user_agent(user_agent)
            // A redirect or a retry is another request, and needs another turn.
            .redirect(Policy::none())
            .retry(retry::never())
            // A proxy would resolve names itself, without the guard.
            .no_proxy()
            .dns_resolver(GuardedDns(guard.clone()))
            .connect_timeout(CONNECT)
            .read_timeout(READ)
            .build()?;
        Ok(Self { client, guard: guard.clone() })
    }

    /// Fetches a page through its redirects, each with the rules and the turn of its site.
    async fn page(&self, robots: &RobotsClient, url: &str) -> Result<String, Box<dyn Error>> {
        let mut next = url.to_owned();
        for _ in 0..=REDIRECTS {
            let permit = turn(robots, &next).await?;
            // The turn ends after the body.
            match self.request(permit.decision().url()).await {
                Ok((response, body)) => {
                    let status = response.status().as_u16();
                    match permit.report_response(status, response.headers()) {
                        Some(url) => next = url.into(),
                        None => return Ok(format!("status {status}, {} bytes", body.len())),
                    }
                }
                // Nothing was sent: the site has not failed.
                Err(error @ Failure::Refused(_)) => return Err(error.into()),
                Err(error) => {
                    permit.report_failure();
                    return Err(error.into());
                }
            }
        }
        Err("too many redirects".into())
    }

    async fn request(&self, url: &Url) -> Result<(Response, Vec<u8>), Failure> {
        // A literal address never reaches the resolver.
        self.guard.check_url(url)?;
        let sent = self.client.get(url.clone()).send().await;
        let mut response = sent.map_err(|error| failure(&error))?;
        let body = body(&mut response, PAGE).await?;
        Ok((response, body))
    }
}

/// Waits for a turn, also of a site whose robots.txt cannot be fetched at the moment.
async fn turn(robots: &RobotsClient, url: &str) -> Result<Permit, TurnError> {
    for _ in 0..RETRIES {
        let error = match robots.turn(url).await {
            Ok(permit) => return Ok(permit),
            Err(error) => error,
        };
        match error.retry_in() {
            Some(wait) if wait <= LONGEST_WAIT => {
                eprintln!("{}: again in {} s: {error}", Untrusted::new(url), wait.as_secs());
                sleep(wait).await;
            }
            _ => return Err(error),
        }
    }
    robots.turn(url).await
}

impl HttpClient for Http {
    fn get<'a>(
        &'a self,
        request: &'a HttpRequest<'a>,
    ) -> BoxFuture<'a, Result<HttpResponse, Failure>> {
        Box::pin(async move {
            let sent = self.client.get(request.url().clone()).headers(request.headers().clone());
            let mut response = sent.send().await.map_err(|error| failure(&error))?;
            if let Some(peer) = response.remote_addr() {
                request.note_peer(peer);
            }
            let body = if response.status().is_success() {
                // One byte more shows that the body is longer.
                body(&mut response, request.body_limit() + 1).await
            } else {
                Ok(Vec::new())
            };
            let status = response.status().as_u16();
            Ok(HttpResponse::new(status, response.headers().clone(), body))
        })
    }
}

/// The beginning of a body.
async fn body(response: &mut Response, most: usize) -> Result<Vec<u8>, NetworkError> {
    let mut body = Vec::new();
    while body.len() < most {
        match response.chunk().await {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk[..chunk.len().min(most - body.len())]),
            Ok(None) => break,
            Err(error) if error.is_timeout() => return Err(NetworkError::Timeout(Phase::Idle)),
            // Half of a file could allow what the other half forbids.
            Err(_) => return Err(NetworkError::Incomplete(Incomplete::Body)),
        }
    }
    Ok(body)
}

/// The error of a request without a response.
fn failure(error: &reqwest::Error) -> Failure {
    Failure::find(error).unwrap_or_else(|| {
        let reason = match (error.is_connect(), error.is_timeout()) {
            (true, true) => NetworkError::Timeout(Phase::Connect),
            (true, false) => NetworkError::Connect(ConnectError::Other),
            (false, true) => NetworkError::Timeout(Phase::Head),
            (false, false) => NetworkError::Incomplete(Incomplete::Head),
        };
        reason.into()
    })
}

/// Resolves names by the system, and checks them with the guard before any connection.
#[derive(Debug)]
struct GuardedDns(Guard);

impl Resolve for GuardedDns {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.0.clone();
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await;
            let found = found.map_err(|_| NetworkError::Dns(DnsError::Failed))?;
            let addresses: Vec<IpAddr> = found.map(|address| address.ip()).collect();
            // One refused address refuses all.
            guard.check_addresses(name.as_str(), &addresses)?;
            let addresses = addresses.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(addresses) as Addrs)
        })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (mut name, mut urls, mut guard) = (None, Vec::new(), Guard::new());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            // For intranets and tests: by default private addresses are refused.
            "--allow-net" => {
                guard = guard.with_allowed_net(parse_net(&words.next().unwrap_or_default())?);
            }
            _ if name.is_none() => name = Some(word),
            _ => urls.push(Url::parse(&word)?),
        }
    }
    let name = name.ok_or("usage: reqwest_crawler [--allow-net NET] NAME URL…")?;
    // The crawler's name and a page about it.
    let user_agent = format!("{name}/1.0 (+https://bot.example/)");
    let http = Http::new(&user_agent, &guard)?;
    let robots = RobotsClient::builder(Crawler::new(name.as_str()), Identity::new(&user_agent)?)
        .http_client(Arc::new(http.clone()))
        .politeness(Politeness { longest_wait: Some(LONGEST_WAIT), ..Politeness::default() })
        .guard(guard)
        .build()?;
    for url in urls {
        let shown = Untrusted::new(url.as_str());
        match http.page(&robots, url.as_str()).await {
            Ok(page) => println!("{shown}: {page}"),
            Err(error) => println!("{shown}: {error}"),
        }
    }
    Ok(())
}
