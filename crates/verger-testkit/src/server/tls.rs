//! Certificates of a test CA, valid and invalid, and servers that use them.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, CustomExtension, DnType, GeneralSubtree, IsCa, Issuer,
    KeyPair, KeyUsagePurpose, NameConstraints, SanType, date_time_ymd,
};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// Kind of server certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Certificate {
    /// Valid for every name and public address of the setup.
    #[default]
    Good,
    /// Expired long ago.
    Expired,
    /// Valid only in the far future.
    NotYetValid,
    /// Signed by itself.
    SelfSigned,
    /// Signed by an unknown CA.
    UnknownCa,
    /// For another name.
    WrongName,
    /// For `*.example`, a whole top-level domain.
    TopLevelWildcard,
    /// For names only, not for addresses.
    NamesOnly,
    /// With an unknown critical extension.
    CriticalExtension,
    /// From a subordinate CA that must not sign for this name.
    NameConstraint,
    /// At the end of a chain with this number of CAs.
    LongChain(usize),
}

/// Configuration of a server's handshake.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tls {
    /// The certificate.
    pub certificate: Certificate,
    /// The supported protocols (ALPN). If there are any, the client must offer one of them.
    pub protocols: Vec<Vec<u8>>,
    /// Splits the first record, the `ServerHello`, into records of this many bytes.
    pub fragment: Option<usize>,
}

impl Tls {
    /// Returns a handshake with a certificate.
    pub fn with(certificate: Certificate) -> Self {
        Self { certificate, ..Self::default() }
    }
}

/// The test CA of a world.
pub(super) struct Ca {
    params: CertificateParams,
    issuer: Issuer<'static, KeyPair>,
    names: Vec<SanType>,
}

impl Ca {
    /// Creates a CA that signs for these names and addresses.
    pub(super) fn new<'n>(
        names: impl Iterator<Item = &'n str>,
        addresses: impl Iterator<Item = IpAddr>,
    ) -> io::Result<Self> {
        let params = authority("Verger test CA")?;
        let issuer = Issuer::new(params.clone(), KeyPair::generate().map_err(other)?);
        // Text that is not a valid name for a certificate is not valid for a client either.
        let names = names.filter_map(|name| name.try_into().ok()).map(SanType::DnsName);
        let names = names.chain(addresses.map(SanType::IpAddress)).collect();
        Ok(Self { params, issuer, names })
    }

    /// Returns the root certificate, as DER.
    pub(super) fn root(&self) -> io::Result<Vec<u8>> {
        Ok(self.params.self_signed(self.issuer.key()).map_err(other)?.der().to_vec())
    }

    /// Returns the acceptor for a configuration.
    pub(super) fn acceptor(&self, tls: &Tls) -> io::Result<TlsAcceptor> {
        let key = KeyPair::generate().map_err(other)?;
        let chain = self.chain(tls.certificate, &key)?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        // Not `with_single_cert`: it parses the certificate, and rejects some that only the client
        // should reject.
        let key = provider.key_provider.load_private_key(key).map_err(other)?;
        let shown = SingleCertAndKey::from(CertifiedKey::new(chain, key));
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(other)?
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(shown));
        config.alpn_protocols.clone_from(&tls.protocols);
        Ok(TlsAcceptor::from(Arc::new(config)))
    }

    fn chain(
        &self,
        certificate: Certificate,
        key: &KeyPair,
    ) -> io::Result<Vec<CertificateDer<'static>>> {
        let mut params = CertificateParams::default();
        params.subject_alt_names.clone_from(&self.names);
        params.distinguished_name.push(DnType::CommonName, "server");
        let name = |name: &str| {
            Ok::<_, io::Error>(vec![SanType::DnsName(name.try_into().map_err(other)?)])
        };
        match certificate {
            Certificate::Good
            | Certificate::SelfSigned
            | Certificate::UnknownCa
            | Certificate::NameConstraint
            | Certificate::LongChain(_) => {}
            Certificate::Expired => params.not_after = date_time_ymd(2001, 1, 1),
            Certificate::NotYetValid => params.not_before = date_time_ymd(4000, 1, 1),
            Certificate::WrongName => params.subject_alt_names = name("another.example")?,
            Certificate::TopLevelWildcard => params.subject_alt_names = name("*.example")?,
            Certificate::NamesOnly => {
                params.subject_alt_names.retain(|name| matches!(name, SanType::DnsName(_)));
            }
            Certificate::CriticalExtension => {
                let mut unknown =
                    CustomExtension::from_oid_content(&[1, 3, 6, 1, 4, 1, 99_999, 1], vec![5, 0]);
                unknown.set_criticality(true);
                params.custom_extensions.push(unknown);
            }
        }
        if certificate == Certificate::SelfSigned {
            return Ok(vec![params.self_signed(key).map_err(other)?.der().clone()]);
        }
        let mut authorities = Vec::new();
        let own;
        let issuer = match certificate {
            Certificate::UnknownCa => {
                own = Issuer::new(authority("Nobody's CA")?, KeyPair::generate().map_err(other)?);
                &own
            }
            Certificate::NameConstraint => {
                let mut below = authority("Constrained CA")?;
                let only = GeneralSubtree::DnsName("elsewhere.example".to_owned());
                below.name_constraints = Some(NameConstraints {
                    permitted_subtrees: vec![only],
                    excluded_subtrees: Vec::new(),
                });
                own = signed(below, &self.issuer, &mut authorities)?;
                &own
            }
            Certificate::LongChain(length) => {
                let mut last = signed(authority("CA 0")?, &self.issuer, &mut authorities)?;
                for number in 1..length {
                    last = signed(authority(&format!("CA {number}"))?, &last, &mut authorities)?;
                }
                own = last;
                &own
            }
            _ => &self.issuer,
        };
        let mut chain = vec![params.signed_by(key, issuer).map_err(other)?.der().clone()];
        chain.extend(authorities.into_iter().rev());
        Ok(chain)
    }
}

