//! Statements of a robots.txt and of a page about uses, each with its place.

use serde::Serialize;
use verger::extension::{Extent, Preference, Record, RecordKind, Signals, Usage};
use verger::{Crawler, Robots, quoted};
use verger_page::limits::ITEM_BYTES;
use verger_page::{Directive, OtherTerm, Page};

use crate::limits::QUOTED_CHARS;
use crate::outcome::{Outcome, Terms, Use};
use crate::tdmrep::policy_condition;

/// The statement of one source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Source {
    /// The kind of source: a record of robots.txt, a header field, a meta element, a document.
    pub source: &'static str,
    /// The document.
    pub url: String,
    /// The place in it, such as `line 3`; empty for the whole document.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// The statement as written. It is untrusted text.
    pub text: String,
    /// Its meaning for each use.
    pub uses: Terms,
    /// Conditions of the uses, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
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
    /// As written; empty for the page itself.
    pub(crate) address: String,
    pub(crate) document: String,
    pub(crate) place: String,
    /// Whether it must be RSL: it is that of a robots.txt.
    pub(crate) is_rsl: bool,
}

/// The statements of one document.
#[derive(Debug, Default)]
pub(crate) struct Statements {
    pub(crate) sources: Vec<Source>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) licenses: Vec<LicenseAddress>,
}

impl Statements {
    /// Those of a robots.txt for a crawler and a URL. `document` is the URL of the robots.txt.
    pub(crate) fn of_robots(robots: &Robots, crawler: &Crawler, url: &str, document: &str) -> Self {
        let mut this = Self::default();
        let is_own_license = |it: &Record<'_>| it.kind() == RecordKind::License;
        let has_license = robots.records_for(crawler).any(|it| is_own_license(&it));
        // As for valid licences: those of the file count if the groups have none.
        let early = robots.records().take_while(Record::is_before_agents);
        let early = early.filter(|it| !has_license && is_own_license(it));
        for record in early.chain(robots.records_for(crawler)) {
            this.add_malformed(&record, document);
        }
        if robots.is_truncated() {
            let message = "the file exceeds the limit of size: its end was not read".to_owned();
            this.find(document, String::new(), message);
            let unknown = Terms::all(Outcome::Unknown);
            this.add("robots.txt", document, String::new(), "an end that was not read", unknown);
        }
        // REP-EXT-37: a disallowed URL has no usage answer.
        if let Some(usage) = robots.content_usage(crawler, url) {
            let terms = of_usage(usage);
            this.add_lines(robots, crawler, [url, document], RecordKind::ContentUsage, terms);
        }
        let signals = robots.content_signals(crawler, url);
        let terms = of_signals(signals);
        this.add_lines(robots, crawler, [url, document], RecordKind::ContentSignal, terms);
        for license in robots.licenses(crawler) {
            let mut lines = robots.records().filter(|it| {
                it.kind() == RecordKind::License && it.value() == license.uri.as_bytes()
            });
            this.licenses.push(LicenseAddress {
                address: license.uri.to_owned(),
                document: document.to_owned(),
                place: lines.next().as_ref().map(line).unwrap_or_default(),
                is_rsl: true,
            });
        }
        this
    }

    /// A line that could not be read may be a refusal, so its uses are unknown. A licence that could
    /// not be read licenses nothing (REP-EXT-40).
    fn add_malformed(&mut self, record: &Record<'_>, document: &str) {
        let (kind, key) = (record.kind(), record.kind().key());
        let terms = match kind {
            RecordKind::ContentUsage | RecordKind::ContentSignal => malformed(key),
            RecordKind::License => Terms::all(Outcome::Refused),
            _ => return,
        };
        let message = match record.extension() {
            Err(error) => Some(format!("`{key}` states nothing: {error}")),
            Ok(_) if kind == RecordKind::License => None,
            Ok(_) => mistake(kind, record.value()),
        };
        let Some(message) = message else { return };
        self.find(document, line(record), message);
        self.add(key, document, line(record), &shown(record.value()), terms);
    }

    /// Adds the lines of a kind with their common meaning for the URL. Lines that all are about other
    /// paths are a finding: a path can have a mistake.
    fn add_lines(
        &mut self,
        robots: &Robots,
        crawler: &Crawler,
        [url, document]: [&str; 2],
        kind: RecordKind,
        terms: Terms,
    ) {
        let of_kind = robots.records_for(crawler).filter(|it| it.kind() == kind);
        let stated: Vec<_> = of_kind.filter(|it| it.extension().is_ok()).collect();
        let lines: Vec<_> = stated.iter().map(|it| it.position().line.to_string()).collect();
        let place = format!("line {}", lines.join(", "));
        if terms == Terms::default() {
            if stated.iter().any(|it| it.value().starts_with(b"/")) {
                let message = format!("`{}` states nothing about {}", kind.key(), quoted(url));
                self.find(document, place, message);
            }
            return;
        }
        let values: Vec<_> = stated.iter().map(|it| shown(it.value())).collect();
        self.add(kind.key(), document, place, &values.join("; "), terms);
    }

