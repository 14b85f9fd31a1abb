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
}
