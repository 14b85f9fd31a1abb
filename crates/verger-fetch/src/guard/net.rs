//! Parsing of networks.

use std::error::Error;
use std::fmt;
use std::net::IpAddr;

use ipnet::IpNet;
use verger::Untrusted;

/// Parses a network such as `10.0.0.0/8` or `fd00::/8`, or a single address, for
/// [`Guard::with_allowed_net`](super::Guard::with_allowed_net).
///
/// # Errors
///
/// [`NetError`] for any other text.
///
/// # Examples
///
/// ```
/// use verger_fetch::guard::parse_net;
///
/// assert_eq!(parse_net("10.0.0.0/8")?, "10.0.0.0/8".parse()?);
/// assert_eq!(parse_net("127.0.0.1")?, "127.0.0.1/32".parse()?);
/// assert_eq!(
///     parse_net("localhost").unwrap_err().to_string(),
///     "expected a network such as `10.0.0.0/8`, or an address, but found `localhost`",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse_net(text: &str) -> Result<IpNet, NetError> {
    let address = || text.parse::<IpAddr>().map(IpNet::from);
    text.parse().or_else(|_| address()).map_err(|_| NetError { found: text.into() })
}

/// The error of [`parse_net`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetError {
    found: Box<str>,
}

impl fmt::Display for NetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = Untrusted::new(&*self.found);
        write!(f, "expected a network such as `10.0.0.0/8`, or an address, but found `{found}`")
    }
}

impl Error for NetError {}
