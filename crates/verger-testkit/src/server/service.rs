//! Services and their ports on loopback.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use super::ftp::Ftp;
use super::http::{Served, Site};
use super::http2;
use super::play::Wire;
use super::script::Script;
use super::shared::Shared;
use super::tls::{Ca, Tls, fragmented};

/// Kind of service at an address and port.
#[derive(Clone, Debug)]
pub enum Service {
    /// A site.
    Http(Site),
    /// A site over TLS.
    Https(Tls, Site),
    /// HTTP/2 over TLS: plays the script after a request.
    Http2(Script),
    /// FTP.
    Ftp(Box<Ftp>),
    /// Plays a script immediately, regardless of the client.
    Raw(Script),
    /// Refuses connections.
    Refused,
    /// Does not answer at all: the first packet is lost.
    Silent,
}

/// A service with its data at run time.
pub(super) enum Running {
    Http(Served),
    Https(TlsAcceptor, Option<usize>, Served),
    Http2(TlsAcceptor, Script),
    Ftp(Box<Ftp>),
    Raw(Script),
}

impl Running {
    pub(super) fn new(service: &Service, ca: Option<&Ca>) -> io::Result<Self> {
        let acceptor = |tls: &Tls| {
            ca.ok_or_else(|| io::Error::other("expected a CA, but found none"))?.acceptor(tls)
        };
        Ok(match service {
            Service::Http(site) => Self::Http(Served::new(site)),
            Service::Https(tls, site) => {
                Self::Https(acceptor(tls)?, tls.fragment, Served::new(site))
            }
            Service::Http2(script) => {
                let protocols = vec![b"h2".to_vec()];
                Self::Http2(acceptor(&Tls { protocols, ..Tls::default() })?, script.clone())
            }
            Service::Ftp(ftp) => Self::Ftp(ftp.clone()),
            Service::Raw(script) => Self::Raw(script.clone()),
            Service::Refused | Service::Silent => Self::Raw(Script::new()),
        })
    }

    async fn serve(
        &self,
        shared: &Arc<Shared>,
        here: IpAddr,
        number: usize,
        stream: TcpStream,
    ) -> io::Result<()> {
        match self {
            Self::Http(site) => site.serve(shared, number, &mut Wire::Plain(stream)).await,
            Self::Https(acceptor, None, site) => {
                let stream = acceptor.accept(stream).await?;
                site.serve(shared, number, &mut Wire::Tls(Box::new(stream))).await
            }
            Self::Https(acceptor, Some(size), site) => {
                let (stream, work) = fragmented(stream, *size).await?;
                let served = async {
                    let stream = acceptor.accept(stream).await?;
                    site.serve(shared, number, &mut Wire::Tls(Box::new(stream))).await
                };
                tokio::try_join!(served, work).map(drop)
            }
            Self::Http2(acceptor, script) => {
                let stream = acceptor.accept(stream).await?;
                http2::serve(shared, number, &mut Wire::Tls(Box::new(stream)), script).await
            }
            Self::Ftp(ftp) => ftp.serve(shared, here, &mut Wire::Plain(stream)).await,
            Self::Raw(script) => Wire::Plain(stream).play(script).await.map(drop),
        }
    }
}

/// Accepts connections until dropped, which also ends the connections.
pub(super) async fn accept(
    listener: TcpListener,
    here: IpAddr,
    running: Arc<Running>,
    shared: Arc<Shared>,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else { return };
                let mut number = 0;
                shared.record(|record| {
                    number = record.connections;
                    record.connections += 1;
                });
                let (running, shared) = (Arc::clone(&running), Arc::clone(&shared));
                connections.spawn(async move {
                    // Most scripts end when the client closes the connection.
                    let _hung_up = running.serve(&shared, here, number, stream).await;
                });
            }
            Some(_) = connections.join_next() => {}
        }
    }
}
