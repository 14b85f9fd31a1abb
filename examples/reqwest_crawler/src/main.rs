//! A crawler with its own HTTP stack, here reqwest: robots.txt and pages use the same client, with
//! its connections, certificates and resolver. Verger decides on permission and time of each
//! request.
//!
//! ```sh
//! cargo run --manifest-path examples/reqwest_crawler/Cargo.toml -- ExampleBot https://shop.example/
//! ```
//!
//! The arguments are the crawler's name and URLs; each page becomes a line. The documentation of
//! `verger_fetch` has a loop that asks sites with temporary problems again.

use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, retry};
use url::Url;
use verger_fetch::client::RobotsClient;
use verger_fetch::failure::{ConnectError, DnsError, Failure, Incomplete, NetworkError, Phase};
use verger_fetch::fetch::{HttpClient, HttpRequest, HttpResponse, Identity};
use verger_fetch::guard::Guard;
use verger_fetch::net::BoxFuture;
use verger_fetch::verger::{Crawler, Untrusted};

/// Maximum number of redirects of one page.
const REDIRECTS: usize = 5;

/// Maximum number of bytes of a page.
const PAGE: usize = 2 * 1024 * 1024;

/// Time for a connection, and between two reads.
const TIME: Duration = Duration::from_secs(10);

/// The crawler's HTTP stack.
#[derive(Clone, Debug)]
struct Http {
    client: Client,
    guard: Guard,
}

impl Http {
    fn new(user_agent: &str) -> Result<Self, Box<dyn Error>> {
        // Uses the cryptography of Verger. Feature `rustls` of reqwest needs no such lines, but
        // adds another provider.
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let roots = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
        let tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(Arc::<rustls::RootCertStore>::new(roots))
            .with_no_client_auth();
        let guard = Guard::new();
        let client = Client::builder()
            .tls_backend_preconfigured(tls)
            .user_agent(user_agent)
            // A redirect or a retry is another request, and needs another turn.
            .redirect(Policy::none())
            .retry(retry::never())
            // A proxy would resolve names itself, without the guard.
            .no_proxy()
            .dns_resolver(GuardedDns(guard.clone()))
            .connect_timeout(TIME)
            .read_timeout(TIME)
            .build()?;
        Ok(Self { client, guard })
    }

    /// Fetches a page through its redirects, each with the rules and the turn of its site.
    async fn page(&self, robots: &RobotsClient, url: &str) -> Result<String, Box<dyn Error>> {
        let mut next = url.to_owned();
        for _ in 0..=REDIRECTS {
            let permit = robots.turn(&next).await?;
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
        let mut response = self.client.get(url.clone()).send().await.map_err(failure)?;
        let body = body(&mut response, PAGE).await?;
        Ok((response, body))
    }
}

impl HttpClient for Http {
    fn get<'a>(
        &'a self,
        request: &'a HttpRequest<'a>,
    ) -> BoxFuture<'a, Result<HttpResponse, Failure>> {
        Box::pin(async move {
            let sent = self.client.get(request.url().clone()).headers(request.headers().clone());
            let mut response = sent.send().await.map_err(failure)?;
            if let Some(peer) = response.remote_addr() {
                request.note_peer(peer);
            }
            // One byte more shows that the body is longer.
            let most = request.body_limit() + 1;
            let needs_body = response.status().is_success();
            let body = if needs_body { body(&mut response, most).await } else { Ok(Vec::new()) };
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

/// The failure of a request without a response.
#[expect(clippy::needless_pass_by_value, reason = "an argument of `map_err`")]
fn failure(error: reqwest::Error) -> Failure {
    Failure::find(&error).unwrap_or_else(|| match (error.is_connect(), error.is_timeout()) {
        (true, true) => NetworkError::Timeout(Phase::Connect).into(),
        (true, false) => NetworkError::Connect(ConnectError::Other).into(),
        (false, true) => NetworkError::Timeout(Phase::Head).into(),
        (false, false) => NetworkError::Incomplete(Incomplete::Head).into(),
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
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, urls @ ..] = &arguments[..] else {
        return Err("usage: reqwest_crawler NAME URL…".into());
    };
    // The crawler's name and a page about it.
    let user_agent = format!("{name}/1.0 (+https://bot.example/)");
    let http = Http::new(&user_agent)?;
    let robots = RobotsClient::builder(Crawler::new(name.as_str()), Identity::new(&user_agent)?)
        .http_client(Arc::new(http.clone()))
        .guard(http.guard.clone())
        .build()?;
    for url in urls {
        let line = match http.page(&robots, url).await {
            Ok(page) => page,
            Err(error) => error.to_string(),
        };
        println!("{}: {line}", Untrusted::new(url));
    }
    Ok(())
}
