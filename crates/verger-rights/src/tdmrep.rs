//! TDMRep files: `/.well-known/tdmrep.json` (REP-EXT-50).

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use url::Url;
use verger::quoted;

use crate::limits::{DOCUMENT_BYTES, ENTRIES};
use crate::outcome::{Outcome, Terms, Use};
use crate::scope::Scope;

/// The path of the file on every site.
pub(crate) const TDMREP_PATH: &str = "/.well-known/tdmrep.json";

/// A parsed file.
#[derive(Debug)]
pub(crate) struct TdmRep {
    pub(crate) entries: Vec<Entry>,
    /// Mistakes in single entries, in words. Such an entry permits nothing.
    pub(crate) findings: Vec<String>,
}

#[derive(Debug, Default)]
pub(crate) struct Entry {
    /// `None` if the location is not a pattern, or a member is there twice.
    scope: Option<Scope>,
    location: String,
    reservation: Outcome,
    policy: Option<String>,
}

impl TdmRep {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// It is too large, is not JSON, or is not an array of objects: it states nothing that could be
    /// read.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() > DOCUMENT_BYTES {
            return Err(format!("expected a file of at most {DOCUMENT_BYTES} bytes"));
        }
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let values: Vec<Line> = serde_json::from_slice(bytes).map_err(|error| {
            format!("expected a JSON array of entries, but found an error: {error}")
        })?;
        if values.len() > ENTRIES {
            return Err(format!("expected at most {ENTRIES} entries, but found {}", values.len()));
        }
        let mut findings = Vec::new();
        let entries = values.into_iter().zip(1..).map(|(it, at)| Entry::of(it, at, &mut findings));
        Ok(Self { entries: entries.collect(), findings })
    }

    /// The statement about a URL, and the location of its entry: that of the first one that
    /// matches. An entry before it whose location is not a pattern makes the result
    /// [`Outcome::Unknown`].
    pub(crate) fn statement(&self, url: &Url) -> (Option<&str>, Terms) {
        let mut terms = Terms::default();
        for entry in &self.entries {
            match &entry.scope {
                None => terms.state(Use::Mining, Outcome::Unknown),
                Some(scope) if scope.includes(url) => {
                    terms.state(Use::Mining, entry.reservation);
                    entry.policy.iter().for_each(|it| terms.condition(policy_condition(it)));
                    return (Some(&entry.location), terms);
                }
                Some(_) => {}
            }
        }
        (None, terms)
    }
}

impl Entry {
    fn of(line: Line, at: usize, findings: &mut Vec<String>) -> Self {
        let Line::Entry { location, tdm_reservation, tdm_policy, others } = line else {
            let expected = "expected one `location` such as `/press/*`, and no other member twice";
            findings.push(format!("entry {at}: {expected}"));
            return Self::default();
        };
        let scope = Scope::of(&location);
        let policy = tdm_policy.as_ref().and_then(Value::as_str).filter(|it| is_address(it));
        let is_reserved = tdm_reservation == 1;
        let mistakes = [
            (scope.is_none(), "a `location` such as `/press/*`"),
            (!is_reserved && tdm_reservation != 0, "`tdm-reservation` 0 or 1"),
            (tdm_policy.is_some() && policy.is_none(), "the address of a policy as `tdm-policy`"),
        ];
        // It may be a misspelt restriction.
        let other = others.keys().next().map(|name| {
            let known = "only `location`, `tdm-reservation` and `tdm-policy`";
            format!("{known}, but found {}", quoted(name))
        });
        let mistakes = mistakes.into_iter().filter(|(is_wrong, _)| *is_wrong);
        let mistakes = mistakes.map(|(_, expected)| expected.to_owned()).chain(other);
        let before = findings.len();
        findings.extend(mistakes.map(|expected| format!("entry {at}: expected {expected}")));
        let reservation = match is_reserved {
            true => Outcome::Refused,
            false if findings.len() > before => Outcome::Unknown,
            false => Outcome::Allowed,
        };
        Self { scope, location, reservation, policy: policy.map(str::to_owned) }
    }
}

/// An element of the file. Readers differ about the member that counts if one is there twice, so
/// that is no entry.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    #[serde(rename_all = "kebab-case")]
    Entry {
        location: String,
        #[serde(default)]
        tdm_reservation: Value,
        #[serde(default, deserialize_with = "value")]
        tdm_policy: Option<Value>,
        #[serde(flatten)]
        others: Map<String, Value>,
    },
    Other {},
}

/// The value of a member that is there: `null` is one.
fn value<'d, D: Deserializer<'d>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

