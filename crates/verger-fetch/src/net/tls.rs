//! TLS 1.2 and 1.3. Verification cannot be switched off.

use std::error::Error;
use std::fmt::{self, Display};
use std::io;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio_rustls::TlsConnector;
use url::{Host, Url};

use super::BoxStream;
use crate::failure::{NetworkError, TlsError};

/// The trusted certificate authorities.
///
/// The default is Mozilla's list, compiled in, instead of the system's: the same fetch gives the
/// same answer on every machine, independent of files and environment variables. Add the
/// certificates of private authorities. The program `verger` has `--ca-file` and `SSL_CERT_FILE`
/// for this; the library reads no environment.
#[derive(Clone)]
pub struct Roots(RootCertStore);

impl Roots {
    /// Mozilla's list.
    pub fn mozilla() -> Self {
        Self(RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.into() })
    }

    /// No authority.
    pub fn none() -> Self {
        Self(RootCertStore::empty())
    }

    /// Adds an authority by its certificate in DER.
    ///
    /// # Errors
    ///
    /// If the bytes are not a certificate.
    pub fn with_certificate(mut self, der: &[u8]) -> Result<Self, TlsError> {
        let certificate = CertificateDer::from_slice(der).into_owned();
        self.0.add(certificate).map_err(|_| TlsError::Certificate)?;
        Ok(self)
    }

    /// Adds the authorities of a PEM file, which may contain other sections.
    ///
    /// Unusable certificates, which exist in lists of systems, are skipped if there is another one.
    ///
    /// # Errors
    ///
    /// If there is no usable certificate.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_fetch::net::{PemError, Roots};
    ///
    /// let error = Roots::mozilla().with_pem(b"no certificate").unwrap_err();
    /// assert_eq!(error, PemError::Absent);
    /// assert!(Roots::mozilla().with_certificate(b"no certificate").is_err());
    /// ```
    pub fn with_pem(mut self, pem: &[u8]) -> Result<Self, PemError> {
        let mut error = PemError::Absent;
        let before = self.0.len();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            match certificate.map(|it| self.0.add(it)) {
                Ok(Ok(())) => {}
                Ok(Err(_)) => error = PemError::Certificate,
                Err(_) => error = PemError::Encoding,
            }
        }
        if self.0.len() > before { Ok(self) } else { Err(error) }
    }
}

impl Default for Roots {
    fn default() -> Self {
        Self::mozilla()
    }
}

impl fmt::Debug for Roots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Roots({})", self.0.len())
    }
}

/// The error of a PEM file ([`Roots::with_pem`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PemError {
    /// There is no certificate in it.
    Absent,
    /// A certificate in it is not X.509, or of an unsupported kind.
    Certificate,
    /// A section in it is damaged: its end, or its Base64.
    Encoding,
}

impl Display for PemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Absent => "it has no certificate in PEM (`BEGIN CERTIFICATE`)",
            Self::Certificate => "the PEM data is not an X.509 certificate",
            Self::Encoding => "the certificate in PEM is damaged",
        })
    }
}

impl Error for PemError {}

/// The protocol of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Http1,
    #[cfg(feature = "http2")]
    Http2,
}

/// The protocols offered to a server (RFC 7301); without TLS always HTTP/1.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alpn {
    Http1,
    /// HTTP/2, if it is compiled in, before HTTP/1.1.
    Http2OrHttp1,
}

/// Opens TLS connections.
#[derive(Clone)]
pub(super) struct Tls {
    http1: Arc<ClientConfig>,
    http2_or_http1: Arc<ClientConfig>,
}

impl Tls {
    /// # Errors
    ///
    /// Never with the compiled-in provider; the type of Rustls requires a result.
    pub(super) fn new(roots: Roots) -> Result<Self, TlsError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|_| TlsError::Handshake)?
            .with_root_certificates(roots.0)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let http1 = Arc::new(config.clone());
        #[cfg(feature = "http2")]
        config.alpn_protocols.insert(0, b"h2".to_vec());
        Ok(Self { http1, http2_or_http1: Arc::new(config) })
    }

    /// Opens TLS on a stream to the host of a URL, and returns the negotiated protocol.
    pub(super) async fn secure(
        &self,
        stream: BoxStream,
        url: &Url,
        alpn: Alpn,
    ) -> Result<(BoxStream, Protocol), NetworkError> {
        let name = server_name(url).ok_or(NetworkError::Tls(TlsError::Name))?;
        let config = match alpn {
            Alpn::Http1 => &self.http1,
            Alpn::Http2OrHttp1 => &self.http2_or_http1,
        };
        let connector = TlsConnector::from(Arc::clone(config));
        match connector.connect(name, stream).await {
            Ok(stream) => {
                let protocol = match stream.get_ref().1.alpn_protocol() {
                    #[cfg(feature = "http2")]
                    Some(b"h2") => Protocol::Http2,
                    _ => Protocol::Http1,
                };
                Ok((Box::new(stream), protocol))
            }
            Err(error) => Err(NetworkError::Tls(io_kind(&error))),
        }
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}

fn server_name(url: &Url) -> Option<ServerName<'static>> {
    match url.host()? {
        Host::Domain(name) => {
            let name = name.strip_suffix('.').unwrap_or(name);
            ServerName::try_from(name.to_owned()).ok()
        }
        Host::Ipv4(address) => Some(ServerName::IpAddress(std::net::IpAddr::V4(address).into())),
        Host::Ipv6(address) => Some(ServerName::IpAddress(std::net::IpAddr::V6(address).into())),
    }
}

fn io_kind(error: &io::Error) -> TlsError {
    let cause = error.get_ref().and_then(|error| error.downcast_ref::<rustls::Error>());
    cause.map_or(TlsError::Handshake, TlsError::from)
}