    /// Those of a page for a crawler.
    pub(crate) fn of_page(page: &Page, crawler: &Crawler, document: &str) -> Self {
        let mut this = Self::default();
        for statement in page.statements().iter().filter(|it| it.subject.names(crawler)) {
            let place = statement.place.to_string();
            if let Some(error) = statement.error() {
                let text = quoted(&statement.text);
                this.find(document, place, format!("{text} states nothing: {error}"));
            } else if let Ok(directive) = statement.parsed {
                let terms = of_directive(directive, crawler);
                if terms != Terms::default() {
                    this.add("robots", document, place, &shown(&statement.text), terms);
                }
            }
        }
        for other in page.others() {
            let (place, text) = (other.place.to_string(), shown(&other.text));
            let message = match &other.parsed {
                Err(error) => Some(format!(
                    "`{}` {} states nothing: {error}",
                    other.name,
                    quoted(&other.text)
                )),
                Ok(OtherTerm::Usage { .. } | OtherTerm::Signals(_))
                    if other.text.len() >= ITEM_BYTES =>
                {
                    Some(format!("expected less than {ITEM_BYTES} bytes: the end was not read"))
                }
                Ok(OtherTerm::Usage { .. }) => mistake(RecordKind::ContentUsage, &other.text),
                Ok(OtherTerm::Signals(_)) => mistake(RecordKind::ContentSignal, &other.text),
                Ok(_) => None,
            };
            let mut unknown = Terms::default();
            if let Some(message) = message {
                this.find(document, place.clone(), message);
                unknown = malformed(other.name);
            }
            let terms = match &other.parsed {
                Ok(OtherTerm::License(address)) => {
                    let (address, document) = (address.clone(), document.to_owned());
                    let license = LicenseAddress { address, document, place, is_rsl: false };
                    this.licenses.push(license);
                    continue;
                }
                Ok(OtherTerm::Usage { usage, .. }) => of_usage(*usage),
                Ok(OtherTerm::Signals(signals)) => of_signals(*signals),
                Ok(OtherTerm::Reservation(is_reserved)) => {
                    let outcome = if *is_reserved { Outcome::Refused } else { Outcome::Allowed };
                    Terms::one(Use::Mining, outcome)
                }
                Ok(OtherTerm::Policy(policy)) => Terms::with_condition(policy_condition(policy)),
                Ok(OtherTerm::RobotsTag { subject, rules })
                    if subject.names(crawler)
                        && rules.iter().any(|it| it.eq_ignore_ascii_case(b"noindex")) =>
                {
                    Terms::one(Use::Search, Outcome::Refused)
                }
                Ok(_) | Err(_) => Terms::default(),
            };
            let terms = terms.and(unknown);
            if terms != Terms::default() {
                this.add(other.name, document, place, &text, terms);
            }
        }
        if page.is_truncated() {
            let message = "the statements exceed a limit: some were not read".to_owned();
            this.find(document, String::new(), message);
            // One of them may be a restriction.
            let unknown = Terms::all(Outcome::Unknown);
            this.add("page", document, String::new(), "statements that were not read", unknown);
        }
        this
    }

    /// Removes permissions of some sources, and the sources of which nothing remains.
    pub(crate) fn restrict(&mut self, is_meant: impl Fn(&Source) -> bool) {
        self.sources.retain_mut(|source| {
            if !is_meant(source) {
                return true;
            }
            source.uses = std::mem::take(&mut source.uses).restrictions();
            source.uses != Terms::default() || !source.conditions.is_empty()
        });
    }

    pub(crate) fn find(&mut self, url: &str, place: String, message: String) {
        self.findings.push(Finding { url: url.to_owned(), place, message });
    }

    pub(crate) fn add(
        &mut self,
        source: &'static str,
        url: &str,
        place: String,
        text: &str,
        mut uses: Terms,
    ) {
        let conditions = std::mem::take(&mut uses.conditions);
        let (url, text) = (url.to_owned(), text.to_owned());
        self.sources.push(Source { source, url, place, text, uses, conditions });
    }
}

fn line(record: &Record<'_>) -> String {
    format!("line {}", record.position().line)
}

