//! The report: all statements, and the most restrictive one for each use.

use std::collections::HashSet;

use serde::Serialize;
use url::Url;
use verger::access::Timestamp;
use verger::{Crawler, Origin};

use crate::limits::{FINDINGS, LICENSES};
use crate::outcome::{Outcome, Terms, Use};
use crate::rsl::Rsl;
use crate::tdmrep::TdmRep;

/// The version of the report in JSON.
const VERSION: u8 = 1;

/// Statements on the use of one page, for one crawler, at one time.
///
/// Documents are added one after the other; [`collect`](crate::collect()) fetches and adds them
/// all. Without the licences that they name, every use is at least [`Outcome::Unknown`].
#[derive(Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Report {
    version: u8,
    verger: &'static str,
    /// The URL as a client sends it.
    pub url: String,
    /// The URL after redirects; absent if it is the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_url: Option<String>,
    /// The product tokens of the crawler.
    pub tokens: Vec<String>,
    /// Time of the report, in seconds since 1970.
    pub at: u64,
    /// The answers of robots.txt for each URL, in the order of the redirects.
    pub access: Vec<Access>,
    /// The most restrictive statement about each use.
    pub uses: Vec<UseRow>,
    /// All statements about uses.
    pub sources: Vec<Source>,
    /// Mistakes, and documents that could not be read.
    pub findings: Vec<Finding>,
    /// The licences in RSL.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub licenses: Vec<Rsl>,
    /// All documents, with times and hashes: the receipt.
    pub documents: Vec<Document>,
    /// Licences that were not read yet.
    #[serde(skip)]
    pub(crate) addresses: Vec<LicenseAddress>,
    /// The statements, each once.
    #[serde(skip)]
    known: HashSet<Source>,
}

/// The statement of one source.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct Source {
    /// The kind of source: a record of robots.txt, a header field, a meta element, a document.
    pub source: &'static str,
    /// The document.
    pub url: String,
    /// The place in it, such as `line 3`; empty for the whole document.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// The statement as written, or empty if it was not read. It is untrusted text.
    pub text: String,
    /// Its meaning for each use.
    #[serde(flatten)]
    pub terms: Terms,
}

/// A mistake in a document, or a document that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The document.
    pub url: String,
    /// The place in it; empty for the whole document.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// The mistake, or the cause. Foreign text is escaped.
    pub message: String,
}

/// An address of a licence and its place.
#[derive(Clone, Debug)]
pub(crate) struct LicenseAddress {
    /// As written.
    pub(crate) address: String,
    pub(crate) document: String,
    pub(crate) place: String,
    /// Whether it must be RSL: it is that of a robots.txt.
    pub(crate) is_rsl: bool,
    /// Whether it can permit the use of the page: see [`Statements::permits`].
    permits: bool,
}

/// The answer of robots.txt for a URL.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Access {
    /// The URL.
    pub url: String,
    /// Whether the crawler may fetch it.
    pub allowed: bool,
    /// The reason, as in other JSON output of Verger.
    pub reason: &'static str,
    /// The line of the deciding rule; absent if no rule decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The answer in a sentence.
    pub sentence: String,
}

/// The result for a use.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct UseRow {
    /// The name of the use.
    pub r#use: &'static str,
    /// The most restrictive statement.
    pub outcome: Outcome,
    /// The indexes of the sources that state this, in `sources`.
    pub by: Vec<usize>,
}

