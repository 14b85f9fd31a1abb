//! The file that is linted, read once for all rules.

use std::fmt::Display;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use verger::access::Timestamp;
use verger::diagnostic::{Diagnostic, DiagnosticKind};
use verger::extension::Extension;
use verger::{Crawler, Dialect, Group, Origin, Robots, Rule, RuleKind, Span, Untrusted};
use verger_analysis::unnamed_crawler;
use verger_registry::Registry;

use crate::fix::{Edit, Fix, Safety};
use crate::limits::QUOTED_CHARS;
use crate::pattern;
use crate::settings::Settings;
use crate::syntax::{Line, LineKind, Tree};

/// A file with everything that rules look at.
pub(crate) struct File<'a> {
    /// The file as received.
    pub(crate) bytes: &'a [u8],
    pub(crate) robots: Robots,
    /// The lines of the text of `robots`.
    pub(crate) tree: Tree,
    /// The diagnostics of the engine, in file order.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Whether a group has a rule that is not empty.
    pub(crate) has_rules: bool,
    /// The starts of the rules of [`twins`](Self::twins), in order.
    twins: Vec<usize>,
    /// The first name of the last group, if that has no rules. Without rules, a group is joined
    /// with the next one.
    pub(crate) empty_group: Option<Span>,
    /// The start of the first user-agent line.
    pub(crate) first_agent: Option<usize>,
    /// The origin of the file, if the settings name one.
    pub(crate) origin: Option<Origin>,
    /// A crawler that no group names, whatever the names are: it obeys the groups for `*`.
    pub(crate) unnamed: Crawler,
    /// The time, if the settings have it.
    pub(crate) now: Option<Timestamp>,
}

impl<'a> File<'a> {
    /// Reads a file as [`DIALECT`], or as [`WHOLE`].
    pub(crate) fn new(bytes: &'a [u8], settings: &Settings, dialect: &Dialect) -> Self {
        let robots = dialect.parse(bytes);
        let tree = Tree::new(&robots);
        let mut diagnostics = Vec::new();
        robots.diagnose(|found| diagnostics.push(found));
        let origin = settings.origin.clone();
        let mut agents = tree.lines().iter().filter(|line| line.kind == LineKind::UserAgent);
        let first_agent = agents.next().map(|line| line.span.start);
        let (unnamed, now) = (unnamed_crawler(&[&robots]), settings.now);
        let has_rules = rules(&robots).next().is_some();
        let twins = twins(&robots);
        let empty_group = robots.groups().last().filter(|group| group.rules().len() == 0);
        let empty_group = empty_group.and_then(|it| Some(it.agents().next()?.span()));
        Self {
            bytes,
            robots,
            tree,
            diagnostics,
            has_rules,
            twins,
            empty_group,
            first_agent,
            origin,
            unnamed,
            now,
        }
    }

    /// The text that spans refer to.
    pub(crate) fn text(&self) -> &[u8] {
        self.robots.text()
    }

    /// A part of the text.
    pub(crate) fn part(&self, span: Span) -> &[u8] {
        &self.text()[span.range()]
    }

    /// A part of the text, for messages in backticks.
    pub(crate) fn show(&self, span: Span) -> String {
        show(self.part(span))
    }

    /// The position of a slice of the text.
    pub(crate) fn span_of(&self, part: &[u8]) -> Span {
        let start = part.as_ptr().addr().saturating_sub(self.text().as_ptr().addr());
        Span { start, end: start + part.len() }
    }

    /// The line that contains the start of a span.
    pub(crate) fn line(&self, span: Span) -> Option<&Line> {
        self.tree.line_at(span.start)
    }

    /// The value on the line with a number.
    pub(crate) fn value_on(&self, line: usize) -> Option<Span> {
        self.tree.lines().get(line.checked_sub(1)?)?.record.map(|record| record.value)
    }

    /// The lines above the line of a span, the nearest first.
    pub(crate) fn lines_above(&self, span: Span) -> impl Iterator<Item = &Line> {
        let line = self.line(span).map_or(0, |line| line.number.saturating_sub(1));
        self.tree.lines()[..line].iter().rev()
    }

