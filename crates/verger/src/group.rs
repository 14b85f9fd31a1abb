//! Forming groups: which lines stand together (REP-AGENT-10 to REP-AGENT-14).

use crate::Dialect;
use crate::dialect::OrphanRules;

/// Follows the lines of a file and says for each record which group it stands in.
///
/// Every receiver of the parser that cares for groups keeps one of these and tells it each line.
#[derive(Clone, Debug)]
pub(crate) struct Former {
    state: State,
    agents_seen: bool,
    dialect: Dialect,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In no group.
    Outside,
    /// In a group whose list of agents is open: a further user-agent line joins it.
    Agents,
    /// In a group whose list of agents is closed: a user-agent line starts the next one.
    Rules,
}

/// The keys of records that close a list of agents where the dialect says so.
pub(crate) const CLOSING_AGENTS: [&str; 2] = ["crawl-delay", "content-usage"];

/// Which group a rule stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The group that is being read.
    Current,
    /// A new group for everybody, which no user-agent line opened.
    NewForEverybody,
    /// None: the rule is ignored.
    Nowhere,
}

impl Former {
    pub(crate) const fn new(dialect: &Dialect) -> Self {
        Self { state: State::Outside, agents_seen: false, dialect: *dialect }
    }

    /// A user-agent line. Returns whether it opens a new group.
    pub(crate) fn user_agent(&mut self) -> bool {
        let opens = self.state != State::Agents;
        self.state = State::Agents;
        self.agents_seen = true;
        opens
    }

    /// An allow or disallow line. It closes the list of agents, also with an empty value
    /// (REP-AGENT-11).
    #[inline]
    pub(crate) fn rule(&mut self) -> Place {
        if self.state == State::Outside {
            // REP-AGENT-10, REP-AMB-28.
            if self.agents_seen || self.dialect.orphan_rules == OrphanRules::Ignored {
                return Place::Nowhere;
            }
            self.state = State::Rules;
            return Place::NewForEverybody;
        }
        self.state = State::Rules;
        Place::Current
    }

    /// Whether a further rule would stand where the last one did.
    #[inline]
    pub(crate) fn is_among_rules(&self) -> bool {
        self.state == State::Rules
    }

    /// Any other record. Returns whether it stands in a group that a user-agent line opened.
    pub(crate) fn other(&mut self, key: &[u8]) -> bool {
        // REP-AGENT-12: other records are transparent; REP-AMB-4 and REP-AMB-5 name two that may
        // not be.
        if self.state == State::Agents {
            let is = |name: &str| key.eq_ignore_ascii_case(name.as_bytes());
            let [crawl_delay, content_usage] = CLOSING_AGENTS;
            let closes = self.dialect.crawl_delay_closes_agents && is(crawl_delay)
                || self.dialect.content_usage_closes_agents && is(content_usage);
            if closes {
                self.state = State::Rules;
            }
        }
        self.state != State::Outside && self.agents_seen
    }

    /// A blank line; a comment on a line of its own is none.
    pub(crate) fn blank(&mut self) {
        if self.dialect.blank_line_ends_group {
            self.state = State::Outside;
        }
    }

    /// Whether a user-agent line has occurred.
    pub(crate) const fn has_seen_agents(&self) -> bool {
        self.agents_seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    /// Runs a sketch of a file and shows for each line what came of it. `u`: user-agent (`[` opens,
    /// `,` joins); `r`: rule (`.` current, `*` everybody, `-` nowhere); `o`: other (`o` inside, `_`
    /// outside); `c`: crawl-delay; `p`: content-usage, a preference; `b`: blank.
    #[track_caller]
    fn check(dialect: &Dialect, lines: &str, expected: &str) {
        let mut former = Former::new(dialect);
        let mut found = String::new();
        for line in lines.chars() {
            found.push(match line {
                'u' => ['[', ','][usize::from(!former.user_agent())],
                'r' => match former.rule() {
                    Place::Current => '.',
                    Place::NewForEverybody => '*',
                    Place::Nowhere => '-',
                },
                'o' => ['_', 'o'][usize::from(former.other(b"sitemap"))],
                'c' => ['_', 'o'][usize::from(former.other(b"crawl-delay"))],
                'p' => ['_', 'o'][usize::from(former.other(b"Content-Usage"))],
                _ => {
                    former.blank();
                    ' '
                }
            });
        }
        assert_eq!(found, expected, "{dialect:?} on {lines}");
    }

    #[test]
    fn a_rule_closes_the_list_of_agents() {
        check(&Dialect::RFC9309, "uurrur", "[,..[.");
    }

    #[test]
    fn blank_lines_and_other_records_are_transparent_by_default() {
        check(&Dialect::RFC9309, "ubuoubrboru", "[ ,o, . o.[");
        check(&Dialect::RFC9309, "orbu", "_- [");
    }

    #[test]
    fn a_blank_line_ends_a_record_in_older_dialects() {
        check(&Dialect::KOSTER1996, "urbrubrur", "[. -[ -[.");
        check(&Dialect::KOSTER1996, "ourubo", "_[.[ _");
    }

    #[test]
    fn rules_before_any_agent_are_for_everybody_in_1994() {
        check(&Dialect::ORIG1994, "rrbrour", "*. *_[.");
        check(&Dialect::ORIG1994, "ubr", "[ -");
    }

    #[test]
    fn crawl_delay_may_close_the_list() {
        check(&Dialect::RFC9309, "ucu", "[o,");
        let mut row = Dialect::RFC9309;
        row.crawl_delay_closes_agents = true;
        check(&row, "ucuou", "[o[o,");
        check(&row, "upu", "[o,");
    }

    #[test]
    fn content_usage_may_close_the_list() {
        check(&Dialect::RFC9309, "upu", "[o,");
        let mut row = Dialect::RFC9309;
        row.content_usage_closes_agents = true;
        check(&row, "upuou", "[o[o,");
        check(&row, "ucu", "[o,");
    }
}
