//! What else may be good to know about an answer.

use std::net::IpAddr;

use url::{Position, Url};
use verger::{Crawler, Explanation, Origin, OriginError, Vendor};
use verger_fetch::guard::{AddressKind, Refusal, RefusalReason};
use verger_fetch::net::{NetworkError, Phase, ProxyError, TlsError};
use verger_fetch::record::{Failure, OriginRecord};

use crate::asker::Asker;
use crate::limits::HINTED_URL_BYTES;
use crate::names::one_of;
use crate::quote::quoted;
use crate::reply::Reply;

/// A hint that a client would ask about another target; `None` when it would not, or when no rule was
/// asked.
///
/// The engine changes nothing of a URL but its percent-encodings. Clients follow the URL standard: they
/// resolve dot segments, turn `\` and drop tabs, and ask about what is left.
pub(crate) fn other_target(reply: &Reply<'_>, explanation: &Explanation<'_>) -> Option<String> {
    let target = explanation.target.as_deref()?;
    let sent = sent(reply.url)?;
    let robots = reply.file.robots();
    let other = robots.explain(reply.asker.crawler(), sent.as_str());
    if other.target.as_deref() == Some(target) {
        return None;
    }
    let path = quoted(&sent[Position::BeforePath..Position::AfterQuery]);
    let verdict = other.verdict;
    Some(format!("a client that follows the URL standard sends {path} instead: {verdict}"))
}

/// The URL as the URL standard reads it; `None` when that is not about the web, or when the text or its
/// host is longer than any that a client sends.
fn sent(url: &[u8]) -> Option<Url> {
    let text = str::from_utf8(url).ok().filter(|text| text.len() <= HINTED_URL_BYTES)?;
    let is_path = text.starts_with(['/', '?']);
    // IDNA, which the parser of the URL standard applies to a host of any length, is not linear.
    if !is_path && Origin::of(text) == Err(OriginError::HostTooLong) {
        return None;
    }
    // A path is sent to some host, and none of them changes it.
    let sent = if is_path { Url::parse(&format!("http://h{text}")) } else { Url::parse(text) };
    let mut sent = sent.ok().filter(Url::has_host)?;
    sent.set_fragment(None);
    Some(sent)
}

/// Looks out for answers that a literal token gets and the vendor's own crawler would not.
#[derive(Debug)]
pub(crate) struct VendorHint {
    vendor: &'static Vendor,
    crawler: Crawler,
    differing: u64,
}

impl VendorHint {
    /// `None` when nothing can differ.
    pub(crate) fn new(asker: &Asker) -> Option<Self> {
        let vendor = Vendor::named(asker.single_token()?)?;
        habit(vendor)?;
        Some(Self { vendor, crawler: vendor.crawler(), differing: 0 })
    }

    /// Compares one answer.
    pub(crate) fn look(&mut self, reply: &Reply<'_>) {
        if !reply.asks_rules() {
            return;
        }
        let other = reply.file.robots().check(&self.crawler, reply.checked_url());
        self.differing += u64::from(other.is_allowed() != reply.verdict.is_allowed());
    }

    /// The hint, when some answer differed.
    pub(crate) fn hint(&self) -> Option<String> {
        let answers = match self.differing {
            0 => return None,
            1 => "1 answer differs".to_owned(),
            many => format!("{many} answers differ"),
        };
        let name = self.vendor.name;
        Some(format!("`{name}` {}; with `--crawler {name}` {answers}", habit(self.vendor)?))
    }
}

/// What a vendor says its crawler does beyond looking for its own name.
fn habit(vendor: &Vendor) -> Option<String> {
    let other: Vec<String> =
        vendor.chain.iter().skip(1).map(|token| format!("`{token}`")).collect();
    let names = one_of(&other).map(|names| format!("also obeys a group for {names}"));
    if vendor.chain.is_empty() {
        Some("follows no robots.txt".to_owned())
    } else if vendor.falls_back_to_star {
        names
    } else {
        Some(names.unwrap_or_else(|| "obeys no group for `*`".to_owned()))
    }
}

/// What helps against the failure of the last fetch of an origin.
pub(crate) fn after_failure(record: &OriginRecord) -> Option<String> {
    let last = record.last()?;
    match last.failure.as_ref()? {
        // A redirect may lead anywhere.
        Failure::Refused(refusal) if last.redirects.is_empty() => let_in(refusal),
        &Failure::Network(NetworkError::Proxy(error)) => about_proxy(error),
        _ => None,
    }
}

/// What helps against an error of the proxy; `None` where waiting does.
pub(crate) fn about_proxy(error: ProxyError) -> Option<String> {
    let hint = match error {
        ProxyError::Dns(_)
        | ProxyError::Connect(_)
        | ProxyError::Timeout(Phase::Dns | Phase::Connect)
        | ProxyError::Malformed => "`--proxy` sets the host and port of the proxy",
        ProxyError::Status(401 | 407) => {
            "`--proxy http://user:password@host:port` sends a user and password to the proxy"
        }
        ProxyError::Tls(TlsError::Certificate) => {
            "`--ca-file` adds the authority of the site, or of a proxy that reads along"
        }
        ProxyError::Status(200..=499) => {
            "the configuration of the proxy decides who may use it, for which sites and ports"
        }
        _ => return None,
    };
    Some(hint.to_owned())
}

