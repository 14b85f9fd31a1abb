//! Cutting a line into key and value, and naming the key.

use super::event::{Field, Piece, RuleKind, Spelling};
use super::line::Line;
use crate::Dialect;
use crate::dialect::Spellings;

/// What a line holds.
pub(super) enum Content<'t> {
    Blank,
    Comment,
    Junk,
    Field { key: Key, field: Field<'t> },
}

/// What a key names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    UserAgent,
    Rule(RuleKind),
    Sitemap,
    Other,
}

/// Reads one line, in the order of REP-SYNTAX-10 to REP-SYNTAX-16.
pub(super) fn split<'t>(line: Line<'t>, dialect: &Dialect) -> Content<'t> {
    let bytes = line.content.bytes;
    // REP-SYNTAX-10: the first `#` starts a comment, wherever it stands.
    let comment = bytes.iter().position(|&byte| byte == b'#');
    let content = line.content.slice(0, comment.unwrap_or(bytes.len())).trim();
    if content.bytes.is_empty() {
        return if comment.is_some() { Content::Comment } else { Content::Blank };
    }
    // REP-SYNTAX-13: the first colon separates.
    let colon = content.bytes.iter().position(|&byte| byte == b':');
    let separator = colon.or_else(|| dialect.missing_colon.then(|| two_words(content)).flatten());
    let Some(separator) = separator else {
        return Content::Junk;
    };
    let (key, value) = content.split_at(separator);
    let key = key.trim();
    if key.bytes.is_empty() {
        // REP-SYNTAX-16.
        return Content::Junk;
    }
    let value = value.slice(usize::from(colon.is_some()), value.bytes.len()).trim();
    let (named, spelling) = name(key.bytes, dialect);
    let colon_missing = colon.is_none();
    let field = Field { key, value, line: line.piece, spelling, colon_missing };
    Content::Field { key: named, field }
}

/// REP-SYNTAX-14: where two words are separated by white space, when there are exactly two.
///
/// Only SP and HTAB separate, as in Google's library: a VT inside stays part of its word.
fn two_words(content: Piece<'_>) -> Option<usize> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let first = content.bytes.iter().position(is_blank)?;
    let rest = &content.bytes[first..];
    let second = rest.iter().position(|byte| !is_blank(byte))?;
    (!rest[second..].iter().any(is_blank)).then_some(first)
}

/// Names a key in the spellings that the dialect accepts (REP-SYNTAX-18, REP-SYNTAX-19).
fn name(key: &[u8], dialect: &Dialect) -> (Key, Spelling) {
    for &(kind, right, typos) in KEYS {
        let found = match dialect.spellings {
            Spellings::Exact => is(key, right).then_some(Spelling::Exact),
            Spellings::Typos => whole(key, right, typos),
            // In the order of the table, as Google's library asks: `allow` before `disallow`, so
            // `allowance` is an allow.
            Spellings::Prefixes => whole(key, right, typos).or_else(|| prefix(key, right, typos)),
        };
        match (kind, found) {
            (_, None) => {}
            (Key::Rule(RuleKind::Allow), Some(_)) if !dialect.allow => break,
            (kind, Some(spelling)) => return (kind, spelling),
        }
    }
    (Key::Other, Spelling::Exact)
}

fn whole(key: &[u8], right: &str, typos: &[&str]) -> Option<Spelling> {
    if is(key, right) {
        return Some(Spelling::Exact);
    }
    typos.iter().any(|typo| is(key, typo)).then_some(Spelling::Typo)
}

fn prefix(key: &[u8], right: &str, typos: &[&str]) -> Option<Spelling> {
    let begins = |with: &str| key.get(..with.len()).is_some_and(|start| is(start, with));
    (begins(right) || typos.iter().any(|typo| begins(typo))).then_some(Spelling::Prefix)
}

fn is(key: &[u8], word: &str) -> bool {
    key.eq_ignore_ascii_case(word.as_bytes())
}

/// Whether a key that names nothing looks as if it named a user-agent line, a rule or a sitemap: the
/// loosest reader takes it for one, or a letter or a separator makes the difference.
pub(crate) fn is_mistakable(key: &[u8]) -> bool {
    if is_usual_key(key) {
        return false;
    }
    let letters =
        || key.iter().filter(|octet| octet.is_ascii_alphabetic()).map(u8::to_ascii_lowercase);
    name(key, &Dialect::GOOGLE).0 != Key::Other
        || KEYS.iter().any(|(_, right, _)| {
            let wanted = || right.bytes().filter(u8::is_ascii_alphabetic);
            differ_by_one_letter(letters(), wanted())
        })
}

/// Whether a key is that of a user-agent line, a rule or a sitemap in its usual spelling. In a dialect
/// without `Allow` it may name nothing all the same.
pub(crate) fn is_usual_key(key: &[u8]) -> bool {
    KEYS.iter().any(|(_, right, _)| is(key, right))
}

