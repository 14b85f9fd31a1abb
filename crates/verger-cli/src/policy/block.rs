//! The block of a policy: its groups, and which lines apply to a crawler.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use verger::extension::Record;
use verger::{Agent, Crawler, Group, Robots, Rule, RuleKind, Untrusted};
use verger_analysis::unnamed_crawler;
use verger_registry::{Purpose, Registry, RobotsPolicy};

use super::marks::{BEGIN, EDITS, END, Marked};
use crate::args::{Answer, PolicyArgs};
use crate::error::Error;
use crate::url_check::origin_of;

/// A crawler that a policy is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'r> {
    pub(crate) token: &'r str,
    pub(crate) purpose: Purpose,
    /// The crawler in the form of the engine.
    pub(crate) rules: &'r Crawler,
    /// The operator's statement about robots.txt.
    pub(crate) robots: RobotsPolicy,
}

impl<'r> Subject<'r> {
    /// The crawlers of the registry, without retired ones.
    pub(crate) fn all(registry: &'r Registry) -> Vec<Self> {
        let in_use = registry.crawlers().iter().filter(|it| it.retired().is_none());
        let subject = |it: &'r verger_registry::Crawler| Self {
            token: it.token(),
            purpose: it.purpose(),
            rules: it.rules(),
            robots: it.robots_policy(),
        };
        in_use.map(subject).collect()
    }
}

/// Rules in their order: kind and pattern.
pub(crate) type Rules = Vec<(RuleKind, Vec<u8>)>;

/// A record of a group: key and value.
pub(crate) type Line = (String, String);

/// The rules that a policy needs, beside the owner's lines.
#[derive(Debug)]
pub(crate) struct Block<'p, 'r> {
    pub(crate) policy: &'p PolicyArgs,
    pub(crate) owned: &'p Robots,
    pub(crate) subjects: &'p [Subject<'r>],
    /// Rules for everybody: those of the owner for `*`.
    pub(crate) base: Rules,
    /// The rules of refused crawlers.
    pub(crate) refused: Rules,
    /// Statements about the use of content.
    pub(crate) statements: Vec<Line>,
}

