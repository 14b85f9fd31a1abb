//! Access to the items of a parsed robots.txt: groups, agents, rules.

use core::fmt;

use super::Robots;
use super::outline::{AgentEntry, AgentKind, Outline, RuleEntry, Selected};
use crate::crawler::AsCrawler;
use crate::group::ClosingRecord;
use crate::parse::RuleKind;
use crate::span::{Position, Span};
use crate::untrusted::Untrusted;

/// A group: agents and the rules for them.
///
/// # Examples
///
/// ```
/// use verger::Robots;
///
/// let robots = Robots::parse("User-agent: a\nUser-agent: *\nDisallow: /x\nAllow: /x/y\n");
/// let group = robots.groups().next().expect("there is one");
/// assert_eq!((group.index(), group.position().line), (0, 1));
/// assert!(group.is_for_everybody());
/// assert!(group.agents().map(|agent| agent.name()).eq([&b"a"[..], b"*"]));
/// assert!(group.rules().map(|rule| rule.to_string()).eq(["Disallow: /x", "Allow: /x/y"]));
/// assert!(group.found_by().is_none(), "nobody was looked for");
/// ```
#[derive(Clone, Copy)]
pub struct Group<'r> {
    robots: &'r Robots,
    at: u32,
    /// The agent that addresses the crawler of a selection.
    found_by: Option<u32>,
}

impl<'r> Group<'r> {
    /// Its index among the groups of the file, from 0.
    pub const fn index(&self) -> usize {
        self.at as usize
    }

    /// The names on its user-agent lines, in file order. Empty for rules that no user-agent line
    /// opens (dialect `orig1994`).
    pub fn agents(&self) -> impl Iterator<Item = Agent<'r>> + use<'r> {
        let robots = self.robots;
        robots.tables.agents_of(self.at).map(move |at| Agent { robots, at })
    }

    /// Its rules, in file order.
    pub fn rules(&self) -> impl ExactSizeIterator<Item = Rule<'r>> + use<'r> {
        let robots = self.robots;
        robots.tables.rules[robots.tables.rules_of(self.at)].iter().map(|entry| robots.rule(entry))
    }

    /// Whether it is for every crawler that no group names.
    pub fn is_for_everybody(&self) -> bool {
        self.robots.tables.groups[self.index()].star
    }

    /// The agent that addresses the crawler; `None` if the group was not selected for a crawler, or
    /// for rules that no user-agent line opens.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let robots = Robots::parse("User-agent: ExampleBot/2.0\nDisallow: /\n");
    /// let group = robots.groups_for("examplebot").next().expect("it is named");
    /// assert_eq!(group.found_by().expect("an agent").value(), b"ExampleBot/2.0");
    /// ```
    pub fn found_by(&self) -> Option<Agent<'r>> {
        let robots = self.robots;
        self.found_by.map(|at| Agent { robots, at: at as usize })
    }

    /// The last user-agent line that joins this group across a `Crawl-delay` or a `Content-Usage`,
    /// after the line that names the crawler (REP-AMB-4, REP-AMB-5).
    ///
    /// The rules of the group may be meant for the crawlers of that line only: an option of the
    /// dialect separates the lines ([`Agent::joins_across`]). `None` if no such line follows.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let robots = Robots::parse("User-agent: *\nCrawl-delay: 9\n\nUser-agent: 008\nDisallow: /\n");
    /// let verdict = robots.check("ExampleBot", "/");
    /// let joined_by = verdict.group().and_then(|group| group.joined_by()).expect("line 4");
    /// assert_eq!(joined_by.position().line, 4);
    /// let record = joined_by.joins_across().expect("a crawl-delay");
    /// assert_eq!(record.option(), "crawl_delay_closes_agents");
    /// assert_eq!(
    ///     verdict.to_string(),
    ///     "disallowed by `Disallow: /` on line 5, in the group for `*` (line 1, joined by line 4)",
    /// );
    /// ```
    pub fn joined_by(&self) -> Option<Agent<'r>> {
        let robots = self.robots;
        let agents = robots.tables.agents_of(self.at);
        let first = self.found_by.map_or(agents.start, |agent| agent as usize + 1);
        let joins = |at: &usize| robots.tables.agents[*at].across.is_some();
        (first..agents.end).rev().find(joins).map(|at| Agent { robots, at })
    }

    /// The position of its first user-agent line's value, or of its first rule.
    ///
    /// # Complexity
    ///
    /// Linear in the column.
    pub fn position(&self) -> Position {
        self.robots.outline().position_on(self.line(), self.start())
    }

    /// The number of its first line, from 1.
    pub(crate) fn line(&self) -> u32 {
        self.robots.tables.groups[self.index()].line
    }

    fn start(&self) -> usize {
        let agent = self.agents().next().map(|agent| agent.span());
        let span = agent.or_else(|| self.rules().next().map(|rule| rule.span()));
        span.unwrap_or_default().start
    }

    /// The agent for messages about the group: the one that addresses the crawler, or else the
    /// first.
    pub(crate) fn display_agent(&self) -> Option<Agent<'r>> {
        self.found_by().or_else(|| self.agents().next())
    }
}

