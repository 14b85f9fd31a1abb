//! The field `Robots-Tag` of a draft, in the shape of its first version (`foobot=noindex,nosnippet`) and in
//! that of April 2026, a structured dictionary (`foobot;noindex;nosnippet, *;noindex`). It is read and has
//! no effect (REP-PAGE-30, REP-AMB-63).

use crate::limits::ITEM_BYTES;

/// The rules of a `Robots-Tag` for one token: `foobot=noindex,nosnippet` or `foobot;noindex;nosnippet`.
///
/// The draft, draft-illyes-repext, is not a standard, so no answer depends on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RobotsTag {
    /// The token as written; `None` for everybody (`*`, or none at all).
    pub(crate) token: Option<Box<[u8]>>,
    /// The rules as written.
    pub(crate) rules: Vec<Box<[u8]>>,
}

impl RobotsTag {
    /// The token as written; `None` for everybody.
    pub fn token(&self) -> Option<&[u8]> {
        self.token.as_deref()
    }

    /// The rules as written, in order.
    pub fn rules(&self) -> impl Iterator<Item = &[u8]> {
        self.rules.iter().map(|rule| &**rule)
    }
}

/// Adds what a value says. Tokens that occur twice are merged. At most so many rules are kept in all;
/// whether there were more is the answer.
pub(crate) fn read(value: &[u8], tags: &mut Vec<RobotsTag>, limit: usize) -> bool {
    let mut count: usize = tags.iter().map(|tag| tag.rules.len()).sum();
    if is_dictionary(value) {
        for member in value.split(|&octet| octet == b',') {
            let mut parts = member.split(|&octet| octet == b';').map(<[u8]>::trim_ascii);
            let token = parts.next().filter(|token| !matches!(*token, b"" | b"*"));
            for rule in parts.filter_map(stated) {
                if count == limit {
                    return true;
                }
                count += 1;
                add(tags, token, rule);
            }
        }
        return false;
    }
    for field in value.split(|&octet| octet == b';') {
        let mut parts = field.splitn(2, |&octet| octet == b'=');
        let (first, second) = (parts.next().unwrap_or_default(), parts.next());
        let (token, rules) = match second {
            Some(rules) => (first.trim_ascii(), rules),
            None => (&b"*"[..], first),
        };
        let token = (!matches!(token, b"" | b"*")).then_some(token);
        let rules = rules.split(|&octet| octet == b',').map(<[u8]>::trim_ascii);
        for rule in rules.filter(|rule| !rule.is_empty()) {
            if count == limit {
                return true;
            }
            count += 1;
            add(tags, token, rule);
        }
    }
    false
}

/// Whether a value has the shape of April 2026: its first member is a token with parameters. A rule in
/// this place, as in `noindex;nosnippet`, is one for all crawlers in the older shape.
fn is_dictionary(value: &[u8]) -> bool {
    let end = value.iter().position(|octet| b";,=".contains(octet));
    end.is_some_and(|end| {
        let token = value[..end].trim_ascii();
        value[end] == b';' && !token.is_empty() && !RULES.iter().any(|rule| is(token, rule))
    })
}

/// The rules that the draft registers.
const RULES: [&str; 2] = ["noindex", "nosnippet"];

/// The rule that a parameter states; `None` for one that is false (RFC 9651 section 3.3.6).
fn stated(parameter: &[u8]) -> Option<&[u8]> {
    let rule = parameter.strip_suffix(b"=?1").unwrap_or(parameter);
    (!rule.is_empty() && !rule.ends_with(b"=?0")).then_some(rule)
}

fn is(text: &[u8], word: &str) -> bool {
    text.eq_ignore_ascii_case(word.as_bytes())
}

fn add(tags: &mut Vec<RobotsTag>, token: Option<&[u8]>, rule: &[u8]) {
    let cut = |text: &[u8]| text[..text.len().min(ITEM_BYTES)].into();
    let is_same = |tag: &&mut RobotsTag| match (&tag.token, token) {
        (Some(known), Some(token)) => {
            known.eq_ignore_ascii_case(&token[..token.len().min(ITEM_BYTES)])
        }
        (None, None) => true,
        _ => false,
    };
    match tags.iter_mut().find(is_same) {
        Some(tag) => tag.rules.push(cut(rule)),
        None => tags.push(RobotsTag { token: token.map(cut), rules: vec![cut(rule)] }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: &str, expected: &[(Option<&str>, &str)]) {
        let mut tags = Vec::new();
        assert!(!read(value.as_bytes(), &mut tags, 9));
        let text = |bytes| str::from_utf8(bytes).unwrap();
        let shown: Vec<_> = tags
            .iter()
            .map(|tag| (tag.token().map(text), tag.rules().map(text).collect::<Vec<_>>().join(" ")))
            .collect();
        let shown: Vec<_> = shown.iter().map(|(token, rules)| (*token, &**rules)).collect();
        assert_eq!(shown, expected, "{value}");
    }

    #[test]
    fn tokens_are_merged_and_everybody_needs_none() {
        check(
            "*=noindex; FooBot = nosnippet , noindex;foobot=x;nosnippet;;=y;bar=",
            &[(None, "noindex nosnippet y"), (Some("FooBot"), "nosnippet noindex x")],
        );
        check("noindex;nosnippet", &[(None, "noindex nosnippet")]);
        check("noindex,nosnippet", &[(None, "noindex nosnippet")]);
        check("NoIndex ;foobot=x", &[(None, "NoIndex"), (Some("foobot"), "x")]);
    }

    #[test]
    fn a_dictionary_has_tokens_with_parameters() {
        check(
            "*;noindex;nosnippet, ExampleBot;noindex, examplebot; x=?1",
            &[(None, "noindex nosnippet"), (Some("ExampleBot"), "noindex x")],
        );
        check("a ; noindex=?0;;nosnippet, b", &[(Some("a"), "nosnippet")]);
        check("a;max-snippet=20,;x", &[(Some("a"), "max-snippet=20"), (None, "x")]);
        check(";noindex", &[(None, "noindex")]);
    }

    #[test]
    fn rules_are_counted_in_all() {
        let mut tags = Vec::new();
        assert!(!read(b"a=b,c", &mut tags, 3));
        assert!(read(b"a=d,e", &mut tags, 3));
        assert_eq!(tags[0].rules.len(), 3);
        assert!(read(b"a;d", &mut tags, 3));
        assert_eq!(tags[0].rules.len(), 3);
    }
}
