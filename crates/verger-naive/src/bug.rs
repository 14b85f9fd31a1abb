//! Deliberate mistakes, for tests of comparisons.

/// A deliberate mistake. Each occurs in real parsers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bug {
    /// Against REP-AMB-35: an equally long Disallow beats an Allow.
    TieGoesToDisallow,
    /// Against REP-MATCH-15: rules are tried in file order, the first match decides.
    FirstMatchWins,
    /// Against REP-MATCH-11: rules compete with their length in the file.
    RawLength,
    /// Against REP-MATCH-14: `Disallow:` without a path matches every URL.
    EmptyDisallowMatchesAll,
    /// Against REP-MATCH-17: the first `$` anchors, and the text after it is dropped.
    DollarEndsAnywhere,
    /// Against REP-MATCH-19a: `%2A` is unescaped before the search for wildcards.
    EscapedStarIsWildcard,
    /// Against REP-MATCH-20: `%61` and `a` are different.
    UnreservedNotDecoded,
    /// Against REP-MATCH-20: `%2F` is decoded to `/`.
    SlashDecoded,
    /// Against REP-MATCH-2: paths are compared case-insensitively.
    PathCaseFolded,
    /// Against REP-MATCH-1: the query is removed before comparison.
    QueryIgnored,
    /// Against REP-AMB-10: `/robots.txt` is checked like any other path.
    RobotsTxtNotExempt,
    /// Against REP-AMB-3: a blank line ends the group.
    BlankLineEndsGroup,
    /// Against REP-AMB-4: `Sitemap`, `Crawl-delay` and the like end the list of agents.
    OtherRecordEndsAgents,
    /// Against REP-AMB-28: rules before the first agent apply to `*`.
    OrphanRulesForStar,
    /// Against REP-AMB-16: only the first `*` group counts.
    StarGroupsNotMerged,
    /// Against REP-AGENT-26: only the first group naming the token counts.
    TokenGroupsNotMerged,
    /// Against REP-AGENT-20: the `*` rules are added to those of the specific group.
    StarAddedToSpecific,
    /// Against REP-AGENT-6: a prefix of the token is enough as group name.
    AgentByPrefix,
    /// Against REP-SYNTAX-4: CR alone does not end a line.
    LoneCrNotLineEnd,
    /// Against REP-SYNTAX-4: CRLF counts as two line ends; this affects only line numbers.
    CrlfCountsTwice,
}

impl Bug {
    /// Every mistake, in order of declaration.
    pub const ALL: [Self; 20] = [
        Self::TieGoesToDisallow,
        Self::FirstMatchWins,
        Self::RawLength,
        Self::EmptyDisallowMatchesAll,
        Self::DollarEndsAnywhere,
        Self::EscapedStarIsWildcard,
        Self::UnreservedNotDecoded,
        Self::SlashDecoded,
        Self::PathCaseFolded,
        Self::QueryIgnored,
        Self::RobotsTxtNotExempt,
        Self::BlankLineEndsGroup,
        Self::OtherRecordEndsAgents,
        Self::OrphanRulesForStar,
        Self::StarGroupsNotMerged,
        Self::TokenGroupsNotMerged,
        Self::StarAddedToSpecific,
        Self::AgentByPrefix,
        Self::LoneCrNotLineEnd,
        Self::CrlfCountsTwice,
    ];

