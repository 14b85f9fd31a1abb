//! Patterns as the analysis uses them: texts that begin with `/`, with any text at the stars.

use core::fmt;

/// A pattern of symbols that matches texts beginning with `/`.
///
/// A symbol is an octet of a target in normal form, or between dialects a character of a URL or an
/// escape. Adjacent stars are one star.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Glob {
    /// The symbols before the first star; the first one is `/`.
    start: Vec<u8>,
    /// Texts after a star each, none empty.
    rest: Vec<Vec<u8>>,
    /// Whether a star is at the end.
    open: bool,
}

impl Glob {
    /// `/*`: every target.
    pub(crate) fn everything() -> Self {
        Self { start: vec![b'/'], rest: Vec::new(), open: true }
    }

    /// A pattern that matches one text.
    pub(crate) fn exactly(text: &[u8]) -> Self {
        Self { start: text.to_vec(), rest: Vec::new(), open: false }
    }

    /// The patterns beginning with `/` that match the same targets as a pattern with these texts
    /// between its stars: none, one, or for a pattern that begins with a star also two.
    pub(crate) fn rooted(texts: &[&[u8]], anchored: bool) -> Vec<Self> {
        let Some((&first, others)) = texts.split_first() else { return Vec::new() };
        // A pattern that ends with a star matches any end.
        let open = !anchored || others.last().is_some_and(|text| text.is_empty());
        let mut rest: Vec<Vec<u8>> =
            others.iter().filter(|text| !text.is_empty()).map(|text| text.to_vec()).collect();
        if first.first() == Some(&b'/') {
            return vec![Self { start: first.to_vec(), rest, open }];
        }
        if !first.is_empty() || others.is_empty() {
            // REP-AMB-9: no target begins like this pattern.
            return Vec::new();
        }
        // The star takes the first `/` of the target and perhaps more, or nothing.
        let mut rooted = vec![Self { start: vec![b'/'], rest: rest.clone(), open }];
        if rest.first().is_some_and(|text| text[0] == b'/') {
            let start = rest.remove(0);
            rooted.push(Self { start, rest, open });
        }
        rooted
    }

    /// The symbols before the first star.
    pub(crate) fn start(&self) -> &[u8] {
        &self.start
    }

    /// All texts between the stars.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &[u8]> {
        core::iter::once(&*self.start).chain(self.rest.iter().map(|text| &**text))
    }

    /// Whether it matches exactly the texts with one beginning.
    pub(crate) fn is_prefix(&self) -> bool {
        self.rest.is_empty() && self.open
    }

    /// Whether a star is at the end.
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// The number of stars.
    pub(crate) fn stars(&self) -> usize {
        self.rest.len() + usize::from(self.open)
    }

    /// The length of the shortest matching text, in symbols.
    pub(crate) fn shortest(&self) -> usize {
        self.texts().map(<[u8]>::len).sum()
    }

    /// The text with each star replaced by a symbol, or by nothing where `is_filled` is false for
    /// the number of the star.
    pub(crate) fn filled(&self, symbol: u8, is_filled: impl Fn(usize) -> bool) -> Vec<u8> {
        let mut text = Vec::with_capacity(self.shortest() + self.stars());
        text.extend(&self.start);
        for (star, part) in self.rest.iter().enumerate() {
            text.extend(is_filled(star).then_some(symbol));
            text.extend(part);
        }
        text.extend((self.open && is_filled(self.rest.len())).then_some(symbol));
        text
    }

    /// The number of symbols before a star in [`filled`](Self::filled), if all other stars are
    /// filled or all are empty.
    pub(crate) fn length_before(&self, star: usize, others_filled: bool) -> usize {
        let texts: usize = self.texts().take(star + 1).map(<[u8]>::len).sum();
        texts + if others_filled { star } else { 0 }
    }

    /// The canonical text: each star is replaced by the symbol, which occurs in no pattern.
    pub(crate) fn canon(&self, fresh: u8) -> Vec<u8> {
        self.filled(fresh, |_| true)
    }

    /// Whether the pattern matches a text.
    ///
    /// # Complexity
    ///
    /// Each text between stars is searched for after the one before.
    pub(crate) fn matches(&self, text: &[u8]) -> bool {
        let Some(mut left) = text.strip_prefix(&*self.start) else { return false };
        if self.rest.is_empty() {
            return self.open || left.is_empty();
        }
        let (last, before) = match self.rest.split_last() {
            Some((last, before)) if !self.open => (Some(last), before),
            _ => (None, &*self.rest),
        };
        for part in before {
            // The first occurrence leaves the longest rest.
            match left.windows(part.len()).position(|window| window == &**part) {
                Some(at) => left = &left[at + part.len()..],
                None => return false,
            }
        }
        last.is_none_or(|last| left.ends_with(last))
    }
}

impl fmt::Debug for Glob {
    /// The pattern as text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<String> = self.texts().map(|text| text.escape_ascii().to_string()).collect();
        write!(f, "{}{}", texts.join("*"), if self.open { "*" } else { "$" })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The rooted patterns of a pattern, with `*` and a final `$`.
    pub(crate) fn globs(pattern: &str) -> Vec<Glob> {
        let (body, anchored) = match pattern.strip_suffix('$') {
            Some(body) => (body, true),
            None => (pattern, false),
        };
        let texts: Vec<&[u8]> = body.split('*').map(str::as_bytes).collect();
        Glob::rooted(&texts, anchored)
    }

    #[track_caller]
    fn check_rooted(pattern: &str, expected: &[&str]) {
        let found: Vec<String> = globs(pattern).iter().map(|glob| format!("{glob:?}")).collect();
        assert_eq!(found, expected, "{pattern}");
    }

    #[test]
    fn patterns_begin_with_a_slash() {
        check_rooted("/a", &["/a*"]);
        check_rooted("/a$", &["/a$"]);
        check_rooted("/a**b*$", &["/a*b*"]);
        check_rooted("*a", &["/*a*"]);
        check_rooted("*/a$", &["/*/a$", "/a$"]);
        check_rooted("*", &["/*"]);
        check_rooted("*$", &["/*"]);
        check_rooted("a", &[]);
        check_rooted("$", &[]);
        check_rooted("", &[]);
    }

    #[test]
    fn stars_are_filled_or_not() {
        let glob = &globs("/a*b*")[0];
        assert_eq!(glob.canon(b'z'), b"/azbz");
        assert_eq!(glob.filled(b'z', |star| star == 1), b"/abz");
        assert_eq!((glob.stars(), glob.shortest()), (2, 3));
    }

    #[test]
    fn texts_are_matched_as_by_the_engine() {
        let robots = |pattern: &str| format!("User-agent: *\nDisallow: {pattern}\n");
        let patterns = ["/a", "/a$", "/*ab*ab$", "/a*a$", "/*a*", "*/a", "*b$", "/ab*ba", "/*$"];
        let mut matching = 0;
        for pattern in patterns {
            let robots = verger::Robots::parse(&robots(pattern));
            for number in 0..3_usize.pow(6) {
                let octets = (0..6).map(|place| b"ab/"[number / 3_usize.pow(place) % 3]);
                let text: Vec<u8> = core::iter::once(b'/').chain(octets).collect();
                for length in 1..=text.len() {
                    let text = &text[..length];
                    let found = globs(pattern).iter().any(|glob| glob.matches(text));
                    assert_eq!(found, !robots.is_allowed("x", text), "{pattern} {text:?}");
                    matching += usize::from(found);
                }
            }
        }
        assert!(matching > 1_000);
    }
}