impl fmt::Display for Group<'_> {
    /// The agent, the number of the group's first line, and the line of
    /// [`joined_by`](Self::joined_by): `` `GPTBot` (line 3) ``, `` `*` (line 1, joined by line 4)
    /// ``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let agent = self.display_agent().map(|agent| agent.value());
        let joined_by = self.joined_by().map(|agent| agent.position().line);
        write_group(agent, self.line() as usize, joined_by, f)
    }
}

/// Writes the agent of a group as written, the number of its first line, and the line that joins
/// it.
pub(crate) fn write_group(
    agent: Option<&[u8]>,
    line: usize,
    joined_by: Option<usize>,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    match agent {
        Some(agent) => write!(f, "{} (line {line}", shown(agent).quoted())?,
        None => write!(f, "everybody (line {line}")?,
    }
    match joined_by {
        Some(joined_by) => write!(f, ", joined by line {joined_by})"),
        None => f.write_str(")"),
    }
}

/// A value as written, escaped.
fn shown(value: &[u8]) -> Untrusted<'_> {
    Untrusted::new(value).limited_to(crate::limits::QUOTED_CHARS)
}

impl fmt::Debug for Group<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Group({self})")
    }
}

/// A name on a user-agent line.
///
/// # Examples
///
/// ```
/// use verger::{Position, Robots};
///
/// let robots = Robots::parse("User-agent: MJ12bot/1.4\nDisallow: /\n");
/// let agent = robots.groups().flat_map(|group| group.agents()).next().expect("there is one");
/// assert_eq!((agent.name(), agent.value()), (&b"MJ12bot"[..], &b"MJ12bot/1.4"[..]));
/// assert_eq!(agent.position(), Position { line: 1, column: 13 });
/// assert_eq!(agent.span().range(), 12..23);
/// assert!(!agent.is_star());
/// ```
#[derive(Clone, Copy)]
pub struct Agent<'r> {
    robots: &'r Robots,
    at: usize,
}

impl<'r> Agent<'r> {
    /// The part of the value that is compared with a crawler's tokens: `MJ12bot` of `MJ12bot/1.4`.
    /// Empty for a line without a valid name.
    pub fn name(&self) -> &'r [u8] {
        let entry = self.robots.tables.agents[self.at];
        match entry.kind {
            AgentKind::Unnamed => &[],
            AgentKind::Star => b"*",
            AgentKind::Token => self.robots.outline().bytes(entry.name),
        }
    }

    /// The value of the line as written.
    pub fn value(&self) -> &'r [u8] {
        self.robots.outline().bytes(self.robots.tables.agents[self.at].value)
    }

    /// The record between this line and the user-agent line before it that would end the group with
    /// an option of the dialect; `None` if there is no such record (REP-AMB-4, REP-AMB-5).
    pub fn joins_across(&self) -> Option<ClosingRecord> {
        self.robots.tables.agents[self.at].across
    }

    /// Whether it is `*`.
    pub fn is_star(&self) -> bool {
        self.robots.tables.agents[self.at].kind == AgentKind::Star
    }

    /// The position of the value.
    pub fn span(&self) -> Span {
        self.robots.tables.agents[self.at].value.into()
    }

    /// Line and column of the value.
    ///
    /// # Complexity
    ///
    /// Linear in the text before it; for many positions use a [`LineIndex`](crate::LineIndex).
    pub fn position(&self) -> Position {
        self.robots.position(self.span().start)
    }
}

impl fmt::Display for Agent<'_> {
    /// The value as written, escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&shown(self.value()), f)
    }
}

impl fmt::Debug for Agent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Agent({self})")
    }
}

/// An allow or disallow line.
///
/// # Examples
///
/// ```
/// use verger::{Position, Robots, RuleKind};
///
/// let robots = Robots::parse("User-agent: *\nDisallow: /cart # private\n");
/// let rule = robots.check("ExampleBot", "/cart").rule().expect("a rule decides");
/// assert_eq!((rule.kind(), rule.pattern()), (RuleKind::Disallow, &b"/cart"[..]));
/// assert_eq!(rule.position(), Position { line: 2, column: 11 });
/// assert_eq!(&robots.text()[rule.span().range()], b"/cart");
/// ```
#[derive(Clone, Copy)]
pub struct Rule<'r> {
    kind: RuleKind,
    pattern: &'r [u8],
    /// The offset of the pattern.
    start: usize,
    line: u32,
    column: Column<'r>,
}

