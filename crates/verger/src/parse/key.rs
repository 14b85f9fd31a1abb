//! Keys: their meanings and accepted spellings.

use super::event::{RuleKind, Spelling};
use crate::Dialect;
use crate::dialect::Spellings;

/// The meaning of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    UserAgent,
    Rule(RuleKind),
    Sitemap,
    Other,
}

/// The key of a line that begins with it in its usual spelling, directly followed by a colon; and
/// the length of the key. Most lines do, and all dialects read them alike, except for `Allow`.
#[inline]
pub(super) fn usual_key(line: &[u8]) -> Option<(Key, usize)> {
    // Eight octets in one comparison. Only a letter becomes a lower-case letter with this bit; a
    // control becomes a hyphen or a colon.
    const LOWER_CASE: u64 = u64::from_le_bytes([b' '; 8]);
    const DISALLOW: u64 = u64::from_le_bytes(*b"disallow");
    const ALLOW: u64 = u64::from_le_bytes(*b"allow\0\0\0");
    const ALLOW_LETTERS: u64 = u64::from_le_bytes(*b"\xff\xff\xff\xff\xff\0\0\0");
    const USER_AGE: u64 = u64::from_le_bytes(*b"user-age");
    const SITEMAP: u64 = u64::from_le_bytes(*b"sitemap:");
    let start = u64::from_le_bytes(*line.first_chunk()?) | LOWER_CASE;
    let (key, length) = if start == DISALLOW {
        (Key::Rule(RuleKind::Disallow), 8)
    } else if start & ALLOW_LETTERS == ALLOW {
        (Key::Rule(RuleKind::Allow), 5)
    } else if start == USER_AGE {
        let &[_, _, _, _, hyphen, .., n, t] = line.first_chunk::<10>()?;
        if [hyphen, n | b' ', t | b' '] != *b"-nt" {
            return None;
        }
        (Key::UserAgent, 10)
    } else if start == SITEMAP {
        (Key::Sitemap, 7)
    } else {
        return None;
    };
    (line.get(length) == Some(&b':')).then_some((key, length))
}

/// Whether a line that begins with this octet can be part of a group, or close a list of agents.
pub(super) const fn may_affect_groups(first: u8) -> bool {
    matches!(first.to_ascii_lowercase(), b'u' | b'a' | b'd' | b'c')
}

/// Recognises a key in the spellings of the dialect (REP-SYNTAX-18, REP-SYNTAX-19).
pub(super) fn name(key: &[u8], dialect: &Dialect) -> (Key, Spelling) {
    let first = key.first().map(u8::to_ascii_lowercase);
    for &(kind, right, typos) in KEYS {
        // Most keys of other records, and of texts that are not a robots.txt, end here.
        if first != right.as_bytes().first().copied() {
            continue;
        }
        let found = match dialect.spellings {
            Spellings::Exact => is(key, right).then_some(Spelling::Exact),
            Spellings::Typos => whole(key, right, typos),
            // In the order of the table, as in Google's library: `allow` before `disallow`, so
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

/// The key of a user-agent line, a rule or a sitemap that an unknown key looks like: dialect
/// `google` accepts it, or it differs by one letter or a separator.
pub(crate) fn looks_like(key: &[u8]) -> Option<&'static str> {
    if is_usual_key(key) {
        return None;
    }
    let letters =
        || key.iter().filter(|octet| octet.is_ascii_alphabetic()).map(u8::to_ascii_lowercase);
    let accepted = Some(name(key, &Dialect::GOOGLE).0).filter(|key| *key != Key::Other);
    let similar = || {
        let is_similar = |(_, right, _): &&(_, &str, _)| {
            let wanted = right.bytes().filter(u8::is_ascii_alphabetic);
            differ_by_one_letter(letters(), wanted)
        };
        KEYS.iter().find(is_similar).map(|(key, ..)| *key)
    };
    accepted.or_else(similar).map(|key| match key {
        Key::UserAgent => "User-agent",
        Key::Rule(kind) => kind.key(),
        Key::Sitemap => "Sitemap",
        Key::Other => "",
    })
}

/// Whether a key is that of a user-agent line, a rule or a sitemap in its usual spelling. In a
/// dialect without `Allow`, `Allow` is unknown nevertheless.
pub(crate) fn is_usual_key(key: &[u8]) -> bool {
    KEYS.iter().any(|(_, right, _)| is(key, right))
}

/// Whether at most one letter is inserted, removed or changed.
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

/// Keys with their frequent misspellings (REP-SYNTAX-19), which begin with the same letter, in the
/// order of comparison.
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
    use crate::group::ClosingRecord;

    #[test]
    fn no_line_of_a_group_is_skipped() {
        let kinds = KEYS.iter().filter(|(kind, ..)| *kind != Key::Sitemap);
        let keys = kinds.flat_map(|&(_, right, typos)| typos.iter().copied().chain([right]));
        for key in keys.chain(ClosingRecord::ALL.map(ClosingRecord::key)) {
            assert!(key.bytes().next().is_some_and(may_affect_groups), "{key}");
        }
        for (_, right, typos) in KEYS {
            assert!(typos.iter().all(|typo| typo.as_bytes()[0] == right.as_bytes()[0]), "{right}");
        }
    }

    /// Each usual key with any octet in any place: both ways give the same result.
    #[test]
    fn the_fast_and_the_full_comparison_of_keys_agree() {
        for &(kind, right, _) in KEYS {
            // Miri is slow.
            let octets = || (0..=255).step_by(if cfg!(miri) { 23 } else { 1 });
            let changes = (0..right.len()).flat_map(|at| octets().map(move |octet| (at, octet)));
            for (place, octet) in changes {
                let mut line = [right.as_bytes(), b":value"].concat();
                line[place] = octet;
                let Some((key, length)) = usual_key(&line) else {
                    assert!(!line.starts_with(right.as_bytes()), "{right} goes the long way");
                    continue;
                };
                assert_eq!((key, length), (kind, right.len()), "{line:?}");
                assert_eq!(line.iter().position(|&octet| octet == b':'), Some(length));
                for dialect in Dialect::PUBLISHED {
                    let is_known = dialect.allow || key != Key::Rule(RuleKind::Allow);
                    let expected = if is_known { key } else { Key::Other };
                    assert_eq!(name(&line[..length], &dialect), (expected, Spelling::Exact));
                }
            }
            let capitals = [&right.to_ascii_uppercase(), ":value"].concat();
            assert_eq!(usual_key(capitals.as_bytes()), Some((kind, right.len())));
        }
    }

    #[test]
    fn keys_similar_to_known_ones_are_recognised() {
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
            assert!(looks_like(key.as_bytes()).is_some(), "{key}");
        }
        for key in ["allow", "Sitemap", "host", "crawl-delay", "x", "", "noindex", "al", "ellox"] {
            assert_eq!(looks_like(key.as_bytes()), None, "{key}");
        }
        for (key, expected) in [
            ("allowance", "Allow"),
            ("disallows", "Disallow"),
            ("User_Agent", "User-agent"),
            ("site maps", "Sitemap"),
        ] {
            assert_eq!(looks_like(key.as_bytes()), Some(expected), "{key}");
        }
    }
}