/// A document of the receipt.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Document {
    /// `robots.txt`, `page`, `tdmrep` or `license`.
    pub kind: &'static str,
    /// The requested URL.
    pub url: String,
    /// The URL after redirects; absent if there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_url: Option<String>,
    /// Time of the response, in seconds since 1970; for a stored robots.txt, that of its fetch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// Status of the last response; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Bytes of the decoded body; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<usize>,
    /// SHA-256 of the decoded body, in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The reason that there is no body, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl Report {
    /// A report without documents.
    pub fn new(url: &Url, crawler: &Crawler, at: Timestamp) -> Self {
        Self {
            version: VERSION,
            verger: env!("CARGO_PKG_VERSION"),
            url: url.to_string(),
            tokens: crawler.tokens().iter().map(|it| it.as_str().to_owned()).collect(),
            at: at.seconds(),
            uses: Use::ALL.map(|it| row(it, &[], Outcome::Unstated)).to_vec(),
            ..Self::default()
        }
    }

    /// The result for a use.
    pub fn outcome(&self, of: Use) -> Outcome {
        self.uses.iter().find(|it| it.r#use == of.name()).map_or(Outcome::Unknown, |it| it.outcome)
    }

    /// Whether nothing restricts the page: robots.txt allows it on each hop, and no use is refused,
    /// conditional or unknown.
    pub fn is_free(&self) -> bool {
        let is_restricted = |of: Use| self.outcome(of) > Outcome::Allowed;
        self.access.iter().all(|it| it.allowed) && !Use::ALL.into_iter().any(is_restricted)
    }

    /// Adds statements of a document about a URL, or without one about the page.
    pub(crate) fn adding(
        &mut self,
        document: &str,
        about: Option<&Url>,
        add: impl FnOnce(&mut Statements<'_>),
    ) {
        let site_of = |url: &str| Origin::of(url).ok().flatten();
        let is_here = site_of(document).is_none_or(|it| Some(it) == site_of(self.page()));
        let permits = is_here && about.is_none_or(|url| url.as_str() == self.page());
        add(&mut Statements { report: self, document, permits });
        let is_read = self.addresses.is_empty();
        let least = if is_read { Outcome::Unstated } else { Outcome::Unknown };
        self.uses = Use::ALL.map(|it| row(it, &self.sources, least)).to_vec();
    }

    /// Adds a document that could not be read, with what that means for the uses.
    pub(crate) fn add_unread(
        &mut self,
        source: &'static str,
        document: &str,
        message: String,
        uses: Terms,
    ) {
        self.adding(document, None, |all| all.unread(source, message, uses));
    }

    /// Adds the statement of a TDMRep file about a URL.
    pub(crate) fn add_tdmrep(&mut self, file: &TdmRep, url: &Url, document: &str) {
        let (location, terms) = file.statement(url);
        self.adding(document, Some(url), |all| {
            file.findings.iter().for_each(|finding| all.add_finding("", finding.clone()));
            all.add(TDMREP, "", location.unwrap_or_default(), terms);
        });
    }

    /// Adds the terms of a licence for the URLs of the page. `body` is the document, or the reason
    /// that there is none (REP-EXT-40: not licensed).
    pub(crate) fn add_license(
        &mut self,
        license: &LicenseAddress,
        address: &str,
        body: Result<&[u8], String>,
        urls: &[Url],
    ) {
        let (terms, findings) = match body {
            // Such as one of Creative Commons.
            Ok(bytes) if !license.is_rsl && !Rsl::is_meant(bytes) => {
                (Terms::under(&Use::ALL, format!("terms for people: {address}")), Vec::new())
            }
            body => match body.and_then(Rsl::parse) {
                Err(error) => (Terms::all(Outcome::Refused), vec![error]),
                Ok(mut rsl) => {
                    address.clone_into(&mut rsl.url);
                    let findings = std::mem::take(&mut rsl.findings);
                    let terms = urls.iter().map(|url| match rsl.terms(url) {
                        terms if url.as_str() == self.page() => terms,
                        terms => terms.restrictions(),
                    });
                    let terms = terms.fold(Terms::default(), Terms::and);
                    if !self.licenses.iter().any(|it| it.url == address) {
                        self.licenses.push(rsl);
                    }
                    (terms, findings)
                }
            },
        };
        self.adding(address, None, |all| {
            for finding in findings {
                all.add_finding("", finding);
            }
        });
        self.adding(&license.document, None, |all| {
            all.permits &= license.permits;
            all.add("license", &license.place, address, terms);
        });
    }

    /// Adds a document to the receipt, once.
    pub(crate) fn add_document(&mut self, document: Document) {
        if !self.documents.iter().any(|it| it.url == document.url) {
            self.documents.push(document);
        }
    }

    /// The URL after redirects.
    fn page(&self) -> &str {
        self.final_url.as_ref().unwrap_or(&self.url)
    }
}

/// Adds the statements of one document.
pub(crate) struct Statements<'r> {
    pub(crate) report: &'r mut Report,
    pub(crate) document: &'r str,
    /// Whether they can permit the use of the page. Those of other sites and those about URLs that
    /// redirect to it only restrict.
    pub(crate) permits: bool,
}

