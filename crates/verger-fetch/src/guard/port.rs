//! Permitted ports.

use crate::guard::Scheme;

/// The first unprivileged port.
const UNPRIVILEGED: u16 = 1024;

/// Ports from 1024 on of other services: those that browsers block (WHATWG Fetch, "bad port"), and
/// of databases, caches and control planes that accept unauthenticated commands.
#[rustfmt::skip]
const SERVICES: &[u16] = &[
    1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669,
    6679, 6697, 10080,
    2375,  // Docker
    2376,  // Docker over TLS
    2379,  // etcd
    2380,  // etcd, peers
    3306,  // MySQL
    3389,  // remote desktop
    5432,  // PostgreSQL
    5900,  // VNC
    6379,  // Redis
    6443,  // Kubernetes
    8086,  // InfluxDB
    9042,  // Cassandra
    9200,  // Elasticsearch
    9300,  // Elasticsearch, peers
    10250, // Kubernetes, the node's agent
    11211, // memcached
    27017, // MongoDB
];

/// Whether a URL of this scheme may use this port.
pub(super) fn is_allowed(scheme: Scheme, port: u16) -> bool {
    match port {
        80 | 443 => scheme != Scheme::Ftp,
        21 => scheme == Scheme::Ftp,
        UNPRIVILEGED.. => !SERVICES.contains(&port),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_ports_and_unprivileged_ones_pass() {
        for port in [80, 443, 1024, 8080, 8443, 65535] {
            assert!(is_allowed(Scheme::Http, port), "{port}");
            assert!(is_allowed(Scheme::Https, port), "{port}");
        }
        assert!(is_allowed(Scheme::Ftp, 21) && is_allowed(Scheme::Ftp, 2121));
    }

    #[test]
    fn ports_of_other_services_are_documented() {
        let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/access.md");
        // The docs are not part of the published crate.
        let Ok(docs) = std::fs::read_to_string(docs) else { return };
        let (_, docs) = docs.split_once("other services are refused: ").unwrap();
        let (docs, _) = docs.split_once(". No flag").unwrap();
        let number = |text: &str| text.trim().parse::<u16>().unwrap();
        let range = |text: &str| match text.split_once(" to ") {
            Some((first, last)) => number(first)..=number(last),
            None => number(text)..=number(text),
        };
        let docs = docs.replace('\n', " ").replace(" and ", ", ");
        let mut documented: Vec<u16> = docs.split(',').flat_map(range).collect();
        documented.sort_unstable();
        let mut refused = SERVICES.to_vec();
        refused.sort_unstable();
        assert_eq!(documented, refused);
    }

    #[test]
    fn ports_of_other_services_are_refused() {
        for port in [0, 1, 7, 21, 22, 25, 110, 587, 1023].iter().chain(SERVICES) {
            assert!(!is_allowed(Scheme::Http, *port), "{port}");
            assert!(!is_allowed(Scheme::Https, *port), "{port}");
        }
        for port in [0, 22, 80, 443, 6379] {
            assert!(!is_allowed(Scheme::Ftp, port), "{port}");
        }
    }
}
