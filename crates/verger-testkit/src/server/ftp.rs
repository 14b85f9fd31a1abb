//! The FTP server: a table of replies by command, and a data connection.

use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use tokio::net::{TcpListener, TcpStream};

use super::play::{End, Wire};
use super::script::{RULES, Script, ServerAction};
use super::shared::{DataPort, Shared};

/// Maximum length of a command line, more than a robots client needs.
const LONGEST_LINE: usize = 64 * 1024;

/// Behaviour of an FTP server. By default it greets, accepts an anonymous login, supports EPSV and
/// PASV, and sends [`RULES`] for any name.
///
/// ```
/// use verger_testkit::server::{Ftp, Script};
///
/// let closed = Ftp::new().on("PASS", Script::text("530 no\r\n"));
/// ```
#[derive(Clone, Debug)]
pub struct Ftp {
    greeting: Script,
    replies: BTreeMap<String, Script>,
    passive: Passive,
    opening: Script,
    data: Script,
    closing: Script,
}

/// State of the data port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passive {
    /// Sends the data.
    Open,
    /// Refuses connections.
    Refused,
    /// Does not answer at all.
    Silent,
}

impl Default for Ftp {
    fn default() -> Self {
        let replies = [
            ("USER", "331 password please\r\n"),
            ("PASS", "230 logged in\r\n"),
            ("TYPE", "200 as you like\r\n"),
            ("MODE", "200 as you like\r\n"),
            ("STRU", "200 as you like\r\n"),
            ("SYST", "215 UNIX Type: L8\r\n"),
            ("FEAT", "211 none\r\n"),
            ("SIZE", "213 27\r\n"),
            ("MDTM", "213 20260101000000\r\n"),
            ("NOOP", "200 done\r\n"),
        ];
        let mut all: BTreeMap<_, _> =
            replies.map(|(verb, reply)| (verb.to_owned(), Script::text(reply).staying())).into();
        all.insert("QUIT".to_owned(), Script::text("221 goodbye\r\n"));
        Self {
            greeting: Script::text("220 ready\r\n").staying(),
            replies: all,
            passive: Passive::Open,
            opening: Script::text("150 here it comes\r\n").staying(),
            data: Script::text(RULES),
            closing: Script::text("226 done\r\n").staying(),
        }
    }
}

impl Ftp {
    /// Returns a correct server.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the greeting, which precedes the first command.
    #[must_use]
    pub fn greeting(self, script: Script) -> Self {
        Self { greeting: staying(script), ..self }
    }

    /// Sets the reply to a command, which is in capitals. For EPSV and PASV it also replaces the
    /// port, and for RETR the data.
    #[must_use]
    pub fn on(mut self, verb: &str, script: Script) -> Self {
        self.replies.insert(verb.to_owned(), staying(script));
        self
    }

    /// Sets the state of the data port.
    #[must_use]
    pub fn passive(self, passive: Passive) -> Self {
        Self { passive, ..self }
    }

    /// Sets the reply before the data.
    #[must_use]
    pub fn opening(self, script: Script) -> Self {
        Self { opening: staying(script), ..self }
    }

    /// Sets the data.
    #[must_use]
    pub fn data(self, script: Script) -> Self {
        Self { data: script, ..self }
    }

    /// Sets the reply after the data.
    #[must_use]
    pub fn closing(self, script: Script) -> Self {
        Self { closing: staying(script), ..self }
    }

    /// Serves a control connection. `here` is the address that the client dialled.
    pub(super) async fn serve(
        &self,
        shared: &Arc<Shared>,
        here: IpAddr,
        wire: &mut Wire,
    ) -> io::Result<()> {
        if wire.play(&self.greeting).await? == End::Closed {
            return Ok(());
        }
        let mut unread = Vec::new();
        let mut listener = None;
        while let Some(line) = read_line(wire, &mut unread).await? {
            let word = line.split(|&byte| byte == b' ').next().unwrap_or_default();
            let verb = String::from_utf8_lossy(word).to_ascii_uppercase();
            shared.record(|record| record.commands.push(line));
            let end = if let Some(reply) = self.replies.get(&verb) {
                wire.play(reply).await?
            } else {
                match verb.as_str() {
                    "EPSV" | "PASV" => {
                        let port = self.open_port(shared, &mut listener).await?;
                        wire.write(passive_reply(&verb, here, port).as_bytes()).await?;
                        End::Stays
                    }
                    "RETR" => self.retrieve(shared, wire, listener.take()).await?,
                    _ => {
                        wire.write(b"502 not known here\r\n").await?;
                        End::Stays
                    }
                }
            };
            if end == End::Closed {
                break;
            }
        }
        Ok(())
    }

    async fn open_port(
        &self,
        shared: &Arc<Shared>,
        listener: &mut Option<TcpListener>,
    ) -> io::Result<u16> {
        let new = TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = new.local_addr()?.port();
        shared.open_data_port(
            port,
            match self.passive {
                Passive::Open => DataPort::Open,
                Passive::Refused => DataPort::Refused,
                Passive::Silent => DataPort::Silent,
            },
        );
        *listener = Some(new);
        Ok(port)
    }

    async fn retrieve(
        &self,
        shared: &Arc<Shared>,
        wire: &mut Wire,
        listener: Option<TcpListener>,
    ) -> io::Result<End> {
        let Some(listener) = listener else {
            wire.write(b"425 no data connection\r\n").await?;
            return Ok(End::Stays);
        };
        if wire.play(&self.opening).await? == End::Closed {
            return Ok(End::Closed);
        }
        if self.passive != Passive::Open {
            return wire.play(&Script::of(ServerAction::Never)).await;
        }
        let (data, _): (TcpStream, _) = listener.accept().await?;
        shared.record(|record| record.data_connections += 1);
        // The client may close the data connection early and still read the reply.
        let _enough = Wire::Plain(data).play(&self.data).await;
        wire.play(&self.closing).await
    }
}

fn passive_reply(verb: &str, here: IpAddr, port: u16) -> String {
    match (verb, here) {
        ("PASV", IpAddr::V4(here)) => {
            let [a, b, c, d] = here.octets();
            let [high, low] = port.to_be_bytes();
            format!("227 Entering Passive Mode ({a},{b},{c},{d},{high},{low})\r\n")
        }
        ("PASV", IpAddr::V6(_)) => "425 no such address over IPv6\r\n".to_owned(),
        _ => format!("229 Entering Extended Passive Mode (|||{port}|)\r\n"),
    }
}

/// On the control connection the client's command follows a reply, unless the reply ends otherwise.
fn staying(script: Script) -> Script {
    match script.steps().last() {
        Some(
            ServerAction::Close | ServerAction::Cut | ServerAction::Reset | ServerAction::Never,
        ) => script,
        _ => script.staying(),
    }
}

async fn read_line(wire: &mut Wire, unread: &mut Vec<u8>) -> io::Result<Option<Vec<u8>>> {
    let mut piece = [0; 1024];
    loop {
        if let Some(at) = unread.iter().position(|&byte| byte == b'\n') {
            let rest = unread.split_off(at + 1);
            let mut line = std::mem::replace(unread, rest);
            line.truncate(at);
            return Ok(Some(line.strip_suffix(b"\r").map(<[u8]>::to_vec).unwrap_or(line)));
        }
        let count = wire.read(&mut piece).await?;
        if count == 0 || unread.len() > LONGEST_LINE {
            return Ok(None);
        }
        unread.extend_from_slice(&piece[..count]);
    }
}
