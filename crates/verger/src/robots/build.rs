//! Filling the tables of a parsed robots.txt, or those of it that one crawler asks.

use super::outline::{AgentEntry, AgentKind, GroupEntry, Outline, RuleEntry, Tables};
use crate::agent::{Name, names};
use crate::crawler::{CrawlerRef, Step};
use crate::dialect::{AgentMatch, Dialect};
use crate::group::{Agent, ClosingRecord, Grouping, Place};
use crate::limits;
use crate::parse::{Field, Input, Piece, Receiver, RuleKind, parse};
use crate::search::compare_ignoring_case;
use crate::span::narrow;

/// Reads the groups, agents and rules of a text.
pub(super) fn build(input: &Input<'_>, dialect: &Dialect) -> Tables {
    let mut tables = read(input, dialect, Everybody);
    tables.groups.shrink_to_fit();
    tables.agents.shrink_to_fit();
    tables.rules.shrink_to_fit();
    let wanted = dialect.agent_match == AgentMatch::WholeToken
        && tables.agents.len() >= limits::INDEXED_AGENTS;
    if wanted {
        tables.index_agents(input.text());
    }
    tables
}

/// Answers about a text for one crawler, from the groups that may apply to it.
///
/// # Complexity
///
/// Each user-agent line is compared with each token of the crawler.
pub(crate) fn of_one_crawler<T>(
    input: &Input<'_>,
    dialect: &Dialect,
    crawler: CrawlerRef<'_>,
    answer: impl FnOnce(Outline<'_>) -> T,
) -> T {
    let tables = read(input, dialect, One::of(crawler, dialect));
    answer(Outline { text: input.text(), tables: &tables, dialect })
}

fn read<A: Asking>(input: &Input<'_>, dialect: &Dialect, asking: A) -> Tables {
    let mut builder = Builder {
        dialect,
        grouping: Grouping::new(dialect),
        asking,
        group: None,
        tables: Tables::default(),
    };
    if !input.allows_all() {
        builder.tables.rules.reserve(input.text().len() / USUAL_LINE_BYTES);
        builder.tables.groups.reserve(USUAL_GROUPS);
        builder.tables.agents.reserve(USUAL_GROUPS);
        parse(input, dialect, &mut builder);
    }
    builder.tables
}

/// A line of a robots.txt is about as long; how many rules there are is guessed by it. What is too much is
/// given back where the tables are kept.
const USUAL_LINE_BYTES: usize = 32;

/// Who is going to ask.
trait Asking {
    /// Whether there are groups that cannot apply.
    const IS_CHOOSY: bool;

    /// Whether a group that names somebody may apply.
    fn may_be(&self, name: Option<Name<'_>>) -> bool;
}

/// Any crawler.
struct Everybody;

impl Asking for Everybody {
    const IS_CHOOSY: bool = false;

    #[inline]
    fn may_be(&self, _: Option<Name<'_>>) -> bool {
        true
    }
}

/// One crawler, with few tokens.
struct One<'a> {
    tokens: [&'a str; limits::ONE_SHOT_STEPS],
    count: usize,
    rule: AgentMatch,
}

impl<'a> One<'a> {
    fn of(crawler: CrawlerRef<'a>, dialect: &Dialect) -> Self {
        let mut one =
            Self { tokens: [""; limits::ONE_SHOT_STEPS], count: 0, rule: dialect.agent_match };
        let tokens = crawler.steps(dialect).flat_map(Step::tokens);
        for (place, token) in one.tokens.iter_mut().zip(tokens) {
            *place = token;
            one.count += 1;
        }
        one
    }
}

impl Asking for One<'_> {
    const IS_CHOOSY: bool = true;

    #[inline]
    fn may_be(&self, name: Option<Name<'_>>) -> bool {
        let is_named = |name: Name<'_>| {
            let mut tokens = self.tokens[..self.count].iter();
            name == Name::Star || tokens.any(|token| name.is(token.as_bytes(), self.rule))
        };
        name.is_some_and(is_named)
    }
}

/// Most files have no more groups.
const USUAL_GROUPS: usize = 8;