impl<'p, 'r> Block<'p, 'r> {
    /// # Errors
    ///
    /// A path or sitemap of the policy cannot be written in a line.
    pub(crate) fn new(
        policy: &'p PolicyArgs,
        owned: &'p Robots,
        subjects: &'p [Subject<'r>],
    ) -> Result<Self, Error> {
        for path in &policy.except {
            if !path.starts_with('/') || path.contains(is_cut) {
                let found = Untrusted::new(path).quoted();
                let error =
                    Error::new(format!("expected a path that begins with `/`, but found {found}"));
                // The path of a URL, too.
                let path_of = |(_, rest): (_, &'p str)| rest.split_once('/').unwrap_or_default().1;
                let meant = path.split_once("://").map_or(&**path, path_of);
                return Err(match meant {
                    "" => error,
                    _ if path.contains(is_cut) => {
                        error.with_hint("write a blank as `%20`, and `#` as `%23`")
                    }
                    _ => error.with_hint(format!("did you mean `/{}`?", Untrusted::new(meant))),
                });
            }
        }
        for url in &policy.sitemaps {
            if origin_of(url.as_bytes()).is_err() || url.contains(is_cut) {
                let found = Untrusted::new(url).quoted();
                let message = format!("expected the whole URL of a sitemap, but found {found}");
                return Err(Error::new(message));
            }
        }
        let mut base = rules_for(owned, &unnamed_crawler(&[owned]));
        if policy.all_others == Some(Answer::No) {
            // The answer for all others, and no rule for everybody.
            base.retain(|(kind, it)| {
                *kind == RuleKind::Allow || !matches!(&**it, b"/" | b"/*" | b"*")
            });
        }
        let refused = refused_rules(&policy.except, &base);
        let statements = if policy.no_statements { Vec::new() } else { statements(policy) };
        Ok(Self { policy, owned, subjects, base, refused, statements })
    }

    /// The rules that a crawler must get. `answer` is that for its purpose.
    pub(crate) fn wanted(&self, crawler: &Crawler, answer: Option<Answer>) -> Rules {
        match (answer, named_rules(self.owned, crawler)) {
            (Some(Answer::No), _) => self.refused.clone(),
            // `yes` never closes: without the block, these crawlers obey no rule for `*`.
            (_, Some(named)) => named,
            (_, None) if crawler.ignores_star() => Rules::new(),
            (None, None) if self.policy.all_others == Some(Answer::No) => self.refused.clone(),
            (_, None) => self.base.clone(),
        }
    }

    /// Its lines: the group for `*` if it has lines, and groups for the crawlers that need one.
    pub(crate) fn text(&self, marked: &Marked<'_>, date: &str) -> String {
        let mut named = BTreeSet::new();
        loop {
            let text = self.write(&named, date);
            let file = Robots::parse(&marked.with_block(&text));
            let count = named.len();
            // A named crawler can be a fallback of others, which then need groups, too.
            let others = (0..self.subjects.len()).filter(|at| !named.contains(at));
            let (keys, mut known) = (keys([self.owned, &file]), HashMap::new());
            let needs_name = |at: &usize| {
                let Subject { purpose, rules, .. } = self.subjects[*at];
                let key = keys(rules);
                let is_untouched = key.is_untouched();
                let needs_name = || self.needs_name(&file, *at, is_untouched);
                let known = known.entry((key, self.policy.answer(purpose)));
                !rules.ignores_robots() && *known.or_insert_with(needs_name)
            };
            let others: Vec<_> = others.filter(needs_name).collect();
            named.extend(others);
            if named.len() == count {
                return text;
            }
        }
    }

    /// Whether the groups of a file give a crawler other lines than it must get.
    fn needs_name(&self, file: &Robots, at: usize, is_untouched: bool) -> bool {
        let Subject { purpose, rules, .. } = self.subjects[at];
        let answer = self.policy.answer(purpose);
        let sorted = |mut rules: Rules| {
            rules.sort();
            rules.dedup();
            rules.retain(|(_, pattern)| !pattern.is_empty());
            rules
        };
        let lacks = |(key, value): &Line| {
            !file
                .records_for(rules)
                .any(|it| it.value() == value.as_bytes() && it.key() == key.as_bytes())
        };
        let wanted = self.wanted(rules, answer);
        sorted(rules_for(file, rules)) != sorted(wanted.clone())
            || (answer.is_some() && self.statements.iter().any(lacks))
            || (!is_untouched && self.other_record(file, rules, &wanted, answer).is_some())
    }

    /// A record of `file` that the owner's lines do not have for a crawler (`true`), or one of
    /// theirs that would be lost, beside the statements of the policy. A crawler to which
    /// everything is closed may lose records.
    pub(crate) fn other_record<'f>(
        &'f self,
        file: &'f Robots,
        crawler: &Crawler,
        wanted: &Rules,
        answer: Option<Answer>,
    ) -> Option<(bool, Record<'f>)> {
        let is_ours = |it: &Record<'_>| self.is_stated(crawler, answer) && self.states(it);
        let line = |it: &Record<'f>| (it.key(), it.value());
        let missing = |of: &'f Robots, from: &'f Robots| {
            let known: BTreeSet<_> = from.records_for(crawler).map(|it| line(&it)).collect();
            let mut records = of.records_for(crawler);
            records.find(|it| !known.contains(&line(it)) && !is_ours(it))
        };
        if let Some(new) = missing(file, self.owned) {
            return Some((true, new));
        }
        let is_closed = self.policy.except.is_empty() && *wanted == self.refused;
        missing(self.owned, file).filter(|_| !is_closed).map(|lost| (false, lost))
    }

    /// Whether a record has the value of a statement.
    pub(crate) fn states(&self, record: &Record<'_>) -> bool {
        self.statements.iter().any(|(_, value)| value.as_bytes() == record.value())
    }

    /// Whether the statements are also for a crawler: without an answer, they are those of the
    /// groups that it obeys anyway.
    fn is_stated(&self, crawler: &Crawler, answer: Option<Answer>) -> bool {
        answer.is_some() || (!crawler.ignores_star() && named_rules(self.owned, crawler).is_none())
    }

    fn write(&self, named: &BTreeSet<usize>, date: &str) -> String {
        let mut text = format!(
            "{BEGIN}\n{EDITS} Crawlers: the registry of {date}.\n# Policy: {}\n",
            self.words()
        );
        let star_rules: Rules = match self.policy.all_others {
            Some(Answer::No) => self.refused.clone(),
            _ => Rules::new(),
        };
        if !star_rules.is_empty() || !self.statements.is_empty() {
            write_group(&mut text, &["*"], &self.statements, &star_rules);
        }
        let mut groups: BTreeMap<(usize, Rules, Vec<Line>), Vec<&str>> = BTreeMap::new();
        for subject in named.iter().map(|&at| &self.subjects[at]) {
            let answer = self.policy.answer(subject.purpose);
            let (rules, records) = self.lines(subject.rules, answer);
            let order = Purpose::ALL.iter().position(|it| *it == subject.purpose);
            groups
                .entry((order.unwrap_or_default(), rules, records))
                .or_default()
                .push(subject.token);
        }
        for ((order, rules, records), tokens) in groups {
            let purpose = Purpose::ALL[order];
            let answer = self.policy.answer(purpose).map_or("without an answer", Answer::name);
            let _ = write!(text, "\n# {}: {answer}", purpose.name());
            write_group(&mut text, &tokens, &records, &rules);
        }
        let is_new = |url: &&String| !self.owned.sitemaps().any(|it| it.raw() == url.as_bytes());
        for (at, url) in self.policy.sitemaps.iter().filter(is_new).enumerate() {
            let _ = writeln!(text, "{}Sitemap: {url}", if at == 0 { "\n" } else { "" });
        }
        let _ = writeln!(text, "{END}");
        text
    }

    /// The policy in words.
    fn words(&self) -> String {
        let answer =
            |it: &Purpose| Some(format!("{} {}", it.name(), self.policy.answer(*it)?.name()));
        let mut words: Vec<String> = Purpose::ALL.iter().filter_map(answer).collect();
        words.extend(self.policy.all_others.map(|it| format!("all others {}", it.name())));
        words.extend(self.policy.except.iter().map(|path| format!("except {path}")));
        words.join(", ")
    }

    /// The lines of a named crawler in its group. Those of the owner's groups for it apply anyway.
    fn lines(&self, crawler: &Crawler, answer: Option<Answer>) -> (Rules, Vec<Line>) {
        let mut rules = self.wanted(crawler, answer);
        let is_stated = self.is_stated(crawler, answer);
        let mut records = if is_stated { self.statements.clone() } else { Vec::new() };
        if answer == Some(Answer::No) && self.policy.except.is_empty() {
            return (rules, records);
        }
        let token = crawler.tokens().first().map_or(&b""[..], |it| it.as_str().as_bytes());
        let is_own = |agent: Agent<'_>| agent.name().eq_ignore_ascii_case(token);
        if groups_by_name(self.owned, crawler).any(|it| it.agents().any(is_own)) {
            let own = named_rules(self.owned, crawler).unwrap_or_default();
            rules.retain(|rule| !own.contains(rule));
            return (rules, records);
        }
        // Such as Crawl-delay, which a group by name would drop.
        for record in self.owned.records_for(crawler) {
            let texts = [record.key(), record.value()].map(|it| str::from_utf8(it).ok());
            if let [Some(key), Some(value)] = texts {
                let line = (key.to_owned(), value.to_owned());
                records.extend((!records.contains(&line)).then_some(line));
            }
        }
        (rules, records)
    }
}

