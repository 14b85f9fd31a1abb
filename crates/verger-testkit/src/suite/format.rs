//! The TOML of the suite, as `testdata/README.md` describes it.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::text::{Repeat, Text};

/// One file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Document {
    pub(super) case: Vec<RawCase>,
    pub(super) file: Vec<RawFile>,
    pub(super) scope: Vec<Named<Scope>>,
    pub(super) derive: Vec<Named<Derive>>,
    pub(super) usage: Vec<Named<Usage>>,
    pub(super) extension: Vec<Named<Extension>>,
    pub(super) access: Vec<Named<Fetch>>,
    pub(super) freshness: Vec<Named<Fresh>>,
    pub(super) retry: Vec<Named<Retry>>,
    pub(super) page: Vec<Named<PageQuestion>>,
    pub(super) reading: Vec<Named<Reading>>,
    pub(super) target: Vec<Named<Target>>,
    pub(super) token: Vec<Named<Token>>,
}

/// `[[case]]`, and `[[file.case]]` without its shared keys.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawCase {
    pub(super) name: String,
    pub(super) why: Option<String>,
    pub(super) clause: Option<Vec<String>>,
    #[serde(default)]
    pub(super) source: Vec<String>,
    pub(super) contested: Option<String>,
    pub(super) robots: Option<Text>,
    #[serde(default)]
    pub(super) escape: bool,
    pub(super) repeat: Option<Repeat>,
    pub(super) agent: Option<Text>,
    pub(super) agents: Option<Vec<String>>,
    #[serde(default)]
    pub(super) union: bool,
    pub(super) url: Text,
    pub(super) expect: BTreeMap<String, RawExpected>,
}

/// `[[file]]`: keys shared by its cases.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawFile {
    pub(super) robots: Text,
    #[serde(default)]
    pub(super) escape: bool,
    pub(super) why: Option<String>,
    pub(super) clause: Option<Vec<String>>,
    pub(super) agent: Option<Text>,
    pub(super) case: Vec<RawCase>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawExpected {
    pub(super) allowed: bool,
    pub(super) line: Option<usize>,
    pub(super) reason: Option<String>,
}

/// The common keys of all other tables, beside the question. A key that neither accepts is an
/// error.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Named<T> {
    pub(super) name: String,
    pub(super) why: String,
    pub(super) clause: Vec<String>,
    #[serde(default)]
    pub(super) source: Vec<String>,
    pub(super) contested: Option<String>,
    #[serde(flatten)]
    pub(super) question: T,
}

/// `[[scope]]`.
#[derive(Clone, Debug, Deserialize)]
pub struct Scope {
    /// The URL of the robots.txt.
    pub robots_url: String,
    /// The URL in question.
    pub url: String,
    /// Whether the URL is in the scope of the robots.txt.
    pub in_scope: bool,
}

/// `[[derive]]`.
#[derive(Clone, Debug, Deserialize)]
pub struct Derive {
    /// A URL.
    pub url: String,
    /// The URL of its robots.txt; `None` if it has none.
    pub robots_url: Option<String>,
    /// Whether the text is not a URL, if the case specifies it.
    pub invalid: Option<bool>,
}

/// `[[usage]]`.
#[derive(Clone, Debug, Deserialize)]
pub struct Usage {
    /// `content-usage` or `content-signal`.
    pub field: String,
    /// The robots.txt.
    pub robots: String,
    /// A literal token.
    pub agent: String,
    /// The URL.
    pub url: String,
    /// Whether the rules allow the URL.
    pub allowed: bool,
    /// Whether no statement applies because the URL must not be fetched.
    #[serde(default)]
    pub not_applicable: bool,
    /// The statements.
    pub expect: Option<BTreeMap<String, String>>,
}

/// `[[extension]]`.
#[derive(Clone, Debug, Deserialize)]
pub struct Extension {
    /// Key of the record.
    pub field: String,
    /// The dialect, if not the default.
    pub dialect: Option<String>,
    /// The robots.txt.
    pub robots: Text,
    /// A literal token.
    pub agent: Option<String>,
    /// For `clean-param`: the URL to clean.
    pub url: Option<String>,
    /// The values for the crawler.
    pub expect: Given,
}

/// `[[access]]`.
#[derive(Clone, Debug, Deserialize)]
pub struct Fetch {
    /// A status, or one of the words of the README.
    pub outcome: String,
    /// Length of the outage in minutes, counted over fetches (REP-CACHE-25).
    #[serde(default)]
    pub failing_minutes: u64,
    /// Age of the last good copy in minutes; `None` without a copy.
    pub copy_minutes: Option<u64>,
    /// Whether other URLs of the site respond.
    #[serde(default)]
    pub site_available: bool,
    /// The answer in each access profile.
    pub expect: BTreeMap<String, String>,
}

