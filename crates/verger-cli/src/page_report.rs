//! The report on a page, as in the JSON contract (`docs/json.md`).
//!
//! Fields are written in the order of their declaration.

use std::borrow::Cow;
use std::{fmt, ptr};

use serde::Serialize;
use serde_json::Value;
use verger::access::Timestamp;
use verger::{Crawler, Position, Untrusted, without_credentials};
use verger_fetch::client::FetchedPage;
use verger_fetch::fetch::Hop;
use verger_json::record::HopKeys;
use verger_json::{Answer as AnswerKeys, AnswerError, CrawlerKeys, Foreign, NamedCrawler};
use verger_page::{
    Combine, Directive, Html, Limit, NoSnippet, OtherStatement, OtherTerm, Page, PageDirectives,
    Place, Statement,
};

use crate::answer::Answer;
use crate::inspection::UsageKeys;
use crate::uses::Uses;

/// The statements of a page, and the directives for one crawler.
#[derive(Debug, Serialize)]
pub(crate) struct PageReport<'a> {
    #[serde(flatten)]
    pub(crate) url: Foreign<Option<Cow<'a, [u8]>>>,
    #[serde(flatten)]
    pub(crate) crawler: Option<CrawlerKeys<'a>>,
    #[serde(flatten)]
    pub(crate) evidence: Option<PageEvidence<'a>>,
    pub(crate) combine: &'static str,
    pub(crate) restricts: Vec<&'static str>,
    /// The time until which the page may be indexed, if it is in the future.
    #[serde(skip)]
    pub(crate) until: Option<Timestamp>,
    pub(crate) directives: Vec<DirectiveKeys<'a>>,
    pub(crate) statements: Vec<StatementKeys<'a>>,
    pub(crate) nosnippet: Vec<NoSnippetKeys>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    keywords: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revisit_after: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) robots_tag: Vec<OtherKeys<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) content_usage: Vec<OtherKeys<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) content_signals: Vec<OtherKeys<'a>>,
    /// The common meaning of several fields with one name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) combined: Vec<CombinedKeys>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) licenses: Vec<OtherKeys<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tdm: Vec<OtherKeys<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stopped: Option<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) truncated: bool,
}

impl<'a> PageReport<'a> {
    pub(crate) fn of(
        page: &'a Page,
        html: Option<&'a Html>,
        url: Option<&'a [u8]>,
        named: Option<&'a NamedCrawler>,
        combine: &Combine,
        now: Timestamp,
    ) -> Self {
        let nameless = Crawler::chain::<String>([]);
        let crawler = named.map_or(&nameless, NamedCrawler::crawler);
        let directives = page.directives(crawler, combine);
        let search = page.search_meta();
        let others = |names: &[&str]| -> Vec<_> {
            // Licences of other resources say nothing about the page.
            let is_here = |it: &&OtherStatement| {
                !matches!(it.parsed, Ok(OtherTerm::License { anchor: Some(_), .. }))
            };
            let named = page.others().iter().filter(|it| names.contains(&it.name));
            named.filter(is_here).map(|it| OtherKeys::of(it, crawler)).collect()
        };
        let (content_usage, content_signals) =
            (others(&["content-usage"]), others(&["content-signal"]));
        let combined = [&content_usage, &content_signals].map(|it| CombinedKeys::of(it));
        Self {
            url: Foreign::new("url", url.map(without_credentials)),
            crawler: named.map(NamedCrawler::keys),
            evidence: None,
            combine: combine.name,
            restricts: restricts(&directives, now),
            until: directives.unavailable_after().filter(|_| directives.may_index(now)),
            directives: directives
                .effective
                .into_iter()
                .map(|it| DirectiveKeys {
                    directive: it.directive,
                    name: it.directive.name(),
                    value: value_of(it.directive),
                    statements: it.statements.iter().map(|found| index_of(page, found)).collect(),
                    from: it.statements,
                })
                .collect(),
            statements: page
                .statements()
                .iter()
                .map(|it| StatementKeys::of(it, it.subject.names(crawler)))
                .collect(),
            nosnippet: html.map_or_else(Vec::new, |html| {
                html.nosnippets.iter().map(NoSnippetKeys::of).collect()
            }),
            description: search.description.as_deref(),
            keywords: words(search.keywords.as_deref().unwrap_or_default()).collect(),
            revisit_after: search.revisit_after.as_deref(),
            robots_tag: others(&["robots-tag"]),
            content_usage,
            content_signals,
            combined: combined.into_iter().flatten().collect(),
            licenses: others(&["link"]),
            tdm: others(&["tdm-reservation", "tdm-policy"]),
            encoding: html.map(|html| html.encoding),
            stopped: html.and_then(|html| html.stop).map(verger_page::Stop::name),
            truncated: page.is_truncated() || html.is_some_and(|html| html.has_more),
        }
    }
}

/// The words of a list, without empty ones.
fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim_ascii).filter(|word| !word.is_empty())
}

