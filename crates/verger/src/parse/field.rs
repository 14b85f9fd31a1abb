//! Cutting a line into key and value, and naming the key.

use super::event::{Field, Piece, Receiver, RuleKind, Spelling};
use super::line::Line;
use crate::Dialect;
use crate::dialect::Spellings;
use crate::search::find_octet;

/// What a key names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    UserAgent,
    Rule(RuleKind),
    Sitemap,
    Other,
}

/// Reads one line, in the order of REP-SYNTAX-11 to REP-SYNTAX-16, and sends what stands there as one event.
#[inline]
pub(super) fn tell<'t, R: Receiver<'t>>(line: Line<'t>, dialect: &Dialect, receiver: &mut R) {
    match usual_key(line.content().bytes) {
        Some((Key::Rule(kind), length)) if kind == RuleKind::Disallow || dialect.allow => {
            tell_rule(kind, usual_field(line, length), dialect, receiver);
        }
        Some((Key::UserAgent, length)) => receiver.user_agent(usual_field(line, length)),
        Some((Key::Sitemap, length)) => receiver.sitemap(usual_field(line, length)),
        _ => tell_any(line, dialect, receiver),
    }
}

/// Whether a line that begins with this octet can be one that groups are made of, or that closes a list of
/// agents.
const fn may_matter_to_groups(first: u8) -> bool {
    matches!(first.to_ascii_lowercase(), b'u' | b'a' | b'd' | b'c')
}

#[inline]
fn tell_rule<'t, R: Receiver<'t>>(
    kind: RuleKind,
    field: Field<'t>,
    dialect: &Dialect,
    receiver: &mut R,
) {
    if exceeds(dialect.rule_limit, field.value.bytes) {
        receiver.oversized_rule(field);
    } else {
        receiver.rule(kind, field);
    }
}

