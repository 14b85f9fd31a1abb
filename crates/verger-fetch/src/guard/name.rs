//! Internal names, which are never public whatever DNS answers.

/// Ends of names that are never public.
///
/// Special-use domains (RFC 6761, 6762, 7686, 8375, 9476), those that ICANN reserves for private
/// use (`internal`, `corp`, `home`), and common names of routers, containers and clouds.
#[rustfmt::skip]
const ENDS: &[&str] = &[
    "alt", "corp", "home", "home.arpa", "internal", "intranet", "invalid", "lan", "local",
    "localdomain", "localhost", "onion", "private", "svc", "test",
];

/// The kind of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameKind {
    /// A public name.
    Public,
    /// An internal name.
    Inside,
    /// Not a valid DNS name.
    Malformed,
}

/// Classifies a host name of a parsed URL: lower case, punycode, perhaps with a final dot.
pub(super) fn kind(name: &str) -> NameKind {
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_label = |label: &str| {
        (1..=verger::limits::LABEL_BYTES).contains(&label.len())
            && label.bytes().all(|octet| octet.is_ascii_graphic())
    };
    if name.len() > verger::limits::HOST_BYTES || !name.split('.').all(is_label) {
        return NameKind::Malformed;
    }
    let ends_with = |end: &str| {
        let front = name.len().checked_sub(end.len());
        front.is_some_and(|at| {
            name.as_bytes()[at..].eq_ignore_ascii_case(end.as_bytes())
                && (at == 0 || name.as_bytes()[at - 1] == b'.')
        })
    };
    // A single label is a local name, or becomes one by a search domain.
    if !name.contains('.') || ENDS.iter().any(|end| ends_with(end)) {
        NameKind::Inside
    } else {
        NameKind::Public
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_classified_by_their_end() {
        let long_label = format!("{}.example", "a".repeat(64));
        let long_name = format!("{}example", "abc.".repeat(63));
        for (name, expected) in [
            ("shop.example", NameKind::Public),
            ("shop.example.", NameKind::Public),
            ("xn--bcher-kva.example", NameKind::Public),
            ("_dmarc.shop.example", NameKind::Public),
            ("mylocalhost.example", NameKind::Public),
            ("notlocal.com", NameKind::Public),
            ("internal.example", NameKind::Public),
            ("localhost", NameKind::Inside),
            ("LOCALHOST.", NameKind::Inside),
            ("a.localhost", NameKind::Inside),
            ("ip6-localhost", NameKind::Inside),
            ("metadata", NameKind::Inside),
            ("metadata.google.internal", NameKind::Inside),
            ("host.docker.internal", NameKind::Inside),
            ("kubernetes.default.svc", NameKind::Inside),
            ("printer.lan", NameKind::Inside),
            ("a.local", NameKind::Inside),
            ("router.home.arpa", NameKind::Inside),
            ("a.onion", NameKind::Inside),
            ("a.test", NameKind::Inside),
            ("router", NameKind::Inside),
            ("", NameKind::Malformed),
            (".", NameKind::Malformed),
            ("shop.example..", NameKind::Malformed),
            ("a..example", NameKind::Malformed),
            ("a b.example", NameKind::Malformed),
            ("a\0.example", NameKind::Malformed),
            (&long_label, NameKind::Malformed),
            (&long_name, NameKind::Malformed),
        ] {
            assert_eq!(kind(name), expected, "{name}");
        }
    }
}
