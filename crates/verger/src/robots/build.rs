//! Filling the tables of a parsed robots.txt.

use super::{AgentEntry, AgentKind, GroupEntry, RuleEntry, Tables};
use crate::agent::{Name, names};
use crate::dialect::{AgentMatch, Dialect};
use crate::group::{Former, Place};
use crate::limits;
use crate::parse::{Field, Input, Piece, Receiver, RuleKind, parse};
use crate::search::compare_ignoring_case;
use crate::span::narrow;

/// Reads the groups, agents and rules of a text.
pub(super) fn build(input: &Input<'_>, dialect: &Dialect) -> Tables {
    let mut builder =
        Builder { dialect: *dialect, former: Former::new(dialect), tables: Tables::default() };
    if !input.allows_all() {
        builder.tables.rules.reserve(input.text().len() / USUAL_LINE_BYTES);
        parse(input, dialect, &mut builder);
    }
    let mut tables = builder.tables;
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

/// A line of a robots.txt is about as long; how many rules there are is guessed by it. What is too much is
/// given back.
const USUAL_LINE_BYTES: usize = 32;

struct Builder {
    dialect: Dialect,
    former: Former,
    tables: Tables,
}

impl Builder {
    fn open_group(&mut self, star: bool, field: &Field<'_>) {
        self.tables.groups.push(GroupEntry {
            first_agent: narrow(self.tables.agents.len()),
            first_rule: narrow(self.tables.rules.len()),
            line: narrow(field.line_number),
            star,
        });
    }

    fn add_agent(&mut self, name: Option<Name<'_>>, value: Piece<'_>) {
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
        });
    }
}

impl<'t> Receiver<'t> for Builder {
    const GROUPS_ONLY: bool = true;

    fn user_agent(&mut self, field: Field<'t>) {
        if self.former.user_agent() {
            self.open_group(false, &field);
        }
        let dialect = self.dialect;
        let mut found = names(field.value, &dialect);
        // A line that names nobody still stands in its group.
        self.add_agent(found.next(), field.value);
        for name in found {
            self.add_agent(Some(name), field.value);
        }
    }

    fn rule(&mut self, kind: RuleKind, field: Field<'t>) {
        match self.former.rule() {
            Place::Nowhere => return,
            Place::NewForEverybody => self.open_group(true, &field),
            Place::Current => {}
        }
        self.tables.rules.push(RuleEntry {
            pattern: field.value.span().into(),
            line: narrow(field.line_number),
            kind,
        });
    }

    fn oversized_rule(&mut self, field: Field<'t>) {
        // It says nothing, but it is a rule: REP-AGENT-11.
        if self.former.rule() == Place::NewForEverybody {
            self.open_group(true, &field);
        }
    }

    fn other(&mut self, field: Field<'t>) {
        self.former.other(field.key.bytes);
    }

    fn blank(&mut self, _line: Piece<'t>) {
        self.former.blank();
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
