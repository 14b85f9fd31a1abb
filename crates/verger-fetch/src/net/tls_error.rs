//! Errors of TLS connections.

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
