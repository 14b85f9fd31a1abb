//! Record of a world: requests, commands, connections, dials, look-ups.

use std::net::{IpAddr, SocketAddr};

/// One HTTP request, as received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The number of its connection, from 0, in the order they were accepted.
    pub connection: usize,
    /// Whether it came over TLS.
    pub is_secure: bool,
    /// The bytes up to and including the empty line.
    pub head: Vec<u8>,
}

impl Request {
    /// Returns the method, or an empty text.
    pub fn method(&self) -> String {
        self.word(0)
    }

    /// Returns the target of the request line, or an empty text.
    pub fn target(&self) -> String {
        self.word(1)
    }

    /// Returns the value of the first field of this name, compared case-insensitively.
    pub fn field(&self, name: &str) -> Option<String> {
        self.fields().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Returns the URL of this request: scheme, Host field, target.
    pub fn url(&self) -> String {
        let scheme = if self.is_secure { "https" } else { "http" };
        format!("{scheme}://{}{}", self.field("Host").unwrap_or_default(), self.target())
    }

    fn word(&self, at: usize) -> String {
        let line = self.head.split(|&byte| byte == b'\r').next().unwrap_or_default();
        let word = line.split(|&byte| byte == b' ').nth(at).unwrap_or_default();
        String::from_utf8_lossy(word).into_owned()
    }

    fn fields(&self) -> impl Iterator<Item = (String, String)> {
        let text = String::from_utf8_lossy(&self.head).into_owned();
        let lines: Vec<_> = text
            .split("\r\n")
            .skip(1)
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .collect();
        lines.into_iter()
    }
}

/// All recorded events, each kind in order of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// HTTP requests with a complete head.
    pub requests: Vec<Request>,
    /// FTP command lines, without their line ends.
    pub commands: Vec<Vec<u8>>,
    /// Number of accepted connections of all services, except FTP data connections.
    pub connections: usize,
    /// Number of FTP data connections.
    pub data_connections: usize,
    /// Addresses that the client dialled.
    pub dials: Vec<SocketAddr>,
    /// Dials to addresses without a service. They were refused; a correct client makes none.
    pub strays: Vec<SocketAddr>,
    /// Names looked up, as the client wrote them.
    pub lookups: Vec<String>,
    /// Addresses returned to the client.
    pub shown: Vec<IpAddr>,
}
