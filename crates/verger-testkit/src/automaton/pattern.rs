//! Rules as lists of octets and stars, in the normal form of a dialect.
//!
//! Written from `docs/clauses.md` and the documentation of [`Dialect`], not from the engine.

use verger::Dialect;
use verger::dialect::{EmptyRule, NormalForm};

/// A pattern that must match a whole target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    /// Octets, and `None` for a star.
    pub(super) tokens: Vec<Option<u8>>,
    /// The length by which patterns are compared.
    pub(super) length: usize,
    pub(super) allows: bool,
}

/// The patterns of a rule.
pub(super) fn of_rule(allow: bool, raw: &[u8], dialect: &Dialect) -> Vec<Pattern> {
    if raw.is_empty() {
        // REP-AMB-2.
        let allows = match dialect.empty_rule {
            EmptyRule::Inert => return Vec::new(),
            EmptyRule::Allows => true,
            _ => allow,
        };
        return vec![Pattern { tokens: vec![None], length: 0, allows }];
    }
    let mut patterns = vec![of_text(allow, raw, false, dialect)];
    // REP-MATCH-30: the last segment begins with `index.htm`.
    if allow && dialect.index_html_allows_directory {
        let segment = raw.rsplit(|&octet| octet == b'/').next().unwrap_or_default();
        if segment.len() < raw.len() && segment.starts_with(b"index.htm") {
            let directory = &raw[..raw.len() - segment.len()];
            patterns.push(of_text(allow, directory, true, dialect));
        }
    }
    patterns
}

/// The pattern of a text; `exact` adds a final `$`.
pub(super) fn of_text(allow: bool, raw: &[u8], exact: bool, dialect: &Dialect) -> Pattern {
    // REP-MATCH-17: only the very last `$` is special.
    let (body, anchored) = match raw.split_last() {
        Some((b'$', body)) if dialect.wildcards && !exact => (body, true),
        _ => (raw, exact),
    };
    let mut tokens = Vec::new();
    let is_star = |octet: &u8| dialect.wildcards && *octet == b'*';
    for (at, literal) in body.split(is_star).enumerate() {
        if at > 0 {
            tokens.push(None);
        }
        tokens.extend(normal(literal, dialect.normal_form).into_iter().map(Some));
    }
    let length = tokens.len() + usize::from(anchored);
    if !anchored {
        tokens.push(None);
    }
    Pattern { tokens, length, allows: allow }
}

/// The normal form of a literal (REP-MATCH-20).
pub(super) fn normal(literal: &[u8], form: NormalForm) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < literal.len() {
        let octet = literal[at];
        let escaped = match literal.get(at + 1..at + 3) {
            Some(&[high, low]) if octet == b'%' => hex(high).zip(hex(low)),
            _ => None,
        };
        let Some((high, low)) = escaped else {
            at += 1;
            match form {
                NormalForm::Rfc9309 if octet == b'%' || !is_rfc_character(octet) => {
                    out.extend(escape(octet));
                }
                NormalForm::Google if octet >= 0x80 => out.extend(escape(octet)),
                NormalForm::EscapeUnsafe if !is_perl_character(octet) => out.extend(escape(octet)),
                _ => out.push(octet),
            }
            continue;
        };
        let value = high * 16 + low;
        match form {
            NormalForm::Rfc9309 if is_unreserved(value) => out.push(value),
            NormalForm::DecodeAllButSlash if value != b'/' => out.push(value),
            // `%` and digits are characters like any others.
            NormalForm::EscapeUnsafe => out.extend(&literal[at..at + 3]),
            _ => out.extend(escape(value)),
        }
        at += 3;
    }
    out
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

fn escape(octet: u8) -> Vec<u8> {
    format!("%{octet:02X}").into_bytes()
}

pub(super) fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || b"-._~".contains(&octet)
}

/// Whether dialect `rfc9309` leaves a character as it is, outside of escapes and operators.
pub(super) fn is_rfc_character(octet: u8) -> bool {
    is_unreserved(octet) || b":/?#[]@!&'()+,;=".contains(&octet)
}

/// Whether Perl's URI module leaves a character as it is.
pub(super) fn is_perl_character(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || b";/?:@&=+$,-_.!~*'()%#".contains(&octet)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(dialect: Dialect, raw: &str, expected: &[&str]) {
        let patterns = of_rule(true, raw.as_bytes(), &dialect);
        let found: Vec<String> = patterns
            .iter()
            .map(|pattern| {
                let tokens = pattern.tokens.iter().map(|token| char::from(token.unwrap_or(b'*')));
                format!("{} {}", tokens.collect::<String>(), pattern.length)
            })
            .collect();
        assert_eq!(found, expected, "{dialect} {raw}");
    }

    #[test]
    fn patterns_match_whole_targets_in_normal_form() {
        check(Dialect::RFC9309, "/%61%2f%$", &["/a%2F%25 9"]);
        check(Dialect::RFC9309, "/a**$b", &["/a**%24b* 8"]);
        check(Dialect::GOOGLE, "/%7e é", &["/%7E %C3%A9* 11"]);
        check(Dialect::BOOK, "/a*%2A%2f$", &["/a**%2F$* 8"]);
        check(Dialect::ORIG1994, "/%7e[", &["/%7e%5B* 7"]);
        check(Dialect::GOOGLE, "/*/index.html", &["/*/index.html* 13", "/*/ 4"]);
        check(Dialect::GOOGLE, "index.html", &["index.html* 10"]);
        check(Dialect::RFC9309, "", &[]);
        check(Dialect::BAIDU, "", &["* 0"]);
    }
}