/// Whether at most one letter has to be put in, left out or changed.
fn differ_by_one_letter<A, B>(mut left: A, mut right: B) -> bool
where
    A: Iterator<Item = u8> + Clone,
    B: Iterator<Item = u8> + Clone,
{
    loop {
        let (here, there) = (left.clone(), right.clone());
        match (left.next(), right.next()) {
            (None, None) => return true,
            (a, b) if a == b => {}
            _ => {
                return left.clone().eq(right.clone()) || left.eq(there) || here.eq(right);
            }
        }
    }
}

/// Keys with their frequent misspellings (REP-SYNTAX-19), in the order in which they are tried.
const KEYS: &[(Key, &str, &[&str])] = &[
    (Key::UserAgent, "user-agent", &["useragent", "user agent"]),
    (Key::Rule(RuleKind::Allow), "allow", &[]),
    (
        Key::Rule(RuleKind::Disallow),
        "disallow",
        &["dissallow", "dissalow", "disalow", "diasllow", "disallaw"],
    ),
    (Key::Sitemap, "sitemap", &["site-map"]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::line::lines;
    use alloc::format;
    use alloc::string::String;

    /// `key|value`, or what else the line is.
    fn read(dialect: &Dialect, line: &str) -> String {
        let line = lines(line.as_bytes(), 0, dialect).next().expect("a line");
        match split(line, dialect) {
            Content::Blank => "blank".into(),
            Content::Comment => "comment".into(),
            Content::Junk => "junk".into(),
            Content::Field { key, field } => format!(
                "{key:?}/{:?} {}|{}",
                field.spelling,
                String::from_utf8_lossy(field.key.bytes),
                String::from_utf8_lossy(field.value.bytes),
            ),
        }
    }

    #[track_caller]
    fn check(dialect: &Dialect, line: &str, expected: &str) {
        assert_eq!(read(dialect, line), expected, "{dialect:?} on {line:?}");
    }

    #[test]
    fn comments_white_space_and_the_first_colon() {
        let row = &Dialect::RFC9309;
        check(row, " \t", "blank");
        check(row, "  # x", "comment");
        check(row, "\x0bAllow\x0c :\t /a:b \x0b# c", "Rule(Allow)/Exact Allow|/a:b");
        check(row, "allow:#", "Rule(Allow)/Exact allow|");
        check(row, ": /", "junk");
        check(row, "\u{a0}allow: /", "Other/Exact \u{a0}allow|/");
    }

    #[test]
    fn a_missing_colon_takes_exactly_two_words() {
        let row = &Dialect::RFC9309;
        check(row, "disallow \t /a", "Rule(Disallow)/Exact disallow|/a");
        check(row, "disallow /a /b", "junk");
        check(row, "disallow", "junk");
        check(row, "disallow\x0b/a", "junk");
        check(row, "disallow /a:b", "Other/Exact disallow /a|b");
        check(&Dialect::KOSTER1996, "disallow /a", "junk");
    }

    #[test]
    fn spellings_follow_the_dialect() {
        let typo = "Rule(Disallow)/Typo DisAlow|/";
        check(&Dialect::RFC9309, "DisAlow: /", typo);
        check(&Dialect::GOOGLE, "DisAlow: /", typo);
        check(&Dialect::YANDEX, "DisAlow: /", "Other/Exact DisAlow|/");
        check(&Dialect::RFC9309, "disallowed: /", "Other/Exact disallowed|/");
        check(&Dialect::GOOGLE, "disallowed: /", "Rule(Disallow)/Prefix disallowed|/");
        check(&Dialect::GOOGLE, "disalowed: /", "Rule(Disallow)/Prefix disalowed|/");
        check(&Dialect::GOOGLE, "site-maps: x", "Sitemap/Prefix site-maps|x");
        check(&Dialect::RFC9309, "user agent: x", "UserAgent/Typo user agent|x");
        check(&Dialect::RFC9309, "alow: /", "Other/Exact alow|/");
    }

    #[test]
    fn keys_that_look_like_others_are_told() {
        for key in [
            "alow",
            "allw",
            "allows",
            "eallow",
            "ellow",
            "allox",
            "dis-allow",
            "disalllow",
            "User_Agent",
            "sitemapx",
            "dissalow",
        ] {
            assert!(is_mistakable(key.as_bytes()), "{key}");
        }
        for key in ["allow", "Sitemap", "host", "crawl-delay", "x", "", "noindex", "al", "ellox"] {
            assert!(!is_mistakable(key.as_bytes()), "{key}");
        }
    }

    #[test]
    fn allow_is_unknown_where_the_dialect_has_no_allow() {
        check(&Dialect::ORIG1994, "Allow: /", "Other/Exact Allow|/");
        check(&Dialect::ORIG1994, "Disallow: /", "Rule(Disallow)/Exact Disallow|/");
    }
}
