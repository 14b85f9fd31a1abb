//! The report on a page, as in the JSON contract (`docs/json.md`).
//!
//! Fields are written in the order of their declaration.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;
use verger::access::Timestamp;
use verger::{Crawler, Position, without_credentials};
use verger_fetch::client::FetchedPage;
use verger_fetch::fetch::Hop;
use verger_json::record::HopKeys;
use verger_json::{Answer as AnswerKeys, AnswerError, CrawlerKeys, Foreign, NamedCrawler};
use verger_page::{
    Combine, Directive, Html, Limit, NoSnippet, Page, PageDirectives, Place, RobotsTag, Statement,
    Subject, TdmStatement, TdmTerm,
};

use crate::answer::Answer;

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
    robots_tag: Vec<RobotsTagKeys<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tdm: Vec<TdmKeys<'a>>,
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
            robots_tag: page.robots_tags().iter().map(RobotsTagKeys::of).collect(),
            tdm: page.tdm().iter().map(TdmKeys::of).collect(),
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
    let is_same = |it: &Statement| std::ptr::eq(it, statement);
    page.statements().iter().position(is_same).unwrap_or_default()
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
        let subject = match &statement.subject {
            Subject::Agent(name) => Some(&**name),
            _ => None,
        };
        let directive = statement.parsed.ok();
        Self {
            statement,
            subject: Foreign::new("subject", subject),
            applies,
            text: Foreign::new("text", &statement.text),
            name: directive.map(Directive::name),
            value: directive.and_then(value_of),
            error: statement.parsed.err(),
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

/// The `Robots-Tag` field of the draft, for one token.
#[derive(Debug, Serialize)]
struct RobotsTagKeys<'a> {
    #[serde(flatten)]
    token: Foreign<Option<&'a [u8]>>,
    #[serde(flatten)]
    rules: Foreign<Vec<&'a [u8]>>,
}

impl<'a> RobotsTagKeys<'a> {
    fn of(tag: &'a RobotsTag) -> Self {
        Self {
            token: Foreign::new("token", tag.token.as_deref()),
            rules: Foreign::new("rules", tag.rules.iter().map(|rule| &**rule).collect()),
        }
    }
}

/// A reservation of text and data mining.
#[derive(Debug, Serialize)]
struct TdmKeys<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    reservation: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<&'a str>,
    #[serde(flatten)]
    place: PlaceKeys,
}

impl<'a> TdmKeys<'a> {
    fn of(statement: &'a TdmStatement) -> Self {
        let (reservation, policy) = match &statement.term {
            TdmTerm::Reservation(is_reserved) => (Some(*is_reserved), None),
            TdmTerm::Policy(policy) => (None, Some(policy.as_str())),
            _ => (None, None),
        };
        Self { reservation, policy, place: PlaceKeys::of(statement.place) }
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