    /// The line end that the file uses.
    pub(crate) fn line_end(&self) -> &'static [u8] {
        self.tree.line_end(self.text())
    }

    /// A fix that removes the line of a span.
    pub(crate) fn without_line(&self, safety: Safety, span: Span) -> Option<Fix> {
        let line = self.line(span)?;
        Some(Fix::replace(safety, REMOVE_LINE, line.whole(), ""))
    }

    /// The crawlers that rules about the whole policy look at: the one that most sites care about,
    /// and one that no group names. Each with its description in messages.
    pub(crate) fn crawlers(&self) -> [(Crawler, &'static str); 2] {
        [(Crawler::new("Googlebot"), "Googlebot"), (self.unnamed.clone(), UNNAMED)]
    }

    /// Whether the file disallows everything for a known crawler.
    pub(crate) fn is_closed_for(&self, name: &str) -> bool {
        let crawler = Registry::bundled().find(name);
        crawler.is_some_and(|it| closing_rule(self.robots.groups_for(it.rules())).is_some())
    }

    /// All rules of all groups that are not empty.
    pub(crate) fn rules(&self) -> impl Iterator<Item = Rule<'_>> {
        rules(&self.robots)
    }

    /// The rules of a group with a pattern like that of another rule of the group, except for case
    /// and for the spelling of octets: few, so that rules of the linter compare these only.
    pub(crate) fn twins<'f>(&'f self, group: Group<'f>) -> impl Iterator<Item = Rule<'f>> {
        group.rules().filter(move |rule| self.twins.binary_search(&rule.span().start).is_ok())
    }

    /// The position and URL of each sitemap with an absolute URL.
    pub(crate) fn sitemaps(&self) -> impl Iterator<Item = (Span, &str)> {
        self.robots.records().filter_map(|record| match record.extension() {
            Ok(Extension::Sitemap(sitemap)) => Some((record.span(), sitemap.url()?)),
            _ => None,
        })
    }

    /// The position after the last byte, for problems of the whole file.
    pub(crate) fn end(&self) -> Span {
        let end = self.text().len();
        Span { start: end, end }
    }

    /// Whether the file is not a robots.txt but a web page or a text in an encoding that is not
    /// read. That is a single problem, not one for each line.
    pub(crate) fn is_foreign(&self) -> bool {
        use DiagnosticKind::{LooksLikeHtml, ManyNuls, Utf32};
        let is_foreign =
            |found: &Diagnostic| matches!(found.kind, LooksLikeHtml | ManyNuls | Utf32);
        // Diagnostics of the whole file are the first ones.
        self.diagnostics.iter().take(4).any(is_foreign)
    }

    /// Whether spans are places in the bytes, so that edits are possible: not in UTF-16, and not in
    /// a file that was cut.
    pub(crate) fn is_editable(&self) -> bool {
        self.text() == self.bytes
    }

    /// A path as a URL of the site; only the path if the origin is unknown.
    pub(crate) fn url(&self, path: &str) -> String {
        match &self.origin {
            Some(origin) => format!("{origin}{path}"),
            // Alone it would be a host.
            None if path.starts_with("//") => format!("{EXAMPLE}{path}"),
            None => path.to_owned(),
        }
    }
}

fn rules(robots: &Robots) -> impl Iterator<Item = Rule<'_>> {
    let rules = robots.groups().flat_map(|group| group.rules());
    rules.filter(|rule| !rule.pattern().is_empty())
}

fn twins(robots: &Robots) -> Vec<usize> {
    let mut twins = Vec::new();
    for group in robots.groups() {
        let rules = group.rules().filter(|rule| !rule.pattern().is_empty());
        let mut hashes: Vec<(u64, usize)> = rules
            .map(|rule| {
                // Two patterns with the same hash by chance are compared, too.
                let mut hasher = DefaultHasher::new();
                pattern::normalised(rule.pattern()).to_ascii_lowercase().hash(&mut hasher);
                (hasher.finish(), rule.span().start)
            })
            .collect();
        hashes.sort_unstable();
        let alike = hashes.chunk_by(|a, b| a.0 == b.0).filter(|it| it.len() > 1);
        twins.extend(alike.flatten().map(|it| it.1));
    }
    twins.sort_unstable();
    twins
}

/// The first rule that disallows everything, if no rule of these groups allows other pages, and
/// each group has such a rule.
pub(crate) fn closing_rule<'f>(groups: impl IntoIterator<Item = Group<'f>>) -> Option<Rule<'f>> {
    let mut groups = groups.into_iter();
    let first = closing_rule_of(groups.next()?)?;
    groups.all(|group| closing_rule_of(group).is_some()).then_some(first)
}

fn closing_rule_of(group: Group<'_>) -> Option<Rule<'_>> {
    let is_allow = |rule: &Rule<'_>| rule.kind() == RuleKind::Allow;
    if group.rules().any(|rule| is_allow(&rule) && pattern::opens_pages(rule.pattern())) {
        return None;
    }
    group.rules().find(closes_all)
}

/// Whether a rule disallows anything.
pub(crate) fn closes(rule: &Rule<'_>) -> bool {
    rule.kind() == RuleKind::Disallow && !rule.pattern().is_empty()
}

/// Whether a rule disallows everything.
pub(crate) fn closes_all(rule: &Rule<'_>) -> bool {
    rule.kind() == RuleKind::Disallow && pattern::is_everything(rule.pattern())
}

/// The host of an absolute URL, without credentials and port.
pub(crate) fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    // The colons of an IPv6 address are between brackets.
    let end = host.rfind(':').filter(|at| !host[*at..].contains(']')).unwrap_or(host.len());
    &host[..end]
}

/// An edit that inserts a text.
pub(crate) fn insertion(at: usize, text: impl Into<Vec<u8>>) -> Edit {
    Edit { span: Span { start: at, end: at }, text: text.into() }
}

/// An edit that removes a part of the text.
pub(crate) fn removal(span: Span) -> Edit {
    Edit { span, text: Vec::new() }
}

/// The title of a fix that removes a line.
pub(crate) const REMOVE_LINE: &str = "remove the line";

/// The origin of URLs if that of the file is unknown.
pub(crate) const EXAMPLE: &str = "https://example.com";

/// Foreign text for messages: in backticks, escaped, and cut if it is long.
pub(crate) fn show(text: &[u8]) -> String {
    show_rule(&Untrusted::new(text).limited_to(QUOTED_CHARS))
}

/// A rule, or other text that is escaped already, for messages in backticks.
pub(crate) fn show_rule(rule: &impl Display) -> String {
    Untrusted::new(&rule.to_string()).quoted().to_string()
}

/// The dialect for rules that look at the bytes of the whole file.
pub(crate) const WHOLE: Dialect = {
    let mut whole = DIALECT;
    whole.byte_limit = None;
    whole.utf16 = false;
    whole
};

/// The dialect whose reading is linted. Others are for rules of category portability.
pub(crate) const DIALECT: Dialect = Dialect::RFC9309;

/// Crawlers without which hardly anybody finds a site.
pub(crate) const SEARCH_ENGINES: [&str; 2] = ["Googlebot", "Bingbot"];

/// The description of [`File::unnamed`] in messages.
pub(crate) const UNNAMED: &str = "crawlers that no group names";