    /// A description in one line.
    pub fn describe(self) -> &'static str {
        match self {
            Self::TieGoesToDisallow => "an equally long Disallow beats an Allow",
            Self::FirstMatchWins => "the first matching rule decides, not the longest",
            Self::RawLength => "rule length is taken before normalisation",
            Self::EmptyDisallowMatchesAll => "an empty Disallow matches every URL",
            Self::DollarEndsAnywhere => "the first $ anchors, the rest of the pattern is dropped",
            Self::EscapedStarIsWildcard => "%2A in a rule is a wildcard",
            Self::UnreservedNotDecoded => "escapes of unreserved characters are not decoded",
            Self::SlashDecoded => "%2F is decoded to a slash",
            Self::PathCaseFolded => "paths are compared without regard to case",
            Self::QueryIgnored => "the query of the URL is ignored",
            Self::RobotsTxtNotExempt => "/robots.txt is judged like any other path",
            Self::BlankLineEndsGroup => "a blank line ends the group",
            Self::OtherRecordEndsAgents => "a record of another kind ends the list of agents",
            Self::OrphanRulesForStar => "rules before the first agent apply to *",
            Self::StarGroupsNotMerged => "only the first * group counts",
            Self::TokenGroupsNotMerged => "only the first group naming the token counts",
            Self::StarAddedToSpecific => "the * rules are added to those of the specific group",
            Self::AgentByPrefix => "a group name that begins the token is enough",
            Self::LoneCrNotLineEnd => "CR alone does not end a line",
            Self::CrlfCountsTwice => "CRLF counts as two line ends",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{check, check_with};

    /// A file and a URL for which the mistake changes the answer for the robot `fox`.
    fn witness(bug: Bug) -> (&'static str, &'static str) {
        match bug {
            Bug::TieGoesToDisallow => ("user-agent: *\nallow: /a\ndisallow: /a", "/a"),
            Bug::FirstMatchWins => ("user-agent: *\nallow: /\ndisallow: /a", "/a"),
            Bug::RawLength => ("user-agent: *\ndisallow: /%61\nallow: /a", "/a"),
            Bug::EmptyDisallowMatchesAll => ("user-agent: *\ndisallow:", "/a"),
            Bug::DollarEndsAnywhere => ("user-agent: *\ndisallow: /a$b", "/a"),
            Bug::EscapedStarIsWildcard => ("user-agent: *\ndisallow: /%2a/b", "/a/b"),
            Bug::UnreservedNotDecoded => ("user-agent: *\ndisallow: /%61", "/a"),
            Bug::SlashDecoded => ("user-agent: *\ndisallow: /a%2Fb", "/a/b"),
            Bug::PathCaseFolded => ("user-agent: *\ndisallow: /A", "/a"),
            Bug::QueryIgnored => ("user-agent: *\ndisallow: /*?", "/a?b"),
            Bug::RobotsTxtNotExempt => ("user-agent: *\ndisallow: /", "/robots.txt"),
            Bug::BlankLineEndsGroup => ("user-agent: *\n\ndisallow: /", "/a"),
            Bug::OtherRecordEndsAgents => {
                ("user-agent: fox\nsitemap: x\nuser-agent: g\ndisallow: /", "/a")
            }
            Bug::OrphanRulesForStar => ("disallow: /", "/a"),
            Bug::StarGroupsNotMerged => {
                ("user-agent: *\nallow: /b\nuser-agent: *\ndisallow: /a", "/a")
            }
            Bug::TokenGroupsNotMerged => {
                ("user-agent: fox\nallow: /b\nuser-agent: fox\ndisallow: /a", "/a")
            }
            Bug::StarAddedToSpecific => {
                ("user-agent: fox\nallow: /b\nuser-agent: *\ndisallow: /a", "/a")
            }
            Bug::AgentByPrefix => ("user-agent: fo\ndisallow: /", "/a"),
            Bug::LoneCrNotLineEnd => ("user-agent: *\rdisallow: /", "/a"),
            Bug::CrlfCountsTwice => ("user-agent: *\r\ndisallow: /", "/a"),
        }
    }

    #[test]
    fn every_mistake_changes_some_answer() {
        for bug in Bug::ALL {
            let (robots, url) = witness(bug);
            let sound = check(robots.as_bytes(), &["fox"], url.as_bytes());
            let with_bug = check_with(robots.as_bytes(), &["fox"], url.as_bytes(), Some(bug));
            assert_ne!(sound, with_bug, "{}", bug.describe());
        }
    }

    #[test]
    fn every_mistake_but_one_changes_permission() {
        for bug in Bug::ALL {
            let (robots, url) = witness(bug);
            let sound = check(robots.as_bytes(), &["fox"], url.as_bytes());
            let with_bug = check_with(robots.as_bytes(), &["fox"], url.as_bytes(), Some(bug));
            let only_the_line = bug == Bug::CrlfCountsTwice;
            assert_eq!(sound.allowed == with_bug.allowed, only_the_line, "{bug:?}");
        }
    }

    #[test]
    fn descriptions_are_distinct_lines() {
        for (at, bug) in Bug::ALL.iter().enumerate() {
            assert!(!bug.describe().is_empty() && !bug.describe().contains('\n'));
            for later in &Bug::ALL[at + 1..] {
                assert_ne!(bug, later);
                assert_ne!(bug.describe(), later.describe());
            }
        }
    }
}
