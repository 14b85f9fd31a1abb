//! The URLs that a client sends: the common targets of two dialects with different normal forms.
//!
//! # Flow
//!
//! A symbol is a character that a URL can contain, or an escape that a rule uses. Each dialect
//! reads a symbol as one or three octets of its normal form (its image), independently of the
//! symbols around it. So the patterns of both dialects become patterns of symbols (`spellings.rs`),
//! and the policies are compared as if they had one normal form.
//!
//! # Scope
//!
//! URLs as the WHATWG parser writes them, which browsers and most clients use. `%` occurs in them
//! only as the beginning of an escape.

use std::collections::BTreeSet;

use verger::dialect::NormalForm;
use verger::{Dialect, Rule};

use crate::limits::QUERY_STARS;
use crate::patterns::decision_list::{Order, ROBOTS_TXT, patterns};
use crate::patterns::glob::Glob;
use crate::undecided::Undecided;
use crate::urls::spellings::Speller;
use crate::urls::{ORIGIN, escape};

/// The symbols of a comparison.
#[derive(Debug)]
pub(crate) struct ClientUrls {
    /// The spelling of each symbol; empty for unused ones. A character is its own symbol.
    spellings: Vec<Vec<u8>>,
}

impl ClientUrls {
    /// The symbols for two policies, and the policies with patterns of symbols.
    ///
    /// # Errors
    ///
    /// If the rules have too many escapes or spellings.
    pub(crate) fn new(
        policies: &[(&[Rule<'_>], Dialect); 2],
    ) -> Result<(Self, [Order; 2]), Undecided> {
        let mut escapes = BTreeSet::new();
        for (rules, dialect) in policies {
            add_escapes(rules, dialect, &mut escapes);
        }
        let mut spellings = vec![Vec::new(); 256];
        (0..=u8::MAX).filter(|&octet| is_raw(octet)).for_each(|octet| {
            spellings[usize::from(octet)] = vec![octet];
        });
        let mut unused = spellings.iter_mut().filter(|spelling| spelling.is_empty());
        for escape in escapes {
            *unused.next().ok_or(Undecided::TooManySpellings)? = escape.to_vec();
        }
        let urls = Self { spellings };
        let [before, after] =
            policies.each_ref().map(|(rules, dialect)| urls.order(rules, dialect));
        Ok((urls, [before?, after?]))
    }

    /// A policy with patterns of symbols.
    fn order(&self, rules: &[Rule<'_>], dialect: &Dialect) -> Result<Order, Undecided> {
        let speller = Speller::new(self.images(dialect));
        let patterns = patterns(rules, dialect, |texts, anchored| speller.globs(texts, anchored))?;
        let is_exempt = dialect.robots_txt_always_allowed;
        let robots_txt = if is_exempt { speller.globs(&[ROBOTS_TXT], true)? } else { Vec::new() };
        Ok(Order::new(patterns, rules.len(), dialect.precedence, robots_txt))
    }

    /// The image of each symbol in a dialect; empty for unused symbols.
    fn images(&self, dialect: &Dialect) -> Vec<Vec<u8>> {
        // The engine shows normal forms in its explanations. Slashes separate the symbols.
        let robots = dialect.parse("User-agent: *\nDisallow: /\n");
        let mut url = ORIGIN.as_bytes().to_vec();
        for (symbol, spelling) in (0..=u8::MAX).zip(&self.spellings) {
            url.push(b'/');
            url.extend(if symbol == b'/' { &[][..] } else { spelling });
        }
        let target = robots.explain("x", &url).target.unwrap_or_default();
        let mut images: Vec<Vec<u8>> =
            target.split(|&octet| octet == b'/').skip(1).map(<[u8]>::to_vec).collect();
        images.resize(self.spellings.len(), Vec::new());
        images[usize::from(b'/')] = b"/".to_vec();
        images
    }

    pub(crate) fn spelling(&self, symbol: u8) -> &[u8] {
        &self.spellings[usize::from(symbol)]
    }

    /// Appends the spelling of a text.
    pub(crate) fn write(&self, text: &[u8], url: &mut Vec<u8>) {
        for &symbol in text {
            url.extend(self.spelling(symbol));
        }
    }

    /// Whether the WHATWG parser leaves a text unchanged.
    pub(crate) fn is_sent(&self, text: &[u8]) -> bool {
        let (path, query) = split(text);
        !path.iter().any(|&symbol| is_encoded_in_path(symbol))
            && !query.unwrap_or_default().contains(&b'\'')
            && !path.split(|&symbol| symbol == b'/').any(|segment| self.is_dots(segment))
    }

    /// Whether a segment of a path is resolved: one or two dots, also escaped.
    fn is_dots(&self, segment: &[u8]) -> bool {
        let is_dot =
            |&symbol: &u8| self.spelling(symbol).eq_ignore_ascii_case(b"%2e") || symbol == b'.';
        matches!(segment.len(), 1 | 2) && segment.iter().all(is_dot)
    }

    /// The patterns with a `?` at one of the stars: after it the characters belong to the query. A
    /// text of the pattern that is sent has its first `?` in one of its texts, or at a star. In the
    /// first case the canonical text of the pattern is sent, in the second case that of a result.
    /// `None` if the pattern has too many stars.
    pub(crate) fn with_query(glob: &Glob) -> Option<Vec<Glob>> {
        let stars = glob.stars();
        (stars <= QUERY_STARS)
            .then(|| (0..stars).map(|star| glob.with_symbol_at(star, b'?')).collect())
    }
}

/// Path and query of a text.
fn split(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    match text.iter().position(|&symbol| symbol == b'?') {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

/// Whether an octet occurs unescaped in the path or the query of a URL.
fn is_raw(octet: u8) -> bool {
    octet.is_ascii_graphic() && !matches!(octet, b'"' | b'#' | b'%' | b'<' | b'>')
}

/// Whether a character occurs in queries but not in paths: it is encoded, or becomes `/`.
fn is_encoded_in_path(octet: u8) -> bool {
    matches!(octet, b'\\' | b'^' | b'`' | b'{' | b'}')
}

/// Adds the escapes that URLs for these rules contain.
fn add_escapes(rules: &[Rule<'_>], dialect: &Dialect, escapes: &mut BTreeSet<[u8; 3]>) {
    let mut add_spelt = |text: &[u8]| {
        for three in text.windows(3) {
            if let [b'%', high, low] = *three
                && high.is_ascii_hexdigit()
                && low.is_ascii_hexdigit()
            {
                escapes.insert([b'%', high, low]);
                escapes.insert([b'%', high.to_ascii_uppercase(), low.to_ascii_uppercase()]);
            }
        }
    };
    for rule in rules {
        add_spelt(rule.pattern());
        for pattern in dialect.rule_patterns(rule.kind(), rule.pattern()) {
            pattern.literals().for_each(&mut add_spelt);
        }
    }
    if dialect.normal_form != NormalForm::DecodeAllButSlash {
        return;
    }
    for rule in rules {
        for pattern in dialect.rule_patterns(rule.kind(), rule.pattern()) {
            let others = pattern.literals().flatten().copied();
            let others = others
                .filter(|&octet| !is_raw(octet) || is_encoded_in_path(octet) || octet == b'\'');
            escapes.extend(others.map(escape));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::glob::tests::globs;

    fn client_urls(text: &str, dialects: [Dialect; 2]) -> ClientUrls {
        let robots = dialects.map(|dialect| dialect.parse(text));
        let rules = robots.each_ref().map(|robots| -> Vec<Rule<'_>> {
            robots.groups_for("x").flat_map(|group| group.rules()).collect()
        });
        let policies = [(&*rules[0], dialects[0]), (&*rules[1], dialects[1])];
        ClientUrls::new(&policies).expect("few spellings").0
    }

    #[test]
    fn symbols_are_characters_and_the_escapes_of_the_rules() {
        let text = "User-agent: *\nDisallow: /%7Ea%c3 b\n";
        let found = client_urls(text, [Dialect::RFC9309, Dialect::GOOGLE]);
        let escapes = found.spellings.iter().filter(|spelling| spelling.len() == 3);
        let escapes: Vec<_> = escapes.map(|escape| escape.escape_ascii().to_string()).collect();
        assert_eq!(escapes, ["%20", "%7E", "%C3", "%c3"]);
        assert_eq!(found.spelling(b'|'), b"|");
        assert_eq!((found.spelling(0), found.spelling(1)), (&b"%20"[..], &b"%7E"[..]));
        let found = client_urls("User-agent: *\nDisallow: /{%\n", [Dialect::BOOK, Dialect::GOOGLE]);
        assert_eq!(found.spellings.iter().filter(|spelling| spelling.len() == 3).count(), 2);
    }

    #[test]
    fn images_are_normal_forms() {
        let text = "User-agent: *\nDisallow: /%7E%7C%2F\n";
        let found = client_urls(text, [Dialect::RFC9309, Dialect::BOOK]);
        for (dialect, expected) in [
            (Dialect::RFC9309, ["%7C", "~", "%7C", "%2F", "a", "/", "?", "%2A"]),
            (Dialect::GOOGLE, ["|", "%7E", "%7C", "%2F", "a", "/", "?", "*"]),
            (Dialect::BOOK, ["|", "~", "|", "%2F", "a", "/", "?", "*"]),
            (Dialect::ORIG1994, ["%7C", "%7E", "%7C", "%2F", "a", "/", "?", "*"]),
        ] {
            let images = found.images(&dialect);
            let image = |spelling: &str| {
                let at = found.spellings.iter().position(|other| other == spelling.as_bytes());
                images[at.expect("a symbol")].escape_ascii().to_string()
            };
            let images = ["|", "%7E", "%7C", "%2F", "a", "/", "?", "*"].map(image);
            assert_eq!(images, expected, "{dialect}");
        }
    }

    #[test]
    fn a_client_sends_no_dots_and_encodes_by_context() {
        let found =
            client_urls("User-agent: *\nDisallow: /%2e\n", [Dialect::BOOK, Dialect::GOOGLE]);
        let symbols = |text: &str| -> Vec<u8> {
            let escape = found.spellings.iter().position(|spelling| spelling == b"%2e");
            let escape = char::from(u8::try_from(escape.expect("a symbol")).expect("a symbol"));
            text.chars()
                .map(|symbol| if symbol == 'E' { escape } else { symbol })
                .map(|it| it as u8)
                .collect()
        };
        for text in ["/", "/a?{'", "//", "/...", "/.a/E.E", "/a?/../", "/'|"] {
            assert_eq!(found.is_sent(&symbols(text)), !text.ends_with("{'"), "{text}");
        }
        for text in ["/.", "/../a", "/a/./", "/E?", "/.E/", "/{", "/a?'"] {
            assert!(!found.is_sent(&symbols(text)), "{text}");
        }
    }

    #[test]
    fn a_query_may_begin_at_each_star() {
        let found = ClientUrls::with_query(&globs("/*{*b$")[0]).expect("few stars");
        let found: Vec<_> = found.iter().map(|glob| format!("{glob:?}")).collect();
        assert_eq!(found, ["/*?*{*b$", "/*{*?*b$"]);
        assert_eq!(ClientUrls::with_query(&globs(&"/*a".repeat(100))[0]), None);
    }
}
