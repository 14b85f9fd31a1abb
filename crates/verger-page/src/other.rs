//! Other statements of a page in the same places, without effect on directives: meta elements for
//! search engines, TDM reservations, and a draft's field `Robots-Tag` (REP-PAGE-30, REP-AMB-63).
//!
//! The draft has two forms: that of its first version (`foobot=noindex,nosnippet`), and that of April
//! 2026, a structured dictionary (`foobot;noindex;nosnippet, *;noindex`).

use crate::limits::{ITEM_BYTES, TEXT_BYTES};
use crate::statement::Place;

/// Meta elements for search engines, from the time of the book (REP-PAGE-40). They have no effect.
///
/// The texts are untrusted: show them through [`verger::Untrusted`]. Of several elements with one
/// name the first counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchMeta {
    /// `description`: a summary, free text.
    pub description: Option<String>,
    /// `keywords`: words separated by commas.
    pub keywords: Option<String>,
    /// `revisit-after`, such as `10 days`; rarely obeyed.
    pub revisit_after: Option<String>,
}

impl SearchMeta {
    /// Stores an element with one of these names. Returns whether it was one.
    pub(crate) fn take(&mut self, name: &str, content: &str) -> bool {
        let field = match name.to_ascii_lowercase().as_str() {
            "description" => &mut self.description,
            "keywords" => &mut self.keywords,
            "revisit-after" => &mut self.revisit_after,
            _ => return false,
        };
        field.get_or_insert_with(|| cut(content).trim_ascii().to_owned());
        true
    }
}

/// A statement of the TDM Reservation Protocol, in a header line or a meta element (REP-EXT-50).
///
/// Its relation to other statements on the use of content is undefined, so it is reported
/// separately (REP-EXT-52).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TdmStatement {
    /// The content.
    pub term: TdmTerm,
    /// The place.
    pub place: Place,
}

/// The content of a [`TdmStatement`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TdmTerm {
    /// `tdm-reservation`: whether the rights to mine text and data are reserved.
    Reservation(bool),
    /// `tdm-policy`: the address of a policy, as written.
    Policy(String),
}

impl TdmStatement {
    /// Whether a field or element of this name is a TDM statement.
    pub(crate) fn is_name(name: &str) -> bool {
        [RESERVATION, POLICY].iter().any(|known| name.eq_ignore_ascii_case(known))
    }

    /// Parses a field or element; `None` if it states nothing: values other than 0 and 1 count as
    /// unset.
    pub(crate) fn read(name: &str, value: &str, place: Place) -> Option<Self> {
        let value = value.trim_ascii();
        let term = if name.eq_ignore_ascii_case(RESERVATION) {
            match value {
                "0" => TdmTerm::Reservation(false),
                "1" => TdmTerm::Reservation(true),
                _ => return None,
            }
        } else if name.eq_ignore_ascii_case(POLICY) && !value.is_empty() {
            TdmTerm::Policy(cut(value).to_owned())
        } else {
            return None;
        };
        Some(Self { term, place })
    }
}

/// The text, cut at its limit.
pub(crate) fn cut(text: &str) -> &str {
    if text.len() <= TEXT_BYTES {
        return text;
    }
    let end = (0..=TEXT_BYTES).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or_default()]
}

const RESERVATION: &str = "tdm-reservation";
const POLICY: &str = "tdm-policy";

/// The rules of a `Robots-Tag` for one token: `foobot=noindex,nosnippet` or `foobot;noindex;nosnippet`.
///
/// The draft, draft-illyes-repext, is not a standard, so no answer depends on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct RobotsTag {
    /// The token as written; `None` for every crawler (`*`, or no token).
    pub token: Option<Box<[u8]>>,
    /// The rules as written, in order.
    pub rules: Vec<Box<[u8]>>,
}

/// Adds the rules of a value. Repeated tokens are merged. At most `limit` rules are stored in
/// total; returns whether there were more.
pub(crate) fn read_robots_tag(value: &[u8], tags: &mut Vec<RobotsTag>, limit: usize) -> bool {
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

/// Whether a value has the form of April 2026: its first member is a token with parameters. A rule
/// in this position, as in `noindex;nosnippet`, is one for all crawlers in the older form.
fn is_dictionary(value: &[u8]) -> bool {
    let end = value.iter().position(|octet| b";,=".contains(octet));
    end.is_some_and(|end| {
        let token = value[..end].trim_ascii();
        value[end] == b';' && !token.is_empty() && !RULES.iter().any(|rule| is(token, rule))
    })
}

/// The rules that the draft registers.
const RULES: [&str; 2] = ["noindex", "nosnippet"];

/// The rule of a parameter; `None` if it is false (RFC 9651 section 3.3.6).
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

    #[test]
    fn the_first_of_each_element_counts() {
        let mut meta = SearchMeta::default();
        assert!(meta.take("DESCRIPTION", " A shop "));
        assert!(meta.take("description", "x"));
        assert!(meta.take("Keywords", "a, ,b c,"));
        assert!(meta.take("revisit-after", "10 days"));
        assert!(!meta.take("robots", "x"));
        let [description, keywords, revisit] =
            [meta.description, meta.keywords, meta.revisit_after].map(Option::unwrap);
        assert_eq!([&*description, &*keywords, &*revisit], ["A shop", "a, ,b c,", "10 days"]);
    }

    #[test]
    fn a_reservation_is_0_or_1() {
        let place = Place::Header { line: 1 };
        let term = |name, value| TdmStatement::read(name, value, place).map(|found| found.term);
        assert_eq!(term("TDM-Reservation", " 1"), Some(TdmTerm::Reservation(true)));
        assert_eq!(term("tdm-reservation", "0"), Some(TdmTerm::Reservation(false)));
        assert_eq!(term("tdm-reservation", "yes"), None);
        assert_eq!(term("tdm-policy", "/p"), Some(TdmTerm::Policy("/p".into())));
        assert_eq!(term("tdm-policy", " "), None);
    }

    #[track_caller]
    fn check(value: &str, expected: &[(Option<&str>, &str)]) {
        let mut tags = Vec::new();
        assert!(!read_robots_tag(value.as_bytes(), &mut tags, 9));
        let text = |bytes| str::from_utf8(bytes).unwrap();
        let shown: Vec<_> = tags
            .iter()
            .map(|tag| {
                (tag.token.as_deref().map(text), String::from_utf8(tag.rules.join(&b' ')).unwrap())
            })
            .collect();
        let shown: Vec<_> = shown.iter().map(|(token, rules)| (*token, &**rules)).collect();
        assert_eq!(shown, expected, "{value}");
    }

    #[test]
    fn equal_tokens_are_merged_and_rules_without_a_token_are_for_everybody() {
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
    fn the_limit_of_rules_applies_to_all_fields_together() {
        let mut tags = Vec::new();
        assert!(!read_robots_tag(b"a=b,c", &mut tags, 3));
        assert!(read_robots_tag(b"a=d,e", &mut tags, 3));
        assert_eq!(tags[0].rules.len(), 3);
        assert!(read_robots_tag(b"a;d", &mut tags, 3));
        assert_eq!(tags[0].rules.len(), 3);
    }
}
