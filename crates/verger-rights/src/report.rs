//! The report: all statements, and the most restrictive one for each use.

use serde::Serialize;
use url::Url;
use verger::access::Timestamp;
use verger::{Crawler, Origin, Robots, quoted};
use verger_page::Page;

use crate::limits::{FINDINGS, LICENSES};
use crate::outcome::{Outcome, Terms, Use};
use crate::rsl::Rsl;
use crate::statements::{Finding, LicenseAddress, Source, Statements};
use crate::tdmrep::TdmRep;

/// The version of the report in JSON.
const VERSION: u8 = 1;

/// Statements on the use of one page, for one crawler, at one time.
///
/// Documents are added one after the other; [`collect`](crate::collect) fetches and adds them all.
/// Without the licences that they name, every use is at least [`Outcome::Unknown`].
#[derive(Debug, Serialize)]
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
    /// Whether there were more findings than the limit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub findings_cut: bool,
    /// The licences in RSL.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub licenses: Vec<LicenseDocument>,
    /// All documents, with times and hashes: the receipt.
    pub documents: Vec<Document>,
    #[serde(skip)]
    pub(crate) addresses: Vec<LicenseAddress>,
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

/// A licence in RSL.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct LicenseDocument {
    /// The address.
    pub url: String,
    /// Its content.
    #[serde(flatten)]
    pub rsl: Rsl,
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
            final_url: None,
            tokens: crawler.tokens().iter().map(|it| it.as_str().to_owned()).collect(),
            at: at.seconds(),
            access: Vec::new(),
            uses: Use::ALL.map(|it| row(it, &[], false)).to_vec(),
            sources: Vec::new(),
            findings: Vec::new(),
            findings_cut: false,
            licenses: Vec::new(),
            documents: Vec::new(),
            addresses: Vec::new(),
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

    /// Adds the statements of a robots.txt about a URL.
    pub fn add_robots(&mut self, robots: &Robots, crawler: &Crawler, url: &Url, document: &str) {
        self.add_about(url, Statements::of_robots(robots, crawler, url.as_str(), document));
    }

    /// Adds the statements of a page: header fields and elements.
    pub fn add_page(&mut self, page: &Page, crawler: &Crawler, document: &str) {
        self.add(Statements::of_page(page, crawler, document));
    }

    /// Adds the statement of a TDMRep file about a URL. `is_own`: the site itself has sent it; one
    /// of another site, after a redirect, permits nothing.
    pub(crate) fn add_tdmrep(&mut self, file: &TdmRep, url: &Url, document: &str, is_own: bool) {
        let mut all = Statements::default();
        let (location, mut terms) = file.statement(url);
        for finding in &file.findings {
            all.find(document, String::new(), finding.clone());
        }
        if !is_own {
            all.find(document, String::new(), "it is the file of another site".to_owned());
            if terms.of(Use::Mining) == Outcome::Allowed {
                terms.state(Use::Mining, Outcome::Unknown);
            }
        }
        if location.is_none() && !file.entries.is_empty() {
            let message = format!("no entry covers {}", quoted(url.path()));
            all.find(document, String::new(), message);
        }
        if terms != Terms::default() {
            all.add(TDMREP, document, String::new(), location.unwrap_or_default(), terms);
        }
        self.add_about(url, all);
    }

    /// Adds the header fields of a redirect. They restrict, and permit nothing, also if the redirects
    /// lead back to this URL.
    pub(crate) fn add_redirect(
        &mut self,
        fields: &[(String, Vec<u8>)],
        crawler: &Crawler,
        url: &Url,
    ) {
        let mut page = Page::new();
        for (name, value) in fields {
            page.read_header(name, value);
        }
        let mut all = Statements::of_page(&page, crawler, url.as_str());
        all.restrict(|_| true);
        self.add(all);
    }

    /// Adds a finding without a statement.
    pub(crate) fn add_finding(&mut self, document: &str, message: String) {
        let mut all = Statements::default();
        all.find(document, String::new(), message);
        self.add(all);
    }

    /// Adds a finding, with what it means for the uses.
    pub(crate) fn add_unread(
        &mut self,
        source: &'static str,
        document: &str,
        message: String,
        terms: Terms,
    ) {
        let mut all = Statements::default();
        all.find(document, String::new(), message);
        all.add(source, document, String::new(), "not read", terms);
        self.add(all);
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
        let mut all = Statements::default();
        let (document, place) = (&license.document, license.place.clone());
        let is_page = license.address.is_empty();
        let terms = match body {
            _ if is_page => {
                let message = "the licence is in the page itself, and was not read".to_owned();
                all.find(document, place.clone(), message);
                Terms::all(Outcome::Unknown)
            }
            // A licence for people, such as one of Creative Commons.
            Ok(bytes) if !license.is_rsl && !Rsl::is_meant(bytes) => {
                let mut terms = Terms::all(Outcome::Conditional);
                terms.condition(format!("terms for people: {address}"));
                terms
            }
            Ok(bytes) => match Rsl::parse(bytes) {
                Ok(rsl) => {
                    for finding in &rsl.findings {
                        all.find(address, String::new(), finding.clone());
                    }
                    if !urls.iter().any(|url| rsl.covers(url)) && rsl.findings.is_empty() {
                        let message = "no entry of the licence covers the page".to_owned();
                        all.find(address, String::new(), message);
                    }
                    let terms = urls.iter().map(|url| match rsl.terms(url) {
                        terms if url.as_str() == self.page() => terms,
                        terms => terms.restrictions(),
                    });
                    let terms = terms.fold(Terms::default(), Terms::and);
                    if !self.licenses.iter().any(|it| it.url == address) {
                        self.licenses.push(LicenseDocument { url: address.to_owned(), rsl });
                    }
                    terms
                }
                Err(error) => {
                    all.find(address, String::new(), error);
                    Terms::all(Outcome::Refused)
                }
            },
            Err(error) => {
                all.find(address, String::new(), error);
                Terms::all(Outcome::Refused)
            }
        };
        all.add("license", document, place, address, terms);
        self.add(all);
    }

    /// The URL after redirects.
    fn page(&self) -> &str {
        self.final_url.as_ref().unwrap_or(&self.url)
    }

    /// Adds statements about a URL. Those about one that redirects restrict, and permit nothing.
    fn add_about(&mut self, url: &Url, mut all: Statements) {
        if url.as_str() != self.page() {
            all.restrict(|_| true);
        }
        self.add(all);
    }

    /// Adds statements. Those of other sites than that of the page restrict, and permit nothing.
    fn add(&mut self, mut all: Statements) {
        let site_of = |url: &str| Origin::of(url).ok().flatten();
        let site = site_of(self.page());
        all.restrict(|source| site_of(&source.url).is_some_and(|it| site.as_ref() != Some(&it)));
        for source in all.sources {
            if !self.sources.contains(&source) {
                self.sources.push(source);
            }
        }
        for finding in all.findings {
            let is_known = self.findings.contains(&finding);
            if !is_known && self.findings.len() == FINDINGS {
                self.findings_cut = true;
            } else if !is_known {
                self.findings.push(finding);
            }
        }
        self.addresses.extend(all.licenses);
        let is_open = !self.addresses.is_empty();
        self.uses = Use::ALL.map(|it| row(it, &self.sources, is_open)).to_vec();
    }

    /// The licences to fetch, each address once, and whether there are more than the limit.
    pub(crate) fn take_addresses(&mut self) -> (Vec<LicenseAddress>, bool) {
        let mut all: Vec<LicenseAddress> = Vec::new();
        for license in std::mem::take(&mut self.addresses) {
            let key = |it: &LicenseAddress| (it.document.clone(), it.address.clone(), it.is_rsl);
            if !all.iter().any(|it| key(it) == key(&license)) {
                all.push(license);
            }
        }
        let is_cut = all.len() > LICENSES;
        all.truncate(LICENSES);
        (all, is_cut)
    }
}

