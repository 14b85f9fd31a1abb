//! Building the tables of a parsed robots.txt: all of them, or only the groups that may apply to
//! one crawler.

use alloc::vec::Vec;

use super::outline::{AgentEntry, AgentKind, GroupEntry, Outline, RuleEntry, Tables};
use crate::agent::{Name, names};
use crate::crawler::{CrawlerRef, TokenStep};
use crate::dialect::{AgentMatch, Dialect};
use crate::group::{AgentLine, ClosingRecord, Grouping, RulePlace};
use crate::limits;
use crate::parse::{Event, Field, Input, Piece, Receiver, RuleKind, Skipped, parse};
use crate::search::compare_ignoring_case;
use crate::span::narrow;

/// Reads the groups, agents and rules of a text.
pub(super) fn build(input: &Input<'_>, dialect: &Dialect) -> Tables {
    let mut tables = read(input, dialect, AnyCrawler);
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

/// Calls `answer` with the outline of the groups that may apply to one crawler.
///
/// # Complexity
///
/// Each user-agent line is compared with each token of the crawler.
pub(crate) fn outline_for<T>(
    input: &Input<'_>,
    dialect: &Dialect,
    crawler: CrawlerRef<'_>,
    answer: impl FnOnce(Outline<'_>) -> T,
) -> T {
    let mut tokens = crawler.steps(dialect).flat_map(TokenStep::tokens);
    let filter =
        OneCrawler { first: tokens.next(), others: tokens.collect(), rule: dialect.agent_match };
    let tables = read(input, dialect, filter);
    answer(Outline { text: input.text(), tables: &tables, dialect })
}

fn read<A: Filter>(input: &Input<'_>, dialect: &Dialect, filter: A) -> Tables {
    let mut builder = Builder {
        dialect,
        grouping: Grouping::new(dialect),
        filter,
        group: None,
        tables: Tables::default(),
    };
    if !input.allows_all() {
        let lines = input.text().len() / USUAL_LINE_BYTES;
        builder.tables.rules.reserve(lines.min(A::USUAL_RULES));
        builder.tables.groups.reserve(USUAL_GROUPS);
        builder.tables.agents.reserve(USUAL_GROUPS);
        parse(input, dialect, &mut builder);
    }
    builder.tables
}

/// Typical length of a line in a robots.txt, for an estimate of the number of rules. [`build`]
/// frees unused capacity.
const USUAL_LINE_BYTES: usize = 32;

/// The groups that are stored.
trait Filter {
    /// Whether some groups may be skipped.
    const SKIPS_GROUPS: bool;

    /// Capacity for rules: more than most files need.
    const USUAL_RULES: usize;

    /// Whether a group with this name may apply.
    fn may_apply(&self, name: Option<Name<'_>>) -> bool;
}

/// All groups, for any crawler.
struct AnyCrawler;

impl Filter for AnyCrawler {
    const SKIPS_GROUPS: bool = false;
    const USUAL_RULES: usize = usize::MAX;

    #[inline]
    fn may_apply(&self, _: Option<Name<'_>>) -> bool {
        true
    }
}

/// The groups that may apply to one crawler with few tokens, usually one.
struct OneCrawler<'a> {
    first: Option<&'a str>,
    others: Vec<&'a str>,
    rule: AgentMatch,
}

impl Filter for OneCrawler<'_> {
    const SKIPS_GROUPS: bool = true;
    /// A kilobyte, which allocators hand out fastest.
    const USUAL_RULES: usize = 64;

    #[inline]
    fn may_apply(&self, name: Option<Name<'_>>) -> bool {
        let is_named = |name: Name<'_>| {
            let mut tokens = self.first.iter().chain(&self.others);
            name == Name::Star || tokens.any(|token| name.is(token.as_bytes(), self.rule))
        };
        name.is_some_and(is_named)
    }
}

/// Capacity for groups: most files have at most this many.
const USUAL_GROUPS: usize = 8;

struct Builder<'d, A> {
    dialect: &'d Dialect,
    grouping: Grouping,
    filter: A,
    group: Option<OpenGroup>,
    tables: Tables,
}

/// The current group.
#[derive(Clone, Copy)]
struct OpenGroup {
    line: u32,
    /// Whether it is stored, because it may apply.
    is_stored: bool,
}

impl<A: Filter> Builder<'_, A> {
    fn store_group(&mut self, star: bool, line: u32) {
        self.tables.groups.push(GroupEntry {
            first_agent: narrow(self.tables.agents.len()),
            first_rule: narrow(self.tables.rules.len()),
            line,
            star,
        });
        self.group = Some(OpenGroup { line, is_stored: true });
    }

    fn add_agent(
        &mut self,
        name: Option<Name<'_>>,
        value: Piece<'_>,
        across: Option<ClosingRecord>,
    ) {
        if !self.filter.may_apply(name) {
            return;
        }
        if let Some(OpenGroup { line, is_stored: false }) = self.group {
            self.store_group(false, line);
        }
        let (kind, span) = match name {
            Some(Name::Star) => (AgentKind::Star, value.span()),
            Some(Name::Token(piece)) => (AgentKind::Token, piece.span()),
            None => (AgentKind::Unnamed, value.span()),
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

    /// Whether the current group is stored.
    #[inline]
    fn is_stored(&self) -> bool {
        self.group.is_some_and(|group| group.is_stored)
    }

    /// Determines the group of a rule; a rule that applies to all crawlers opens a new group.
    #[inline]
    fn place_rule(&mut self, field: &Field<'_>) -> RulePlace {
        let place = self.grouping.rule();
        if place == RulePlace::NewStarGroup {
            self.store_group(true, narrow(field.line_number));
        }
        place
    }

    fn user_agent(&mut self, field: Field<'_>) {
        let across = match self.grouping.agent() {
            AgentLine::Opens => {
                self.group = Some(OpenGroup { line: narrow(field.line_number), is_stored: false });
                None
            }
            AgentLine::Joins { across } => across,
        };
        let mut found = names(field.value, self.dialect);
        // A line without a valid name is still part of its group.
        self.add_agent(found.next(), field.value, across);
        for name in found {
            self.add_agent(Some(name), field.value, across);
        }
    }

    #[inline]
    fn rule(&mut self, kind: RuleKind, field: &Field<'_>) {
        let place = self.place_rule(field);
        if place == RulePlace::NoGroup || A::SKIPS_GROUPS && !self.is_stored() {
            return;
        }
        self.tables.rules.push(RuleEntry {
            pattern: field.value.span().into(),
            line: narrow(field.line_number),
            kind,
        });
    }
}

impl<'t, A: Filter> Receiver<'t> for Builder<'_, A> {
    #[inline]
    fn skipped(&self) -> Skipped {
        let rules = A::SKIPS_GROUPS && !self.is_stored() && self.grouping.is_among_rules();
        Skipped::Others { rules }
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "parsing would take a tenth longer")]
    fn receive(&mut self, event: Event<'t>) {
        match event {
            Event::UserAgent(field) => self.user_agent(field),
            Event::Rule(kind, field) => self.rule(kind, &field),
            // It affects no URL, but it is a rule: REP-AGENT-11.
            Event::OversizedRule(field) => _ = self.place_rule(&field),
            Event::Other(field) => _ = self.grouping.other(field.key.bytes),
            Event::Blank(_) => self.grouping.blank(),
            Event::Sitemap(_) | Event::Comment(_) | Event::Junk(_) => {}
        }
    }
}

impl Tables {
    /// Sorts the names, for a binary search of a crawler's groups in files with up to tens of
    /// thousands of agents.
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