/// The mistake in a value that can be read: an entry that states nothing may be a refusal.
fn mistake(kind: RecordKind, value: &[u8]) -> Option<String> {
    let is_blank = |it: &u8| matches!(it, b' ' | b'\t');
    let path = value.starts_with(b"/").then(|| value.iter().position(is_blank)).flatten();
    let value = &value[path.unwrap_or_default()..];
    let entries: Vec<_> = value.split(|it| *it == b',').map(<[u8]>::trim_ascii).collect();
    let states = |text: &[u8]| match kind {
        RecordKind::ContentSignal => {
            Signals::parse(text).is_ok_and(|it| it.stated().next().is_some())
        }
        _ => Usage::parse(text).is_ok_and(|it| it.stated().next().is_some()),
    };
    // Others than the vocabulary may define further keys of Content-Usage.
    let is_known = |entry: &[u8]| {
        let key = entry.split(|it| *it == b'=').next().unwrap_or(entry);
        kind == RecordKind::ContentSignal || states(&[key, b"=n"].concat())
    };
    let is_empty = !entries.iter().any(|it| states(it));
    let entry = entries.into_iter().find(|it| !states(it) && (is_empty || is_known(it)))?;
    let form = if kind == RecordKind::ContentSignal { "ai-train=no" } else { "train-ai=n" };
    Some(format!("expected an entry such as `{form}`, but found {}", quoted(entry)))
}

/// The uses of `Content-Usage` and `Content-Signal`.
const PREFERENCES: [Use; 3] = [Use::Search, Use::AiTraining, Use::AiInput];

/// The meaning of a malformed statement of a page, by its name: it may be a refusal.
fn malformed(name: &str) -> Terms {
    if name.eq_ignore_ascii_case("tdm-reservation") {
        Terms::one(Use::Mining, Outcome::Unknown)
    } else if name.to_ascii_lowercase().starts_with("content-") {
        Terms::each(&PREFERENCES, Outcome::Unknown)
    } else {
        Terms::default()
    }
}

fn of_usage(usage: Usage) -> Terms {
    let of = |key| usage.preference(key);
    of_preferences([of("search"), of("train-ai"), of("ai-use")])
}

fn of_signals(signals: Signals) -> Terms {
    let mut terms = of_preferences([signals.search, signals.ai_train, signals.ai_input]);
    // REP-EXT-32: the extent limits every use, also one that is permitted.
    if let Some(extent @ (Extent::Immediate | Extent::Reference)) = signals.extent {
        terms = terms.and(Terms::each(&PREFERENCES, Outcome::Conditional));
        terms.condition(format!("use={}", extent.word()));
    }
    terms
}

/// The preferences for search, training and input.
fn of_preferences(preferences: [Preference; 3]) -> Terms {
    let mut terms = Terms::default();
    for (of, preference) in PREFERENCES.into_iter().zip(preferences) {
        match preference {
            Preference::Allowed => terms.state(of, Outcome::Allowed),
            Preference::Disallowed => terms.state(of, Outcome::Refused),
            Preference::Unknown => {}
        }
    }
    terms
}

/// The meaning of a directive for uses: for every crawler, or for those of a vendor that documents
/// it (REP-PAGE-20, REP-PAGE-22). Others state nothing about uses.
fn of_directive(directive: Directive, crawler: &Crawler) -> Terms {
    use Directive::{NoAi, NoArchive, NoCache, NoImageAi, NoIndex, NoMl, NoSnippet, None};
    let mut terms = Terms::default();
    let is = |name: &str| crawler.tokens().iter().any(|it| it.as_str().eq_ignore_ascii_case(name));
    match directive {
        NoIndex | None => terms.state(Use::Search, Outcome::Refused),
        NoAi | NoMl => terms.state(Use::AiTraining, Outcome::Refused),
        NoImageAi => {
            terms.state(Use::AiTraining, Outcome::Conditional);
            terms.condition("noimageai: not for images".to_owned());
        }
        NoArchive if is("Amazonbot") => terms.state(Use::AiTraining, Outcome::Refused),
        NoArchive if is("bingbot") => {
            terms.state(Use::AiTraining, Outcome::Refused);
            terms.state(Use::AiInput, Outcome::Refused);
        }
        NoCache if is("bingbot") => {
            terms.state(Use::AiTraining, Outcome::Conditional);
            terms.state(Use::AiInput, Outcome::Conditional);
            terms.condition("nocache: URL, title and snippet only".to_owned());
        }
        NoSnippet if is("Googlebot") => terms.state(Use::AiInput, Outcome::Refused),
        _ => {}
    }
    terms
}

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).chars().take(QUOTED_CHARS).collect()
}
