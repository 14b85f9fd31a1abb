//! A simple client: it sends one text and reads.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use verger_testkit::server::{PUBLIC, World};

/// Silence of this length is taken for the end of the script.
pub(crate) const SILENCE: Duration = Duration::from_millis(200);

/// A server that sends more is taken to send without end.
const ENOUGH: usize = 2_000_000;

/// End of the reading.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// With FIN.
    Closed(Vec<u8>),
    /// With an error, such as a reset.
    Failed(Vec<u8>, io::ErrorKind),
    /// Silence after these bytes.
    Silent(Vec<u8>),
    /// More than the limit.
    Endless,
}

impl Heard {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Closed(bytes) | Self::Failed(bytes, _) | Self::Silent(bytes) => bytes,
            Self::Endless => b"",
        }
    }
}

/// Reads until the end, silence, or the limit.
pub(crate) async fn listen(stream: &mut (impl AsyncRead + Unpin)) -> Heard {
    let mut heard = Vec::new();
    let mut piece = vec![0; 64 * 1024];
    loop {
        match tokio::time::timeout(SILENCE, stream.read(&mut piece)).await {
            Err(_) => return Heard::Silent(heard),
            Ok(Ok(0)) => return Heard::Closed(heard),
            Ok(Ok(count)) => heard.extend_from_slice(&piece[..count]),
            Ok(Err(error)) => return Heard::Failed(heard, error.kind()),
        }
        if heard.len() > ENOUGH {
            return Heard::Endless;
        }
    }
}

/// Sends a request and reads.
pub(crate) async fn ask(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    host: &str,
    target: &str,
) -> Heard {
    let head = format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    match stream.write_all(head.as_bytes()).await {
        Ok(()) => listen(stream).await,
        Err(error) => Heard::Failed(Vec::new(), error.kind()),
    }
}

/// Connects to a port of the public address.
pub(crate) async fn connect(world: &World, port: u16) -> TcpStream {
    world.connect((PUBLIC, port).into()).await.expect("a connection")
}

/// Performs a handshake as a client that trusts only the world's CA.
pub(crate) async fn shake_hands(
    world: &World,
    stream: TcpStream,
    host: &str,
    protocols: &[&str],
) -> io::Result<TlsStream<TcpStream>> {
    let mut roots = rustls::RootCertStore::empty();
    if let Some(root) = world.root() {
        roots.add(root.to_vec().into()).expect("a certificate");
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions that ring knows")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    let name = host.to_owned().try_into().expect("a name");
    let handshake = TlsConnector::from(Arc::new(config)).connect(name, stream);
    tokio::time::timeout(SILENCE * 5, handshake)
        .await
        .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}
