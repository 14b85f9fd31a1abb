//! What must hold for an entry: one variant for each class of claim.
//!
//! An entry carries a list of claims and all of them hold. Over and above them, always: no panic,
//! no abort, and work linear in the bytes, in every dialect; memory of a parsed file at most
//! [`MEMORY_TIMES`] its size and [`MEMORY_PLUS`]. Times have budgets in the benchmark, not here.

use std::time::Duration;

use super::check::{Answers, Check};
use super::recipe::Recipe;

/// Memory of a parsed file: at most so many times its bytes …
pub const MEMORY_TIMES: usize = 8;
/// … and so many bytes besides.
pub const MEMORY_PLUS: usize = 4096;

/// One claim about an entry.
#[derive(Clone, Debug)]
pub enum Expect {
    /// The question of [`Check`] gets its answers.
    Verdict(Check),
    /// The path is decided by the rule on this line, in both dialects; lines count from 1.
    Line {
        /// Path and query, under the origin and for the agent of the other questions.
        path: &'static str,
        /// The line of the deciding rule.
        line: usize,
    },
    /// Dialect `rfc9309` finds so many groups, counted where they start: equal names are merged
    /// later, when rules are selected.
    Groups(usize),
    /// The default size limit ended the text, or not; never in dialect `google`.
    Truncated(bool),
    /// The typed crawl delay of the `*` group.
    CrawlDelay(Delay),
    /// The typed request rate of the `*` group.
    RequestRate(Rate),
    /// The Sitemap lines, as values.
    Sitemaps(Sitemaps),
    /// The number of Sitemap lines, all different.
    SitemapCount(usize),
    /// Something to report beside the result; it never changes an answer.
    Noticed(Notice),
    /// A bound on work or on what is reported.
    Within(Bound),
    /// The entry is a URL; this is what it is compared as.
    Target(Target),
    /// The entry is a URL of an equivalence class.
    Class(Class),
    /// The entry is a URL outside the scope of this origin's robots: no answer from it, above all
    /// not "allowed".
    OutOfScope {
        /// The origin that the robots came from.
        origin: &'static str,
    },
    /// The entry is an agent: is it a product token of RFC 9309 (letters, `-`, `_`)? Others are
    /// accepted and reported (REP-AMB-11).
    ProductToken(bool),
    /// The entry is a list of agents, one on each line, most specific first.
    AgentList(AgentList),
    /// The entry must be refused as a User-Agent header or a part of it.
    NoHeader,
    /// The entry is header lines; this holds for an agent, combined as Google does.
    HeaderSays {
        /// Who asks.
        agent: &'static str,
        /// The directives that hold, as `PageDirectives` shows them.
        holds: &'static str,
        /// Whether something was left out and told.
        truncated: bool,
    },
    /// The entry is a header line with one item that states nothing; its text is kept.
    HeaderKeeps(&'static [u8]),
    /// The entry is a page; this holds for an agent, combined as Google does.
    PageSays {
        /// Who asks.
        agent: &'static str,
        /// The directives that hold, as `PageDirectives` shows them.
        holds: &'static str,
        /// Why the scan ended before the page.
        stop: Option<&'static str>,
    },
    /// The entry is a robots text whose rule is shown in a sink.
    Shown(Shown),
    /// The entry is a file name: an operand, never an option, never a second line of output.
    FileName,
    /// The entry is a file name that a shell may offer when it completes a command line: the program's
    /// completions are the same whatever files there are, and hand no name to the shell to be run.
    Completion,
    /// The entry is a list of URLs whose answers nobody reads to the end: exit quietly.
    BrokenPipe,
    /// The entry is a list of URLs checked with standard output closed: no panic.
    StdoutClosed,
}

/// What a Crawl-delay value means (REP-EXT-4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delay {
    /// No delay; reported.
    Invalid,
    /// This delay, to the millisecond.
    Exactly(Duration),
    /// More than a day, so a day.
    OneDay,
}

/// What a Request-rate value means (REP-EXT-11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// No rate; reported.
    Invalid,
    /// So many documents in so many seconds.
    Every {
        /// Documents.
        documents: u64,
        /// Seconds.
        seconds: u64,
        /// Start and end of the window as `HHMM`, UTC.
        window: Option<(u16, u16)>,
    },
    /// A count no integer holds: no rate or a saturated one, but never a small wrapped one.
    Huge,
}

/// What a file's Sitemap lines give, by dialect: distinct values in the order they first occur.
#[derive(Clone, Debug)]
pub struct Sitemaps {
    /// In dialect `rfc9309`.
    pub rfc9309: Vec<SitemapLine>,
    /// In dialect `google`.
    pub google: Vec<SitemapLine>,
}

/// One Sitemap value: text that is kept, and the URL that may be offered beside it.
#[derive(Clone, Debug)]
pub struct SitemapLine {
    /// The value as written, comment and outer white space removed.
    pub raw: Recipe,
    /// The URL beside the text.
    pub url: SitemapUrl,
}

