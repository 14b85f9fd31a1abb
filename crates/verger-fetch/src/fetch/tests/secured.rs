//! TLS: only servers with a valid certificate, and only whole bodies.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::failure::{Failure, Incomplete, NetworkError, Phase, TlsError};
use crate::fetch::{FetchReport, Request};
use crate::limits::TLS;
use crate::net::{BoxFuture, BoxStream, Dial, Roots};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio::io::AsyncWriteExt;
use tokio_rustls::TlsAcceptor;

use crate::fetch::tests::world::{Act, RULES, World, answer, response};

/// An authority, and a server with its certificate.
pub(crate) struct Party {
    root: Vec<u8>,
    pub(crate) config: Arc<ServerConfig>,
}

pub(crate) fn party(names: &[&str], change: impl FnOnce(&mut CertificateParams)) -> Party {
    let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();

    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let mut params = CertificateParams::new(names).unwrap();
    change(&mut params);
    let key = KeyPair::generate().unwrap();
    let certificate = params.signed_by(&key, &issuer).unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let config =
        ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
    Party { root: issuer.der().to_vec(), config: Arc::new(config) }
}

/// A dialler whose servers use TLS on port 443 and follow the world's scripts for port 80 there.
#[derive(Debug)]
struct Securing {
    world: World,
    config: Arc<ServerConfig>,
    script: Vec<Act>,
    /// Whether it ends with the end of TLS, as required.
    ends_well: bool,
}

impl Dial for Securing {
    fn dial(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<BoxStream>> {
        if to.port() != 443 {
            return self.world.dial(to);
        }
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let acceptor = TlsAcceptor::from(Arc::clone(&self.config));
        let (world, script, ends_well) = (self.world.clone(), self.script.clone(), self.ends_well);
        tokio::spawn(async move {
            let stream = acceptor.accept(theirs).await?;
            if ends_well {
                return world.play(stream, script).await;
            }
            // Plays without the end of the script, which shuts TLS down, and drops the stream.
            let mut stream = Unfinished(stream);
            world.play(&mut stream, script).await?;
            stream.0.flush().await
        });
        Box::pin(async move { Ok(Box::new(ours) as BoxStream) })
    }
}

/// A stream that ignores its shutdown.
struct Unfinished<S>(S);

impl<S: tokio::io::AsyncRead + Unpin> tokio::io::AsyncRead for Unfinished<S> {
    fn poll_read(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
        buffer: &mut tokio::io::ReadBuf<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        std::pin::Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl<S: tokio::io::AsyncWrite + Unpin> tokio::io::AsyncWrite for Unfinished<S> {
    fn poll_write(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
        bytes: &[u8],
    ) -> std::task::Poll<io::Result<usize>> {
        std::pin::Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        std::pin::Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(
        self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        self.poll_flush(cx)
    }
}

async fn fetch(
    party: &Party,
    roots: Roots,
    url: &str,
    script: Vec<Act>,
    ends_well: bool,
) -> FetchReport {
    let world = World::answering(response("200 OK", "", RULES));
    let dial =
        Securing { world: world.clone(), config: Arc::clone(&party.config), script, ends_well };
    let fetcher = world.builder().dial(Arc::new(dial)).roots(roots).build_fetcher().unwrap();
    fetcher.fetch(&Request::new(url.parse().unwrap())).await
}

pub(crate) fn trusting(party: &Party) -> Roots {
    Roots::none().with_certificate(&party.root).unwrap()
}

const SHOP: &str = "https://shop.example/robots.txt";

#[tokio::test]
async fn server_with_a_valid_certificate_is_trusted() {
    let shop = party(&["shop.example"], |_| ());
    let script = answer(response("200 OK", "", RULES));
    let fetched = fetch(&shop, trusting(&shop), SHOP, script, true).await;
    assert_eq!(fetched.failure, None);
    assert_eq!(fetched.body, RULES.as_bytes());
    assert!(!fetched.downgraded);

    let address = party(&["1.1.1.1"], |_| ());
    let script = answer(response("200 OK", "", RULES));
    let url = "https://1.1.1.1/robots.txt";
    assert_eq!(fetch(&address, trusting(&address), url, script, true).await.failure, None);
}

#[tokio::test]
async fn invalid_certificates_are_a_network_error() {
    let shop = party(&["shop.example"], |_| ());
    let other = party(&["other.example"], |_| ());
    let expired = party(&["shop.example"], |params| params.not_after = date_time_ymd(2001, 1, 1));
    let future = party(&["shop.example"], |params| params.not_before = date_time_ymd(4001, 1, 1));
    let address = "https://1.1.1.1/robots.txt";
    for (why, party, roots, url, expected) in [
        ("unknown authority", &shop, trusting(&other), SHOP, TlsError::UnknownIssuer),
        ("no authority of Mozilla's", &shop, Roots::default(), SHOP, TlsError::UnknownIssuer),
        ("wrong name", &other, trusting(&other), SHOP, TlsError::WrongName),
        ("expired", &expired, trusting(&expired), SHOP, TlsError::Expired),
        ("not yet valid", &future, trusting(&future), SHOP, TlsError::NotYetValid),
        ("a name for an address", &shop, trusting(&shop), address, TlsError::WrongName),
    ] {
        let script = answer(response("200 OK", "", RULES));
        let outcome = fetch(party, roots, url, script, true).await.failure;
        assert_eq!(outcome, Some(Failure::Network(NetworkError::Tls(expected))), "{why}");
    }
}

#[tokio::test]
async fn body_that_ends_with_the_connection_requires_close_notify() {
    let shop = party(&["shop.example"], |_| ());
    let open = format!("HTTP/1.1 200 OK\r\n\r\n{RULES}");
    let framed = response("200 OK", "", RULES);
    let chunked = format!(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{RULES}\r\n0\r\n\r\n",
        RULES.len()
    );
    for (text, ends_well, expected) in [
        (open.clone().into_bytes(), true, None),
        (
            open.into_bytes(),
            false,
            Some(Failure::Network(NetworkError::Incomplete(Incomplete::TlsTruncated))),
        ),
        (framed, false, None),
        (chunked.into_bytes(), false, None),
    ] {
        let shown = String::from_utf8_lossy(&text).into_owned();
        let fetched = fetch(&shop, trusting(&shop), SHOP, answer(text), ends_well).await;
        assert_eq!(fetched.failure, expected, "{shown}");
    }
}

#[tokio::test]
async fn plain_server_on_the_tls_port_is_a_network_error() {
    let world = World::new()
        .name("shop.example", &["1.1.1.1"])
        .script("1.1.1.1:443", vec![Act::Send(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec())]);
    assert_eq!(
        world.fetch(SHOP).await.failure,
        Some(Failure::Network(NetworkError::Tls(TlsError::Handshake)))
    );
}

#[tokio::test(start_paused = true)]
async fn handshake_that_stalls_is_a_timeout() {
    let world =
        World::new().name("shop.example", &["1.1.1.1"]).script("1.1.1.1:443", vec![Act::Hang]);
    let fetched = world.fetch(SHOP).await;
    assert_eq!(fetched.failure, Some(Failure::Network(NetworkError::Timeout(Phase::Tls))));
    assert_eq!(Duration::from_secs(fetched.time.as_secs()), TLS.default);
}
