//! The block of a policy: its groups, and which lines a crawler needs.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;

use verger::extension::{Record, RecordKind};
use verger::{Crawler, Group, Robots, Rule, RuleKind, Untrusted, quoted};
use verger_analysis::OTHERS;
use verger_registry::{Purpose, Registry};

use super::marks::{BEGIN, EDITS, END, Marked, record_line};
use crate::args::{Answer, PolicyArgs};
use crate::error::Error;
use crate::url_check::origin_of;

/// A crawler that a policy is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'r> {
    /// The name of its group; [`OTHERS`] for a crawler that no group names.
    pub(crate) token: &'r str,
    /// `None` for [`OTHERS`].
    pub(crate) purpose: Option<Purpose>,
    /// The crawler in the form of the engine.
    pub(crate) rules: &'r Crawler,
}

impl<'r> Subject<'r> {
    /// The crawlers of the registry, without retired ones.
    pub(crate) fn all(registry: &'r Registry) -> Vec<Self> {
        let in_use = registry.crawlers().iter().filter(|it| it.retired().is_none());
        in_use
            .map(|it| Self { token: it.token(), purpose: Some(it.purpose()), rules: it.rules() })
            .collect()
    }

    /// The crawler in a sentence.
    pub(crate) fn name(&self) -> String {
        if self.token == OTHERS { "all others".to_owned() } else { quoted(self.token) }
    }
}

/// A line of a group.
pub(crate) type Line = Vec<u8>;

/// The lines that a policy needs, beside those of the owner.
#[derive(Debug)]
pub(crate) struct Block<'p> {
    pub(crate) policy: &'p PolicyArgs,
    pub(crate) marked: &'p Marked<'p>,
    pub(crate) owned: &'p Robots,
    /// The first one is [`OTHERS`].
    pub(crate) subjects: Vec<Subject<'p>>,
    /// Rules for everybody: those of the owner for `*`.
    pub(crate) base: Vec<Line>,
    /// The rules of refused crawlers.
    pub(crate) refused: Vec<Line>,
    /// Statements about the use of content.
    pub(crate) statements: Vec<Line>,
}

impl<'p> Block<'p> {
    /// # Errors
    ///
    /// A path or sitemap of the policy cannot be written in a line.
    pub(crate) fn new(
        policy: &'p PolicyArgs,
        marked: &'p Marked<'p>,
        owned: &'p Robots,
        subjects: Vec<Subject<'p>>,
    ) -> Result<Self, Error> {
        let is_no_path = |it: &&String| !it.starts_with('/') || it.contains(is_cut);
        if let Some(path) = policy.except.iter().find(is_no_path) {
            let found = Untrusted::new(path).quoted();
            let message = format!("expected a path that begins with `/`, but `except` has {found}");
            let hint = "write a blank as `%20`, and `#` as `%23`";
            return Err(Error::new(message).with_hint(hint));
        }
        let is_bad = |url: &&String| origin_of(url.as_bytes()).is_err() || url.contains(is_cut);
        if let Some(url) = policy.sitemaps.iter().find(is_bad) {
            let found = Untrusted::new(url).quoted();
            let message = format!("expected the whole URL of a sitemap, but found {found}");
            return Err(Error::new(message));
        }
        let mut base: Vec<_> = rules_for(owned, subjects[0].rules).collect();
        if policy.all_others == Some(Answer::No) {
            // The answer for all others, and no rule for everybody.
            let is_whole = |it: &Rule<'_>| matches!(it.pattern(), b"/" | b"/*" | b"*");
            base.retain(|it| it.kind() == RuleKind::Allow || !is_whole(it));
        }
        Ok(Self {
            policy,
            marked,
            owned,
            subjects,
            refused: refused_rules(&policy.except, &base),
            base: base.iter().map(|it| rule_line(it, it.pattern())).collect(),
            statements: if policy.no_statements { Vec::new() } else { statements(policy) },
        })
    }

    /// The answer for a crawler.
    pub(crate) fn answer(&self, subject: &Subject<'_>) -> Option<Answer> {
        subject.purpose.map_or(self.policy.all_others, |it| self.policy.answer(it))
    }

    fn is_refused(&self, subject: &Subject<'_>) -> bool {
        let of_others = self.policy.all_others.filter(|_| self.is_for_star(subject));
        self.answer(subject).or(of_others) == Some(Answer::No)
    }