pub(crate) const TDMREP: &str = "tdmrep.json";

/// The most restrictive statement about a use (REP-EXT-52). `is_open`: there are licences that were
/// not read yet.
fn row(of: Use, sources: &[Source], is_open: bool) -> UseRow {
    let least = if is_open { Outcome::Unknown } else { Outcome::Unstated };
    let outcome = sources.iter().map(|it| it.uses.of(of)).fold(least, Outcome::max);
    let states = |it: &Source| outcome != Outcome::Unstated && it.uses.of(of) == outcome;
    let by = (0..sources.len()).filter(|at| states(&sources[*at])).collect();
    UseRow { r#use: of.name(), outcome, by }
}

#[cfg(test)]
mod tests {
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

    /// Search, training, input and mining by a robots.txt, for which all uses but mining are allowed
    /// otherwise.
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
        check("", "", [Outcome::Allowed, Outcome::Allowed, Outcome::Allowed, Outcome::Unstated]);
    }

    #[test]
    fn a_malformed_preference_or_a_cut_file_permits_nothing() {
        use Outcome::{Unknown, Unstated};
        for line in [
            "Content-Signal: search=yes; ai-train=no",
            "Content-Signal: ai_train=no",
            "Content-Signal: ai-train",
            "Content-Usage: train-ai=",
            "Content-Usage: train-ai=no",
            "Content-Usage: /a search=y, train-ai=no",
        ] {
            check("", line, [Unknown, Unknown, Unknown, Unstated]);
        }
        let long = "# a comment\n".repeat(60_000);
        check("", &long, [Unknown; 4]);
    }
}
