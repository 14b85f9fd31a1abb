//! The URLs that an entry of a document is about: a path pattern as in robots.txt, or a URL with
//! one.

use url::Url;
use verger::{Dialect, Origin, Robots, RuleKind};

/// A pattern of RFC 9309 with `*` and `$`, with or without a site.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    /// The only site; `None` for every site for which the document is read.
    origin: Option<Origin>,
    /// A robots.txt that disallows the pattern after `/-`, because the engine always allows
    /// `/robots.txt`.
    robots: Robots,
    /// Octets of the pattern in normal form, by which patterns are compared (REP-MATCH-10).
    pub(crate) length: usize,
}

impl Scope {
    /// Reads a pattern; `None` if the text is not a pattern.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        let (origin, path) = match text.find("://") {
            Some(at) if !text.starts_with(['/', '*']) => {
                let path = text[at + 3..].find(['/', '?']).map_or(text.len(), |end| at + 3 + end);
                (Some(Origin::of(&text[..path]).ok()??), &text[path..])
            }
            _ => (None, text),
        };
        let path = if origin.is_some() && path.is_empty() { "/" } else { path };
        // Two slashes begin a host, and a number sign a part of a page.
        let has_host = origin.is_none() && ["//", "/\\"].iter().any(|it| path.starts_with(it));
        let is_odd = |it: char| it.is_control() || it == '#';
        if !path.starts_with(['/', '*']) || has_host || path.contains(is_odd) {
            return None;
        }
        let pattern = path.replace(' ', "%20");
        let length = Dialect::RFC9309.rule_patterns(RuleKind::Disallow, &pattern).first()?.length();
        let robots = Robots::parse(&format!("User-agent: *\nDisallow: /-{pattern}\n"));
        // Longer than any robots.txt: its end would not be read.
        (!robots.is_truncated()).then_some(Self { origin, robots, length })
    }

    /// Whether it includes a URL.
    pub(crate) fn includes(&self, url: &Url) -> bool {
        let is_here = |origin| Origin::of(url.as_str()).is_ok_and(|it| it.as_ref() == Some(origin));
        let mut target = url.clone();
        target.set_path(&format!("/-{}", url.path()));
        self.origin.as_ref().is_none_or(is_here) && !self.robots.is_allowed("a", target.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_those_of_robots_txt_with_or_without_a_site() {
        let url = Url::parse("https://shop.example/a/b.pdf?x=1#y").unwrap();
        for (pattern, expected) in [
            ("/", Some(true)),
            ("*", Some(true)),
            ("/a/", Some(true)),
            ("/a/*.pdf", Some(true)),
            ("/a/*.pdf$", Some(false)),
            ("/%61/", Some(true)),
            ("/A/", Some(false)),
            ("/b", Some(false)),
            ("https://shop.example", Some(true)),
            ("https://shop.example/*", Some(true)),
            ("https://shop.example:443/a/b", Some(true)),
            ("http://shop.example/", Some(false)),
            ("https://other.example/a/", Some(false)),
            ("/a#b", None),
            ("https://shop.example/a#b", None),
            ("//shop.example/a", None),
            ("/\\shop.example/a", None),
            ("", None),
            ("a/", None),
            ("https://", None),
            ("/a\n/", None),
            (&format!("/{}", "*".repeat(600_000)), None),
        ] {
            let found = Scope::of(pattern).map(|it| it.includes(&url));
            assert_eq!(found, expected, "{pattern}");
        }
        let robots = Url::parse("https://shop.example/robots.txt").unwrap();
        assert!(["/", "*", "/robots"].iter().all(|it| Scope::of(it).unwrap().includes(&robots)));
    }
}