    /// Whether a crawler obeys the group for `*` without the block.
    fn is_for_star(&self, subject: &Subject<'_>) -> bool {
        !subject.rules.ignores_star() && !is_named(self.owned, subject.rules)
    }

    /// The lines that a crawler must get, with some records of the owner. `yes` never closes: then
    /// these are the rules that it obeys without the block.
    fn lines(&self, subject: &Subject<'_>, has: impl Fn(&Record<'_>) -> bool) -> Vec<Line> {
        let is_for_star = self.is_for_star(subject);
        // Without an answer, the statements are those of the groups that it obeys anyway.
        let is_stated = self.answer(subject).is_some() || is_for_star;
        let stated = if is_stated { &self.statements[..] } else { &[] };
        // Such as Crawl-delay, which a group by name would drop.
        let records = self.owned.records_for(subject.rules);
        let records = records.filter(|it| !is_stated || (has(it) && !self.states(it)));
        let mut lines: Vec<_> =
            stated.iter().cloned().chain(records.map(|it| record_line(&it))).collect();
        if self.is_refused(subject) {
            lines.extend_from_slice(&self.refused);
        } else if is_for_star {
            lines.extend_from_slice(&self.base);
        } else {
            lines.extend(rule_lines(self.owned, subject.rules));
        }
        lines
    }

    /// The lines of the block for a crawler: those that the owner's groups of its name do not have.
    fn missing(&self, subject: &Subject<'_>) -> Vec<Line> {
        let mut lines = self.lines(subject, |_| true);
        // Groups of its name, not those of its fallbacks.
        let by_name = Crawler::new(subject.token).without_star();
        let own = subject.purpose.map_or(subject.rules, |_| &by_name);
        let records = self.owned.records_for(own).map(|it| record_line(&it));
        let known: BTreeSet<_> = rule_lines(self.owned, own).chain(records).collect();
        lines.retain(|line| !known.contains(line));
        lines
    }

    /// Whether a record is one of the statements.
    pub(crate) fn states(&self, record: &Record<'_>) -> bool {
        let line = [record.kind().key().as_bytes(), b": ", record.value()].concat();
        self.statements.contains(&line)
    }

    /// Whether a record states a use of content otherwise than the policy.
    pub(crate) fn is_other_statement(&self, record: &Record<'_>) -> bool {
        matches!(record.kind(), RecordKind::ContentUsage | RecordKind::ContentSignal)
            && !self.statements.is_empty()
            && !self.states(record)
    }

    /// A file with a group for every crawler, as the policy requests.
    pub(crate) fn requested(&self) -> Vec<u8> {
        let mut text = Vec::new();
        let lines = |it: &Subject<'_>| self.lines(it, |record| !self.is_other_statement(record));
        write_groups(&mut text, "", self.subjects.iter(), lines);
        text
    }

    /// The block: the group for `*` if it has lines, and groups for the named crawlers.
    pub(crate) fn text(&self, named: &BTreeSet<usize>, date: &str) -> Vec<u8> {
        let mut text = format!("{BEGIN}\n{EDITS} Crawlers: the registry of {date}.\n").into_bytes();
        let star = self.subjects.iter().take(1).filter(|it| !self.missing(it).is_empty());
        write_groups(&mut text, "", star, |it| self.missing(it));
        for purpose in Purpose::ALL {
            let of_purpose = named.iter().map(|&at| &self.subjects[at]);
            let of_purpose = of_purpose.filter(|it| it.purpose == Some(*purpose));
            let heading = format!("\n# {purpose}");
            write_groups(&mut text, &heading, of_purpose, |it| self.missing(it));
        }
        let is_new = |url: &&String| !self.owned.sitemaps().any(|it| it.raw() == url.as_bytes());
        for (at, url) in self.policy.sitemaps.iter().filter(is_new).enumerate() {
            let _ = writeln!(text, "{}Sitemap: {url}", if at == 0 { "\n" } else { "" });
        }
        let _ = writeln!(text, "{END}");
        text
    }
}

/// Whether a character ends or cuts the value of a line.
fn is_cut(c: char) -> bool {
    c.is_whitespace() || c.is_control() || c == '#'
}

/// Whether the owner's groups name a crawler.
pub(crate) fn is_named(owned: &Robots, crawler: &Crawler) -> bool {
    let is_by_name = |it: Group<'_>| it.found_by().is_some_and(|agent| !agent.is_star());
    owned.groups_for(crawler).any(is_by_name)
}

