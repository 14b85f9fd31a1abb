//! A small Internet: names, addresses, and the steps of each server.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::client::{RobotsClient, RobotsClientBuilder};
use crate::failure::DnsError;
use crate::fetch::{FetchReport, Identity, Request};
use crate::net::{BoxFuture, BoxStream, Dial, Resolve};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream};
use tokio::time::sleep;
use verger::Crawler;

/// A step of a server.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Reads up to an empty line and records it.
    Request,
    /// Reads one line, which must begin like this.
    #[cfg(feature = "ftp")]
    Command(&'static str),
    /// Sends bytes.
    Send(Vec<u8>),
    /// Sends the same bytes as long as they are read, with a pause in between.
    Forever(Vec<u8>, Duration),
    /// Does nothing for a time.
    Wait(Duration),
    /// Leaves the connection open and silent.
    Hang,
}

/// The behaviour of a connection.
#[derive(Clone, Debug)]
pub(crate) enum Server {
    /// It follows a script, then closes.
    Script(Vec<Act>),
    /// It is refused.
    Refuses,
    /// It is never accepted.
    Silent,
}

#[derive(Debug, Default)]
struct State {
    /// Answers of DNS, one for each query; the last one repeats.
    names: HashMap<String, VecDeque<Result<Vec<IpAddr>, DnsError>>>,
    servers: HashMap<SocketAddr, VecDeque<Server>>,
    asked: Vec<String>,
    dialled: Vec<SocketAddr>,
    requests: Vec<String>,
}

/// The Internet of one test.
#[derive(Clone, Debug, Default)]
pub(crate) struct World(Arc<Mutex<State>>);

impl World {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A world where `shop.example` is 1.1.1.1 and its web server follows these scripts, one for
    /// each connection; the last one repeats.
    pub(crate) fn shop(scripts: impl IntoIterator<Item = Vec<Act>>) -> Self {
        let scripts = scripts.into_iter().map(Server::Script);
        Self::new().name("shop.example", &["1.1.1.1"]).servers("1.1.1.1:80", scripts)
    }

    /// A world where `shop.example` answers every request with these bytes and closes.
    pub(crate) fn answering(response: impl Into<Vec<u8>>) -> Self {
        Self::shop([vec![Act::Request, Act::Send(response.into())]])
    }

    pub(crate) fn name(self, name: &str, addresses: &[&str]) -> Self {
        let addresses = addresses.iter().map(|text| text.parse().unwrap()).collect();
        self.dns(name, Ok(addresses))
    }

    pub(crate) fn dns(self, name: &str, answer: Result<Vec<IpAddr>, DnsError>) -> Self {
        self.0.lock().unwrap().names.entry(name.to_owned()).or_default().push_back(answer);
        self
    }

    pub(crate) fn server(self, at: &str, server: Server) -> Self {
        self.servers(at, [server])
    }

    pub(crate) fn script(self, at: &str, script: Vec<Act>) -> Self {
        self.server(at, Server::Script(script))
    }

    fn servers(self, at: &str, servers: impl IntoIterator<Item = Server>) -> Self {
        let at = at.parse().unwrap();
        self.0.lock().unwrap().servers.entry(at).or_default().extend(servers);
        self
    }

    pub(crate) fn builder(&self) -> RobotsClientBuilder {
        RobotsClient::builder(Crawler::new("ExampleBot"), Identity::new("ExampleBot/1.0").unwrap())
            .resolve(Arc::new(self.clone()))
            .dial(Arc::new(self.clone()))
    }

    /// Fetches a URL with all defaults.
    pub(crate) async fn fetch(&self, url: &str) -> FetchReport {
        self.builder().build_fetcher().unwrap().fetch(&Request::new(url.parse().unwrap())).await
    }

    /// Fetches `http://shop.example/robots.txt` with all defaults.
    pub(crate) async fn fetch_shop(&self) -> FetchReport {
        self.fetch("http://shop.example/robots.txt").await
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.0.lock().unwrap().asked.clone()
    }

