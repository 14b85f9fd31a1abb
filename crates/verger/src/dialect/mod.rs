//! Dialects: each published reading of the protocol as one row of choices.
//!
//! # Flow
//!
//! A [`Dialect`] is plain data. Parsing, group selection, normal form and precedence read its fields
//! where they have to choose; nothing anywhere asks which dialect it is. The published rows stand in
//! `published.rs`, one beside the other. A row of your own starts from one of them:
//!
//! ```
//! use verger::{Dialect, dialect::Spellings};
//!
//! const STRICT: Dialect = {
//!     let mut row = Dialect::RFC9309;
//!     row.name = "strict";
//!     row.spellings = Spellings::Exact;
//!     row.missing_colon = false;
//!     row
//! };
//! let robots = STRICT.parse("User-agent: *\nDissalow: /x\nDisallow /y");
//! assert!(robots.check("ExampleBot", "https://shop.example/x").is_allowed());
//! assert!(robots.check("ExampleBot", "https://shop.example/y").is_allowed());
//! ```
//!
//! # References
//!
//! The clause behind each choice is named at its field (`REP-…`, listed in `docs/clauses.md`).

mod choice;
mod published;

use core::fmt;
use core::str::FromStr;

pub use choice::{
    AgentMatch, AgentValue, ByteOrderMark, EmptyRule, Fallback, GroupsTaken, NormalForm,
    OrphanRules, Oversize, Precedence, Schemes, Scope, Spellings, UrlSplit,
};

use crate::named::{UnknownName, lookup};

/// One reading of the Robots Exclusion Protocol: a value, a row of choices.
///
/// Every field is public and every combination is legal. Two dialects are equal when all their
/// choices are, the name included.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is a yes-or-no choice of the table")]
pub struct Dialect {
    /// What the row is called: `rfc9309`, or a name of your own.
    pub name: &'static str,

    // Bytes
    /// Bytes of the text that count; `None`: all (REP-SYNTAX-8).
    pub byte_limit: Option<usize>,
    /// What a text beyond [`byte_limit`](Self::byte_limit) means (REP-SYNTAX-8, REP-AMB-22).
    pub oversize: Oversize,
    /// What is dropped of a UTF-8 byte order mark at the start (REP-SYNTAX-3, REP-AMB-39).
    pub byte_order_mark: ByteOrderMark,
    /// Whether a text that begins with a UTF-16 byte order mark is decoded (REP-AMB-20).
    pub utf16: bool,
    /// Whether a NUL ends the content of its line (REP-SYNTAX-6, REP-AMB-21).
    pub nul_ends_line: bool,
    /// Bytes of a line that count; the cut line is used (REP-SYNTAX-7, REP-AMB-22).
    pub line_limit: Option<usize>,
    /// Characters of a rule's value beyond which the line is an error and ignored (REP-SYNTAX-7).
    pub rule_limit: Option<usize>,

    // Lines
    /// Whether two words without a colon are a key and a value (REP-SYNTAX-14, REP-AMB-41).
    pub missing_colon: bool,
    /// Which spellings of the keys are accepted (REP-SYNTAX-18, REP-SYNTAX-19, REP-AMB-40).
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
    /// Whom rules before the first user-agent line are for (REP-AGENT-10, REP-AMB-28).
    pub orphan_rules: OrphanRules,
    /// Whether a crawler's text that is no product token is read as a User-Agent header: the product
    /// tokens in it are looked for, in order. Otherwise it is one literal token, which no group names
    /// (REP-AGENT-2, REP-AMB-13).
    pub reads_headers: bool,
    /// How much of a user-agent line's value is the name (REP-AGENT-5, REP-AMB-11).
    pub agent_value: AgentValue,
    /// Whether a user-agent line may list several names with commas (REP-AGENT-8, REP-AMB-12). With it a
    /// file of nothing but short names costs up to 24 times its bytes, where others cost at most 8.
    pub agent_lists: bool,
    /// When a name addresses a crawler (REP-AGENT-6, REP-AGENT-23, REP-AMB-1).
    pub agent_match: AgentMatch,
    /// Which of the groups that name a crawler apply (REP-AGENT-26 and the table above it).
    pub named_groups: GroupsTaken,
    /// Which of the `*` groups apply to a crawler that no group names (REP-AMB-16).
    pub star_groups: GroupsTaken,
    /// A name that crawlers of one family are looked for by before `*` (V:yandex, V:bing).
    pub fallback: Option<Fallback>,

    // Targets and patterns
    /// How the target is cut out of a URL's text (REP-MATCH-1, REP-MATCH-5).
    pub url_split: UrlSplit,
    /// Which schemes have a robots.txt at all (REP-ACCESS-8, REP-AMB-52).
    pub schemes: Schemes,
    /// Which percent-encodings are the same (REP-MATCH-20).
    pub normal_form: NormalForm,
    /// Whether `*` and a final `$` are special in a pattern (REP-MATCH-16, REP-MATCH-19b).
    pub wildcards: bool,
    /// Whether a rule that begins with `//` names a host, as a URL reference does, and counts only when
    /// that is the host of the robots.txt. It can be told only where that host is known, in
    /// [`RobotRules`](crate::RobotRules) (REP-AGENT-41).
    pub network_path_rules: bool,
    /// What an empty rule says (REP-MATCH-14, REP-AMB-2).
    pub empty_rule: EmptyRule,
    /// Whether an `Allow` of `…/index.htm…` also allows `…/` (REP-MATCH-30, REP-AMB-24).
    pub index_html_allows_directory: bool,
    /// Whether `/robots.txt` itself is always allowed (REP-MATCH-6, REP-AMB-10).
    pub robots_txt_always_allowed: bool,

    // Verdicts
    /// Which of the matching rules decides (REP-MATCH-10 and the table above it).
    pub precedence: Precedence,
    /// What one robots.txt covers when a crawler keeps those of many sites (REP-ACCESS-2,
    /// REP-AGENT-40).
    pub scope: Scope,
}

impl Dialect {
    /// The published dialect of a name; ASCII case does not matter.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Dialect;
    ///
    /// assert_eq!(Dialect::named("google"), Some(Dialect::GOOGLE));
    /// assert_eq!(Dialect::named("Google"), Some(Dialect::GOOGLE));
    /// assert_eq!(Dialect::named("gopher"), None);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        name.parse().ok()
    }
}

impl FromStr for Dialect {
    type Err = UnknownName;

    /// The published dialect of a name, as [`named`](Self::named).
    ///
    /// # Errors
    ///
    /// No published dialect has the name. The error lists all of them.
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
    /// The name alone: the whole row would bury everything that holds one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dialect({})", self.name)
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}
