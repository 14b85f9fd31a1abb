//! A web server on all addresses of the loopback network, each of which is an origin.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How an origin behaves. The second number of its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Good = 1,
    /// Answers after [`SLOW`].
    Slow = 2,
    /// Closes every connection.
    Dead = 3,
    /// Never answers.
    Silent = 4,
}

/// Time before the answer of a slow origin.
pub(crate) const SLOW: Duration = Duration::from_secs(1);

/// Longer than any fetch.
const SILENCE: Duration = Duration::from_secs(20);

/// The addresses that services must be allowed to fetch from.
pub(crate) const NET: &str = "127.0.0.0/8";

/// A request that the server has received.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) host: Ipv4Addr,
    pub(crate) is_robots: bool,
    pub(crate) at: Instant,
}

/// The server, and its log.
#[derive(Debug)]
pub(crate) struct Site {
    port: u16,
    log: Arc<Mutex<Vec<Request>>>,
}

impl Site {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let log = Arc::<Mutex<Vec<Request>>>::default();
        let site = Self { port, log: Arc::clone(&log) };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let log = Arc::clone(&log);
                // A client that gave up is no failure.
                std::thread::spawn(move || drop(answer(&log, stream)));
            }
        });
        site
    }

    pub(crate) fn origin(&self, kind: Kind, number: u16) -> String {
        format!("http://{}:{}", host(kind, number), self.port)
    }

    pub(crate) fn log(&self) -> Vec<Request> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The number of fetches of robots.txt.
    pub(crate) fn fetches(&self) -> usize {
        self.log().iter().filter(|request| request.is_robots).count()
    }

    /// The number of fetches of the robots.txt of one origin.
    pub(crate) fn fetches_of(&self, kind: Kind, number: u16) -> usize {
        let host = host(kind, number);
        self.log().iter().filter(|request| request.is_robots && request.host == host).count()
    }

    /// Sends a request for a page, as a worker does.
    pub(crate) fn visit(&self, kind: Kind, number: u16) -> io::Result<()> {
        let host = host(kind, number);
        let mut stream = TcpStream::connect((host, self.port))?;
        write!(stream, "GET /yes HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
        io::copy(&mut stream, &mut io::sink()).map(drop)
    }
}

fn host(kind: Kind, number: u16) -> Ipv4Addr {
    let [high, low] = number.to_be_bytes();
    Ipv4Addr::new(127, kind as u8, high, low)
}

/// The path that only the robots.txt of this origin disallows, besides `/no`.
pub(crate) fn own_path(number: u16) -> String {
    format!("/own-{number}-")
}

fn answer(log: &Mutex<Vec<Request>>, mut stream: TcpStream) -> io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().ok_or(io::ErrorKind::UnexpectedEof)??;
    let at = Instant::now();
    lines.by_ref().find(|line| line.as_ref().map_or(true, String::is_empty));
    let SocketAddr::V4(local) = stream.local_addr()? else { return Ok(()) };
    let (host, is_robots) = (*local.ip(), first.starts_with("GET /robots.txt "));
    assert!(IpAddr::V4(host).is_loopback());
    log.lock().unwrap_or_else(PoisonError::into_inner).push(Request { host, is_robots, at });
    let [_, kind, high, low] = host.octets();
    match kind {
        kind if kind == Kind::Dead as u8 => return Ok(()),
        kind if kind == Kind::Silent as u8 => std::thread::sleep(SILENCE),
        kind if kind == Kind::Slow as u8 => std::thread::sleep(SLOW),
        _ => {}
    }
    let own = own_path(u16::from_be_bytes([high, low]));
    let body = format!("User-agent: *\nDisallow: /no\nDisallow: {own}\n");
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}