impl Statements<'_> {
    /// Adds a mistake, once. The last one of a long report says that there are more.
    pub(crate) fn add_finding(&mut self, place: &str, message: String) {
        let findings = &mut self.report.findings;
        let mut finding =
            Finding { url: self.document.to_owned(), place: place.to_owned(), message };
        if findings.len() <= FINDINGS && !findings.contains(&finding) {
            if findings.len() == FINDINGS {
                "there are more mistakes".clone_into(&mut finding.message);
            }
            findings.push(finding);
        }
    }

    /// Adds a statement, unless it states nothing.
    pub(crate) fn add(&mut self, source: &'static str, place: &str, text: &str, terms: Terms) {
        let terms = if self.permits { terms } else { terms.restrictions() };
        if terms == Terms::default() {
            return;
        }
        let [url, place, text] = [self.document, place, text].map(str::to_owned);
        let source = Source { source, url, place, text, terms };
        if self.report.known.insert(source.clone()) {
            self.report.sources.push(source);
        }
    }

    /// Adds a mistake, and its meaning for the uses.
    pub(crate) fn unread(&mut self, source: &'static str, message: String, uses: Terms) {
        self.add_finding("", message);
        self.add(source, "", "", uses);
    }

    /// Adds the address of a licence, once. One more than the limit shows that there are more.
    pub(crate) fn license(&mut self, address: &str, place: &str, is_rsl: bool, permits: bool) {
        let (all, document) = (&mut self.report.addresses, self.document);
        let known = all
            .iter_mut()
            .find(|it| (&*it.address, &*it.document, it.is_rsl) == (address, document, is_rsl));
        if let Some(known) = known {
            known.permits |= permits;
        } else if all.len() <= LICENSES {
            let [address, document, place] = [address, document, place].map(str::to_owned);
            all.push(LicenseAddress { address, document, place, is_rsl, permits });
        }
    }
}

pub(crate) const TDMREP: &str = "tdmrep.json";

