//! Patterns as the analysis uses them: texts that begin with `/`, with any text at the stars.

use core::fmt;

/// A pattern of symbols that matches texts beginning with `/`.
///
/// A symbol is an octet of a target in normal form, or between dialects a character of a URL or an
/// escape. Adjacent stars are one star.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Glob {
    /// All symbols; the first one is `/`.
    symbols: Vec<u8>,
    /// The stars that have symbols before and after them: for each one the number of symbols before
    /// it, in ascending order.
    stars: Vec<u32>,
    /// Whether a star is at the end.
    open: bool,
}

/// A symbol, or a star.
pub(crate) type Token = Option<u8>;

pub(crate) const STAR: Token = None;

impl Glob {
    /// `/*`: every target.
    pub(crate) fn everything() -> Self {
        Self { symbols: vec![b'/'], stars: Vec::new(), open: true }
    }

    /// A pattern that matches one text.
    pub(crate) fn exactly(text: &[u8]) -> Self {
        Self { symbols: text.to_vec(), stars: Vec::new(), open: false }
    }

    /// The patterns beginning with `/` that match the same targets as a pattern with these texts
    /// between its stars: none, one, or for a pattern that begins with a star also two.
    pub(crate) fn rooted<'t>(
        texts: impl IntoIterator<Item = &'t [u8]>,
        anchored: bool,
    ) -> Vec<Self> {
        let mut glob = Self { symbols: Vec::new(), stars: Vec::new(), open: false };
        for (at, text) in texts.into_iter().enumerate() {
            glob.open |= at > 0;
            for &symbol in text {
                glob.push(symbol);
            }
        }
        glob.open |= !anchored && !glob.symbols.is_empty();
        glob.into_rooted()
    }

    /// The rooted patterns of symbols and stars (`None`).
    pub(crate) fn of_tokens(tokens: &[Token]) -> Vec<Self> {
        let mut glob =
            Self { symbols: Vec::with_capacity(tokens.len()), stars: Vec::new(), open: false };
        for token in tokens {
            match token {
                Some(symbol) => glob.push(*symbol),
                None => glob.open = true,
            }
        }
        glob.into_rooted()
    }

    /// Adds a symbol, after a star if one is at the end.
    fn push(&mut self, symbol: u8) {
        if self.open {
            self.stars.push(length(self.symbols.len()));
            self.open = false;
        }
        self.symbols.push(symbol);
    }

    fn into_rooted(mut self) -> Vec<Self> {
        let begins_with_star =
            self.stars.first() == Some(&0) || self.symbols.is_empty() && self.open;
        let begins_with_slash = self.symbols.first() == Some(&b'/');
        if !begins_with_star {
            // REP-AMB-9: no target begins like another pattern.
            return if begins_with_slash { vec![self] } else { Vec::new() };
        }
        // The star takes the first `/` of the target and perhaps more, or nothing.
        let mut longer = self.clone();
        longer.symbols.insert(0, b'/');
        longer.stars.iter_mut().for_each(|star| *star += 1);
        if !begins_with_slash {
            return vec![longer];
        }
        self.stars.remove(0);
        vec![longer, self]
    }

    /// The symbols before the first star.
    pub(crate) fn start(&self) -> &[u8] {
        let end = self.stars.first().map_or(self.symbols.len(), |&star| star as usize);
        &self.symbols[..end]
    }

    /// All symbols.
    pub(crate) fn symbols(&self) -> &[u8] {
        &self.symbols
    }

    /// The texts between the stars, none empty.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &[u8]> {
        let ends = self.stars.iter().map(|&star| star as usize).chain([self.symbols.len()]);
        let starts = core::iter::once(0).chain(self.stars.iter().map(|&star| star as usize));
        starts.zip(ends).map(|(start, end)| &self.symbols[start..end])
    }

    /// Whether it matches exactly the texts with one beginning.
    pub(crate) fn is_prefix(&self) -> bool {
        self.stars.is_empty() && self.open
    }

    /// Whether a star is at the end.
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// The number of stars.
    pub(crate) fn stars(&self) -> usize {
        self.stars.len() + usize::from(self.open)
    }

    /// The length of the shortest matching text, in symbols.
    pub(crate) fn shortest(&self) -> usize {
        self.symbols.len()
    }

    /// The text with each star replaced by a symbol, or by nothing where `is_filled` is false for
    /// the number of the star.
    pub(crate) fn filled(&self, symbol: u8, is_filled: impl Fn(usize) -> bool) -> Vec<u8> {
        let mut filled = Vec::with_capacity(self.shortest() + self.stars());
        for (star, text) in self.texts().enumerate() {
            filled.extend(text);
            let is_star = star < self.stars.len() || self.open;
            filled.extend((is_star && is_filled(star)).then_some(symbol));
        }
        filled
    }

    /// The pattern with a symbol anywhere in the text that a star takes.
    pub(crate) fn with_symbol_at(&self, star: usize, symbol: u8) -> Self {
        let before = self.stars.get(star).map_or(self.symbols.len(), |&before| before as usize);
        let mut glob = self.clone();
        glob.symbols.insert(before, symbol);
        glob.stars.insert(star, length(before));
        glob.stars[star + 1..].iter_mut().for_each(|before| *before += 1);
        glob
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
        let mut parts = self.texts();
        let start = parts.next().unwrap_or_default();
        let Some(mut left) = text.strip_prefix(start) else { return false };
        for (part, last) in parts.zip((0..self.stars.len()).rev()) {
            if last == 0 && !self.open {
                return left.ends_with(part);
            }
            // The first occurrence leaves the longest rest.
            match left.windows(part.len()).position(|window| window == part) {
                Some(at) => left = &left[at + part.len()..],
                None => return false,
            }
        }
        self.open || left.is_empty()
    }
}

/// Files have at most 2^32 bytes, and the symbols of a merge are limited.
fn length(symbols: usize) -> u32 {
    u32::try_from(symbols).unwrap_or(u32::MAX)
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
        Glob::rooted(texts, anchored)
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
        check_rooted("**/*/", &["/*/*/*", "/*/*"]);
        check_rooted("*/", &["/*/*", "/*"]);
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
    fn a_symbol_can_be_required_at_a_star() {
        let glob = &globs("/a*b*c")[0];
        let with = |star| format!("{:?}", glob.with_symbol_at(star, b'?'));
        assert_eq!([0, 1, 2].map(with), ["/a*?*b*c*", "/a*b*?*c*", "/a*b*c*?*"]);
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
