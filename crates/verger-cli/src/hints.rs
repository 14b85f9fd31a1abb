//! Hints about answers and failures.

use std::net::IpAddr;

use url::{Position, Url};
use verger::{Explanation, Origin, OriginError, quoted};
use verger_fetch::failure::{Failure, NetworkError, Phase, ProxyError, TlsError};
use verger_fetch::guard::{AddressKind, Refusal, RefusalReason};
use verger_fetch::record::OriginRecord;

use crate::answer::Answer;
use crate::limits::HINTED_URL_BYTES;

/// The hint that a client would check a different target; `None` if the target is the same, or if
/// no rule was compared.
///
/// The engine changes only the percent-encodings of a URL. Clients follow the URL standard: they
/// also resolve dot segments, replace `\` by `/`, and drop tabs.
pub(crate) fn target_hint(answer: &Answer<'_>, explanation: &Explanation<'_>) -> Option<String> {
    let target = explanation.target.as_deref()?;
    let sent = sent(answer.url)?;
    let robots = answer.file.robots();
    let other = robots.explain(answer.crawler.crawler(), sent.as_str());
    if other.target.as_deref() == Some(target) {
        return None;
    }
    let path = quoted(&sent[Position::BeforePath..Position::AfterQuery]);
    let verdict = other.verdict;
    Some(format!("a client that follows the URL standard sends {path} instead: {verdict}"))
}

/// The URL by the URL standard; `None` if it has no host, or if the text or its host is longer than
/// clients send.
fn sent(url: &[u8]) -> Option<Url> {
    let text = str::from_utf8(url).ok().filter(|text| text.len() <= HINTED_URL_BYTES)?;
    let is_path = text.starts_with(['/', '?']);
    // The URL parser applies IDNA to hosts of any length, in more than linear time.
    if !is_path && Origin::of(text) == Err(OriginError::HostTooLong) {
        return None;
    }
    // The host does not change the path.
    let sent = if is_path { Url::parse(&format!("http://h{text}")) } else { Url::parse(text) };
    let mut sent = sent.ok().filter(Url::has_host)?;
    sent.set_fragment(None);
    Some(sent)
}

/// A remedy for the failed last fetch of an origin.
pub(crate) fn failure_hint(record: &OriginRecord) -> Option<String> {
    let last = record.last()?;
    remedy(last.failure.as_ref()?, !last.redirects.is_empty())
}

/// A remedy for a failed fetch.
pub(crate) fn remedy(failure: &Failure, is_redirected: bool) -> Option<String> {
    match failure {
        // After a redirect, the user did not choose the address.
        Failure::Refused(refusal) if !is_redirected => network_hint(refusal),
        &Failure::Network(NetworkError::Proxy(error)) => proxy_hint(error),
        _ => None,
    }
}

/// A remedy for an error of the proxy; `None` if it may be temporary.
fn proxy_hint(error: ProxyError) -> Option<String> {
    let hint = match error {
        ProxyError::Dns(_)
        | ProxyError::Connect(_)
        | ProxyError::Timeout(Phase::Dns | Phase::Connect)
        | ProxyError::Malformed => "`--proxy` sets the host and port of the proxy",
        ProxyError::Status(401 | 407) => {
            "`--proxy http://user:password@host:port` sends a user and password to the proxy"
        }
        ProxyError::Tls(TlsError::UnknownIssuer | TlsError::Certificate) => {
            "`--ca-file` trusts the authority of the site, or of a proxy that decrypts"
        }
        ProxyError::Generated(_) => {
            "the proxy adds no `Via` to responses, and answers unknown hosts in the same way; \
             another proxy shows the difference"
        }
        ProxyError::Status(200..=499) => "the proxy may restrict its users, sites and ports",
        _ => return None,
    };
    Some(hint.to_owned())
}

/// The flag that permits a connection that the guard refused. Only for loopback and private
/// addresses, which can be the user's own sites, and only for a URL that the user gave, not for the
/// target of a redirect.
fn network_hint(refusal: &Refusal) -> Option<String> {
    let subject = refusal.subject();
    let is_own = |address: &IpAddr| match refusal.reason() {
        RefusalReason::Address(kind) => {
            matches!(kind, AddressKind::Loopback | AddressKind::Private)
        }
        RefusalReason::OutsideAllowed => address.is_loopback(),
        _ => false,
    };
    if let Some(address) = subject.parse::<IpAddr>().ok().filter(is_own) {
        let bits = if address.is_ipv4() { 32 } else { 128 };
        return Some(format!("`--allow-net {address}/{bits}` allows connections to this address"));
    }
    match refusal.reason() {
        RefusalReason::InsideName if is_in_domain(subject, "localhost") => Some(
            "`--allow-net 127.0.0.1 --allow-net ::1` allows connections to this machine".to_owned(),
        ),
        // These names never have an address.
        RefusalReason::InsideName
            if ["alt", "invalid", "onion"].iter().any(|end| is_in_domain(subject, end)) =>
        {
            None
        }
        RefusalReason::InsideName if !subject.contains("metadata") => {
            Some("`--allow-net CIDR` allows connections to a network that is not public".to_owned())
        }
        RefusalReason::Port => Some(
            "permitted ports are 80, 443 and those from 1024 on, except those of other \
             protocols, such as databases; no flag changes this"
                .to_owned(),
        ),
        _ => None,
    }
}