/// `[[freshness]]`.
#[derive(Clone, Debug, Deserialize)]
pub struct Fresh {
    /// The headers of the response, in order.
    pub headers: Vec<[String; 2]>,
    /// Time of receipt, in seconds since 1970.
    pub received: u64,
    /// Freshness in seconds, in each access profile.
    pub expect: BTreeMap<String, u64>,
}

/// `[[retry]]`.
#[derive(Clone, Debug, Deserialize)]
pub struct Retry {
    /// Number of consecutive failed fetches.
    pub failures: u32,
    /// The headers of the last response, in order.
    #[serde(default)]
    pub headers: Vec<[String; 2]>,
    /// Time of receipt, in seconds since 1970.
    pub received: u64,
    /// Minimum wait in seconds.
    pub least: u64,
    /// Maximum wait in seconds.
    pub most: u64,
}

/// `[[page]]`.
#[derive(Clone, Debug, Deserialize)]
pub struct PageQuestion {
    /// Values of `X-Robots-Tag`, each on a separate line.
    #[serde(default)]
    pub headers: Vec<Text>,
    /// Meta elements, with decoded character references.
    #[serde(default)]
    pub meta: Vec<Meta>,
    /// The HTML of the page, for tests of finding elements.
    pub html: Option<Text>,
    /// A literal token.
    pub agent: Option<String>,
    /// A chain of tokens.
    #[serde(default)]
    pub agents: Vec<String>,
    /// Name of the way to combine contradictory directives; the default is `google`.
    pub combine: Option<String>,
    /// The effective directives.
    pub expect: BTreeMap<String, Setting>,
    /// The items that are not directives, if the case lists them.
    pub unknown: Option<Vec<Text>>,
    /// Reason that the scan ended before the end of the page.
    pub stop: Option<String>,
    /// Whether a limit cut the header lines.
    #[serde(default)]
    pub truncated: bool,
}

impl PageQuestion {
    /// The tokens of the crawler.
    pub fn tokens(&self) -> impl Iterator<Item = &str> {
        self.agent.iter().chain(&self.agents).map(String::as_str)
    }
}

/// A meta element.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meta {
    /// Its name.
    pub name: String,
    /// Its content.
    pub content: String,
}

/// The value of a directive.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Setting {
    /// `true` for a directive without a value.
    Holds(bool),
    /// A number.
    Number(u32),
    /// A word, or a time in RFC 3339.
    Text(String),
}

/// The values of one kind of record for a crawler; all fields are absent if there are none.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// `crawl-delay`.
    pub seconds: Option<f64>,
    /// `request-rate`.
    pub rates: Option<Vec<Rate>>,
    /// `visit-time`.
    pub windows: Option<Vec<WindowText>>,
    /// `sitemap` and `license`.
    pub urls: Option<Vec<String>>,
    /// `sitemap`: the values that are absolute URLs, if the case lists them.
    pub absolute: Option<Vec<String>>,
    /// `host`.
    pub host: Option<String>,
    /// `clean-param`.
    pub url: Option<String>,
    /// `content-signal`.
    pub signals: Option<Vec<BTreeMap<String, String>>>,
}

/// A request rate.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// Documents per period.
    pub documents: u32,
    /// The period in seconds.
    pub seconds: u64,
    /// The first minute, `HHMM`.
    pub from: Option<String>,
    /// The last minute, `HHMM`.
    pub to: Option<String>,
}

/// Times of the day.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowText {
    /// The first minute, `HHMM`.
    pub from: String,
    /// The last minute, `HHMM`.
    pub to: String,
}

/// `[[reading]]`: the structure of a file and its diagnostics, in the default dialect.
#[derive(Clone, Debug, Deserialize)]
pub struct Reading {
    /// The robots.txt.
    pub robots: Text,
    /// Number of groups, before groups of equal names are merged.
    pub groups: Option<usize>,
    /// Whether the size limit cuts the file.
    #[serde(default)]
    pub truncated: bool,
    /// Codes of diagnostics that it has, among others.
    #[serde(default)]
    pub notices: Vec<String>,
}

/// `[[target]]`: the target of a URL.
#[derive(Clone, Debug, Deserialize)]
pub struct Target {
    /// The text of the URL.
    pub url: Text,
    /// The target in `rfc9309`.
    pub rfc9309: Option<Text>,
    /// The reason why there is none.
    pub reason: Option<String>,
    /// The target in `google`.
    pub google: Text,
}

/// `[[token]]`: whether a name is a product token.
#[derive(Clone, Debug, Deserialize)]
pub struct Token {
    /// The name of a crawler.
    pub agent: Text,
    /// Whether it is a product token of RFC 9309.
    pub valid: bool,
}