struct Builder<'d, A> {
    dialect: &'d Dialect,
    grouping: Grouping,
    asking: A,
    group: Option<Open>,
    tables: Tables,
}

/// The group that is being read.
#[derive(Clone, Copy)]
struct Open {
    line: u32,
    /// Whether it is among the groups: whether anybody who is going to ask may be named.
    is_kept: bool,
}

impl<A: Asking> Builder<'_, A> {
    fn keep_group(&mut self, star: bool, line: u32) {
        self.tables.groups.push(GroupEntry {
            first_agent: narrow(self.tables.agents.len()),
            first_rule: narrow(self.tables.rules.len()),
            line,
            star,
        });
        self.group = Some(Open { line, is_kept: true });
    }

    fn add_agent(
        &mut self,
        name: Option<Name<'_>>,
        value: Piece<'_>,
        across: Option<ClosingRecord>,
    ) {
        if !self.asking.may_be(name) {
            return;
        }
        if let Some(Open { line, is_kept: false }) = self.group {
            self.keep_group(false, line);
        }
        let (kind, span) = match name {
            Some(Name::Star) => (AgentKind::Star, value.span()),
            Some(Name::Token(piece)) => (AgentKind::Token, piece.span()),
            None => (AgentKind::Nobody, value.span()),
        };
        let group = self.tables.groups.len() - 1;
        self.tables.groups[group].star |= kind == AgentKind::Star;
        self.tables.agents.push(AgentEntry {
            name: span.into(),
            value: value.span().into(),
            group: narrow(group),
            kind,
            across,
        });
    }

    /// Whether the group that is being read is among the groups.
    #[inline]
    fn is_kept(&self) -> bool {
        self.group.is_some_and(|group| group.is_kept)
    }

    /// Where a rule stands; rules for everybody begin a group of their own.
    #[inline]
    fn place_rule(&mut self, field: &Field<'_>) -> Place {
        let place = self.grouping.rule();
        if place == Place::NewStarGroup {
            self.keep_group(true, narrow(field.line_number));
        }
        place
    }
}

impl<'t, A: Asking> Receiver<'t> for Builder<'_, A> {
    const GROUPS_ONLY: bool = true;

    fn user_agent(&mut self, field: Field<'t>) {
        let across = match self.grouping.agent() {
            Agent::Opens => {
                self.group = Some(Open { line: narrow(field.line_number), is_kept: false });
                None
            }
            Agent::Joins { across } => across,
        };
        let mut found = names(field.value, self.dialect);
        // A line that names nobody still stands in its group.
        self.add_agent(found.next(), field.value, across);
        for name in found {
            self.add_agent(Some(name), field.value, across);
        }
    }

    #[inline]
    fn rule(&mut self, kind: RuleKind, field: Field<'t>) {
        let place = self.place_rule(&field);
        if place == Place::NoGroup || A::IS_CHOOSY && !self.is_kept() {
            return;
        }
        self.tables.rules.push(RuleEntry {
            pattern: field.value.span().into(),
            line: narrow(field.line_number),
            kind,
        });
    }

    #[inline]
    fn passes_rules(&self) -> bool {
        A::IS_CHOOSY && !self.is_kept() && self.grouping.is_among_rules()
    }

    fn oversized_rule(&mut self, field: Field<'t>) {
        // It says nothing, but it is a rule: REP-AGENT-11.
        self.place_rule(&field);
    }

    fn other(&mut self, field: Field<'t>) {
        self.grouping.other(field.key.bytes);
    }

    fn blank(&mut self, _line: Piece<'t>) {
        self.grouping.blank();
    }
}

impl Tables {
    /// Sorts the names, so that a crawler's groups are found by binary search
    /// also in a file with tens of thousands of them.
    fn index_agents(&mut self, text: &[u8]) {
        let agents = &self.agents;
        self.by_name = (0..)
            .zip(agents)
            .filter_map(|(at, agent)| (agent.kind == AgentKind::Token).then_some(at))
            .collect();
        let name = |at: u32| &text[crate::Span::from(agents[at as usize].name).range()];
        self.by_name.sort_by(|&left, &right| compare_ignoring_case(name(left), name(right)));
    }
}
