//! Statements of a robots.txt and of a page about uses, each with its place.

use url::{Url, form_urlencoded};
use verger::extension::{Extension, Extent, Preference, Record, RecordKind, Signals, Usage};
use verger::{Crawler, LineIndex, Robots, quoted};
use verger_page::limits::ITEM_BYTES;
use verger_page::{Directive, OtherTerm, Page, Place, Subject};

use crate::limits::{LINES, QUOTED_CHARS};
use crate::outcome::{Outcome, Terms, Use};
use crate::report::{Report, Statements};
use crate::tdmrep::{is_address, policy_condition};

impl Report {
    /// Adds the statements of a robots.txt about a URL.
    pub fn add_robots(&mut self, robots: &Robots, crawler: &Crawler, url: &Url, document: &str) {
        self.adding(document, Some(url), |all| all.add_robots(robots, crawler, url.as_str()));
    }

    /// Adds the statements of a page: header fields and elements.
    pub fn add_page(&mut self, page: &Page, crawler: &Crawler, document: &str) {
        self.adding(document, None, |all| all.add_page(page, crawler));
    }
}

impl Statements<'_> {
    fn add_robots(&mut self, robots: &Robots, crawler: &Crawler, url: &str) {
        let lines = LineIndex::new(robots.text());
        for kind in [RecordKind::ContentUsage, RecordKind::ContentSignal, RecordKind::License] {
            let (key, is_license) = (kind.key(), kind == RecordKind::License);
            let records = robots.records_for(crawler).filter(|it| it.kind() == kind);
            let records: Vec<_> = records.collect();
            let mut terms = match kind {
                // REP-EXT-37: a disallowed URL has no usage answer.
                RecordKind::ContentUsage => {
                    robots.content_usage(crawler, url).map(of_usage).unwrap_or_default()
                }
                RecordKind::ContentSignal => of_signals(robots.content_signals(crawler, url)),
                _ => Terms::default(),
            };
            let early = robots.records().take_while(Record::is_before_agents);
            let early = early.filter(|it| it.kind() == kind && it.group().is_none());
            // As for valid licences: those of the file count if the groups have none.
            let early = early.filter(|_| !is_license || records.is_empty());
            let mut stating = Vec::new();
            for record in early.chain(records.iter().copied()) {
                let place = place_of_lines(&[record], &lines);
                match self.read_record(record, &place) {
                    None if is_license => continue,
                    None => {}
                    Some(message) => {
                        self.add_finding(&place, message);
                        terms = terms.and(malformed(key, record.value()));
                    }
                }
                stating.push(record);
            }
            // All lines of one kind are one statement.
            let values: Vec<_> = stating.iter().take(LINES).map(|it| shown(it.value())).collect();
            let more = if stating.len() > LINES { "; …" } else { "" };
            let text = values.join("; ") + more;
            self.add(key, &place_of_lines(&stating, &lines), &text, terms);
        }
        if robots.is_truncated() {
            let message = "the file exceeds the limit of size: its end was not read".to_owned();
            self.unread("robots.txt", message, Terms::all(Outcome::Unknown));
        }
    }

    /// The mistake in a line, which may hide a restriction. Licences are added.
    fn read_record(&mut self, it: Record<'_>, place: &str) -> Option<String> {
        let key = it.kind().key();
        match it.extension() {
            Err(error) => Some(format!("`{key}` {INVALID}: {error}")),
            Ok(Extension::License(license)) => {
                self.license(license.uri, place, true, self.permits);
                None
            }
            Ok(_) if it.group().is_none() => {
                let why = "is before every `User-agent` line, so it applies to nobody";
                Some(format!("`{key}` {why}"))
            }
            Ok(_) => mistake(it.kind(), it.value()),
        }
    }

    pub(crate) fn add_page(&mut self, page: &Page, crawler: &Crawler) {
        for statement in page.statements().iter().filter(|it| may_name(&it.subject, crawler)) {
            let (place, text) = (statement.place.to_string(), &statement.text);
            let source = match statement.place {
                Place::Header { .. } => "X-Robots-Tag",
                _ => "meta",
            };
            let written = match statement.subject.agent() {
                Some(name) => shown(&[name, b": ", text].concat()),
                None => shown(text),
            };
            let is_named = statement.subject.names(crawler);
            let name = (!is_named).then_some("expected one name of a crawler, or `robots`");
            if let Some(error) = statement.error().or(name) {
                self.add_finding(&place, format!("{} {INVALID}: {error}", quoted(text)));
                let uses: &[Use] = if may_refuse(text, crawler) { &PREFERENCES } else { &[] };
                self.add(source, &place, &written, Terms::each(uses, Outcome::Unknown));
            } else if let Ok(directive) = statement.parsed {
                self.add(source, &place, &written, of_directive(directive, crawler));
            }
        }
        for other in page.others() {
            let (place, text) = (other.place.to_string(), quoted(&other.text));
            let item = |kind| {
                let is_cut = other.text.len() >= ITEM_BYTES;
                let cut = || format!("expected less than {ITEM_BYTES} bytes: the end was not read");
                is_cut.then(cut).or_else(|| mistake(kind, &other.text))
            };
            let (mut terms, mistake) = match &other.parsed {
                Ok(OtherTerm::License { address, anchor }) => {
                    let is_element = matches!(other.place, Place::Link { .. });
                    let base = page.base().filter(|_| is_element).unwrap_or_default();
                    match self.add_link(&place, base, address, anchor.as_deref()) {
                        Ok(()) => continue,
                        Err(mistake) => (Terms::default(), Some(mistake)),
                    }
                }
                Ok(OtherTerm::Usage { usage, .. }) => {
                    (of_usage(*usage), item(RecordKind::ContentUsage))
                }
                Ok(OtherTerm::Signals(signals)) => {
                    (of_signals(*signals), item(RecordKind::ContentSignal))
                }
                Ok(OtherTerm::RobotsTag { subject, rules }) if subject.names(crawler) => {
                    let is_rule = |it: &[u8], name: &str| it.eq_ignore_ascii_case(name.as_bytes());
                    let refuses = rules.iter().any(|it| is_rule(it, "noindex"));
                    let refused: &[Use] = if refuses { &[Use::Search] } else { &[] };
                    let mut unknown = rules
                        .iter()
                        .filter(|it| !is_rule(it, "noindex") && !is_rule(it, "nosnippet"));
                    let odd = unknown.find(|it| may_refuse(it, crawler)).map(|it| {
                        format!("expected a rule such as `noindex`, but found {}", quoted(it))
                    });
                    (Terms::each(refused, Outcome::Refused), odd)
                }
                Ok(OtherTerm::Reservation(is_reserved)) => {
                    let outcome = if *is_reserved { Outcome::Refused } else { Outcome::Allowed };
                    (Terms::each(&[Use::Mining], outcome), None)
                }
                Ok(OtherTerm::Policy(policy)) => {
                    let mistake = (!is_address(policy))
                        .then(|| format!("expected the address of a policy, but found {text}"));
                    (Terms::under(&[], policy_condition(policy)), mistake)
                }
                Ok(_) => continue,
                Err(error) => {
                    (Terms::default(), Some(format!("`{}` {text} {INVALID}: {error}", other.name)))
                }
            };
            if let Some(message) = mistake {
                self.add_finding(&place, message);
                terms = terms.and(malformed(other.name, &other.text));
            }
            self.add(other.name, &place, &shown(&other.text), terms);
        }
        if page.is_truncated() {
            let message = "the statements exceed a limit: some were not read".to_owned();
            // One of them may be a restriction.
            self.unread("page", message, Terms::all(Outcome::Unknown));
        }
    }

    /// Adds the address of a licence in a field or element of a page, if it is about a visited URL.
    ///
    /// # Errors
    ///
    /// The mistake, which may hide a restriction.
    fn add_link(
        &mut self,
        place: &str,
        base: &str,
        address: &str,
        anchor: Option<&str>,
    ) -> Result<(), String> {
        let document = resolve(self.document, "");
        let of = resolve(self.document, anchor.unwrap_or_default());
        if let Some(anchor) = anchor {
            let mistake =
                || format!("expected an address as an anchor, but found {}", quoted(anchor));
            let of = of.as_ref().ok_or_else(mistake)?;
            // As the redirects are about the page, too.
            let visited = self.report.access.iter().filter_map(|it| resolve(&it.url, ""));
            if !visited.chain(document.clone()).any(|it| is_same(&it, of)) {
                return Ok(());
            }
        }
        if address.is_empty() {
            return Err("the licence is in the page itself, and was not read".to_owned());
        }
        let base = resolve(self.document, base);
        let full = base.and_then(|it| resolve(it.as_str(), address));
        // One about another URL on the way permits nothing.
        let permits = self.permits && of == document;
        self.license(full.as_ref().map_or(address, Url::as_str), place, false, permits);
        Ok(())
    }
}

