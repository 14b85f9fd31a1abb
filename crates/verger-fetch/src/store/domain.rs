//! The share of a registrable domain in a store.

use verger::Origin;

/// The registrable domain of an origin, for example `shop.example` of `a.b.shop.example`. For an
/// address, or a host that is a public suffix, the host itself.
pub(crate) fn registrable(origin: &Origin) -> &str {
    let host = origin.host();
    // `shop.example.` and `shop.example` are two origins of one registrant.
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
    fn names_share_their_registrable_domain() {
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
