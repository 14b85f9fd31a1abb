//! Counts of the beginnings of paths, in bounded memory.

use crate::limits::{PREFIX_BYTES, PREFIX_SEGMENTS};
use crate::patterns::decision_list::Decider;
use crate::questions::analysis::Analysis;
use crate::questions::count::Count;
use crate::questions::frequent::Frequent;

/// The frequent beginnings of paths.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prefixes {
    counts: Frequent,
}

impl Prefixes {
    /// Counts the beginnings of a URL's path.
    pub(crate) fn add(&mut self, url: &[u8], weight: u64) {
        for prefix in prefixes(target(url)) {
            self.counts.add(prefix, weight);
        }
    }

    /// The beginnings for which a condition is false, without those that continue another one.
    pub(crate) fn shortest(&self, is_excluded: impl Fn(&[u8]) -> bool) -> Vec<(Vec<u8>, Count)> {
        let mut found: Vec<(Vec<u8>, Count)> = Vec::new();
        for (prefix, count) in self.counts.sorted() {
            let continues = found.last().is_some_and(|(last, _)| prefix.starts_with(last));
            if !continues && !is_excluded(prefix) {
                found.push((prefix.clone(), *count));
            }
        }
        found
    }
}

impl Analysis<'_> {
    /// Whether the pattern of a rule begins with a path, or with a part of it longer than `/`.
    pub(crate) fn mentions(&self, path: &[u8]) -> bool {
        let Some(path) = self.normal_form(path) else { return false };
        let mut ranks =
            [true, false].into_iter().flat_map(|allows| self.order.beginning(&path, allows));
        ranks.any(|rank| {
            let atom = self.order.atom(rank);
            matches!(atom.decider, Decider::Rule(_)) && atom.glob.start().len() > 1
        })
    }
}

/// Path and query of a URL.
fn target(url: &[u8]) -> &[u8] {
    let end = url.iter().position(|&octet| octet == b'#').unwrap_or(url.len());
    let url = &url[..end];
    let after_scheme = match url.windows(3).position(|three| three == b"://") {
        Some(at) if !url[..at].contains(&b'/') && !url[..at].contains(&b'?') => at + 3,
        _ => 0,
    };
    let rest = &url[after_scheme..];
    let start = rest.iter().position(|octet| matches!(octet, b'/' | b'?'));
    start.map_or(&[], |start| &rest[start..])
}

/// The beginnings of a target that end with `/` or with the first `?`, without `/` itself.
fn prefixes(target: &[u8]) -> impl Iterator<Item = &[u8]> {
    let path = target.iter().position(|&octet| octet == b'?').unwrap_or(target.len());
    let ends = target.iter().enumerate().skip(1).take(PREFIX_BYTES - 1);
    let ends = ends.filter(move |&(at, &octet)| at == path || octet == b'/' && at < path);
    ends.take(PREFIX_SEGMENTS).map(|(at, _)| &target[..=at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, expected: &[&str]) {
        let found: Vec<&[u8]> = prefixes(target(url.as_bytes())).collect();
        let expected: Vec<&[u8]> = expected.iter().map(|prefix| prefix.as_bytes()).collect();
        assert_eq!(found, expected, "{url}");
    }

    #[test]
    fn beginnings_end_with_a_segment() {
        check("https://h/a/b/c/d/e", &["/a/", "/a/b/", "/a/b/c/"]);
        check("/a/b", &["/a/"]);
        check("/a?b/c?d", &["/a?"]);
        check("/a/#/b", &["/a/"]);
        check("/?u=http://h/x", &["/?"]);
        check("https://h", &[]);
        check("/", &[]);
        check(&format!("/{}/b/", "a".repeat(200)), &[]);
    }

    #[test]
    fn nested_beginnings_are_listed_once() {
        let mut prefixes = Prefixes::default();
        for url in ["/a/b/", "/a/c/", "/b/c/", "/ab/"] {
            prefixes.add(url.as_bytes(), 1);
        }
        let found = prefixes.shortest(|prefix| prefix == b"/a/");
        let found: Vec<String> =
            found.iter().map(|(prefix, _)| prefix.escape_ascii().to_string()).collect();
        assert_eq!(found, ["/a/b/", "/a/c/", "/ab/", "/b/"]);
    }
}
