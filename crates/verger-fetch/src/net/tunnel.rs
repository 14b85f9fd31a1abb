//! Connections through a proxy.
//!
//! # Flow
//!
//! An http URL is sent to the proxy as a whole. For an https URL the proxy opens a tunnel (CONNECT,
//! RFC 9110 section 9.3.6), with TLS to the site inside, verified as usual.
//!
//! # Scope
//!
//! The proxy resolves the names of sites. The guard has checked the URL, but sees no address of a
//! name. The operator chooses the proxy, so its own address is not checked. Its connections are not
//! limited for each address: that limit protects an operator of many sites, and here it would limit
//! all sites together. The number of fetches bounds them.

use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;

use http_body_util::Empty;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{HOST, PROXY_AUTHORIZATION};
use hyper::{Request, upgrade};
use hyper_util::rt::TokioIo;
use url::{Host, Url};

use super::connect::{dial, first_to_connect, later_addresses};
use super::{Alpn, BoxStream, Connected, Net, Protocol, Proxy, Resolved, Route, within};
use crate::failure::{NetworkError, Phase, ProtocolError, ProxyError};
use crate::guard::Scheme;
use crate::limits::HEAD_ROOM;

impl Net {
    /// Connects to the proxy, and through it to the host of an https URL.
    pub(super) async fn connect_through(
        &self,
        proxy: &Proxy,
        url: &Url,
        alpn: Alpn,
    ) -> Result<Connected, NetworkError> {
        let resolved = self.addresses_of(proxy).await.map_err(of_proxy)?;
        let Resolved { mut addresses, mut rest } = resolved;
        let (stream, peer) = loop {
            match self.dial_proxy(addresses, proxy.port).await {
                Ok(connected) => break connected,
                Err(error) => {
                    let more = later_addresses(&mut rest, error).await;
                    addresses = more.and_then(|more| self.in_order(more)).map_err(of_proxy)?;
                }
            }
        };
        if Scheme::of(url) != Some(Scheme::Https) {
            return Ok(Connected { stream, protocol: Protocol::Http1, peer, route: Route::Relay });
        }
        let tunnel = self.tunnel(proxy, stream, url);
        let stream = within(self.limits.head, Phase::Head, tunnel).await.map_err(of_proxy)?;

        let secure = self.tls.secure(stream, url, alpn);
        let secured = within(self.limits.tls, Phase::Tls, secure).await;
        let (stream, protocol) = secured.map_err(of_tunnel)?;
        Ok(Connected { stream, protocol, peer, route: Route::Tunnel })
    }

    async fn addresses_of<'a>(&'a self, proxy: &'a Proxy) -> Result<Resolved<'a>, NetworkError> {
        match &proxy.host {
            Host::Ipv4(address) => Ok(vec![(*address).into()].into()),
            Host::Ipv6(address) => Ok(vec![(*address).into()].into()),
            Host::Domain(name) => {
                let Resolved { addresses, rest } = self.look_up(name).await?;
                Ok(Resolved { addresses: self.in_order(addresses)?, rest })
            }
        }
    }

    /// Dials the addresses until one accepts, as for sites without a proxy.
    async fn dial_proxy(
        &self,
        addresses: Vec<IpAddr>,
        port: u16,
    ) -> Result<(BoxStream, SocketAddr), NetworkError> {
        let attempts = addresses.into_iter().map(|address| {
            let target = SocketAddr::new(address, port);
            let dial = dial(Arc::clone(&self.dial), self.limits.connect, target);
            async move { dial.await.map(|stream| (stream, target)) }
        });
        first_to_connect(attempts, self.limits.connect_all).await
    }

    /// Opens a tunnel to the host of a URL.
    async fn tunnel(
        &self,
        proxy: &Proxy,
        stream: BoxStream,
        url: &Url,
    ) -> Result<BoxStream, NetworkError> {
        const MALFORMED: NetworkError = NetworkError::Proxy(ProxyError::Malformed);

        let (host, port) = (url.host_str().unwrap_or_default(), url.port_or_known_default());
        let site = format!("{host}:{}", port.unwrap_or_default());
        let mut request = Request::connect(&site).header(HOST, &site);
        if let Some(authorization) = &proxy.authorization {
            request = request.header(PROXY_AUTHORIZATION, authorization);
        }
        let request = request
            .body(Empty::<Bytes>::new())
            .map_err(|_| NetworkError::Protocol(ProtocolError::Malformed))?;
        let handshake = http1::Builder::new()
            .max_headers(self.limits.head_fields)
            .max_buf_size(self.limits.head_bytes + HEAD_ROOM)
            .handshake(TokioIo::new(stream));
        let (mut sender, connection) = handshake.await.map_err(|_| MALFORMED)?;
        // The connection runs in this task, so that dropping the fetch drops it too.
        let exchange = async {
            let response =
                sender.send_request(request).await.map_err(|error| head_error(&error))?;
            let status = response.status();
            if !status.is_success() {
                return Err(NetworkError::Proxy(ProxyError::Status(status.as_u16())));
            }
            // It begins with the bytes after the head.
            upgrade::on(response).await.map_err(|_| MALFORMED)
        };
        let (mut exchange, mut connection) = (pin!(exchange), pin!(connection.with_upgrades()));
        let tunnel = tokio::select! {
            biased;
            tunnel = &mut exchange => tunnel,
            // It ends when it becomes the tunnel, or with an error that the request reports.
            _ = &mut connection => exchange.await,
        };
        Ok(Box::new(TokioIo::new(tunnel?)))
    }
}

/// The error of a CONNECT without a response.
fn head_error(error: &hyper::Error) -> NetworkError {
    NetworkError::Proxy(if error.is_parse() { ProxyError::Malformed } else { ProxyError::Closed })
}

/// An error of TLS in a tunnel. A proxy that responds itself inside the tunnel must not count as a
/// failing site: that would allow everything.
const fn of_tunnel(error: NetworkError) -> NetworkError {
    NetworkError::Proxy(match error {
        NetworkError::Tls(error) => ProxyError::Tls(error),
        NetworkError::Timeout(phase) => ProxyError::Timeout(phase),
        other => return other,
    })
}

/// An error on the way to a proxy.
const fn of_proxy(error: NetworkError) -> NetworkError {
    NetworkError::Proxy(match error {
        NetworkError::Dns(error) => ProxyError::Dns(error),
        NetworkError::Connect(error) => ProxyError::Connect(error),
        NetworkError::Timeout(phase) => ProxyError::Timeout(phase),
        other => return other,
    })
}
