//! The choices a dialect is made of, each with its clauses.

/// What a text beyond the byte limit means (REP-SYNTAX-8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Oversize {
    /// The text counts up to the limit, without the line that the limit cuts (REP-AMB-22).
    Truncate,
    /// The file counts as everything allowed (V:yandex).
    AllowAll,
}

/// What is dropped of a UTF-8 byte order mark at the start of the text (REP-SYNTAX-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ByteOrderMark {
    /// Nothing: the mark is part of the first key and spoils it (D94, WRR).
    Keep,
    /// One whole mark (REP-AMB-39).
    DropWhole,
    /// As many of its bytes as are there, also a half one (GC).
    DropPartial,
}

/// Which spellings of a key are accepted (REP-SYNTAX-18, REP-SYNTAX-19). Case never matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Spellings {
    /// The right ones only.
    Exact,
    /// Also the frequent misspellings of Google's list, as whole keys (REP-AMB-40).
    Typos,
    /// Any key that begins with a right or frequently misspelt one, as Google's library reads.
    Prefixes,
}

/// Whom rules before the first user-agent line are for (REP-AGENT-10, REP-AMB-28).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OrphanRules {
    /// Nobody: they are ignored.
    Ignored,
    /// Everybody, as if `User-agent: *` stood before them (WRR).
    ForEverybody,
}

/// How much of a user-agent line's value is the name (REP-AGENT-5, REP-AMB-11).
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

/// When the name on a user-agent line addresses a crawler (REP-AMB-1). ASCII case never matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AgentMatch {
    /// The name is the crawler's token (REP-AGENT-6).
    WholeToken,
    /// The name is a part of the crawler's token: `bot` addresses `Robot` (S0, WRR). An empty name
    /// is part of every token.
    NameInToken,
    /// The crawler's token is a part of the name: `superfig-tool` addresses `fig` (D96).
    TokenInName,
}

/// Which of several groups for the same crawler apply (REP-AGENT-26, REP-AMB-16).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GroupsTaken {
    /// All of them, as one.
    All,
    /// The first in the file.
    First,
}

/// A name by which the crawlers of one family are looked for when no group names them otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a fallback is its two names")]
pub struct Fallback {
    /// Crawlers of the family have this in their token (ASCII case does not matter).
    pub family: &'static str,
    /// The name that addresses the whole family.
    pub name: &'static str,
}

/// How the target is cut out of the text of a URL (REP-MATCH-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UrlSplit {
    /// Scheme, `://`, authority, then everything from the first `/`, `?` or `#`, less the fragment.
    Generic,
    /// As Google's library does with any string: `;` starts a path too, a NUL ends it, and a text
    /// without a path has the path `/` (REP-MATCH-5, REP-AMB-38).
    Google,
}

/// Which schemes have a robots.txt; URLs of all others are allowed (REP-ACCESS-8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Schemes {
    /// Every scheme whose URLs have an authority.
    WithAuthority,
    /// `http` and `https` only (S0, WRR).
    Http,
}

/// Which percent-encodings of a pattern and a target are the same (REP-MATCH-20).
///
/// In every form but [`DecodeAllButSlash`](Self::DecodeAllButSlash) the normal form of a normal form
/// is itself; the 1996 text decodes `%25` as well, so `%2541` becomes `%41` there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NormalForm {
    /// Both sides: unreserved octets decoded, other escapes kept with upper-case hex, and
    /// everything that cannot stand in a URL encoded, a malformed `%` and a literal `*` or `$`
    /// included.
    Rfc9309,
    /// Patterns: bytes from 0x80 encoded, hex of escapes upper-cased. Targets: as they are (GC).
    Google,
    /// Both sides: every escape decoded but that of `/` (S2 3.2.2, S0).
    DecodeAllButSlash,
    /// Both sides: what Perl's URI module escapes is escaped, nothing is decoded (WRR).
    EscapeUnsafe,
}

/// What an empty rule says (REP-MATCH-14, REP-AMB-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EmptyRule {
    /// Nothing: it never decides.
    Inert,
    /// No restriction: when it is reached it allows, also an empty `Disallow` (D94, WRR).
    Allows,
    /// It matches every target, as the empty prefix it is (S0, table 9-3).
    MatchesEverything,
}

/// Which of the rules that match decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Precedence {
    /// The first in the file.
    FirstMatch,
    /// The one with the longest pattern, counted in bytes of its normal form with `*` and `$`; of
    /// equally long ones an allowing one (REP-MATCH-10, REP-AMB-7, REP-AMB-8, REP-AMB-35).
    LongestPattern,
}

/// What one robots.txt covers, as [`RobotRules`](crate::RobotRules) keys it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// One scheme, host and port (REP-ACCESS-2).
    Origin,
    /// One host and port, whatever the scheme (S0, WRR, REP-AGENT-40).
    HostPort,
}