fn restricts(directives: &PageDirectives<'_>, now: Timestamp) -> Vec<&'static str> {
    let all = [("indexing", !directives.may_index(now)), ("following", directives.nofollow())];
    all.into_iter().filter_map(|(what, is_so)| is_so.then_some(what)).collect()
}

/// The index of a statement in the list of all.
fn index_of(page: &Page, statement: &Statement) -> usize {
    let found = page.statements().binary_search_by_key(&ptr::from_ref(statement), ptr::from_ref);
    found.unwrap_or_default()
}

/// An effective directive.
#[derive(Debug, Serialize)]
pub(crate) struct DirectiveKeys<'a> {
    #[serde(skip)]
    pub(crate) directive: Directive,
    name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
    statements: Vec<usize>,
    #[serde(skip)]
    pub(crate) from: Vec<&'a Statement>,
}

/// The value of a directive.
fn value_of(directive: Directive) -> Option<Value> {
    Some(match directive {
        Directive::MaxSnippet(limit) | Directive::MaxVideoPreview(limit) => match limit {
            Limit::AtMost(number) => number.into(),
            Limit::Unlimited => (-1).into(),
        },
        Directive::MaxImagePreview(preview) => preview.name().into(),
        Directive::UnavailableAfter(time) => time.to_string().into(),
        _ => return None,
    })
}

/// A statement with its position.
#[derive(Debug, Serialize)]
pub(crate) struct StatementKeys<'a> {
    #[serde(skip)]
    pub(crate) statement: &'a Statement,
    #[serde(flatten)]
    subject: Foreign<Option<&'a [u8]>>,
    pub(crate) applies: bool,
    #[serde(flatten)]
    text: Foreign<&'a [u8]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<&'static str>,
    #[serde(flatten)]
    place: PlaceKeys,
}

impl<'a> StatementKeys<'a> {
    fn of(statement: &'a Statement, applies: bool) -> Self {
        let directive = statement.parsed.ok();
        Self {
            statement,
            subject: Foreign::new("subject", statement.subject.agent()),
            applies,
            text: Foreign::new("text", &statement.text),
            name: directive.map(Directive::name),
            value: directive.and_then(value_of),
            error: statement.error(),
            place: PlaceKeys::of(statement.place),
        }
    }
}

/// A position in the page or in the response head.
#[derive(Debug, Serialize)]
struct PlaceKeys {
    r#in: &'static str,
    line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
}

