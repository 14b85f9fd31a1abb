//! Target `normal_form`: equality of URLs.
//!
//! The first line of the bytes is the text of a URL. The rest chooses another spelling of its path,
//! a suffix, and a second URL.
//!
//! A target is its own normal form (except in the two dialects that decode everything). In dialect
//! `rfc9309` all spellings of a URL have one target, for any spelling of rules and URLs. A rule
//! made of a target and a `$` matches only that target.

use arbitrary::{Result, Unstructured};
use verger::dialect::NormalForm;
use verger::{Dialect, Robots};
use verger_testkit::generate::{case, escaped};

use crate::input::{only_rule, published, target};

/// Checks targets.
///
/// # Panics
///
/// If a property is violated.
pub fn property(bytes: &[u8]) {
    let end = bytes.iter().position(|&octet| octet == b'\n').unwrap_or(bytes.len());
    let (url, rest) = bytes.split_at(end);
    let mut choices = Unstructured::new(rest.get(1..).unwrap_or_default());
    for dialect in published() {
        let Some(target) = target(url, &dialect) else { continue };
        assert!(target.starts_with(b"/"), "{dialect}");
        match dialect.normal_form {
            NormalForm::DecodeAllButSlash => keeps_slashes_apart(&target, url, &dialect),
            _ => is_normal(&target, &dialect),
        }
    }
    let path = path_of(url);
    // After the end of the bytes, all choices are the first option.
    let respelt = respelt(&path, &mut choices).unwrap_or_else(|_| path.clone());
    let mut url = || choices.arbitrary().map_or(Vec::new(), |seed| case(seed, 0).url);
    let (suffix, other) = (url(), url());
    spellings(&path, &respelt);
    continues(&path, &path_of(&suffix)[1..]);
    exactly_one(&path, &respelt, &path_of(&other));
}

/// The target of a path in the default dialect.
fn default_target(path: &[u8]) -> Vec<u8> {
    target(path, &Dialect::RFC9309).expect("a path has a target")
}

/// Converts any text to a path without a fragment.
fn path_of(text: &[u8]) -> Vec<u8> {
    let end = text.iter().position(|octet| matches!(octet, b'#' | b'\n' | b'\r'));
    [b"/", &text[..end.unwrap_or(text.len())]].concat()
}

fn is_normal(normal: &[u8], dialect: &Dialect) {
    // After a host: some dialects read a path that begins with `//` as a host.
    let url = [b"http://h", normal].concat();
    assert_eq!(target(&url, dialect).as_deref(), Some(normal), "{dialect}: asked again");
}

/// REP-MATCH-20: `%2F` and `/` are never equal, also where everything else is decoded.
fn keeps_slashes_apart(normal: &[u8], url: &[u8], dialect: &Dialect) {
    let mut unchanged = *dialect;
    unchanged.normal_form = NormalForm::Google;
    let raw = target(url, &unchanged).unwrap_or_default();
    let slashes = |text: &[u8]| text.split(|&octet| octet == b'/').count();
    assert_eq!(slashes(normal), slashes(&raw), "{dialect}");
}

/// Spells a path differently: escapes for octets and octets for escapes where the clauses define
/// them as equal, and hex digits in the other case.
fn respelt(path: &[u8], choices: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let mut spelt = Vec::new();
    let mut rest = path;
    while let [first, tail @ ..] = rest {
        let escaped = escaped(rest);
        rest = if escaped.is_some() { &rest[3..] } else { tail };
        let octet = escaped.unwrap_or(*first);
        let choice: u8 = choices.arbitrary()?;
        let is_equal_to_its_escape = !b"!#&'()+,/:;=?@[]".contains(&octet);
        // A `%` that does not begin an escape must not become one through the text after it.
        let stays_escaped = if octet == b'%' { true } else { choice & 1 != 0 };
        let is_escape = if is_equal_to_its_escape { stays_escaped } else { escaped.is_some() };
        if is_escape {
            spelt.extend(escape(octet, choice));
        } else {
            spelt.push(octet);
        }
    }
    Ok(spelt)
}

