//! Other statements of a page in the same places, without effect on directives: meta elements for
//! search engines, preferences and licences (REP-PAGE-31), and a draft's field `Robots-Tag`
//! (REP-PAGE-30).
//!
//! The draft has two forms: that of its first version (`foobot=noindex,nosnippet`), and that of
//! April 2026, a structured list (`foobot;noindex;nosnippet, *;noindex`).

use std::collections::BTreeMap;

use sfv::Parser;
use sfv::visitor::Ignored;
use verger::extension::{ContentUsage, Extension, Preference, RecordKind, Signals, Usage};

use crate::directive::plain;
use crate::limits::{ITEM_BYTES, TEXT_BYTES};
use crate::statement::{Place, Subject};

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
        field.get_or_insert_with(|| cut_text(content).trim_ascii().to_owned());
        true
    }
}

/// A statement beside the directives, in a header field or a meta element (REP-PAGE-30,
/// REP-PAGE-31).
///
/// The relation of such statements to each other is undefined, so each is reported separately
/// (REP-EXT-52).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OtherStatement {
    /// The field or element, in lower case, such as `content-usage`.
    pub name: &'static str,
    /// The value of the whole field or element as written; cut to 256 bytes. It is untrusted text.
    pub text: Box<[u8]>,
    /// The statement, or what was expected if the value states nothing.
    pub parsed: Result<OtherTerm, &'static str>,
    /// The place.
    pub place: Place,
}

/// The content of an [`OtherStatement`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OtherTerm {
    /// `Content-Usage`: preferences for the use of this response (REP-EXT-36).
    Usage {
        /// The preferences.
        usage: Usage,
        /// Keys outside of the vocabulary with their preferences. They have no effect.
        unknown: Vec<(String, Preference)>,
    },
    /// `Content-Signal`: signals about the use of this response (REP-EXT-32).
    Signals(Signals),
    /// `Link` field or `link` element with relation `license` (REP-EXT-40).
    License {
        /// The address of the licence, as written. Empty for the page itself.
        address: String,
        /// The address of the resource that has the licence, as written, if it is more than a part
        /// of the page (RFC 8288 section 3.2). The licence is about the page if this is its
        /// address, too.
        anchor: Option<String>,
    },
    /// `tdm-reservation`: whether the rights to mine text and data are reserved (REP-EXT-50).
    Reservation(bool),
    /// `tdm-policy`: the address of a policy, as written (REP-EXT-50).
    Policy(String),
    /// The rules of a `Robots-Tag` for a crawler (REP-PAGE-30). Those for everybody and
    /// for its own name apply together.
    RobotsTag {
        /// The crawlers.
        subject: Subject,
        /// The rules.
        rules: Vec<Box<[u8]>>,
    },
}

const ROBOTS_TAG: &str = "robots-tag";
const USAGE: &str = "content-usage";
const SIGNAL: &str = "content-signal";
pub(crate) const LINK: &str = "link";
/// Licences in the page have a limit of their own.
#[cfg(feature = "html")]
pub(crate) const LICENSE_ELEMENT: &str = "link element";
const RESERVATION: &str = "tdm-reservation";
const POLICY: &str = "tdm-policy";

/// The field with other statements that has this name.
pub(crate) fn field_name(name: &[u8]) -> Option<&'static str> {
    let all = [ROBOTS_TAG, USAGE, SIGNAL, LINK, RESERVATION, POLICY];
    all.into_iter().find(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

/// The meta element with other statements that has this name.
pub(crate) fn element_name(name: &str) -> Option<&'static str> {
    field_name(name.as_bytes()).filter(|name| matches!(*name, RESERVATION | POLICY))
}