fn rules_for<'r>(robots: &'r Robots, crawler: &Crawler) -> impl Iterator<Item = Rule<'r>> {
    robots.groups_for(crawler).flat_map(|group| group.rules())
}

fn rule_lines(robots: &Robots, crawler: &Crawler) -> impl Iterator<Item = Line> {
    rules_for(robots, crawler).map(|it| rule_line(&it, it.pattern()))
}

/// The line of a rule with another pattern.
fn rule_line(rule: &Rule<'_>, pattern: &[u8]) -> Line {
    [rule.kind().key().as_bytes(), b": ", pattern].concat()
}

/// Rules that close everything but some paths, and inside of these what is closed to everybody.
fn refused_rules(except: &[String], base: &[Rule<'_>]) -> Vec<Line> {
    let mut rules = vec![b"Disallow: /".to_vec()];
    for path in except {
        rules.push(format!("Allow: {path}").into_bytes());
        let inside = |it: &Rule<'_>| Some(rule_line(it, &within(path.as_bytes(), it.pattern())?));
        rules.extend(base.iter().filter_map(inside));
    }
    let mut seen = BTreeSet::new();
    rules.retain(|rule| seen.insert(rule.clone()));
    rules
}

/// A pattern, limited to a path. It can be too wide or too narrow if wildcards and the path
/// overlap: the proof finds that.
fn within(path: &[u8], pattern: &[u8]) -> Option<Vec<u8>> {
    let is_special = |byte: &u8| matches!(byte, b'*' | b'$');
    let head = pattern.iter().position(is_special).unwrap_or(pattern.len());
    let (head, rest) = pattern.split_at(head);
    if pattern.is_empty() {
        None
    } else if head.starts_with(path) || path.iter().any(is_special) {
        Some(pattern.to_vec())
    } else {
        (path.starts_with(head) && rest != b"$").then(|| [path, rest].concat())
    }
}

/// The statements of a policy (REP-EXT-30, REP-EXT-33): for the whole site, and for the paths that
/// are open also to refused crawlers. The longest path counts, so each line states all uses
/// (REP-EXT-34).
fn statements(policy: &PolicyArgs) -> Vec<Line> {
    const USES: [(Purpose, [&str; 2]); 3] = [
        (Purpose::Training, ["train-ai", "ai-train"]),
        (Purpose::UserTriggered, ["ai-use", "ai-input"]),
        (Purpose::Search, ["search", "search"]),
    ];
    let stated = USES.map(|(purpose, names)| policy.answer(purpose).map(|answer| (answer, names)));
    let stated: Vec<_> = stated.into_iter().flatten().collect();
    let is_refused = stated.iter().any(|(answer, _)| *answer == Answer::No);
    let paths = policy.except.iter().filter(|_| is_refused).map(|path| format!("{path} "));
    let mut lines = Vec::new();
    for path in std::iter::once(String::new()).chain(paths).filter(|_| !stated.is_empty()) {
        for (at, key, no, yes) in
            [(0, "Content-Usage", "n", "y"), (1, "Content-Signal", "no", "yes")]
        {
            let value = |answer| if answer == Answer::No && path.is_empty() { no } else { yes };
            let uses = stated.iter().map(|(it, names)| format!("{}={}", names[at], value(*it)));
            let uses = uses.collect::<Vec<_>>().join(", ");
            lines.push(format!("{key}: {path}{uses}").into_bytes());
        }
    }
    lines
}

/// Writes a group for the crawlers with the same lines, after a heading. It has a rule in any case:
/// without one, its names would join the next group.
fn write_groups<'s>(
    text: &mut Vec<u8>,
    heading: &str,
    subjects: impl Iterator<Item = &'s Subject<'s>>,
    lines: impl Fn(&Subject<'_>) -> Vec<Line>,
) {
    let mut by_lines = BTreeMap::<_, Vec<_>>::new();
    for subject in subjects {
        by_lines.entry(lines(subject)).or_default().push(subject.token);
    }
    for (lines, tokens) in by_lines {
        let _ = writeln!(text, "{heading}");
        for token in tokens {
            let _ = writeln!(text, "User-agent: {token}");
        }
        text.extend(lines.iter().flat_map(|line| [&**line, b"\n"].concat()));
        let is_rule = |line: &Line| line.starts_with(b"Allow:") || line.starts_with(b"Disallow:");
        if !lines.iter().any(is_rule) {
            text.extend_from_slice(b"Disallow:\n");
        }
    }
}
