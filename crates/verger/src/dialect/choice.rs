//! The choices of a dialect, each with its clauses.

/// Effect of a text longer than the byte limit (REP-SYNTAX-8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Oversize {
    /// The text counts up to the limit, without the line that the limit cuts (REP-AMB-22).
    Truncate,
    /// The file allows everything (V:yandex).
    AllowAll,
}

/// Removal of a UTF-8 byte order mark at the start of the text (REP-SYNTAX-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ByteOrderMark {
    /// Not removed: the mark is part of the first key, which is then unknown (D94, WRR).
    Keep,
    /// Removes one whole mark (REP-AMB-39).
    DropWhole,
    /// Removes as many bytes of the mark as present, also a partial mark (GC).
    DropPartial,
}

/// Accepted spellings of a key (REP-SYNTAX-18, REP-SYNTAX-19). Case never matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Spellings {
    /// Only the correct ones.
    Exact,
    /// Also the frequent misspellings of Google's list, as whole keys (REP-AMB-40).
    Typos,
    /// Any key that begins with a correct or frequently misspelt one, as in Google's library.
    Prefixes,
}

/// Crawlers to which rules before the first user-agent line apply (REP-AGENT-10, REP-AMB-28).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OrphanRules {
    /// No crawler: they are ignored.
    Ignored,
    /// Every crawler, as if `User-agent: *` preceded them (WRR).
    ForEverybody,
}

/// Part of a user-agent line's value that is the name (REP-AGENT-5, REP-AMB-11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AgentValue {
    /// The leading run of letters, `-` and `_` (GC). `*` before white space is `*`.
    LeadingRun,
    /// The first word: up to white space or one of `/ , ; ( *`. `*` before white space is `*`.
    FirstWord,
    /// The whole value. Only a lone `*` is `*`.
    Whole,
}

/// Condition under which the name on a user-agent line addresses a crawler (REP-AMB-1). ASCII case
/// never matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AgentMatch {
    /// The name equals the crawler's token (REP-AGENT-6).
    WholeToken,
    /// The name is a part of the crawler's token: `bot` addresses `Robot` (S0, WRR). An empty name
    /// is part of every token.
    NameInToken,
    /// The crawler's token is a part of the name: `superfig-tool` addresses `fig` (D96).
    TokenInName,
}

/// Groups that apply among several for the same crawler (REP-AGENT-26, REP-AMB-16).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GroupsTaken {
    /// All of them, as one group.
    All,
    /// Only the first in the file.
    First,
}

/// A name that is tried for the crawlers of one family if no group names them otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a fallback is its two names")]
pub struct Fallback {
    /// Text that the tokens of the family's crawlers contain (ASCII case does not matter).
    pub family: &'static str,
    /// The name that addresses the whole family.
    pub name: &'static str,
}

/// Extraction of the target from the text of a URL (REP-MATCH-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UrlSplit {
    /// Scheme, `://`, authority, then everything from the first `/`, `?` or `#`, without the
    /// fragment.
    Generic,
    /// As in Google's library, for any string: `;` also starts a path, a NUL ends it, and a text
    /// without a path has the path `/` (REP-MATCH-5, REP-AMB-38).
    Google,
}

/// Schemes that have a robots.txt; URLs of all others are allowed (REP-ACCESS-8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Schemes {
    /// Every scheme whose URLs have an authority.
    WithAuthority,
    /// Only `http` and `https` (S0, WRR).
    Http,
}

/// Percent-encodings of a pattern and a target that are equal (REP-MATCH-20).
///
/// Every form except [`DecodeAllButSlash`](Self::DecodeAllButSlash) is idempotent. The text of 1996
/// also decodes `%25`, so `%2541` becomes `%41` there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NormalForm {
    /// Both sides: unreserved octets decoded, other escapes with upper-case hex, and all octets
    /// that a URL cannot contain encoded, including a malformed `%` and a literal `*` or `$`.
    Rfc9309,
    /// Patterns: bytes from 0x80 encoded, hex of escapes in upper case. Targets: unchanged (GC).
    Google,
    /// Both sides: every escape decoded except that of `/` (S2 3.2.2, S0).
    DecodeAllButSlash,
    /// Both sides: octets that Perl's URI module escapes are escaped, nothing is decoded (WRR).
    EscapeUnsafe,
}

/// Effect of an empty rule (REP-MATCH-14, REP-AMB-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EmptyRule {
    /// No effect: it never decides.
    Inert,
    /// No restriction: it allows if it is reached, also an empty `Disallow` (D94, WRR).
    Allows,
    /// Matches every target, as the empty prefix (S0, table 9-3).
    MatchesEverything,
}

/// Deciding rule among the matching ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Precedence {
    /// The first in the file.
    FirstMatch,
    /// The rule with the longest pattern, counted in bytes of its normal form with `*` and `$`; an
    /// allowing rule among equally long ones (REP-MATCH-10, REP-AMB-7, REP-AMB-8, REP-AMB-35).
    LongestPattern,
}

/// URLs to which one robots.txt applies in [`RobotRules`](crate::RobotRules).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// One scheme, host and port (REP-ACCESS-2).
    Origin,
    /// One host and port, for every scheme (S0, WRR, REP-AGENT-40).
    HostPort,
}
