//! The address of a client behind trusted proxies.

use verger_identity::{TrustedProxies, read_address};

/// The field, the address of the connection, the values of the field, and the client.
type Case<'a> = (&'a str, &'a str, &'a [&'a str], Result<&'a str, &'a str>);

#[test]
fn the_client_is_the_last_address_that_is_not_trusted() {
    const MISSING: Result<&str, &str> = Err("the proxy sent no address of its client");
    const MALFORMED: Result<&str, &str> = Err("the proxy sent a field without a valid address");
    #[rustfmt::skip]
    let cases: &[Case<'_>] = &[
        // The connection is not from a proxy: anybody can send the field.
        ("X-Forwarded-For", "198.51.100.1", &["66.249.66.1"], Ok("198.51.100.1")),
        ("X-Forwarded-For", "::ffff:198.51.100.1", &[], Ok("198.51.100.1")),
        ("X-Forwarded-For", "192.0.2.1", &["66.249.66.1"], Ok("66.249.66.1")),
        ("X-Forwarded-For", "::ffff:192.0.2.1", &["66.249.66.1"], Ok("66.249.66.1")),
        // From the right: what the client sent itself is on the left.
        ("X-Forwarded-For", "192.0.2.1", &["66.249.66.1, 203.0.113.9"], Ok("203.0.113.9")),
        ("X-Forwarded-For", "192.0.2.1", &["66.249.66.1", "203.0.113.9"], Ok("203.0.113.9")),
        ("X-Forwarded-For", "192.0.2.1", &["203.0.113.9, 192.0.2.2", "192.0.2.3"], Ok("203.0.113.9")),
        ("x-forwarded-for", "192.0.2.1", &["evil, 203.0.113.9:4711"], Ok("203.0.113.9")),
        ("X-Forwarded-For", "2001:db8::1", &["[2001:db9::7]:443"], Ok("2001:db9::7")),
        ("X-Forwarded-For", "192.0.2.1", &["203.0.113.9,, "], MISSING),
        ("X-Forwarded-For", "192.0.2.1", &["66.249.66.1, "], MISSING),
        ("X-Forwarded-For", "192.0.2.1", &["66.249.66.1, , 203.0.113.9"], Ok("203.0.113.9")),
        ("X-Forwarded-For", "192.0.2.1", &["203.0.113.9, unknown"], MALFORMED),
        ("X-Forwarded-For", "192.0.2.1", &["203.0.113.9, 192.0.2.999"], MALFORMED),
        ("X-Forwarded-For", "192.0.2.1", &["192.0.2.2"], MISSING),
        ("X-Forwarded-For", "192.0.2.1", &[], MISSING),
        ("Forwarded", "192.0.2.1", &["for=203.0.113.9;proto=https"], Ok("203.0.113.9")),
        ("Forwarded", "192.0.2.1", &["for=66.249.66.1, For=\"[2001:db9::7]:443\" ; by=a"], Ok("2001:db9::7")),
        ("Forwarded", "192.0.2.1", &["for=203.0.113.9;host=\"shop.example\""], Ok("203.0.113.9")),
        // What a client sent is quoted by the proxy.
        ("Forwarded", "192.0.2.1", &["for=203.0.113.9;host=\"a,b;for=66.249.66.1\""], MALFORMED),
        ("Forwarded", "192.0.2.1", &["for=203.0.113.9;host=\"a,for=66.249.66.1;b=\\\"\""], MALFORMED),
        ("Forwarded", "192.0.2.1", &["host=\"a;for=66.249.66.1;b\""], MALFORMED),
        ("Forwarded", "192.0.2.1", &["for=_hidden"], MALFORMED),
        ("Forwarded", "192.0.2.1", &["for=203.0.113.9;for=66.249.66.1"], MALFORMED),
        ("Forwarded", "192.0.2.1", &["for=203.0.113.9;by=\"a"], MALFORMED),
        ("Forwarded", "192.0.2.1", &["proto=https"], MISSING),
        ("CF-Connecting-IP", "192.0.2.1", &["203.0.113.9"], Ok("203.0.113.9")),
        ("CF-Connecting-IP", "192.0.2.1", &["203.0.113.9", "66.249.66.1"], MALFORMED),
        ("True-Client-IP", "192.0.2.1", &["66.249.66.1, 203.0.113.9"], MALFORMED),
        ("X-Real-IP", "192.0.2.1", &[], MISSING),
        ("CloudFront-Viewer-Address", "192.0.2.1", &["203.0.113.9:4711"], Ok("203.0.113.9")),
        ("CloudFront-Viewer-Address", "192.0.2.1", &["2001:db9::7:443"], Ok("2001:db9::7")),
        ("CloudFront-Viewer-Address", "192.0.2.1", &["2001:db9:0:0:0:0:0:7:443"], Ok("2001:db9::7")),
        ("CloudFront-Viewer-Address", "192.0.2.1", &[], MISSING),
        // A network of IPv4 that is written as one of IPv6.
        ("X-Real-IP", "198.18.0.1", &["203.0.113.9"], Ok("203.0.113.9")),
        ("X-Real-IP", "::ffff:198.18.0.1", &["203.0.113.9"], Ok("203.0.113.9")),
    ];
    let networks =
        ["192.0.2.0/24", "2001:db8::/32", "::ffff:198.18.0.0/112"].map(|net| net.parse().unwrap());
    for (name, peer, values, expected) in cases {
        let proxies = TrustedProxies::new(networks.to_vec(), name);
        assert_eq!(proxies.field(), name.to_ascii_lowercase());
        // Several fields of a name are joined.
        let client = proxies.client(peer.parse().unwrap(), Some(values.join(", ").as_str()));
        let client = client.map(|it| it.to_string());
        assert_eq!(client.as_deref().map_err(|error| *error), *expected, "{name}: {values:?}");
    }
}

#[test]
fn addresses_are_read_with_ports_and_brackets() {
    for (text, expected) in [
        ("192.0.2.1", Some("192.0.2.1")),
        ("192.0.2.1:8080", Some("192.0.2.1")),
        ("::ffff:192.0.2.1", Some("192.0.2.1")),
        ("2001:db8::1", Some("2001:db8::1")),
        ("[2001:db8::1]", Some("2001:db8::1")),
        ("[2001:db8::1]:443", Some("2001:db8::1")),
        ("shop.example", None),
        ("192.0.2.1:99999", None),
        ("-", None),
    ] {
        let found = read_address(text).map(|it| it.to_string());
        assert_eq!(found.as_deref(), expected, "{text}");
    }
}