/// Reads the statements of a field or element.
pub(crate) fn read(
    name: &'static str,
    value: &[u8],
    mut each: impl FnMut(Result<OtherTerm, &'static str>),
) {
    let value = value.trim_ascii();
    let term = match name {
        ROBOTS_TAG => return read_robots_tag(value, each),
        LINK => return read_licenses(value, |term| each(Ok(term))),
        USAGE => read_usage(value).ok_or("expected preferences such as `train-ai=n`"),
        SIGNAL => Signals::parse(value)
            .map(OtherTerm::Signals)
            .map_err(|_| "expected signals such as `search=yes`"),
        RESERVATION if matches!(value, b"0" | b"1") => Ok(OtherTerm::Reservation(value == b"1")),
        RESERVATION => Err("expected `0` or `1`"),
        _ if value.is_empty() => Err("expected the address of a policy"),
        _ => Ok(OtherTerm::Policy(text(value))),
    };
    each(term);
}

fn read_usage(value: &[u8]) -> Option<OtherTerm> {
    let line = Extension::parse(RecordKind::ContentUsage, value).ok()?;
    // Only a line of robots.txt can begin with a path.
    let Extension::ContentUsage(ContentUsage { path: None, usage, unknown, .. }) = line else {
        return None;
    };
    let unknown = unknown.into_iter().map(|(key, preference)| (text(key), preference));
    Some(OtherTerm::Usage { usage, unknown: unknown.collect() })
}

fn text(value: &[u8]) -> String {
    cut_text(&String::from_utf8_lossy(value)).to_owned()
}

/// The links whose relations include `license` (RFC 8288).
fn read_licenses(value: &[u8], mut each: impl FnMut(OtherTerm)) {
    for link in parts(value, b',') {
        let target = parts(link, b';').next().unwrap_or_default().trim_ascii();
        let target = target.strip_prefix(b"<").and_then(|rest| rest.strip_suffix(b">"));
        // Of equal parameters the first counts.
        let parameter = |wanted: &[u8]| {
            parts(link, b';').skip(1).find_map(|it| {
                let mut words = it.splitn(2, |&octet| octet == b'=').map(<[u8]>::trim_ascii);
                let is_wanted = words.next()?.eq_ignore_ascii_case(wanted);
                is_wanted.then(|| words.next().unwrap_or_default())
            })
        };
        let relations = parameter(b"rel").unwrap_or_default();
        let mut relations = relations.split(|octet| b"\" ".contains(octet));
        let is_license = relations.any(|relation| relation.eq_ignore_ascii_case(b"license"));
        // The limit of the field bounds addresses; a part would be another one.
        let whole = |octets: &[u8]| String::from_utf8_lossy(octets).into_owned();
        let anchor = whole(&unquoted(parameter(b"anchor").unwrap_or_default()));
        let anchor = Some(anchor).filter(|it| !it.is_empty() && !it.starts_with('#'));
        if let Some(address) = target.filter(|_| is_license).map(whole) {
            each(OtherTerm::License { address, anchor });
        }
    }
}

/// The text of a quoted string (RFC 9110 section 5.6.4), or a token as it is.
fn unquoted(value: &[u8]) -> Vec<u8> {
    let mut octets =
        value.strip_prefix(b"\"").and_then(|it| it.strip_suffix(b"\"")).unwrap_or(value).iter();
    let next = || octets.next().and_then(|it| if *it == b'\\' { octets.next() } else { Some(it) });
    std::iter::from_fn(next).copied().collect()
}

/// The parts of a value between separators, except in quoted strings and between `<` and `>`.
fn parts(value: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let (mut until, mut is_escaped) = (None, false);
    value.split(move |&octet| {
        if std::mem::take(&mut is_escaped) {
            return false;
        }
        match until {
            Some(end) if octet == end => until = None,
            Some(end) => is_escaped = end == b'"' && octet == b'\\',
            None if octet == b'"' => until = Some(b'"'),
            None if octet == b'<' => until = Some(b'>'),
            None => return octet == separator,
        }
        false
    })
}

/// The text, cut at its limit.
pub(crate) fn cut_text(text: &str) -> &str {
    if text.len() <= TEXT_BYTES {
        return text;
    }
    let end = (0..=TEXT_BYTES).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or_default()]
}

