//! The field `Robots-Tag` of a draft: read, and without effect (REP-PAGE-30).

use crate::limits::ITEM_BYTES;

/// What a `Robots-Tag` says for one token: `foobot=noindex,nosnippet`.
///
/// The draft, draft-illyes-repext-00, is no standard, so no answer depends on it.
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

    #[test]
    fn tokens_are_merged_and_everybody_needs_none() {
        let mut tags = Vec::new();
        let value = b"*=noindex; FooBot = nosnippet , noindex;foobot=x;nosnippet;;=y;bar=";
        assert!(!read(value, &mut tags, 9));
        let shown: Vec<_> = tags
            .iter()
            .map(|tag| {
                let rules: Vec<_> = tag.rules().map(|rule| str::from_utf8(rule).unwrap()).collect();
                (tag.token().map(|token| str::from_utf8(token).unwrap()), rules.join(" "))
            })
            .collect();
        let expected = [
            (None, "noindex nosnippet y".to_owned()),
            (Some("FooBot"), "nosnippet noindex x".to_owned()),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn rules_are_counted_in_all() {
        let mut tags = Vec::new();
        assert!(!read(b"a=b,c", &mut tags, 3));
        assert!(read(b"a=d,e", &mut tags, 3));
        assert_eq!(tags[0].rules.len(), 3);
    }
}