/// Whether a character ends or cuts the value of a line.
fn is_cut(c: char) -> bool {
    c.is_whitespace() || c.is_control() || c == '#'
}

/// The rules that apply to a crawler.
pub(crate) fn rules_for(robots: &Robots, crawler: &Crawler) -> Rules {
    robots.groups_for(crawler).flat_map(|group| group.rules()).map(owned_rule).collect()
}

fn owned_rule(rule: Rule<'_>) -> (RuleKind, Vec<u8>) {
    (rule.kind(), rule.pattern().to_vec())
}

/// The rules of the groups that name a crawler; `None` without such a group.
pub(crate) fn named_rules(robots: &Robots, crawler: &Crawler) -> Option<Rules> {
    let mut groups = groups_by_name(robots, crawler).peekable();
    groups.peek().is_some().then(|| groups.flat_map(|it| it.rules()).map(owned_rule).collect())
}

/// All on which the lines of a crawler depend in two files, the owner's lines and these with a
/// block.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Key {
    files: [Vec<Place>; 2],
    ignores_star: bool,
    /// Groups can name a union more than once.
    union: Option<Crawler>,
}

/// A group of a crawler: the number of its agents and records, whether it is for `*`, and where the
/// lists of agents begin that name the crawler and have rates or windows of their own (REP-AMB-4).
type Place = (usize, bool, Vec<usize>);

impl Key {
    /// Whether the groups have the same agents and records in both files.
    pub(crate) fn is_untouched(&self) -> bool {
        self.files[0] == self.files[1]
    }
}

/// The keys of crawlers.
pub(crate) fn keys(files: [&Robots; 2]) -> impl Fn(&Crawler) -> Key {
    let mut numbers = HashMap::new();
    let places = files.map(|file| places(file, &mut numbers));
    move |crawler| Key {
        files: places.each_ref().map(|it| it(crawler)),
        ignores_star: crawler.ignores_star(),
        union: crawler.is_union().then(|| crawler.clone()),
    }
}

/// The agents of a group and their places, and its records.
type Parts<'r> = Vec<[&'r [u8]; 2]>;