/// Whether a name is a domain or a subdomain of it.
fn is_in_domain(name: &str, domain: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    name.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots_file::RobotsFile;
    use verger::Dialect;
    use verger_fetch::guard::Guard;
    use verger_json::NamedCrawler;

    fn file(robots: &str) -> RobotsFile {
        RobotsFile::parse("x".into(), robots.as_bytes(), &Dialect::RFC9309)
    }

    #[track_caller]
    fn check(url: &str, expected: Option<&str>) {
        let file = file("User-agent: *\nDisallow: /b\n");
        let crawler = NamedCrawler::token("a");
        let answer = Answer::of_file(url.as_bytes(), &crawler, &file, true);
        let hint = target_hint(&answer, answer.explanation.as_ref().unwrap());
        assert_eq!(hint.as_deref(), expected);
    }

    #[test]
    fn a_different_target_is_shown_with_its_answer() {
        let hint = "a client that follows the URL standard sends `/b` instead: disallowed by \
                    `Disallow: /b` on line 2, in the group for `*` (line 1)";
        check("https://h/a/../b#c", Some(hint));
        check("/a/..\\b", Some(hint));
        check(
            "/a/../c",
            Some(
                "a client that follows the URL standard sends `/c` instead: allowed: no rule matches in \
             the group for `*` (line 1)",
            ),
        );
        for same in
            ["https://h", "https://h/é?q#f", "/%62", "//h/x", "?q", "mailto:x", "gopher://h/x"]
        {
            check(same, None);
        }
    }

    #[test]
    fn a_url_longer_than_clients_send_gets_no_hint() {
        let sent = |url: &str| sent(url.as_bytes()).is_some();
        let path = |length: usize| format!("/{}", "a".repeat(length - 1));
        assert!(sent(&path(HINTED_URL_BYTES)));
        assert!(!sent(&path(HINTED_URL_BYTES + 1)));
        let host = |length: usize| format!("https://{}/a/../b", "a.".repeat(length / 2));
        assert!(sent(&host(250)));
        assert!(!sent(&host(260)));
        assert!(!sent(&host(8 * 1024)));
    }

    #[test]
    fn only_some_refusals_have_a_hint() {
        for (url, expected) in [
            (
                "http://127.0.0.1/",
                Some("`--allow-net 127.0.0.1/32` allows connections to this address"),
            ),
            ("http://[::1]/", Some("`--allow-net ::1/128` allows connections to this address")),
            (
                "http://intranet/",
                Some("`--allow-net CIDR` allows connections to a network that is not public"),
            ),
            (
                "http://localhost:8080/",
                Some("`--allow-net 127.0.0.1 --allow-net ::1` allows connections to this machine"),
            ),
            (
                "http://a.localhost./",
                Some("`--allow-net 127.0.0.1 --allow-net ::1` allows connections to this machine"),
            ),
            ("http://nosuch.invalid/", None),
            ("http://a.onion/", None),
            (
                "http://shop.example:25/",
                Some(
                    "permitted ports are 80, 443 and those from 1024 on, except those of other \
                     protocols, such as databases; no flag changes this",
                ),
            ),
            ("gopher://shop.example/", None),
            (
                "http://10.1.2.3/",
                Some("`--allow-net 10.1.2.3/32` allows connections to this address"),
            ),
            ("http://169.254.169.254/", None),
            ("http://[fd00:ec2::254]/", None),
            ("http://168.63.129.16/", None),
            ("http://100.100.100.200/", None),
            ("http://0.0.0.0/", None),
            ("http://224.0.0.1/", None),
            ("http://metadata.google.internal/", None),
        ] {
            let refusal = Guard::new().check_url(&Url::parse(url).unwrap()).unwrap_err();
            assert_eq!(network_hint(&refusal).as_deref(), expected, "{refusal}");
        }
    }
}