impl std::fmt::Debug for Ca {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ca").finish_non_exhaustive()
    }
}

fn authority(name: &str) -> io::Result<CertificateParams> {
    let mut params = CertificateParams::new(Vec::new()).map_err(other)?;
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    Ok(params)
}

fn signed(
    params: CertificateParams,
    by: &Issuer<'static, KeyPair>,
    chain: &mut Vec<CertificateDer<'static>>,
) -> io::Result<Issuer<'static, KeyPair>> {
    let key = KeyPair::generate().map_err(other)?;
    chain.push(params.signed_by(&key, by).map_err(other)?.der().clone());
    Ok(Issuer::new(params, key))
}

fn other(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::other(error)
}

/// Inserts itself between a client and the server: splits the server's first record into records of
/// `size` bytes, and forwards everything else. Returns the server's end, and the future to run
/// meanwhile.
pub(super) async fn fragmented(
    mut client: TcpStream,
    size: usize,
) -> io::Result<(TcpStream, impl Future<Output = io::Result<()>>)> {
    const HEAD: usize = 5;
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let near = TcpStream::connect(listener.local_addr()?).await?;
    let (far, _) = listener.accept().await?;
    let work = async move {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let mut near = near;
        let (mut from_client, mut to_client) = client.split();
        let (mut from_server, mut to_server) = near.split();
        let outwards = async {
            let mut head = [0; HEAD];
            from_server.read_exact(&mut head).await?;
            let mut record = vec![0; usize::from(u16::from_be_bytes([head[3], head[4]]))];
            from_server.read_exact(&mut record).await?;
            for piece in record.chunks(size) {
                let length = u16::try_from(piece.len()).map_err(other)?.to_be_bytes();
                let mut small = head[..3].to_vec();
                small.extend_from_slice(&length);
                small.extend_from_slice(piece);
                to_client.write_all(&small).await?;
            }
            tokio::io::copy(&mut from_server, &mut to_client).await?;
            to_client.shutdown().await
        };
        let inwards = async {
            tokio::io::copy(&mut from_client, &mut to_server).await?;
            to_server.shutdown().await
        };
        tokio::try_join!(outwards, inwards).map(drop)
    };
    Ok((far, work))
}
