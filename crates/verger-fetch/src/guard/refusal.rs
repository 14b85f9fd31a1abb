//! A refusal of the guard.

use std::error::Error;
use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};
use verger::Untrusted;
use verger::limits::QUOTED_CHARS;

use super::AddressKind;

/// A destination that the guard refused to connect to, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    #[serde(rename = "what")]
    subject: String,
    #[serde(rename = "why")]
    reason: RefusalReason,
}

/// The reason of a refusal by the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RefusalReason {
    /// The scheme is not supported.
    Scheme,
    /// The URL has no host.
    NoHost,
    /// The host is not a valid DNS name.
    MalformedName,
    /// The name is internal: one label, or a special end such as `.internal`.
    InsideName,
    /// The port belongs to another service.
    Port,
    /// The address is not public. One such address of a name refuses all of them.
    Address(AddressKind),
    /// An address of an internal name is outside the allowed networks.
    OutsideAllowed,
    /// The name is internal, and only the proxy knows its address. Allowed networks do not change
    /// that.
    InsideNameByProxy,
}

impl Refusal {
    pub(crate) fn new(subject: &str, reason: RefusalReason) -> Self {
        Self { subject: subject.to_owned(), reason }
    }

    /// The refused host, address, port or scheme. It is untrusted text: show it through
    /// [`Untrusted`], as `Display` does.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// The reason of the refusal.
    pub const fn reason(&self) -> RefusalReason {
        self.reason
    }
}

impl Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = Untrusted::new(&self.subject).limited_to(QUOTED_CHARS);
        write!(f, "refused to connect to {subject}: {}", self.reason)
    }
}

impl Error for Refusal {}

impl Display for RefusalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scheme => "a scheme that is not fetched",
            Self::NoHost => "a URL without a host",
            Self::MalformedName => "no host name",
            Self::InsideName => "a name outside the public DNS",
            Self::Port => "a port of another service",
            Self::Address(kind) => return write!(f, "a {} address", kind.name()),
            Self::OutsideAllowed => "an address outside the allowed networks",
            Self::InsideNameByProxy => {
                "a name outside the public DNS, whose address only the proxy would know"
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_show_foreign_text_inert() {
        let refusal = Refusal::new("a\u{1b}[2J", RefusalReason::Scheme);
        assert_eq!(
            refusal.to_string(),
            r"refused to connect to a\x1b[2J: a scheme that is not fetched"
        );
    }
}