/// The most restrictive statement about a use (REP-EXT-52); `least` without a more restrictive one.
fn row(of: Use, sources: &[Source], least: Outcome) -> UseRow {
    let outcome = sources.iter().map(|it| it.terms.of(of)).fold(least, Outcome::max);
    let states = |it: &Source| outcome != Outcome::Unstated && it.terms.of(of) == outcome;
    let by = (0..sources.len()).filter(|at| states(&sources[*at])).collect();
    UseRow { r#use: of.name(), outcome, by }
}

#[cfg(test)]
mod tests {
    use verger::Robots;

    use super::*;

    #[test]
    fn without_the_licence_that_robots_txt_names_nothing_is_allowed() {
        let url = "https://shop.example/a".parse().unwrap();
        let crawler = Crawler::new("ExampleBot");
        let mut report = Report::new(&url, &crawler, Timestamp::from_seconds(0));
        let robots = |license| {
            format!("{license}User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n")
        };
        report.add_robots(&Robots::parse(&robots("")), &crawler, &url, "robots.txt");
        assert_eq!(report.outcome(Use::Search), Outcome::Allowed);
        let robots = robots("License: https://shop.example/l.xml\n");
        report.add_robots(&Robots::parse(&robots), &crawler, &url, "robots.txt");
        let found = Use::ALL.map(|it| report.outcome(it));
        let unknown = Outcome::Unknown;
        assert_eq!(found, [unknown, Outcome::Refused, unknown, unknown]);
        assert!(!report.is_free());
    }

    /// Search, training, input and mining by a robots.txt, for which all uses but mining are
    /// allowed otherwise.
    #[track_caller]
    fn check(before: &str, inside: &str, expected: [Outcome; 4]) {
        let url = "https://shop.example/a".parse().unwrap();
        let crawler = Crawler::new("ExampleBot");
        let mut report = Report::new(&url, &crawler, Timestamp::from_seconds(0));
        let free = "Content-Usage: train-ai=y, search=y, ai-use=y\nAllow: /\n";
        let text = format!("{before}\nUser-agent: *\n{free}{inside}\n");
        report.add_robots(&Robots::parse(&text), &crawler, &url, "robots.txt");
        assert_eq!(Use::ALL.map(|it| report.outcome(it)), expected, "{before} {inside}");
        let is_restricted = expected[0] != Outcome::Allowed;
        assert_eq!(!report.findings.is_empty(), is_restricted, "{:?}", report.findings);
    }

    #[test]
    fn a_broken_licence_line_refuses_all_uses() {
        for line in ["License: htp//bad url", "License: /l.xml", "License:"] {
            check(line, "", [Outcome::Refused; 4]);
            check("", line, [Outcome::Refused; 4]);
        }
        // Also after very many malformed lines, which are one statement.
        check("", &("Content-Signal: x=y\n".repeat(20_000) + "License:"), [Outcome::Refused; 4]);
        check("", "", [Outcome::Allowed, Outcome::Allowed, Outcome::Allowed, Outcome::Unstated]);
    }

    #[test]
    fn malformed_lines_of_one_kind_are_one_statement() {
        let url = "https://shop.example/a".parse().unwrap();
        let crawler = Crawler::new("ExampleBot");
        let mut report = Report::new(&url, &crawler, Timestamp::from_seconds(0));
        let lines = "Content-Signal: ai_train=no\nLicense: none\n".repeat(60);
        let robots = Robots::parse(&format!("User-agent: *\n{lines}"));
        for _ in 0..2 {
            report.add_robots(&robots, &crawler, &url, "robots.txt");
        }
        let found: Vec<_> = report.sources.iter().map(|it| (it.source, &*it.place)).collect();
        let [(signal, of_signal), (license, of_license)] = *found else { panic!("{found:?}") };
        assert_eq!([signal, license], ["Content-Signal", "License"]);
        assert!(of_signal.starts_with("lines 2, 4, ") && of_signal.ends_with(", 100, …"));
        assert!(of_license.starts_with("lines 3, 5, ") && of_license.ends_with(", 101, …"));
        assert_eq!(report.findings.len(), 120);
    }

    #[test]
    fn a_malformed_preference_or_a_cut_file_permits_nothing() {
        use Outcome::{Allowed, Unknown, Unstated};
        for line in [
            "Content-Signal: search=yes; ai-train=no",
            "Content-Signal: ai_train=no",
            "Content-Signal: ai-train",
            "Content-Usage: train-ai=",
            "Content-Usage: train-ai=no",
            "Content-Usage: /a search=y, train-ai=no",
            "Content-Usage: search=y, train_ai=n",
            "Content-Usage: train-ai=y, inference=n",
            "Content-Usage: none",
        ] {
            check("", line, [Unknown, Unknown, Unknown, Unstated]);
        }
        // Labels of earlier drafts.
        for line in ["tdm=n", "search=y, all=n", "/a bots=n", "bots=n;x=y", "ALL=n"] {
            check("", &format!("Content-Usage: {line}"), [Unknown; 4]);
        }
        // Keys of others, in a line with a key of the vocabulary or without.
        for line in [
            "foo=n",
            "train-ai=y, foo=n",
            "foo=1, bar",
            "all=y",
            "tdm=y, foo=n",
            "search=y, refresh=daily",
        ] {
            check("", &format!("Content-Usage: {line}"), [Allowed, Allowed, Allowed, Unstated]);
        }
        let line = "Content-Usage: /a search=y, callback=1";
        check("", line, [Allowed, Unstated, Unstated, Unstated]);
        // In no group: a refusal may be meant, and a permission does not count.
        check("Content-Signal: search=no, ai-train=yes", "", [Unknown, Unknown, Unknown, Unstated]);
        check("Content-Signal: ai_train=no", "", [Unknown, Unknown, Unknown, Unstated]);
        let long = "# a comment\n".repeat(60_000);
        check("", &long, [Unknown; 4]);
    }
}