/// The URL of a Sitemap line: only an absolute http or https URL is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SitemapUrl {
    /// None may be offered.
    Absent,
    /// The value, as it stands.
    AsWritten,
    /// A WHATWG parser makes another text of the value.
    Becomes {
        /// What it makes of it.
        parsed: &'static str,
        /// Whether the engine, which reads without such a parser, offers the value as it stands;
        /// otherwise it offers nothing.
        offered: bool,
    },
    /// The value is an absolute URL to RFC 3986, but its host is none to a WHATWG parser. The engine,
    /// which reads without one, offers the value as it stands (REP-SYNTAX-41).
    NoHost,
    /// The value is longer than [`SITEMAP_MAX`]: it is reported, and no URL is offered.
    TooLong,
}

/// Bytes of a Sitemap value beyond which it is too long for a URL.
pub const SITEMAP_MAX: usize = 8 * 1024;

/// What should be reported beside the result. Which crate reports it is not said here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The text is not, or not all, UTF-8; or it was transcoded.
    Encoding,
    /// A byte order mark that is second, or not at the start. Of a part of one nothing asks for more
    /// than to be told that these bytes are not UTF-8 (REP-AMB-39).
    ByteOrderMark,
    /// Space of Unicode where only ASCII white space counts.
    Space,
    /// A NUL byte.
    Nul,
    /// A rule before the first User-agent line.
    RuleBeforeAgent,
    /// A key that no record has.
    UnknownKey,
    /// The body looks like a page, not like robots.txt.
    Html,
}

/// A bound on one entry, beyond the general ones of this module.
#[derive(Clone, Debug)]
pub enum Bound {
    /// A check of this URL, which is dear to match: its answers agree and its memory is bounded, and the
    /// benchmark takes its time.
    Check(Recipe),
    /// At most so many notices are kept, and the rest is counted.
    Notices(usize),
}

/// How a URL text is read: offline by each dialect, live by the client.
#[derive(Clone, Debug)]
pub struct Target {
    /// Offline in dialect `rfc9309`.
    pub rfc9309: Offline,
    /// Offline in dialect `google`, which accepts any string: the path as its library cuts it.
    pub google: Recipe,
    /// Live, after WHATWG parsing.
    pub live: Live,
}

/// The offline reading of a URL text in dialect `rfc9309`.
///
/// A target is written in normal form, so `Disallow: TARGET$` is a rule that matches it and
/// nothing else.
#[derive(Clone, Debug)]
pub enum Offline {
    /// Compared as this target.
    Target(Recipe),
    /// A scheme without authority has no robots.txt: allowed whatever the rules (REP-ACCESS-8).
    NoRobots,
    /// Neither scheme and host nor a path: disallowed (REP-AMB-62). A program reports an error.
    NotAUrl,
}

/// The live reading of a URL text, by the WHATWG URL standard as the `url` crate 2.5.8 reads it.
#[derive(Clone, Debug)]
pub enum Live {
    /// A request to this origin. Userinfo and fragment are gone from key, request and logs.
    Request {
        /// The scheme.
        scheme: &'static str,
        /// The host: lower-case ASCII, or a canonical address.
        host: &'static str,
        /// The port, the default one filled in.
        port: u16,
        /// Path and query as sent.
        target: Recipe,
    },
    /// A URL whose scheme has no authority: no robots.txt.
    NoRobots,
    /// Not a URL: a typed error.
    Invalid,
    /// The parser may accept it, but no name of this length exists: a typed error before any
    /// IDNA work and before DNS.
    HostTooLong,
    /// Not UTF-8, so not a text for a URL parser: a typed error, or U+FFFD for the bad bytes.
    NotText,
}

/// The class of a URL: its members get one verdict, whatever the rules.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// The common target, which names the class.
    pub name: &'static str,
    /// The answers to each text of [`super::CLASS_ROBOTS`].
    pub allowed: [Answers; 5],
}

/// A list of agents in one question.
#[derive(Clone, Debug)]
pub struct AgentList {
    /// How many.
    pub count: usize,
    /// More than the sixteen that one question of the API or the one-shot takes.
    pub over_limit: bool,
    /// A robots text that names the last of them only.
    pub robots: Recipe,
    /// The answers for the list as a chain in `rfc9309` and as a union in `google`.
    pub allowed: Answers,
}

/// A rule with hostile text, and the sink that shows it.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// Where it is shown.
    pub sink: Sink,
    /// The pattern as the default dialect reads it.
    pub pattern: &'static [u8],
    /// The pattern as a human sink may spell it.
    pub spelt: &'static str,
}

/// Where text leaves the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sink {
    /// What people read, on a terminal or in a pipe: no byte that [`super::unescaped`] finds.
    Terminal,
    /// A log: the same, and one event is one line.
    Log,
    /// JSON: valid, and a string that reads back as the pattern (bytes that are not UTF-8 as the
    /// documentation says).
    Json,
    /// An error message: escaped, and a quotation is cut to 200 characters.
    Error,
}