fn places<'r>(
    file: &'r Robots,
    numbers: &mut HashMap<Parts<'r>, usize>,
) -> impl Fn(&Crawler) -> Vec<Place> + use<'r> {
    let start = |agent: Option<Agent<'_>>| agent.map_or(0, |it| it.span().start);
    let starts: Vec<_> = file.groups().map(|group| start(group.agents().next())).collect();
    let agents = file.groups().map(|group| group.agents().map(|it| [it.value(), b""]).collect());
    let (mut parts, mut begun): (Vec<Parts<'_>>, _) = (agents.collect(), BTreeMap::new());
    for record in file.records() {
        let Some(at) = record.group() else { continue };
        parts[at].push([record.key(), record.value()]);
        if !record.is_for_whole_group() {
            let start = start(record.agents().next()).saturating_sub(starts[at]);
            begun.insert((at, start), record);
        }
    }
    let mut lists = HashMap::<_, Vec<usize>>::new();
    for ((at, start), record) in begun {
        for agent in record.agents() {
            lists.entry((at, agent.name().to_ascii_lowercase())).or_default().push(start);
        }
    }
    let numbers: Vec<_> = parts
        .into_iter()
        .map(|it| {
            let next = numbers.len();
            *numbers.entry(it).or_insert(next)
        })
        .collect();
    move |crawler| {
        let place = |group: Group<'r>| {
            let (at, agent) = (group.index(), group.found_by());
            let name = agent.filter(|_| !lists.is_empty()).map(|it| it.name().to_ascii_lowercase());
            let lists = name.and_then(|name| lists.get(&(at, name))).cloned();
            (numbers[at], agent.is_some_and(|it| it.is_star()), lists.unwrap_or_default())
        };
        file.groups_for(crawler).map(place).collect()
    }
}

fn groups_by_name<'r>(robots: &'r Robots, crawler: &Crawler) -> impl Iterator<Item = Group<'r>> {
    let is_named = |group: &Group<'r>| group.found_by().is_some_and(|it| !it.is_star());
    robots.groups_for(crawler).filter(is_named)
}

/// Rules that close everything but some paths, and inside of these what is closed to everybody.
fn refused_rules(except: &[String], base: &Rules) -> Rules {
    let mut rules = vec![(RuleKind::Disallow, b"/".to_vec())];
    for path in except.iter().map(String::as_bytes) {
        rules.push((RuleKind::Allow, path.to_vec()));
        rules.extend(
            base.iter().filter_map(|(kind, pattern)| Some((*kind, within(path, pattern)?))),
        );
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
    } else if path.starts_with(head) && rest != b"$" {
        Some([path, rest].concat())
    } else {
        None
    }
}

/// The statements of a policy (REP-EXT-30, REP-EXT-33): for the whole site, and for the paths that
/// are open also to refused crawlers. The longest path counts, so each line states all uses
/// (REP-EXT-34).
fn statements(policy: &PolicyArgs) -> Vec<Line> {
    const USES: [(Purpose, &str, &str); 3] = [
        (Purpose::Training, "train-ai", "ai-train"),
        (Purpose::UserTriggered, "ai-use", "ai-input"),
        (Purpose::Search, "search", "search"),
    ];
    let mut lines = Vec::new();
    let is_refused = USES.iter().any(|(it, ..)| policy.answer(*it) == Some(Answer::No));
    let paths = policy.except.iter().filter(|_| is_refused);
    for path in std::iter::once(None).chain(paths.map(Some)) {
        let (mut usage, mut signals) = (Vec::new(), Vec::new());
        for (purpose, category, key) in USES {
            let Some(answer) = policy.answer(purpose) else { continue };
            let (short, long) =
                if answer == Answer::Yes || path.is_some() { ("y", "yes") } else { ("n", "no") };
            usage.push(format!("{category}={short}"));
            signals.push(format!("{key}={long}"));
        }
        if !usage.is_empty() {
            let path = path.map_or_else(String::new, |path| format!("{path} "));
            lines.push(("Content-Usage".to_owned(), format!("{path}{}", usage.join(", "))));
            lines.push(("Content-Signal".to_owned(), format!("{path}{}", signals.join(", "))));
        }
    }
    lines
}

/// Writes a group. It has a rule in any case: without one, its names would join the next group.
fn write_group(text: &mut String, tokens: &[&str], records: &[Line], rules: &Rules) {
    if !text.ends_with("begin\n") {
        text.push('\n');
    }
    for token in tokens {
        let _ = writeln!(text, "User-agent: {token}");
    }
    for (key, value) in records {
        let _ = writeln!(text, "{key}: {value}");
    }
    text.push_str(&lines_of(rules));
}

/// The lines of rules, at least one. Other bytes than ASCII are escaped, which changes no meaning
/// (REP-MATCH-21).
pub(crate) fn lines_of(rules: &Rules) -> String {
    let mut text = String::new();
    for (kind, pattern) in rules {
        text.push_str(if *kind == RuleKind::Allow { "Allow: " } else { "Disallow: " });
        for &byte in pattern {
            let _ = match byte {
                0x21..=0x7e => write!(text, "{}", char::from(byte)),
                _ => write!(text, "%{byte:02X}"),
            };
        }
        text.push('\n');
    }
    if rules.is_empty() {
        text.push_str("Disallow:\n");
    }
    text
}
