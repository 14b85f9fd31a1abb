//! Whose share of a store a record takes.

use verger::Origin;

/// The registrable domain of an origin: the part of its host that somebody has registered, as
/// `shop.example` of `a.b.shop.example`. An address, and a host that is a public suffix itself, is its
/// own.
pub(crate) fn registrable(origin: &Origin) -> &str {
    let host = origin.host();
    // `shop.example.` and `shop.example` are two origins, and one registrant.
    let name = host.strip_suffix('.').unwrap_or(host);
    if host.starts_with('[') || name.parse::<std::net::Ipv4Addr>().is_ok() {
        return host;
    }
    psl::domain_str(name).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_share_what_somebody_registered() {
        for (host, expected) in [
            ("shop.example", "shop.example"),
            ("a.b.shop.example", "shop.example"),
            ("a.b.shop.example.", "shop.example"),
            ("www.shop.co.uk", "shop.co.uk"),
            ("co.uk", "co.uk"),
            ("somebody.github.io", "somebody.github.io"),
            ("localhost", "localhost"),
            ("192.0.2.1", "192.0.2.1"),
            ("[2001:db8::1]", "[2001:db8::1]"),
            (".", ""),
        ] {
            let origin = Origin::from_parts("https", host, None).unwrap();
            assert_eq!(registrable(&origin), expected, "{host}");
        }
    }
}