/// How to let the guard connect where it refused to. `None` where nobody wants to open the address by
/// a hint: only loopback and private ones belong to sites of the user's. To be asked only for what
/// the user named: a redirect may lead anywhere.
pub(crate) fn let_in(refusal: &Refusal) -> Option<String> {
    let what = refusal.subject();
    match (refusal.reason(), what.parse::<IpAddr>()) {
        (RefusalReason::Address(AddressKind::Loopback | AddressKind::Private), Ok(address)) => {
            let bits = if address.is_ipv4() { 32 } else { 128 };
            Some(format!("`--allow-net {address}/{bits}` allows connections to this address"))
        }
        (RefusalReason::OutsideAllowed, Ok(address)) if address.is_loopback() => {
            let bits = if address.is_ipv4() { 32 } else { 128 };
            Some(format!("`--allow-net {address}/{bits}` allows connections to this address"))
        }
        (RefusalReason::InsideName, _) if is_in(what, "localhost") => Some(
            "`--allow-net 127.0.0.1 --allow-net ::1` allows connections to this machine".to_owned(),
        ),
        // They never have an address.
        (RefusalReason::InsideName, _) if ["alt", "invalid", "onion"].iter().any(|end| is_in(what, end)) => {
            None
        }
        (RefusalReason::InsideName, _) if !what.contains("metadata") => Some(
            "`--allow-net NET` allows connections into a network that is not public".to_owned(),
        ),
        (RefusalReason::Port, _) => Some(
            "ports 80, 443 and those from 1024 on can be used, except ports of other services such as \
             databases; no flag changes that"
                .to_owned(),
        ),
        _ => None,
    }
}

/// Whether a name is that of a domain or in it.
fn is_in(name: &str, domain: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    name.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// What is known of a crawler that was asked for by name.
pub(crate) fn note(vendor: &Vendor) -> Option<String> {
    (!vendor.note.is_empty()).then(|| format!("about `{}`: {}", vendor.name, vendor.note))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots_file::RobotsFile;
    use verger::{Dialect, VENDORS};
    use verger_fetch::guard::Guard;

    fn file(robots: &str) -> RobotsFile {
        RobotsFile::parse("x".into(), robots.as_bytes(), &Dialect::RFC9309)
    }

    #[track_caller]
    fn check(url: &str, expected: Option<&str>) {
        let file = file("User-agent: *\nDisallow: /b\n");
        let asker = Asker::chain(vec!["a".into()]);
        let reply = Reply::ask(url.as_bytes(), &asker, &file, true);
        let hint = other_target(&reply, reply.explanation.as_ref().unwrap());
        assert_eq!(hint.as_deref(), expected);
    }

    #[test]
    fn another_target_is_told_with_its_answer() {
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
    fn a_url_longer_than_any_that_is_sent_gets_no_hint() {
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
    fn networks_help_against_some_refusals_only() {
        for (url, expected) in [
            (
                "http://127.0.0.1/",
                Some("`--allow-net 127.0.0.1/32` allows connections to this address"),
            ),
            ("http://[::1]/", Some("`--allow-net ::1/128` allows connections to this address")),
            (
                "http://intranet/",
                Some("`--allow-net NET` allows connections into a network that is not public"),
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
                    "ports 80, 443 and those from 1024 on can be used, except ports of other services \
                     such as databases; no flag changes that",
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
            assert_eq!(let_in(&refusal).as_deref(), expected, "{refusal}");
        }
    }

    #[test]
    fn a_token_that_is_a_known_crawler_is_compared_with_it() {
        let file = file("User-agent: Googlebot\nDisallow: /\n");
        let look = |token: &str| {
            let asker = Asker::chain(vec![token.into()]);
            let mut hint = VendorHint::new(&asker)?;
            for url in ["/a", "/b"] {
                hint.look(&Reply::ask(url.as_bytes(), &asker, &file, false));
            }
            hint.hint()
        };
        assert_eq!(
            look("googlebot-image").as_deref(),
            Some(
                "`Googlebot-Image` also obeys a group for `Googlebot`; with `--crawler \
                 Googlebot-Image` 2 answers differ"
            )
        );
        assert_eq!(look("GPTBot"), None);
        assert_eq!(look("AdsBot-Google"), None);
        assert_eq!(look("nobody"), None);
    }

    #[test]
    fn every_crawler_with_a_habit_can_be_described() {
        for vendor in VENDORS {
            let differs = vendor.crawler() != Crawler::new(vendor.name);
            assert_eq!(habit(vendor).is_some(), differs, "{}", vendor.name);
        }
    }
}