/// An escape, with an independent case for each digit.
fn escape(octet: u8, choice: u8) -> Vec<u8> {
    let mut escape = format!("%{octet:02X}").into_bytes();
    for (at, bit) in [(1, 2), (2, 4)] {
        if choice & bit != 0 {
            escape[at].make_ascii_lowercase();
        }
    }
    escape
}

/// All spellings of one URL have one target; all spellings of one pattern have one normal form.
fn spellings(path: &[u8], respelt: &[u8]) {
    if respelt.iter().any(|octet| matches!(octet, b'#' | b'\r' | b'\n')) {
        return;
    }
    let normal = default_target(path);
    assert_eq!(default_target(respelt), normal, "{path:?} and {respelt:?}");
    for pattern in [path, respelt] {
        // Without operators, so that the text is the same on both sides.
        let literal = without_operators(pattern);
        let explained = only_rule(&literal, &Dialect::RFC9309);
        for url in [path, respelt, &normal] {
            let lengths: Vec<usize> =
                explained.explain("a", url).contenders.iter().map(|it| it.length).collect();
            assert_eq!(lengths, [normal.len()], "{literal:?} and {url:?}");
        }
    }
}

/// Normal forms are computed octet by octet: a suffix does not change the text before it.
fn continues(path: &[u8], suffix: &[u8]) {
    let normal = default_target(path);
    let joined = default_target(&[&normal, suffix].concat());
    let normal_suffix = default_target(&[b"/", suffix].concat());
    assert_eq!(joined, [&normal, &normal_suffix[1..]].concat(), "{path:?} and {suffix:?}");
    assert!(!is_allowed(&only_rule(&normal, &Dialect::RFC9309), &joined), "a pattern is a prefix");
}

/// A target followed by a `$` is a rule for that target only.
fn exactly_one(path: &[u8], respelt: &[u8], other: &[u8]) {
    let normal = default_target(path);
    assert!(!normal.iter().any(|octet| b"*$#".contains(octet)), "{normal:?} has an operator");
    let robots = only_rule(&[&normal, &b"$"[..]].concat(), &Dialect::RFC9309);
    let explanation = robots.explain("a", path);
    assert_eq!(explanation.contenders.len(), 1, "{normal:?} matches itself");
    assert_eq!(explanation.contenders[0].length, normal.len() + 1);
    for same in [path, &normal, respelt] {
        assert_eq!(is_allowed(&robots, same), default_target(same) != normal, "{same:?}");
    }
    for longer in [&b"x"[..], b"/", b"?", b"%24", b"%"] {
        assert!(is_allowed(&robots, &[&normal, longer].concat()), "{normal:?} and {longer:?}");
    }
    let shorter = &normal[..normal.len() - 1];
    // An empty text is not a path.
    if !shorter.is_empty() {
        assert_eq!(is_allowed(&robots, shorter), default_target(shorter) != normal, "{shorter:?}");
    }
    assert_eq!(is_allowed(&robots, other), default_target(other) != normal, "{other:?}");
}

fn without_operators(text: &[u8]) -> Vec<u8> {
    let mut literal = Vec::new();
    for &octet in text {
        match octet {
            b'*' => literal.extend(b"%2A"),
            b'$' => literal.extend(b"%24"),
            // At the ends it would be trimmed; inside, the escape is equivalent.
            0 | b' ' | b'\t' | 0x0B | 0x0C => literal.extend(format!("%{octet:02X}").bytes()),
            _ => literal.push(octet),
        }
    }
    literal
}

fn is_allowed(robots: &Robots, url: &[u8]) -> bool {
    robots.check("a", url).is_allowed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn respelling_preserves_the_octets() {
        let respelt = |path: &[u8], choices: &[u8]| {
            let respelt = respelt(path, &mut Unstructured::new(choices)).expect("never fails");
            String::from_utf8(respelt).expect("ASCII")
        };
        assert_eq!(respelt(b"/a%62%2F", &[0, 1, 0, 6]), "/%61b%2f");
        assert_eq!(respelt(b"/%%341*", &[0, 0, 0, 0, 1]), "/%2541%2A");
        assert_eq!(respelt(b"/a", &[]), "/a");
    }
}