/// The column of a rule, or the text in which it can be counted.
#[derive(Clone, Copy)]
enum Column<'r> {
    Stored(usize),
    In(Outline<'r>),
}

impl<'r> Rule<'r> {
    /// A rule of a compiled policy.
    pub(crate) const fn stored(
        kind: RuleKind,
        pattern: &'r [u8],
        start: usize,
        line: u32,
        column: usize,
    ) -> Self {
        Self { kind, pattern, start, line, column: Column::Stored(column) }
    }

    /// Allow or disallow.
    pub const fn kind(&self) -> RuleKind {
        self.kind
    }

    /// The pattern as written. It may be empty.
    pub const fn pattern(&self) -> &'r [u8] {
        self.pattern
    }

    /// The position of the pattern.
    pub const fn span(&self) -> Span {
        Span { start: self.start, end: self.start + self.pattern.len() }
    }

    /// Line and column of the pattern.
    ///
    /// # Complexity
    ///
    /// Linear in the column.
    pub fn position(&self) -> Position {
        match self.column {
            Column::Stored(column) => Position { line: self.line as usize, column },
            Column::In(outline) => outline.position_on(self.line, self.start),
        }
    }

    /// The number of its line, from 1.
    pub(crate) const fn line(&self) -> u32 {
        self.line
    }
}

impl fmt::Display for Rule<'_> {
    /// The rule in its usual spelling, `Disallow: /x`, with its pattern escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind().write_rule(self.pattern(), f)
    }
}

impl fmt::Debug for Rule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rule({self})")
    }
}

impl PartialEq for Rule<'_> {
    /// Whether both are the same line of the same robots.txt or policy.
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self.pattern, other.pattern) && self.line == other.line
    }
}

impl Robots {
    /// All groups, in file order.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = Group<'_>> {
        (0..crate::span::narrow(self.tables.groups.len())).map(|group| Group {
            robots: self,
            at: group,
            found_by: None,
        })
    }

    /// The groups that apply to a crawler, in file order. The crawler obeys the rules of all of
    /// them.
    ///
    /// # Complexity
    ///
    /// Linear in the agent lines; logarithmic in a file with many of them if the dialect compares
    /// whole tokens.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let robots = Robots::parse("User-agent: a\nAllow: /\nUser-agent: b\nDisallow: /b\n");
    /// let lines: Vec<_> = robots.groups_for("b").map(|group| group.position().line).collect();
    /// assert_eq!(lines, [3]);
    /// ```
    pub fn groups_for<C: AsCrawler + ?Sized>(
        &self,
        crawler: &C,
    ) -> impl ExactSizeIterator<Item = Group<'_>> + use<'_, C> {
        let selected = self.outline().select(crawler.as_crawler());
        selected.into_iter().map(|selected| self.group(selected))
    }

    /// The agents of a group, or only those with their values within a span.
    ///
    /// # Complexity
    ///
    /// Logarithmic in the agents of the group.
    pub(crate) fn agents_within(
        &self,
        group: usize,
        run: Option<Span>,
    ) -> impl ExactSizeIterator<Item = Agent<'_>> + use<'_> {
        let agents = self.tables.agents_of(crate::span::narrow(group));
        let before = |offset: usize| {
            let entries = &self.tables.agents[agents.clone()];
            let is_before = |agent: &AgentEntry| Span::from(agent.value).start < offset;
            agents.start + entries.partition_point(is_before)
        };
        let range = run.map_or(agents.clone(), |run| before(run.start)..before(run.end + 1));
        range.map(|at| Agent { robots: self, at })
    }

    pub(crate) fn group(&self, selected: Selected) -> Group<'_> {
        Group { robots: self, at: selected.group, found_by: selected.agent }
    }

    /// The rule with this index.
    pub(crate) fn rule_at(&self, at: usize) -> Option<Rule<'_>> {
        self.tables.rules.get(at).map(|entry| self.rule(entry))
    }

    fn rule<'r>(&'r self, entry: &RuleEntry) -> Rule<'r> {
        let (outline, span) = (self.outline(), entry.pattern());
        Rule {
            kind: entry.kind,
            pattern: &outline.text[span.range()],
            start: span.start,
            line: entry.line,
            column: Column::In(outline),
        }
    }

    /// The group with this index.
    pub(crate) fn group_at(&self, selected: Selected) -> Option<Group<'_>> {
        let Selected { group, agent } = selected;
        let is_agent = agent.is_none_or(|agent| (agent as usize) < self.tables.agents.len());
        let is_group = (group as usize) < self.tables.groups.len();
        (is_group && is_agent).then(|| self.group(selected))
    }
}