/// The place of lines of a robots.txt.
fn place_of_lines(records: &[Record<'_>], lines: &LineIndex) -> String {
    let line = |it: &Record<'_>| lines.position(it.span().start).line.to_string();
    let numbers: Vec<_> = records.iter().take(LINES).map(line).collect();
    let word = if records.len() == 1 { "line" } else { "lines" };
    let more = if records.len() > LINES { ", …" } else { "" };
    format!("{word} {}{more}", numbers.join(", "))
}

/// Said in findings about statements that may restrict all the same.
const INVALID: &str = "is not valid as written";

/// The mistake in a value that can be read: an entry that states nothing may be a refusal.
fn mistake(kind: RecordKind, value: &[u8]) -> Option<String> {
    let is_signal = kind == RecordKind::ContentSignal;
    let states = |entry: &[u8]| {
        if is_signal {
            Signals::parse(entry).is_ok_and(|it| it.stated().next().is_some())
        } else {
            Usage::parse(entry).is_ok_and(|it| it.stated().next().is_some())
        }
    };
    // Others than the vocabulary may define further keys of Content-Usage, with other words.
    let is_known = |entry: &[u8]| {
        let key = String::from_utf8_lossy(key_of(entry)).to_ascii_lowercase();
        is_signal
            || ["ai", "train", "search"].iter().any(|it| key.contains(it))
            || is_earlier(entry, &EARLIER)
    };
    let is_empty = !entries(value).any(|it| states(it) || it.contains(&b'='));
    let entry = entries(value).find(|it| !states(it) && (is_empty || is_known(it)))?;
    let form = if is_signal { "ai-train=no" } else { "train-ai=n" };
    Some(format!("expected an entry such as `{form}`, but found {}", quoted(entry)))
}

/// The entries of a value, without its path.
fn entries(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_blank = |it: &u8| matches!(it, b' ' | b'\t');
    let path = value.starts_with(b"/").then(|| value.iter().position(is_blank)).flatten();
    value[path.unwrap_or_default()..].split(|it| *it == b',').map(<[u8]>::trim_ascii)
}

fn key_of(entry: &[u8]) -> &[u8] {
    entry.split(|it| *it == b'=').next().unwrap_or(entry).trim_ascii()
}

/// Whether an entry has one of these labels of earlier drafts, and permits nothing.
fn is_earlier(entry: &[u8], labels: &[&str]) -> bool {
    let is_key = |it: &&str| it.as_bytes().eq_ignore_ascii_case(key_of(entry));
    // Without parameters.
    let value = entry.split(|it| *it == b';').next().unwrap_or(entry);
    labels.iter().any(is_key) && !value.trim_ascii().ends_with(b"=y")
}

/// Labels of earlier drafts of Content-Usage without a word of the vocabulary (REP-EXT-36a). They
/// state nothing today, but may be meant. All but the last cover every use, also mining.
const EARLIER: [&str; 4] = ["tdm", "all", "bots", "inference"];

/// The uses of `Content-Usage` and `Content-Signal`.
const PREFERENCES: [Use; 3] = [Use::Search, Use::AiTraining, Use::AiInput];

/// The meaning of a malformed statement, by its name and value: it may be a refusal.
fn malformed(name: &str, value: &[u8]) -> Terms {
    let uses: &[Use] = match name.to_ascii_lowercase().as_str() {
        "tdm-reservation" | "tdm-policy" => &[Use::Mining],
        // A licence that could not be read licenses nothing (REP-EXT-40).
        "license" => return Terms::all(Outcome::Refused),
        "link" => &Use::ALL,
        "content-usage" if entries(value).any(|it| is_earlier(it, &EARLIER[..3])) => &Use::ALL,
        name if name.starts_with("content-") || name == "robots-tag" => &PREFERENCES,
        _ => &[],
    };
    Terms::each(uses, Outcome::Unknown)
}

/// Whether an item that states nothing as written, such as `noai noindex` or `no-ai`, may be meant
/// as a refusal. The name of the crawler can be in a list, before the items for it.
fn may_refuse(text: &[u8], crawler: &Crawler) -> bool {
    let mut words = text.split(|it| !it.is_ascii_alphanumeric() && !b"-_".contains(it));
    let is_doubtful = |word: &[u8]| {
        word.to_ascii_lowercase().starts_with(b"no") || Subject::Agent(word.into()).names(crawler)
    };
    text.len() >= ITEM_BYTES || words.any(is_doubtful)
}

/// Whether a statement is for a crawler, or may be meant to be: its name is a list or has a
/// version.
fn may_name(subject: &Subject, crawler: &Crawler) -> bool {
    let name = subject.agent().unwrap_or_default();
    let words = name.split(|it| b",;|/ \t".contains(it));
    let is_meant = |word: &[u8]| {
        word.eq_ignore_ascii_case(b"robots") || Subject::Agent(word.into()).names(crawler)
    };
    subject.names(crawler) || name.len() >= ITEM_BYTES || words.into_iter().any(is_meant)
}

/// Whether two URLs are the same, or could be: percent-encoded characters count as themselves.
fn is_same(url: &Url, other: &Url) -> bool {
    let [url, other] = [url, other].map(|it| form_urlencoded::parse(it.as_str().as_bytes()));
    url.eq(other)
}

/// An address in a document, without a fragment; `None` if it is not a URL.
pub(crate) fn resolve(document: &str, address: &str) -> Option<Url> {
    let mut url = Url::parse(document).ok()?.join(address).ok()?;
    url.set_fragment(None);
    Some(url)
}

fn of_usage(usage: Usage) -> Terms {
    let of = |key| usage.preference(key);
    of_preferences([of("search"), of("train-ai"), of("ai-use")])
}

fn of_signals(signals: Signals) -> Terms {
    let mut terms = of_preferences([signals.search, signals.ai_train, signals.ai_input]);
    // REP-EXT-32: the extent limits every use, also one that is permitted.
    if let Some(extent @ (Extent::Immediate | Extent::Reference)) = signals.extent {
        terms = terms.and(Terms::under(&PREFERENCES, format!("use={}", extent.word())));
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
    use Use::{AiInput, AiTraining, Search};
    let is = |name: &str| crawler.tokens().iter().any(|it| it.as_str().eq_ignore_ascii_case(name));
    let refused: &[Use] = match directive {
        NoIndex | None => &[Search],
        NoAi | NoMl => &[AiTraining],
        NoImageAi => return Terms::under(&[AiTraining], "noimageai: not for images".to_owned()),
        NoArchive if is("Amazonbot") => &[AiTraining],
        NoArchive if is("bingbot") => &[AiTraining, AiInput],
        NoCache if is("bingbot") => {
            let condition = "nocache: URL, title and snippet only".to_owned();
            return Terms::under(&[AiTraining, AiInput], condition);
        }
        NoSnippet if is("Googlebot") => &[AiInput],
        _ => &[],
    };
    Terms::each(refused, Outcome::Refused)
}

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).chars().take(QUOTED_CHARS).collect()
}
