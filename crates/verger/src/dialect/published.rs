//! The published rows. Where a text has a gap, the defaults of the REP-AMB clauses apply.

use super::{
    AgentMatch, AgentValue, ByteOrderMark, Dialect, EmptyRule, Fallback, GroupsTaken, NormalForm,
    OrphanRules, Oversize, Precedence, Schemes, Scope, Spellings, UrlSplit,
};
use crate::limits;

impl Dialect {
    /// All published dialects, the default first.
    pub const PUBLISHED: [Self; 9] = [
        Self::RFC9309,
        Self::GOOGLE,
        Self::KOSTER1996,
        Self::BOOK,
        Self::ORIG1994,
        Self::REP2019,
        Self::YANDEX,
        Self::BAIDU,
        Self::BING,
    ];

    /// RFC 9309 of September 2022, with our defaults for its gaps. The default.
    pub const RFC9309: Self = Self {
        name: "rfc9309",
        byte_limit: Some(limits::BODY_BYTES),
        oversize: Oversize::Truncate,
        byte_order_mark: ByteOrderMark::DropWhole,
        utf16: true,
        nul_ends_line: false,
        line_limit: None,
        rule_limit: None,
        missing_colon: true,
        spellings: Spellings::Typos,
        allow: true,
        blank_line_ends_group: false,
        crawl_delay_closes_agents: false,
        content_usage_closes_agents: false,
        orphan_rules: OrphanRules::Ignored,
        reads_headers: true,
        agent_value: AgentValue::FirstWord,
        agent_lists: false,
        agent_match: AgentMatch::WholeToken,
        named_groups: GroupsTaken::All,
        star_groups: GroupsTaken::All,
        fallback: None,
        url_split: UrlSplit::Generic,
        schemes: Schemes::WithAuthority,
        normal_form: NormalForm::Rfc9309,
        wildcards: true,
        network_path_rules: false,
        empty_rule: EmptyRule::Inert,
        index_html_allows_directory: false,
        robots_txt_always_allowed: true,
        precedence: Precedence::LongestPattern,
        scope: Scope::Origin,
    };

    /// The exact answers of Google's open-source library, also where Google's documents differ.
    ///
    /// The library takes a set of tokens and unites their groups: use
    /// [`Crawler::union`](crate::Crawler::union). It has no size limit.
    pub const GOOGLE: Self = Self {
        name: "google",
        byte_limit: None,
        byte_order_mark: ByteOrderMark::DropPartial,
        utf16: false,
        nul_ends_line: true,
        line_limit: Some(limits::GOOGLE_LINE_BYTES),
        spellings: Spellings::Prefixes,
        reads_headers: false,
        agent_value: AgentValue::LeadingRun,
        url_split: UrlSplit::Google,
        normal_form: NormalForm::Google,
        index_html_allows_directory: true,
        robots_txt_always_allowed: false,
        ..Self::RFC9309
    };

    /// Martijn Koster's drafts of November and December 1996; December where they differ.
    ///
    /// The plain comparison of names of November is this row with [`AgentMatch::WholeToken`].
    pub const KOSTER1996: Self = Self {
        name: "koster1996",
        missing_colon: false,
        spellings: Spellings::Exact,
        blank_line_ends_group: true,
        agent_value: AgentValue::Whole,
        agent_match: AgentMatch::TokenInName,
        named_groups: GroupsTaken::First,
        star_groups: GroupsTaken::First,
        normal_form: NormalForm::DecodeAllButSlash,
        wildcards: false,
        // REP-AMB-2: the grammar forbids it, the December example uses it for "no restriction".
        empty_rule: EmptyRule::Allows,
        precedence: Precedence::FirstMatch,
        ..Self::RFC9309
    };

    /// Section 9.4 of *HTTP: The Definitive Guide*.
    pub const BOOK: Self = Self {
        name: "book",
        agent_match: AgentMatch::NameInToken,
        schemes: Schemes::Http,
        empty_rule: EmptyRule::MatchesEverything,
        scope: Scope::HostPort,
        ..Self::KOSTER1996
    };

    /// The standard of 1994, with Perl's WWW::RobotRules as the reference where it is vague.
    pub const ORIG1994: Self = Self {
        name: "orig1994",
        byte_order_mark: ByteOrderMark::Keep,
        utf16: false,
        allow: false,
        orphan_rules: OrphanRules::ForEverybody,
        agent_match: AgentMatch::NameInToken,
        star_groups: GroupsTaken::All,
        schemes: Schemes::Http,
        normal_form: NormalForm::EscapeUnsafe,
        network_path_rules: true,
        robots_txt_always_allowed: false,
        scope: Scope::HostPort,
        ..Self::KOSTER1996
    };

    /// draft-koster-rep-00 of July 2019: as RFC 9309, but only the first `*` group applies.
    pub const REP2019: Self =
        Self { name: "rep2019", star_groups: GroupsTaken::First, ..Self::RFC9309 };

    /// Yandex's documentation.
    pub const YANDEX: Self = Self {
        name: "yandex",
        oversize: Oversize::AllowAll,
        rule_limit: Some(limits::YANDEX_RULE_CHARS),
        missing_colon: false,
        spellings: Spellings::Exact,
        blank_line_ends_group: true,
        fallback: Some(Fallback { family: "Yandex", name: "Yandex" }),
        ..Self::RFC9309
    };

    /// Baidu's documentation: order decides among groups and among rules.
    pub const BAIDU: Self = Self {
        name: "baidu",
        missing_colon: false,
        spellings: Spellings::Exact,
        blank_line_ends_group: true,
        named_groups: GroupsTaken::First,
        star_groups: GroupsTaken::First,
        empty_rule: EmptyRule::Allows,
        precedence: Precedence::FirstMatch,
        ..Self::RFC9309
    };

    /// Bing's documentation: as RFC 9309; `bingbot` obeys a group for `msnbot` if it has none of
    /// its own.
    pub const BING: Self = Self {
        name: "bing",
        fallback: Some(Fallback { family: "bingbot", name: "msnbot" }),
        ..Self::RFC9309
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_row_is_found_by_its_own_name() {
        for row in Dialect::PUBLISHED {
            assert_eq!(Dialect::named(row.name), Some(row));
        }
        assert_eq!(Dialect::named("rfc"), None);
        assert_eq!(Dialect::default(), Dialect::RFC9309);
    }

    #[test]
    fn a_dialect_shows_as_its_name() {
        assert_eq!(
            alloc::format!("{:>6}|{:?}", Dialect::BING, Dialect::BING),
            "  bing|Dialect(bing)"
        );
    }
}
