//! robots.txt over FTP (REP-ACCESS-11): anonymous login, RETR over EPSV.
//!
//! A custom implementation of a few commands instead of a library: the data connection goes only to
//! the peer of the control connection, through the same dialler and guard, and every line, reply
//! and byte is bounded. PASV is not used, because its reply contains an address. FTP over TLS is
//! not offered: the scheme `ftp` means plain FTP.
//!
//! References: RFC 959, RFC 1738 section 3.2, RFC 2428.

use percent_encoding::percent_decode_str;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use url::Url;

use super::{Body, FetchReport, Identity, cut};
use crate::failure::{Failure, FtpStep, Incomplete, NetworkError, Phase, ProtocolError};
use crate::limits::{
    FTP_LINE_BYTES, FTP_PRELIMINARY, FTP_READ_BYTES, FTP_REPLY_BYTES, FTP_REPLY_LINES, Limits,
};
use crate::net::{Alpn, BoxStream, Budget, Net, within};

/// The status for "no such file", as in HTTP.
const NOT_FOUND: u16 = 404;

/// Fetches the URL of the last hop.
pub(super) async fn fetch(
    net: &Net,
    identity: &Identity,
    fetched: &mut FetchReport,
    budget: &Budget<'_>,
) -> Result<(), Failure> {
    let url = fetched.final_url.clone();
    let path = path(&url)?;
    let limits = &net.limits;
    let connected = net.connect(&url, Alpn::Http1, budget).await?;
    fetched.reached((&connected).into());

    let mut control = Control::new(connected.stream, *limits);
    let opened = open(net, &mut control, identity, (connected.peer, budget), &path).await;
    if let Some(code) = control.last_code {
        fetched.status(code, true);
    }
    let Some(data) = opened? else {
        return Err(Failure::Status(NOT_FOUND));
    };

    let body = read(data, limits).await?;
    // After a truncated read there is no final reply. Otherwise only the server knows whether this
    // was the whole file.
    if !body.truncated {
        let code = control.reply(FtpStep::Complete).await?;
        fetched.status(code, true);
        if !matches!(code, 226 | 250) {
            return Err(NetworkError::Incomplete(Incomplete::Body).into());
        }
    }
    fetched.body(body);
    Ok(())
}

/// Logs in and requests the file. `None`: it does not exist.
async fn open(
    net: &Net,
    control: &mut Control,
    identity: &Identity,
    (peer, budget): (std::net::SocketAddr, &Budget<'_>),
    path: &str,
) -> Result<Option<BoxStream>, Failure> {
    let refused = |step, code| Err(NetworkError::Ftp { step, code: Some(code) }.into());

    let mut greeting = control.reply(FtpStep::Greeting).await?;
    for _ in 0..FTP_PRELIMINARY {
        // 120: ready in some minutes. The budget limits the wait.
        if greeting == 120 {
            greeting = control.reply(FtpStep::Greeting).await?;
        }
    }
    if greeting != 220 {
        return refused(FtpStep::Greeting, greeting);
    }
    let mut login = control.ask(FtpStep::Login, "USER anonymous").await?;
    if login == 331 {
        let from =
            identity.from.as_ref().and_then(|from| from.to_str().ok()).unwrap_or("anonymous@");
        login = control.ask(FtpStep::Login, &format!("PASS {from}")).await?;
    }
    if !matches!(login, 230 | 202) {
        return refused(FtpStep::Login, login);
    }
    // Binary: type ASCII would change line ends.
    let typed = control.ask(FtpStep::Type, "TYPE I").await?;
    if typed != 200 {
        return refused(FtpStep::Type, typed);
    }
    let passive = control.ask(FtpStep::Passive, "EPSV").await?;
    if passive != 229 {
        return refused(FtpStep::Passive, passive);
    }
    let Some(port) = extended_port(&control.line) else {
        return refused(FtpStep::Passive, passive);
    };
    let data = net.connect_again(peer, port, budget).await?;
    match control.ask(FtpStep::Retrieve, &format!("RETR {path}")).await? {
        125 | 150 => Ok(Some(data)),
        // REP-ACCESS-11: after a login this means that the file does not exist.
        550 => Ok(None),
        code => refused(FtpStep::Retrieve, code),
    }
}

async fn read(mut data: BoxStream, limits: &Limits) -> Result<Body, NetworkError> {
    let mut bytes = Vec::new();
    let mut buffer = [0; FTP_READ_BYTES];
    loop {
        let read = async {
            data.read(&mut buffer).await.map_err(|_| NetworkError::Incomplete(Incomplete::Body))
        };
        let count = within(limits.idle, Phase::Idle, read).await?;
        bytes.extend_from_slice(&buffer[..count]);
        if count == 0 || bytes.len() > limits.body {
            break;
        }
    }
    let wire_bytes = bytes.len().min(limits.body);
    let truncated = cut(&mut bytes, limits.body);
    Ok(Body { bytes, truncated, wire_bytes })
}

/// The argument of RETR: the path of the URL, relative to the login directory (RFC 1738).
fn path(url: &Url) -> Result<String, NetworkError> {
    let refused = NetworkError::Protocol(ProtocolError::FtpPath);
    let encoded = url.path().strip_prefix('/').unwrap_or(url.path());
    let path = percent_decode_str(encoded).decode_utf8().map_err(|_| refused)?;
    // A line end would begin another command; other control characters are invalid too.
    if path.is_empty() || path.chars().any(char::is_control) {
        return Err(refused);
    }
    Ok(path.into_owned())
}

/// The port in `229 Entering Extended Passive Mode (|||6446|)`, unless it is a well-known port.
///
/// The delimiter may be any graphic character; the fields for protocol and address must be empty
/// (RFC 2428 section 3).
fn extended_port(line: &[u8]) -> Option<u16> {
    let open = line.iter().position(|&octet| octet == b'(')?;
    let inside = &line[open + 1..];
    let close = inside.iter().position(|&octet| octet == b')')?;
    let delimiter = *inside.first()?;
    if !delimiter.is_ascii_graphic() || delimiter.is_ascii_digit() {
        return None;
    }
    let digits = inside[..close]
        .strip_prefix(&[delimiter; 3])?
        .strip_suffix(&[delimiter])
        .filter(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))?;
    let port: u16 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    // Data ports are unprivileged.
    (port >= 1024).then_some(port)
}