/// Reads a `Robots-Tag` in one of its two forms.
fn read_robots_tag(value: &[u8], mut each: impl FnMut(Result<OtherTerm, &'static str>)) {
    const LIST: &str = "expected a list such as `*;nosnippet, ExampleBot;noindex`";
    let tag = |name: &[u8], rules| {
        // A rule in the place of a name.
        if plain(name).is_some() {
            return Err(LIST);
        }
        let is_everybody = matches!(name, b"" | b"*");
        let subject =
            if is_everybody { Subject::Everybody } else { Subject::Agent(cut_item(name).into()) };
        Ok(OtherTerm::RobotsTag { subject, rules })
    };
    if is_structured(value) {
        for member in parts(value, b',').map(<[u8]>::trim_ascii) {
            // RFC 9651 forbids upper case in keys; the draft's example has it.
            let lower = member.to_ascii_lowercase();
            let is_token = matches!(lower.first(), Some(b'*' | b'a'..=b'z'));
            if !is_token || Parser::new(&lower).parse_item_with_visitor(Ignored).is_err() {
                return each(Err(LIST));
            }
            let mut parts = parts(&lower, b';').map(<[u8]>::trim_ascii);
            let name = &member[..parts.next().unwrap_or_default().len()];
            let rules = parts.map(|rule| match rule.iter().position(|&octet| octet == b'=') {
                None => (rule, Some(rule)),
                // RFC 9651 section 3.3.6: true and false.
                Some(at) if rule[at..] == *b"=?1" => (&rule[..at], Some(&rule[..at])),
                Some(at) if rule[at..] == *b"=?0" => (&rule[..at], None),
                Some(at) => (&rule[..at], Some(rule)),
            });
            // Of equal keys the last counts.
            let rules: BTreeMap<_, _> = rules.collect();
            let rules = rules.into_values().flatten().map(|rule| cut_item(rule).into());
            each(tag(name, rules.collect()));
        }
        return;
    }
    for field in value.split(|&octet| octet == b';') {
        let equals = field.iter().position(|&octet| octet == b'=');
        let (name, rules) =
            equals.map_or((&b"*"[..], field), |at| (&field[..at], &field[at + 1..]));
        let rules = rules.split(|&octet| octet == b',').map(<[u8]>::trim_ascii);
        let rules: Vec<Box<[u8]>> =
            rules.filter(|rule| !rule.is_empty()).map(|rule| cut_item(rule).into()).collect();
        if !rules.is_empty() {
            each(tag(name.trim_ascii(), rules));
        }
    }
}

/// Whether a value has the form of April 2026: its first member is a token, with or without
/// parameters. A rule in this position, as in `noindex;nosnippet`, is one for all crawlers in the
/// older form.
fn is_structured(value: &[u8]) -> bool {
    let end = value.iter().position(|octet| b";,=".contains(octet)).unwrap_or(value.len());
    let token = value[..end].trim_ascii();
    let is_rule = RULES.iter().any(|rule| token.eq_ignore_ascii_case(rule.as_bytes()));
    value.get(end) != Some(&b'=') && !token.is_empty() && !is_rule
}

/// The rules that the draft registers.
const RULES: [&str; 2] = ["noindex", "nosnippet"];

/// The text, cut at the limit of an item.
pub(crate) fn cut_item(text: &[u8]) -> &[u8] {
    &text[..text.len().min(ITEM_BYTES)]
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

    /// The terms of a field as text, one a line.
    #[track_caller]
    fn check(name: &str, value: &str, expected: &[&str]) {
        let mut found = Vec::new();
        let name = field_name(name.as_bytes()).expect("a known field");
        read(name, value.as_bytes(), |term| {
            found.push(match term {
                Err(error) => error.to_owned(),
                Ok(OtherTerm::Usage { usage, unknown }) => {
                    let unknown = unknown.iter().map(|(key, _)| format!(" {key}"));
                    shown(usage.stated()) + &unknown.collect::<String>()
                }
                Ok(OtherTerm::Signals(signals)) => shown(signals.stated()),
                Ok(OtherTerm::License { address, anchor }) => {
                    address + &anchor.map_or_else(String::new, |it| format!(" of {it}"))
                }
                Ok(OtherTerm::Policy(address)) => address,
                Ok(OtherTerm::Reservation(is_reserved)) => is_reserved.to_string(),
                Ok(OtherTerm::RobotsTag { subject, rules }) => {
                    format!("{subject}: {}", String::from_utf8(rules.join(&b' ')).unwrap())
                }
            });
        });
        assert_eq!(found, expected, "{value}");
    }

    fn shown(stated: impl Iterator<Item = (&'static str, &'static str)>) -> String {
        stated.map(|(key, word)| format!("{key}={word}")).collect::<Vec<_>>().join(" ")
    }

    const NO_LIST: &str = "expected a list such as `*;nosnippet, ExampleBot;noindex`";

    #[test]
    fn preferences_and_reservations() {
        check("Content-Usage", " search=y, train-ai=n, bots=n", &["train-ai=n search=y bots"]);
        check("content-usage", "/a train-ai=n", &["expected preferences such as `train-ai=n`"]);
        check("content-usage", "train-ai=", &["expected preferences such as `train-ai=n`"]);
        check("Content-Signal", "ai-train=NO, use=reference", &["ai-train=no use=reference"]);
        check("Content-Signal", "no", &["expected signals such as `search=yes`"]);
        let path = "/a search=no, ai-train=no";
        check("Content-Signal", path, &["expected signals such as `search=yes`"]);
        check("TDM-Reservation", " 1", &["true"]);
        check("tdm-reservation", "0", &["false"]);
        check("tdm-reservation", "yes", &["expected `0` or `1`"]);
        check("tdm-policy", "/p", &["/p"]);
        check("tdm-policy", " ", &["expected the address of a policy"]);
    }

    /// RFC 8288.
    #[test]
    fn a_licence_is_the_target_of_a_link_with_this_relation() {
        for (value, expected) in [
            (
                r#"<https://a.example/l.xml>; rel="license"; type="application/rsl+xml""#,
                &["https://a.example/l.xml"][..],
            ),
            (
                r#"</a,b;c>; REL = "next License" ,</d>;rel=license, </e>; rel=next"#,
                &["/a,b;c", "/d"],
            ),
            (r#"</a>; title="x, </no>; rel=license \" ,"; rel=license"#, &["/a"]),
            ("</a>; rel=next; rel=license", &[]),
            ("</a>; rel; rel=license", &[]),
            ("<>; rel=license", &[""]),
            (
                r##"</a>; rel=license; anchor="\/b\"\\", </c>; anchor="#d"; rel=license"##,
                &[r#"/a of /b"\"#, "/c"],
            ),
            (
                r#"</a>; rel=license; anchor="", </b>; anchor; Anchor=/c; rel=license"#,
                &["/a", "/b"],
            ),
            (r#"</a>; title="; anchor=/b"; rel=license"#, &["/a"]),
            ("</a>; rel=licenses, </b>; rev=license, /c; rel=license, </d; rel=license", &[]),
            ("</a>", &[]),
            ("", &[]),
        ] {
            check("Link", value, expected);
        }
    }

    #[test]
    fn a_robots_tag_of_the_first_draft_has_fields_with_rules() {
        for (value, expected) in [
            (
                "*=noindex; FooBot = nosnippet , noindex;foobot=x;nosnippet;;=y;bar=",
                &[
                    "everybody: noindex",
                    "`FooBot`: nosnippet noindex",
                    "`foobot`: x",
                    "everybody: nosnippet",
                    "everybody: y",
                ][..],
            ),
            ("noindex;nosnippet", &["everybody: noindex", "everybody: nosnippet"]),
            ("noindex,nosnippet", &["everybody: noindex nosnippet"]),
            ("NoIndex ;foobot=x", &["everybody: NoIndex", "`foobot`: x"]),
            (";noindex", &["everybody: noindex"]),
        ] {
            check("Robots-Tag", value, expected);
        }
    }

    #[test]
    fn a_robots_tag_is_a_list_of_tokens_with_parameters() {
        for (value, expected) in [
            (
                "*;noindex;nosnippet, ExampleBot;NoIndex,\texamplebot; x=?1",
                &["everybody: noindex nosnippet", "`ExampleBot`: noindex", "`examplebot`: x"][..],
            ),
            (
                "a;noindex=?0;max-snippet=20;b=\"x, y\", b",
                &["`a`: b=\"x, y\" max-snippet=20", "`b`: "],
            ),
            ("a;noindex;nosnippet=?0;noindex=?0;nosnippet", &["`a`: nosnippet"]),
            ("*, ExampleBot;noindex", &["everybody: ", "`ExampleBot`: noindex"]),
            ("a;noindex, b;=1, c;noindex", &["`a`: noindex", NO_LIST]),
            ("a;noindex,", &["`a`: noindex", NO_LIST]),
            ("a ;noindex", &[NO_LIST]),
            ("*, noindex", &["everybody: ", NO_LIST]),
            ("noai=*", &[NO_LIST]),
            ("\"a\";noindex", &[NO_LIST]),
            ("a;b=\"x, c", &[NO_LIST]),
            ("", &[]),
        ] {
            check("Robots-Tag", value, expected);
        }
    }

    #[test]
    fn only_reservations_have_elements() {
        assert_eq!(element_name("TDM-Policy"), Some(POLICY));
        assert_eq!(element_name("content-usage"), None);
    }
}
