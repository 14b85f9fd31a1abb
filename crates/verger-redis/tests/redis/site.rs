//! A web server for all hosts, with a log, and clients that reach nothing else.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use verger::access::{Profile, Timestamp};
use verger::{Crawler, Origin};
use verger_fetch::client::{Clock, RobotsClient, RobotsClientBuilder, SystemClock};
use verger_fetch::failure::DnsError;
use verger_fetch::fetch::Identity;
use verger_fetch::limits::Limits;
use verger_fetch::net::{BoxFuture, BoxStream, Dial, Resolve, Roots};
use verger_fetch::record::{ReadOptions, RecordKey};

/// A server whose log has the host, the path and the time of each request.
#[derive(Debug)]
pub(crate) struct Site {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    log: Mutex<Vec<Request>>,
    delay: Mutex<Duration>,
}

#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) host: String,
    pub(crate) path: String,
    pub(crate) at: Instant,
}

/// Allows everything but `/no`.
pub(crate) const ROBOTS: &str = "User-agent: *\nDisallow: /no\n";

/// The beginning of the names of hosts that answer after three seconds.
pub(crate) const SLOW: &str = "slow";

/// The beginning of the names of hosts that close every connection.
pub(crate) const DEAD: &str = "dead";

impl Site {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared { log: Mutex::default(), delay: Mutex::default() });
        let site = Self { address, shared: Arc::clone(&shared) };
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                // A client that gave up is no failure.
                thread::spawn(move || drop(shared.answer(stream)));
            }
        });
        site
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Time before each answer.
    pub(crate) fn set_delay(&self, delay: Duration) {
        *self.shared.delay.lock().unwrap() = delay;
    }

    pub(crate) fn log(&self) -> Vec<Request> {
        self.shared.log.lock().unwrap().clone()
    }

    /// The number of requests for robots.txt.
    pub(crate) fn fetches(&self) -> usize {
        self.log().iter().filter(|request| request.path == "/robots.txt").count()
    }
}

impl Shared {
    fn answer(&self, mut stream: TcpStream) -> io::Result<()> {
        let mut lines = BufReader::new(stream.try_clone()?).lines();
        let first = lines.next().ok_or(io::ErrorKind::UnexpectedEof)??;
        let at = Instant::now();
        let mut host = String::new();
        for line in lines {
            let line = line?;
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("host: ") {
                value.clone_into(&mut host);
            }
        }
        let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
        self.log.lock().unwrap().push(Request { host: host.clone(), path: path.clone(), at });
        let delay = *self.delay.lock().unwrap();
        thread::sleep(if host.starts_with(SLOW) { Duration::from_secs(3) } else { delay });
        if host.starts_with(DEAD) {
            return Ok(());
        }
        let body = if path == "/robots.txt" { ROBOTS.to_owned() } else { path };
        write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
    }
}

/// Resolves every name to one public address, and dials the server instead.
#[derive(Debug)]
struct Net(SocketAddr);

impl Resolve for Net {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, DnsError>> {
        Box::pin(async { Ok(vec![IpAddr::from([93, 184, 216, 34])]) })
    }
}

impl Dial for Net {
    fn dial(&self, _: SocketAddr) -> BoxFuture<'_, io::Result<BoxStream>> {
        Box::pin(async {
            let stream = tokio::net::TcpStream::connect(self.0).await?;
            Ok(Box::new(stream) as BoxStream)
        })
    }
}

/// A clock that differs from that of the machine.
#[derive(Debug)]
struct WrongClock {
    seconds: i64,
}

impl Clock for WrongClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_seconds(SystemClock.now().seconds().saturating_add_signed(self.seconds))
    }
}

/// A client that reaches this server only. Its clock is ahead by some seconds.
pub(crate) fn client(site: SocketAddr, ahead: i64) -> RobotsClientBuilder {
    let net = Arc::new(Net(site));
    let limits = Limits { per_address: 64, ..Limits::default() };
    RobotsClient::builder(Crawler::new("ExampleBot"), Identity::new("ExampleBot/1.0").unwrap())
        .resolve(net.clone())
        .dial(net)
        .roots(Roots::none())
        .limits(limits)
        .clock(Arc::new(WrongClock { seconds: ahead }))
}

pub(crate) fn origin(host: &str) -> Origin {
    Origin::from_parts("http", host, None).unwrap()
}

/// The key of the record of the client.
pub(crate) fn key(host: &str) -> RecordKey {
    let options = ReadOptions::new(Profile::default()).with_identity("ExampleBot");
    options.key(&origin(host))
}