/// A control connection.
struct Control {
    stream: BoxStream,
    limits: Limits,
    /// Received but not parsed yet.
    pending: Vec<u8>,
    /// The last line of the last reply.
    line: Vec<u8>,
    /// The code of the last reply.
    last_code: Option<u16>,
}

impl Control {
    const fn new(stream: BoxStream, limits: Limits) -> Self {
        Self { stream, limits, pending: Vec::new(), line: Vec::new(), last_code: None }
    }

    /// Sends a command and reads the reply.
    async fn ask(&mut self, step: FtpStep, command: &str) -> Result<u16, NetworkError> {
        let broken = NetworkError::Ftp { step, code: None };
        // A reply before its command answers something else. From then on every reply would be
        // assigned to the wrong command.
        if !self.pending.is_empty() {
            return Err(broken);
        }
        let line = format!("{command}\r\n");
        let write = async {
            self.stream.write_all(line.as_bytes()).await.map_err(|_| broken)?;
            self.stream.flush().await.map_err(|_| broken)
        };
        within(self.limits.idle, Phase::Idle, write).await?;
        self.reply(step).await
    }

    /// Reads a reply of one or more lines (RFC 959 section 4.2).
    async fn reply(&mut self, step: FtpStep) -> Result<u16, NetworkError> {
        let limits = self.limits;
        within(limits.idle, Phase::Idle, self.read_reply(NetworkError::Ftp { step, code: None }))
            .await
    }

    async fn read_reply(&mut self, broken: NetworkError) -> Result<u16, NetworkError> {
        self.read_line(broken).await?;
        let code = code(&self.line).ok_or(broken)?;
        if self.line.get(3) == Some(&b'-') {
            let mut lines = 1;
            // A line with the same code and a space is the end; lines between may have any form.
            while self::code(&self.line) != Some(code) || self.line.get(3) == Some(&b'-') {
                lines += 1;
                if lines > FTP_REPLY_LINES {
                    return Err(broken);
                }
                self.read_line(broken).await?;
            }
        }
        self.last_code = Some(code);
        Ok(code)
    }

