//! Failures of TLS connections.

use rustls::CertificateError as Certificate;
use serde::{Deserialize, Serialize};

/// The error of a TLS connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TlsError {
    /// The certificate has expired.
    Expired,
    /// The certificate is not valid yet. Perhaps the clock of this machine is slow.
    NotYetValid,
    /// The certificate is for other names.
    WrongName,
    /// The authority of the certificate is not trusted, or the certificate is self-signed.
    UnknownIssuer,
    /// The certificate is invalid for another reason.
    Certificate,
    /// The handshake failed otherwise.
    Handshake,
    /// The host cannot be in a certificate.
    Name,
}

impl TlsError {
    /// The defect of the certificate, after its name in a sentence.
    pub(super) const fn defect(self) -> &'static str {
        match self {
            Self::Expired => "has expired",
            Self::NotYetValid => "is not valid yet",
            Self::WrongName => "is for another host",
            Self::UnknownIssuer => "is from an unknown authority",
            _ => "is not valid",
        }
    }
}

impl From<&rustls::Error> for TlsError {
    fn from(error: &rustls::Error) -> Self {
        let rustls::Error::InvalidCertificate(error) = error else { return Self::Handshake };
        match error {
            Certificate::Expired | Certificate::ExpiredContext { .. } => Self::Expired,
            Certificate::NotValidYet | Certificate::NotValidYetContext { .. } => Self::NotYetValid,
            Certificate::NotValidForName | Certificate::NotValidForNameContext { .. } => {
                Self::WrongName
            }
            // The signature is another one's if two authorities have the same name.
            Certificate::UnknownIssuer | Certificate::BadSignature => Self::UnknownIssuer,
            _ => Self::Certificate,
        }
    }
}
