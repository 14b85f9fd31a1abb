//! The row of choices of a dialect.

use core::fmt;
use core::str::FromStr;

use super::{
    AgentMatch, AgentValue, ByteOrderMark, EmptyRule, Fallback, GroupsTaken, NormalForm,
    OrphanRules, Oversize, Precedence, Schemes, Scope, Spellings, UrlSplit,
};
use crate::named::{UnknownName, lookup};

/// One reading of the Robots Exclusion Protocol: a value with a row of choices.
///
/// Every field is public and every combination is valid. Two dialects are equal if all their
/// choices are equal, including the name.
// The published rows are in `published.rs`. Each method is beside its subject: `parse` in
// `robots/mod.rs`, `is_allowed`, `needs_robots` and `reads_url` in `check.rs`, `policy` in
// `policy/compile.rs`, `rule_patterns` in `rule_pattern.rs`, the target's `reading` in `target.rs`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is a yes-or-no choice of the table")]
pub struct Dialect {
    /// Name of the row: `rfc9309`, or a custom name.
    pub name: &'static str,

    // Bytes
    /// Bytes of the text that count; `None` for all (REP-SYNTAX-8).
    pub byte_limit: Option<usize>,
    /// Effect of a text longer than [`byte_limit`](Self::byte_limit) (REP-SYNTAX-8, REP-AMB-22).
    pub oversize: Oversize,
    /// Removal of a UTF-8 byte order mark at the start (REP-SYNTAX-3, REP-AMB-39).
    pub byte_order_mark: ByteOrderMark,
    /// Whether a text that begins with a UTF-16 byte order mark is decoded (REP-AMB-20).
    pub utf16: bool,
    /// Whether a NUL ends the content of its line (REP-SYNTAX-6, REP-AMB-21).
    pub nul_ends_line: bool,
    /// Bytes of a line that count; the cut line is used (REP-SYNTAX-7, REP-AMB-22).
    pub line_limit: Option<usize>,
    /// Maximum number of characters of a rule's value; a longer line is an error and ignored
    /// (REP-SYNTAX-7).
    pub rule_limit: Option<usize>,

    // Lines
    /// Whether two words without a colon are a key and a value (REP-SYNTAX-14, REP-AMB-41).
    pub missing_colon: bool,
    /// Accepted spellings of the keys (REP-SYNTAX-18, REP-SYNTAX-19, REP-AMB-40).
    pub spellings: Spellings,
    /// Whether `Allow` is a rule; otherwise it is an unknown record (D94, WRR).
    pub allow: bool,

    // Groups
    /// Whether a blank line ends a group; a line that is only a comment is not blank
    /// (REP-SYNTAX-10, REP-AGENT-14, REP-AMB-3).
    pub blank_line_ends_group: bool,
    /// Whether a `Crawl-delay` closes the list of agents as a rule does (REP-AMB-4).
    pub crawl_delay_closes_agents: bool,
    /// Whether a `Content-Usage` closes the list of agents as a rule does (REP-AMB-5).
    pub content_usage_closes_agents: bool,
    /// Crawlers to which rules before the first user-agent line apply (REP-AGENT-10, REP-AMB-28).
    pub orphan_rules: OrphanRules,
    /// Whether a crawler's text that is not a product token is read as a User-Agent header, whose
    /// product tokens are then tried in order. Otherwise it is one literal token, which no group
    /// names (REP-AGENT-2, REP-AMB-13).
    pub reads_headers: bool,
    /// Part of a user-agent line's value that is the name (REP-AGENT-5, REP-AMB-11).
    pub agent_value: AgentValue,
    /// Whether a user-agent line may list several names with commas (REP-AGENT-8, REP-AMB-12). If
    /// so, a file of only short names takes up to 24 times its bytes of memory, instead of at most
    /// 8 times.
    pub agent_lists: bool,
    /// Comparison of a name with a crawler's token (REP-AGENT-6, REP-AGENT-23, REP-AMB-1).
    pub agent_match: AgentMatch,
    /// Groups that apply among those that name a crawler (REP-AGENT-26 and the table above it).
    pub named_groups: GroupsTaken,
    /// Groups that apply among those for `*`, to a crawler that no group names (REP-AMB-16).
    pub star_groups: GroupsTaken,
    /// Name that is tried before `*` for the crawlers of one family (V:yandex, V:bing).
    pub fallback: Option<Fallback>,

    // Targets and patterns
    /// Extraction of the target from a URL's text (REP-MATCH-1, REP-MATCH-5).
    pub url_split: UrlSplit,
    /// Schemes that have a robots.txt (REP-ACCESS-8, REP-AMB-52).
    pub schemes: Schemes,
    /// Percent-encodings that are equal (REP-MATCH-20).
    pub normal_form: NormalForm,
    /// Whether `*` and a final `$` are special in a pattern (REP-MATCH-16, REP-MATCH-19b).
    pub wildcards: bool,
    /// Whether a rule that begins with `//` names a host, as a URL reference does, and counts only
    /// if it is the host of the robots.txt. That host is known only in
    /// [`RobotRules`](crate::RobotRules) (REP-AGENT-41).
    pub network_path_rules: bool,
    /// Effect of an empty rule (REP-MATCH-14, REP-AMB-2).
    pub empty_rule: EmptyRule,
    /// Whether an `Allow` of `…/index.htm…` also allows `…/` (REP-MATCH-30, REP-AMB-24).
    pub index_html_allows_directory: bool,
    /// Whether `/robots.txt` itself is always allowed (REP-MATCH-6, REP-AMB-10).
    pub robots_txt_always_allowed: bool,

    // Verdicts
    /// Deciding rule among the matching ones (REP-MATCH-10 and the table above it).
    pub precedence: Precedence,
    /// URLs to which one robots.txt applies in a crawler with files of many sites (REP-ACCESS-2,
    /// REP-AGENT-40).
    pub scope: Scope,
}

impl Dialect {
    /// The published dialect with this name; ASCII case does not matter.
    pub fn named(name: &str) -> Option<Self> {
        name.parse().ok()
    }
}

impl FromStr for Dialect {
    type Err = UnknownName;

    /// The published dialect with this name, as [`named`](Self::named).
    ///
    /// # Errors
    ///
    /// If no published dialect has the name. The error lists all of them.
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        lookup("a dialect", name, &Self::PUBLISHED, |row| row.name)
    }
}

impl Default for Dialect {
    /// [`Dialect::RFC9309`].
    fn default() -> Self {
        Self::RFC9309
    }
}

impl fmt::Debug for Dialect {
    /// Only the name: the whole row would hide the rest of the surrounding value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dialect({})", self.name)
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}