/// Whether a text is the address of a policy: a URL, or a path of the site.
pub(crate) fn is_address(text: &str) -> bool {
    let is_url = || Url::parse(text).is_ok_and(|it| it.has_host());
    !text.contains(char::is_whitespace) && (text.starts_with('/') || is_url())
}

/// The condition of a policy.
pub(crate) fn policy_condition(policy: &str) -> String {
    format!("TDM policy {}", quoted(policy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(file: &str, url: &str, expected: Outcome, findings: usize) {
        let file = TdmRep::parse(file.as_bytes()).unwrap();
        assert_eq!(file.statement(&url.parse().unwrap()).1.of(Use::Mining), expected, "{url}");
        assert_eq!(file.findings.len(), findings, "{:?}", file.findings);
    }

    #[test]
    fn the_first_entry_that_matches_decides() {
        let file = r#"[{"location":"/a/b","tdm-reservation":0},{"location":"/a/","tdm-reservation":1,
            "tdm-policy":"https://p.example/p.json"},{"location":"/a/b/c","tdm-reservation":0},
            {"location":"/*.pdf$","tdm-reservation":1}]"#;
        check(file, "https://h/a/b/c", Outcome::Allowed, 0);
        check(file, "https://h/a/c", Outcome::Refused, 0);
        check(file, "https://h/x.pdf", Outcome::Refused, 0);
        check(file, "https://h/x.pdfx", Outcome::Unstated, 0);
        let read = TdmRep::parse(file.as_bytes()).unwrap();
        let found = read.statement(&"https://h/a/c".parse().unwrap());
        assert_eq!(found.1.conditions, ["TDM policy `https://p.example/p.json`"]);
    }

    #[test]
    fn a_malformed_entry_is_a_finding_and_never_a_permission() {
        let later = |first: &str| format!("[{first},{{\"location\":\"/\",\"tdm-reservation\":0}}]");
        let url = "https://h/";
        check(&later(r#"{"location":"x","tdm-reservation":1}"#), url, Outcome::Unknown, 1);
        check(&later("{}"), url, Outcome::Unknown, 1);
        check(r#"[{"location":"/","tdm-reservation":"0"}]"#, url, Outcome::Unknown, 1);
        check(r#"[{"location":"/","tdm-reservation":2}]"#, url, Outcome::Unknown, 1);
        check(r#"[{"location":"/","tdm-reservation":true}]"#, url, Outcome::Unknown, 1);
        check(r#"[{"location":"/","tdm-reservation":1,"tdm-policy":1}]"#, url, Outcome::Refused, 1);
        check(r#"[{"location":"/","tdm-reservation":0,"tdm-policy":1}]"#, url, Outcome::Unknown, 1);
        check("[]", url, Outcome::Unstated, 0);
        check(&later(r#"{"location":"/","tdm_reservation":1}"#), url, Outcome::Unknown, 2);
        check(&later(r#"{"location":"/","tdm-reservation":1,"x":1}"#), url, Outcome::Refused, 1);
        for first in [
            r#"{"location":"/","tdm-reservation":1,"tdm-reservation":0}"#,
            r#"{"location":"/","tdm-reservation":0,"tdm-reservation":0}"#,
            r#"{"location":"/","location":"/z","tdm-reservation":1}"#,
            r#"{"location":"/","tdm-reservation":null}"#,
            r#"{"location":"/","tdm-reservation":0,"tdm-policy":null}"#,
            r#"{"location":"/","tdm-reservation":0,"tdm-policy":""}"#,
            r#"{"location":"/","tdm-reservation":0,"tdm-policy":"ask us first"}"#,
            r#"{"location":"/","tdm-reservation":0,"tdm-policy":"ask-us-first"}"#,
            r#"{"location":"/"}"#,
            r#"{"location":"/","tdm-reservation":0,"TDM-Reservation":1}"#,
            r#"{"location":"/","tdm-reservation":0,"x":1,"x":2}"#,
        ] {
            check(&later(first), url, Outcome::Unknown, 1);
        }
    }

    #[test]
    fn a_file_that_is_no_array_is_an_error() {
        for file in ["", "{}", "[3]", "<html>", "[", "[{\"location\":\"/\"", "null"] {
            assert!(TdmRep::parse(file.as_bytes()).is_err(), "{file}");
        }
        assert!(TdmRep::parse(&vec![b' '; DOCUMENT_BYTES + 1]).is_err());
        let many = format!("[{}0]", "0,".repeat(ENTRIES));
        assert!(TdmRep::parse(many.as_bytes()).is_err());
    }
}