    pub(crate) fn dialled(&self) -> Vec<String> {
        self.0.lock().unwrap().dialled.iter().map(ToString::to_string).collect()
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.0.lock().unwrap().requests.clone()
    }

    /// Reads up to an empty line and records it.
    pub(crate) async fn read_request(
        &self,
        stream: &mut (impl AsyncRead + Unpin),
    ) -> io::Result<String> {
        let request = read_until(stream, "\r\n\r\n").await?;
        self.0.lock().unwrap().requests.push(request.clone());
        Ok(request)
    }

    /// Follows a script on a connection.
    pub(crate) async fn play(
        &self,
        mut stream: impl AsyncRead + AsyncWrite + Unpin,
        script: Vec<Act>,
    ) -> io::Result<()> {
        for act in script {
            match act {
                Act::Request => drop(self.read_request(&mut stream).await?),
                #[cfg(feature = "ftp")]
                Act::Command(expected) => {
                    let line = read_until(&mut stream, "\r\n").await?;
                    assert!(line.starts_with(expected), "expected {expected}, but found {line}");
                    self.0.lock().unwrap().requests.push(line);
                }
                Act::Send(bytes) => stream.write_all(&bytes).await?,
                Act::Forever(bytes, pause) => loop {
                    stream.write_all(&bytes).await?;
                    sleep(pause).await;
                },
                Act::Wait(time) => sleep(time).await,
                Act::Hang => std::future::pending().await,
            }
        }
        stream.shutdown().await
    }
}

impl Resolve for World {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, DnsError>> {
        let mut state = self.0.lock().unwrap();
        state.asked.push(name.to_owned());
        let answer = state.names.get_mut(name).map_or(Err(DnsError::NoSuchName), next);
        Box::pin(async move { answer })
    }
}

impl Dial for World {
    fn dial(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<BoxStream>> {
        let mut state = self.0.lock().unwrap();
        state.dialled.push(to);
        let server = state.servers.get_mut(&to).map_or(Server::Refuses, next);
        Box::pin(async move {
            match server {
                Server::Refuses => Err(io::ErrorKind::ConnectionRefused.into()),
                Server::Silent => std::future::pending().await,
                Server::Script(script) => {
                    let (ours, theirs): (DuplexStream, DuplexStream) = tokio::io::duplex(64 * 1024);
                    let world = self.clone();
                    tokio::spawn(async move { world.play(theirs, script).await });
                    Ok(Box::new(ours) as BoxStream)
                }
            }
        })
    }
}

/// The next of some answers; the last one repeats.
fn next<T: Clone>(answers: &mut VecDeque<T>) -> T {
    let first = answers.pop_front().unwrap();
    if answers.is_empty() {
        answers.push_back(first.clone());
    }
    first
}

async fn read_until(stream: &mut (impl AsyncRead + Unpin), end: &str) -> io::Result<String> {
    let mut text = Vec::new();
    while !text.ends_with(end.as_bytes()) {
        text.push(stream.read_u8().await?);
    }
    Ok(String::from_utf8(text).unwrap())
}

/// A name server that never answers.
#[derive(Debug)]
pub(crate) struct SilentDns;

impl Resolve for SilentDns {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, DnsError>> {
        Box::pin(std::future::pending())
    }
}

/// A response with a Content-Length.
pub(crate) fn response(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// A redirect.
pub(crate) fn redirect(to: &str) -> Vec<u8> {
    response("302 Found", &format!("Location: {to}\r\n"), "moved")
}

/// A script that answers one request.
pub(crate) fn answer(response: impl Into<Vec<u8>>) -> Vec<Act> {
    vec![Act::Request, Act::Send(response.into())]
}

/// A robots.txt.
pub(crate) const RULES: &str = "User-agent: *\nDisallow: /cart\n";