impl PlaceKeys {
    fn of(place: Place) -> Self {
        match place {
            Place::Meta { position: Position { line, column } } => {
                Self { r#in: "meta", line, column: Some(column) }
            }
            Place::Link { position: Position { line, column } } => {
                Self { r#in: "element", line, column: Some(column) }
            }
            Place::Header { line } => Self { r#in: "header", line, column: None },
            _ => Self { r#in: "", line: 0, column: None },
        }
    }
}

/// An element that must not be quoted.
#[derive(Debug, Serialize)]
pub(crate) struct NoSnippetKeys {
    pub(crate) element: &'static str,
    pub(crate) line: usize,
    pub(crate) column: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<EndKeys>,
}

/// The end of an element.
#[derive(Debug, Serialize)]
pub(crate) struct EndKeys {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl NoSnippetKeys {
    fn of(found: &NoSnippet) -> Self {
        let Position { line, column } = found.position;
        let end = found.end.map(|Position { line, column }| EndKeys { line, column });
        Self { element: found.element, line, column, end }
    }
}

/// A statement beside the directives.
#[derive(Debug, Serialize)]
pub(crate) struct OtherKeys<'a> {
    #[serde(skip)]
    pub(crate) statement: &'a OtherStatement,
    #[serde(flatten)]
    text: Foreign<&'a [u8]>,
    #[serde(flatten)]
    pub(crate) term: TermKeys<'a>,
    #[serde(flatten)]
    place: PlaceKeys,
}

/// The content of a statement beside the directives.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum TermKeys<'a> {
    Invalid {
        error: &'static str,
    },
    Usage(UsageKeys),
    Signals {
        signals: Vec<(&'static str, &'static str)>,
    },
    License {
        url: &'a str,
    },
    Reservation {
        reservation: bool,
    },
    Policy {
        policy: &'a str,
    },
    RobotsTag {
        #[serde(flatten)]
        subject: Foreign<Option<&'a [u8]>>,
        #[serde(flatten)]
        rules: Foreign<Vec<&'a [u8]>>,
        applies: bool,
    },
}

impl<'a> OtherKeys<'a> {
    fn of(statement: &'a OtherStatement, crawler: &Crawler) -> Self {
        let term = match &statement.parsed {
            Err(error) => TermKeys::Invalid { error },
            Ok(OtherTerm::Usage { usage, unknown }) => {
                let unknown = unknown.iter().map(|(key, preference)| (&**key, *preference));
                TermKeys::Usage(UsageKeys::of(*usage, unknown))
            }
            Ok(OtherTerm::Signals(signals)) => {
                TermKeys::Signals { signals: signals.stated().collect() }
            }
            Ok(OtherTerm::License { address, .. }) => TermKeys::License { url: address },
            Ok(OtherTerm::Reservation(reservation)) => {
                TermKeys::Reservation { reservation: *reservation }
            }
            Ok(OtherTerm::Policy(policy)) => TermKeys::Policy { policy },
            Ok(OtherTerm::RobotsTag { subject, rules }) => TermKeys::RobotsTag {
                subject: Foreign::new("subject", subject.agent()),
                rules: Foreign::new("rules", rules.iter().map(|rule| &**rule).collect()),
                applies: subject.names(crawler),
            },
            Ok(_) => TermKeys::Invalid { error: "expected a known statement" },
        };
        let text = Foreign::new("text", &*statement.text);
        Self { statement, text, term, place: PlaceKeys::of(statement.place) }
    }
}

impl fmt::Display for OtherKeys<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |text: &[u8]| Untrusted::new(text).quoted().to_string();
        let term = match &self.term {
            TermKeys::Invalid { error } => format!("{}: {error}", quoted(self.text.text)),
            TermKeys::Usage(_) | TermKeys::Signals { .. } => {
                let uses = uses_of(self.statement);
                uses.map(|uses| uses.words_with_reasons(self.text.text)).unwrap_or_default()
            }
            TermKeys::License { url: "" } => "license: the page itself".to_owned(),
            TermKeys::License { url } => format!("license {}", quoted(url.as_bytes())),
            TermKeys::Policy { policy } => quoted(policy.as_bytes()),
            TermKeys::Reservation { reservation } => u8::from(*reservation).to_string(),
            TermKeys::RobotsTag { rules, subject, .. } => {
                let subject = subject.text.map_or_else(|| "everybody".to_owned(), quoted);
                let rules: Vec<_> = rules.text.iter().map(|rule| quoted(rule)).collect();
                let rules = if rules.is_empty() { "no rule".into() } else { rules.join(", ") };
                format!("{rules} for {subject}")
            }
        };
        write!(f, "{}: {term}  {}", self.statement.name, self.statement.place)
    }
}

fn uses_of(statement: &OtherStatement) -> Option<Uses> {
    match &statement.parsed {
        Ok(OtherTerm::Usage { usage, .. }) => Some(Uses::Usage(*usage)),
        Ok(OtherTerm::Signals(signals)) => Some(Uses::Signals(*signals)),
        _ => None,
    }
}

/// Several header fields with one name.
#[derive(Debug, Serialize)]
pub(crate) struct CombinedKeys {
    pub(crate) name: &'static str,
    #[serde(rename = "stated")]
    pub(crate) uses: Uses,
}

impl CombinedKeys {
    fn of(fields: &[OtherKeys<'_>]) -> Option<Self> {
        let mut all =
            fields.iter().filter_map(|it| Some((it.statement.name, uses_of(it.statement)?)));
        let (name, first) = all.next()?;
        let uses = all.map(|(_, uses)| uses).reduce(Uses::and)?.and(first);
        (!uses.stated().is_empty()).then_some(Self { name, uses })
    }
}

/// The answer of robots.txt for a page, and the fetch of the page.
#[derive(Debug, Serialize)]
pub(crate) struct PageEvidence<'a> {
    check: AnswerKeys<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fetch: Option<PageFetchKeys<'a>>,
}

/// The fetch of a page.
#[derive(Debug, Serialize)]
pub(crate) struct PageFetchKeys<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    pub(crate) hops: Vec<HopKeys<'a>>,
    pub(crate) final_url: &'a str,
    downgraded: bool,
    truncated: bool,
    bytes: usize,
    pub(crate) waited: f64,
}

impl<'a> PageEvidence<'a> {
    /// `page` is `None` if the page may not be fetched.
    pub(crate) fn of(answer: &'a Answer<'a>, page: Option<&'a FetchedPage>) -> Self {
        Self { check: answer.keys(), fetch: page.map(PageFetchKeys::of) }
    }
}

impl<'a> PageFetchKeys<'a> {
    fn of(page: &'a FetchedPage) -> Self {
        // The last request is that of the final URL.
        let redirects = page.hops().split_last().map_or_else(Default::default, |(_, all)| all);
        let keys = |hop: &'a Hop| Some(HopKeys::new(hop.status?, hop.url.as_str()));
        Self {
            status: page.status(),
            hops: redirects.iter().filter_map(keys).collect(),
            final_url: page.url().as_str(),
            downgraded: page.is_downgraded(),
            truncated: page.is_truncated(),
            bytes: page.body().len(),
            waited: page.waited().as_secs_f64(),
        }
    }
}

/// An error in the place of a page.
#[derive(Debug, Serialize)]
pub(crate) struct PageFailure<'a> {
    #[serde(flatten)]
    pub(crate) failure: AnswerError<'a>,
    #[serde(flatten)]
    pub(crate) evidence: Option<PageEvidence<'a>>,
}
