//! Formation of groups: the lines that belong together (REP-AGENT-10 to REP-AGENT-14).

use crate::Dialect;
use crate::dialect::OrphanRules;

/// Determines the group of each record from the sequence of lines.
///
/// Each receiver of the parser that needs groups has one of these and passes it every line.
#[derive(Clone, Debug)]
pub(crate) struct Grouping {
    state: GroupPhase,
    /// Whether a user-agent line has occurred.
    pub(crate) agents_seen: bool,
    /// The record after the last user-agent line that would close the list of agents with an
    /// option.
    across: Option<ClosingRecord>,
    dialect: Dialect,
}

/// A record that closes a list of agents in a dialect with the option for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClosingRecord {
    /// `Crawl-delay`, by [`Dialect::crawl_delay_closes_agents`] (REP-AMB-4).
    CrawlDelay,
    /// `Content-Usage`, by [`Dialect::content_usage_closes_agents`] (REP-AMB-5).
    ContentUsage,
}

impl ClosingRecord {
    /// All variants.
    pub(crate) const ALL: [Self; 2] = [Self::CrawlDelay, Self::ContentUsage];

    /// The key of the record: `Crawl-delay`.
    pub const fn key(self) -> &'static str {
        match self {
            Self::CrawlDelay => "Crawl-delay",
            Self::ContentUsage => "Content-Usage",
        }
    }

    /// The name of the field of [`Dialect`] that makes it close lists of agents.
    pub const fn option(self) -> &'static str {
        match self {
            Self::CrawlDelay => "crawl_delay_closes_agents",
            Self::ContentUsage => "content_usage_closes_agents",
        }
    }

    const fn closes_agents(self, dialect: &Dialect) -> bool {
        match self {
            Self::CrawlDelay => dialect.crawl_delay_closes_agents,
            Self::ContentUsage => dialect.content_usage_closes_agents,
        }
    }

    fn of_key(key: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|record| key.eq_ignore_ascii_case(record.key().as_bytes()))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GroupPhase {
    /// Outside of all groups.
    Outside,
    /// In a group whose list of agents is open: another user-agent line joins it.
    Agents,
    /// In a group whose list of agents is closed: a user-agent line starts the next group.
    Rules,
}

/// The effect of a user-agent line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AgentLine {
    /// It opens a new group.
    Opens,
    /// It joins the current group, possibly across a record that would close the list with an
    /// option.
    Joins { across: Option<ClosingRecord> },
}

/// The group of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RulePlace {
    /// The current group.
    Current,
    /// A new group for `*` that no user-agent line opened.
    NewStarGroup,
    /// No group: the rule is ignored.
    NoGroup,
}

impl Grouping {
    pub(crate) const fn new(dialect: &Dialect) -> Self {
        Self { state: GroupPhase::Outside, agents_seen: false, across: None, dialect: *dialect }
    }

    /// A user-agent line. Returns whether it opens a new group.
    pub(crate) fn user_agent(&mut self) -> bool {
        self.agent() == AgentLine::Opens
    }

    /// A user-agent line.
    pub(crate) fn agent(&mut self) -> AgentLine {
        let across = self.across.take();
        let joins = self.state == GroupPhase::Agents;
        self.state = GroupPhase::Agents;
        self.agents_seen = true;
        if joins { AgentLine::Joins { across } } else { AgentLine::Opens }
    }

    /// An allow or disallow line. It closes the list of agents, even with an empty value
    /// (REP-AGENT-11).
    #[inline]
    pub(crate) fn rule(&mut self) -> RulePlace {
        if self.state == GroupPhase::Outside {
            // REP-AGENT-10, REP-AMB-28.
            if self.agents_seen || self.dialect.orphan_rules == OrphanRules::Ignored {
                return RulePlace::NoGroup;
            }
            self.state = GroupPhase::Rules;
            return RulePlace::NewStarGroup;
        }
        self.state = GroupPhase::Rules;
        RulePlace::Current
    }

    /// Whether another rule would belong to the same group as the last one.
    #[inline]
    pub(crate) fn is_among_rules(&self) -> bool {
        self.state == GroupPhase::Rules
    }

    /// Any other record. Returns whether it belongs to a group that a user-agent line opened.
    pub(crate) fn other(&mut self, key: &[u8]) -> bool {
        // REP-AGENT-12: other records are transparent; REP-AMB-4 and REP-AMB-5 name two possible
        // exceptions.
        if self.state == GroupPhase::Agents
            && let Some(record) = ClosingRecord::of_key(key)
        {
            self.across = Some(record);
            if record.closes_agents(&self.dialect) {
                self.state = GroupPhase::Rules;
            }
        }
        self.state != GroupPhase::Outside && self.agents_seen
    }

    /// A blank line; a line with only a comment is not blank.
    pub(crate) fn blank(&mut self) {
        if self.dialect.blank_line_ends_group {
            self.state = GroupPhase::Outside;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    /// Reads a sketch of a file and shows the result of each line. `u`: user-agent (`[` opens, `,`
    /// joins); `r`: rule (`.` current, `*` star group, `-` no group); `o`: other (`o` inside, `_`
    /// outside); `c`: crawl-delay; `p`: content-usage, a preference; `b`: blank.
    #[track_caller]
    fn check(dialect: &Dialect, lines: &str, expected: &str) {
        let mut grouping = Grouping::new(dialect);
        let mut found = String::new();
        for line in lines.chars() {
            found.push(match line {
                'u' => ['[', ','][usize::from(!grouping.user_agent())],
                'r' => match grouping.rule() {
                    RulePlace::Current => '.',
                    RulePlace::NewStarGroup => '*',
                    RulePlace::NoGroup => '-',
                },
                'o' => ['_', 'o'][usize::from(grouping.other(b"sitemap"))],
                'c' => ['_', 'o'][usize::from(grouping.other(b"crawl-delay"))],
                'p' => ['_', 'o'][usize::from(grouping.other(b"Content-Usage"))],
                _ => {
                    grouping.blank();
                    ' '
                }
            });
        }
        assert_eq!(found, expected, "{dialect:?} on {lines}");
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