    /// Reads one line, without its end.
    async fn read_line(&mut self, broken: NetworkError) -> Result<(), NetworkError> {
        loop {
            if let Some(end) = self.pending.iter().position(|&octet| octet == b'\n') {
                self.line = self.pending.drain(..=end).collect();
                self.line.truncate(end);
                if self.line.last() == Some(&b'\r') {
                    self.line.pop();
                }
                return if end > FTP_LINE_BYTES { Err(broken) } else { Ok(()) };
            }
            if self.pending.len() > FTP_LINE_BYTES {
                return Err(broken);
            }
            let mut buffer = [0; FTP_REPLY_BYTES];
            match self.stream.read(&mut buffer).await {
                Ok(0) | Err(_) => return Err(broken),
                Ok(count) => self.pending.extend_from_slice(&buffer[..count]),
            }
        }
    }
}

/// The code of a line: three digits, the first from 1 to 5, and then a space, a hyphen or nothing.
fn code(line: &[u8]) -> Option<u16> {
    let digits = line.get(..3).filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
    if !matches!(line.get(3), None | Some(b' ' | b'-')) || !matches!(digits[0], b'1'..=b'5') {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_login_and_contain_no_second_command() {
        let of = |url: &str| path(&url.parse().unwrap()).ok();
        for (url, expected) in [
            ("ftp://h.example/robots.txt", Some("robots.txt")),
            ("ftp://h.example//robots.txt", Some("/robots.txt")),
            ("ftp://h.example/%2Frobots.txt", Some("/robots.txt")),
            ("ftp://h.example/a%20b%zz", Some("a b%zz")),
            ("ftp://h.example/robots.txt%0d%0aDELE%20x", None),
            ("ftp://h.example/robots.txt%0aDELE", None),
            ("ftp://h.example/robots.txt%00", None),
            ("ftp://h.example/%1b", None),
            ("ftp://h.example/%c2%85", None),
            ("ftp://h.example/%ff", None),
            ("ftp://h.example/", None),
        ] {
            assert_eq!(of(url).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn ports_are_read_and_addresses_are_not() {
        for (line, expected) in [
            ("229 Entering Extended Passive Mode (|||6446|)", Some(6446)),
            ("229 (!!!1024!)", Some(1024)),
            ("229 (|||65535|) ok", Some(65535)),
            ("229 (|||1023|)", None),
            ("229 (!!!22!)", None),
            ("229 (|||0|)", None),
            ("229 (|||65536|)", None),
            ("229 (|1|127.0.0.1|2000|)", None),
            ("229 (||127.0.0.1|2000|)", None),
            ("229 (|||+6446|)", None),
            ("229 (|||6446)", None),
            ("229 |||6446|", None),
            ("229 (1112000)", None),
            ("229 ()", None),
            ("229 junk", None),
            ("227 Entering Passive Mode (127,0,0,1,8,0)", None),
        ] {
            assert_eq!(extended_port(line.as_bytes()), expected, "{line}");
        }
    }

    async fn reply(text: &[u8]) -> Option<u16> {
        let stream =
            Box::new(tokio::io::join(std::io::Cursor::new(text.to_vec()), tokio::io::sink()));
        Control::new(stream, Limits::default()).reply(FtpStep::Greeting).await.ok()
    }

    #[tokio::test]
    async fn replies_have_one_line_or_several() {
        for (text, expected) in [
            ("220 ready\r\n", Some(220)),
            ("220\r\n", Some(220)),
            ("220 bare line end\n", Some(220)),
            ("220-a\r\n b\r\n230 c\r\n220-d\r\n220 e\r\n", Some(220)),
            ("220-a\r\n220\r\n", Some(220)),
            ("220-a\r\n", None),
            ("220 no end", None),
            ("", None),
            ("22\r\n", None),
            ("2200 x\r\n", None),
            ("abc\r\n", None),
            ("000 x\r\n", None),
            ("999 x\r\n", None),
            ("HTTP/1.1 400 Bad Request\r\n", None),
            ("SSH-2.0-x\r\n", None),
        ] {
            assert_eq!(reply(text.as_bytes()).await, expected, "{text:?}");
        }
    }

    #[tokio::test]
    async fn lines_and_replies_are_bounded() {
        let line = |length: usize| format!("220 {}\r\n", "x".repeat(length - 5)).into_bytes();
        assert_eq!(reply(&line(FTP_LINE_BYTES)).await, Some(220));
        assert_eq!(reply(&line(FTP_LINE_BYTES + 1)).await, None);
        let lines =
            |count: usize| format!("{}220 x\r\n", "220-x\r\n".repeat(count - 1)).into_bytes();
        assert_eq!(reply(&lines(FTP_REPLY_LINES)).await, Some(220));
        assert_eq!(reply(&lines(FTP_REPLY_LINES + 1)).await, None);
    }
}