/// The field of a line that begins with a key of this length in its usual spelling, and a colon.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "most receivers look at its value only: the rest is not even made"
)]
fn usual_field(line: Line<'_>, length: usize) -> Field<'_> {
    let (key, value) = line.content().split_at(length);
    let value = value.slice(1, value.bytes.len()).trim();
    Field {
        key,
        value,
        line: line.piece,
        line_number: line.number,
        spelling: Spelling::Exact,
        colon_missing: false,
    }
}

/// What a line names that begins with one of the keys in its usual spelling, and a colon right behind it;
/// and the length of the key. Most lines do, and every dialect reads them alike, but for `Allow`.
#[inline]
fn usual_key(line: &[u8]) -> Option<(Key, usize)> {
    // Eight octets in one comparison. Only a letter becomes a lower-case letter by this bit.
    const LOWER_CASE: u64 = u64::from_le_bytes([b' '; 8]);
    const DISALLOW: u64 = u64::from_le_bytes(*b"disallow");
    const ALLOW: u64 = u64::from_le_bytes(*b"allow\0\0\0");
    const ALLOW_LETTERS: u64 = u64::from_le_bytes(*b"\xff\xff\xff\xff\xff\0\0\0");
    let start = u64::from_le_bytes(*line.first_chunk()?) | LOWER_CASE;
    let (key, length) = if start == DISALLOW {
        (Key::Rule(RuleKind::Disallow), 8)
    } else if start & ALLOW_LETTERS == ALLOW {
        (Key::Rule(RuleKind::Allow), 5)
    } else if line.get(..10).is_some_and(|key| is(key, "user-agent")) {
        (Key::UserAgent, 10)
    } else if is(&line[..7], "sitemap") {
        (Key::Sitemap, 7)
    } else {
        return None;
    };
    (line.get(length) == Some(&b':')).then_some((key, length))
}

/// [`tell`] for any line.
fn tell_any<'t, R: Receiver<'t>>(line: Line<'t>, dialect: &Dialect, receiver: &mut R) {
    let content = line.content().trim_indent();
    let Some(&first) = content.bytes.first() else {
        return if line.has_comment {
            receiver.comment(line.piece);
        } else {
            receiver.blank(line.piece);
        };
    };
    if R::GROUPS_ONLY && !may_matter_to_groups(first) {
        return;
    }
    match split(line, content.trim_end(), dialect) {
        Some((Key::UserAgent, field)) => receiver.user_agent(field),
        Some((Key::Rule(kind), field)) => tell_rule(kind, field, dialect, receiver),
        Some((Key::Sitemap, field)) => receiver.sitemap(field),
        Some((Key::Other, field)) => receiver.other(field),
        None => receiver.junk(line.piece),
    }
}

/// Whether a value has more characters than a limit allows. Continuation bytes of UTF-8 do not count.
#[inline]
fn exceeds(limit: Option<usize>, value: &[u8]) -> bool {
    limit.is_some_and(|limit| {
        value.len() > limit && value.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() > limit
    })
}

/// The key and the value of a line on which something stands; `None` for a line that is no record.
#[inline(never)]
fn split<'t>(line: Line<'t>, content: Piece<'t>, dialect: &Dialect) -> Option<(Key, Field<'t>)> {
    // REP-SYNTAX-13: the first colon separates.
    let colon = find_octet(content.bytes, b':');
    let separator =
        colon.or_else(|| dialect.missing_colon.then(|| two_words(content)).flatten())?;
    let (key, value) = content.split_at(separator);
    let key = key.trim();
    if key.bytes.is_empty() {
        // REP-SYNTAX-16.
        return None;
    }
    let value = value.slice(usize::from(colon.is_some()), value.bytes.len()).trim();
    let (named, spelling) = name(key.bytes, dialect);
    let colon_missing = colon.is_none();
    let (line, line_number) = (line.piece, line.number);
    Some((named, Field { key, value, line, line_number, spelling, colon_missing }))
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
    let first = key.first().map(u8::to_ascii_lowercase);
    for &(kind, right, typos) in KEYS {
        // Most keys of other records, and of what is no robots.txt, go no further.
        if first != right.as_bytes().first().copied() {
            continue;
        }
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

/// Keys with their frequent misspellings (REP-SYNTAX-19), which begin with the same letter, in the order in
/// which they are tried.
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
    use crate::group::CLOSING_AGENTS;
    use crate::parse::{Event, events};
    use alloc::format;
    use alloc::string::String;

    /// `key|value`, or what else the line is.
    fn read(dialect: &Dialect, line: &str) -> String {
        let field = |key: &str, field: Field<'_>| {
            format!(
                "{key}/{:?} {}|{}",
                field.spelling,
                String::from_utf8_lossy(field.key.bytes),
                String::from_utf8_lossy(field.value.bytes),
            )
        };
        match events(line.as_bytes(), 0, dialect).next().expect("a line") {
            Event::Blank(_) => "blank".into(),
            Event::Comment(_) => "comment".into(),
            Event::Junk(_) => "junk".into(),
            Event::UserAgent(read) => field("UserAgent", read),
            Event::Rule(kind, read) => field(kind.key(), read),
            Event::OversizedRule(read) => field("Oversized", read),
            Event::Sitemap(read) => field("Sitemap", read),
            Event::Other(read) => field("Other", read),
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
        check(row, "\x0bAllow\x0c :\t /a:b \x0b# c", "Allow/Exact Allow|/a:b");
        check(row, "allow:#", "Allow/Exact allow|");
        check(row, ": /", "junk");
        check(row, "\u{a0}allow: /", "Other/Exact \u{a0}allow|/");
    }

    #[test]
    fn no_line_that_groups_are_made_of_is_passed_over() {
        let kinds = KEYS.iter().filter(|(kind, ..)| *kind != Key::Sitemap);
        let keys = kinds.flat_map(|&(_, right, typos)| typos.iter().copied().chain([right]));
        for key in keys.chain(CLOSING_AGENTS) {
            assert!(key.bytes().next().is_some_and(may_matter_to_groups), "{key}");
        }
        for (_, right, typos) in KEYS {
            assert!(typos.iter().all(|typo| typo.as_bytes()[0] == right.as_bytes()[0]), "{right}");
        }
    }

    #[test]
    fn a_missing_colon_takes_exactly_two_words() {
        let row = &Dialect::RFC9309;
        check(row, "disallow \t /a", "Disallow/Exact disallow|/a");
        check(row, "disallow /a /b", "junk");
        check(row, "disallow", "junk");
        check(row, "disallow\x0b/a", "junk");
        check(row, "disallow /a:b", "Other/Exact disallow /a|b");
        check(&Dialect::KOSTER1996, "disallow /a", "junk");
    }

    #[test]
    fn spellings_follow_the_dialect() {
        let typo = "Disallow/Typo DisAlow|/";
        check(&Dialect::RFC9309, "DisAlow: /", typo);
        check(&Dialect::GOOGLE, "DisAlow: /", typo);
        check(&Dialect::YANDEX, "DisAlow: /", "Other/Exact DisAlow|/");
        check(&Dialect::RFC9309, "disallowed: /", "Other/Exact disallowed|/");
        check(&Dialect::GOOGLE, "disallowed: /", "Disallow/Prefix disallowed|/");
        check(&Dialect::GOOGLE, "disalowed: /", "Disallow/Prefix disalowed|/");
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
        check(&Dialect::ORIG1994, "Disallow: /", "Disallow/Exact Disallow|/");
    }
}
