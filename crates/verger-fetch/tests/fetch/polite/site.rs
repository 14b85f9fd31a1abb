//! Some sites in memory: pages by URL, and a record of requests.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::time::{Instant, sleep};
use verger::access::{Profile, Timestamp};
use verger::{Crawler, Origin};
use verger_fetch::client::{Clock, RobotsClient, RobotsClientBuilder};
use verger_fetch::failure::DnsError;
use verger_fetch::fetch::Identity;
use verger_fetch::net::{BoxFuture, BoxStream, Dial, Resolve};
use verger_fetch::record::{ReadOptions, RecordKey};

/// All sites of a test. Missing pages are 404.
#[derive(Clone, Debug)]
pub(crate) struct Sites(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    start: Instant,
    pages: HashMap<String, VecDeque<Reply>>,
    asked: Vec<(u64, String)>,
    open: HashMap<String, usize>,
    most_open: usize,
}

/// The key of the record of a URL's origin.
pub(crate) fn key(url: &str) -> RecordKey {
    let options = ReadOptions::new(Profile::default()).with_identity("ExampleBot");
    options.key(&Origin::of(url).unwrap().unwrap())
}

/// The response of a page.
#[derive(Clone, Debug)]
struct Reply {
    after: Duration,
    /// `None`: the connection ends.
    bytes: Option<Vec<u8>>,
}

impl Sites {
    /// One site with a robots.txt.
    pub(crate) fn shop(robots: &str) -> Self {
        let state = State {
            start: Instant::now(),
            pages: HashMap::new(),
            asked: Vec::new(),
            open: HashMap::new(),
            most_open: 0,
        };
        Self(Arc::new(Mutex::new(state))).page(
            "http://shop.example/robots.txt",
            "200 OK",
            "",
            robots,
        )
    }

    /// A page. With several for one URL the last one repeats.
    pub(crate) fn page(self, url: &str, status: &str, head: &str, body: &str) -> Self {
        let length = body.len();
        let text = format!("HTTP/1.1 {status}\r\n{head}Content-Length: {length}\r\n\r\n{body}");
        self.reply(url, Reply { after: Duration::ZERO, bytes: Some(text.into_bytes()) })
    }

    /// A page before the existing ones of its URL.
    pub(crate) fn before(self, url: &str, status: &str, head: &str, body: &str) -> Self {
        let sites = self.page(url, status, head, body);
        sites.0.lock().unwrap().pages.get_mut(url).unwrap().rotate_right(1);
        sites
    }

    /// A slow page.
    pub(crate) fn slow_page(self, url: &str, after: Duration) -> Self {
        let bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_vec();
        self.reply(url, Reply { after, bytes: Some(bytes) })
    }

    /// A page with a broken connection.
    pub(crate) fn broken_page(self, url: &str) -> Self {
        self.reply(url, Reply { after: Duration::ZERO, bytes: None })
    }

    fn reply(self, url: &str, reply: Reply) -> Self {
        self.0.lock().unwrap().pages.entry(url.to_owned()).or_default().push_back(reply);
        self
    }

    /// The requested pages, each with the seconds since the start, without robots.txt.
    pub(crate) fn asked(&self) -> Vec<(u64, String)> {
        let asked = self.0.lock().unwrap().asked.clone();
        asked.into_iter().filter(|(_, url)| !url.ends_with("/robots.txt")).collect()
    }

    /// Their seconds.
    pub(crate) fn times(&self) -> Vec<u64> {
        self.asked().into_iter().map(|(at, _)| at).collect()
    }

    /// Maximum number of concurrent page requests to one site.
    pub(crate) fn most_open(&self) -> usize {
        self.0.lock().unwrap().most_open
    }

    /// A client that begins at midnight.
    pub(crate) fn client(&self) -> RobotsClientBuilder {
        let identity = Identity::new("ExampleBot/1.0").unwrap();
        RobotsClient::builder(Crawler::new("ExampleBot"), identity)
            .resolve(Arc::new(self.clone()))
            .dial(Arc::new(self.clone()))
            .clock(Arc::new(Since(Instant::now())))
            .seed(7)
    }

    async fn serve(self, mut stream: DuplexStream) -> io::Result<()> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await?);
        }
        let head = String::from_utf8(head).unwrap();
        let path = head.split(' ').nth(1).unwrap();
        let host = head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
        let url = format!("http://{host}{path}");
        let reply = self.begin(host, &url);
        sleep(reply.after).await;
        *self.0.lock().unwrap().open.get_mut(host).unwrap() -= 1;
        if let Some(bytes) = reply.bytes {
            stream.write_all(&bytes).await?;
        }
        stream.shutdown().await
    }

    fn begin(&self, host: &str, url: &str) -> Reply {
        let mut state = self.0.lock().unwrap();
        let at = state.start.elapsed().as_secs();
        state.asked.push((at, url.to_owned()));
        let open = state.open.entry(host.to_owned()).or_default();
        *open += 1;
        let open = *open;
        state.most_open = state.most_open.max(open);
        let Some(replies) = state.pages.get_mut(url) else {
            let bytes = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec();
            return Reply { after: Duration::ZERO, bytes: Some(bytes) };
        };
        let reply = replies.pop_front().unwrap();
        if replies.is_empty() {
            replies.push_back(reply.clone());
        }
        reply
    }
}

impl Resolve for Sites {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, DnsError>> {
        Box::pin(async { Ok(vec!["1.1.1.1".parse().unwrap()]) })
    }
}

impl Dial for Sites {
    fn dial(&self, _: SocketAddr) -> BoxFuture<'_, io::Result<BoxStream>> {
        Box::pin(async {
            let (ours, theirs) = tokio::io::duplex(64 * 1024);
            tokio::spawn(self.clone().serve(theirs));
            Ok(Box::new(ours) as BoxStream)
        })
    }
}

/// A clock that follows the runtime's clock, from midnight on.
#[derive(Debug)]
struct Since(Instant);

impl Clock for Since {
    fn now(&self) -> Timestamp {
        Timestamp::from_seconds(20_000 * 86_400 + self.0.elapsed().as_secs())
    }
}
