//! Expectations for an entry: one variant for each kind of claim.
//!
//! All claims of an entry must hold. In addition, for every entry and dialect: no panic, no abort,
//! work linear in the bytes, and memory of a parsed file at most [`MEMORY_TIMES`] its size plus
//! [`MEMORY_PLUS`]. The benchmark has the time budgets.

use std::time::Duration;

use super::check::{AGENT, Answers, Check, ORIGIN, Part};
use super::recipe::{Recipe, text};

/// Memory of a parsed file: at most this multiple of its size …
pub const MEMORY_TIMES: usize = 8;
/// … plus this number of bytes.
pub const MEMORY_PLUS: usize = 4096;

/// One claim about an entry.
#[derive(Clone, Debug)]
pub enum Expect {
    /// The question of [`Check`] has these answers.
    Verdict(Check),
    /// The rule on this line decides the path, in both dialects. Lines count from 1.
    Line {
        /// Path and query, for the origin and agent of the other questions.
        path: &'static str,
        /// The line of the deciding rule.
        line: usize,
    },
    /// Number of groups in dialect `rfc9309`, counted where they start: groups of equal names are
    /// merged later, during selection.
    Groups(usize),
    /// Whether the default size limit cut the text; never in dialect `google`.
    Truncated(bool),
    /// The typed crawl delay of the `*` group.
    CrawlDelay(Delay),
    /// The typed request rate of the `*` group.
    RequestRate(Rate),
    /// The values of the Sitemap lines.
    Sitemaps(Sitemaps),
    /// The number of Sitemap lines, all different.
    SitemapCount(usize),
    /// A diagnostic; it never changes an answer.
    Noticed(Notice),
    /// A limit on work or on diagnostics.
    Within(Bound),
    /// The entry is a URL with this target.
    Target(Target),
    /// The entry is a URL of an equivalence class.
    Class(Class),
    /// The entry is a URL outside the scope of this origin's robots.txt: there is no answer, and
    /// never "allowed".
    OutOfScope {
        /// The origin of the robots.txt.
        origin: &'static str,
    },
    /// The entry is an agent. Whether it is a product token of RFC 9309 (letters, `-`, `_`). Others
    /// are accepted and reported (REP-AMB-11).
    ProductToken(bool),
    /// The entry is a list of agents, one on each line, most specific first.
    AgentList(AgentList),
    /// The entry must be rejected as a User-Agent header or a part of it.
    NoHeader,
    /// The entry is header lines; the directives for an agent, combined as Google does.
    HeaderSays {
        /// The agent.
        agent: &'static str,
        /// The directives, as `PageDirectives` displays them.
        holds: &'static str,
        /// Whether a limit cut the header, and this was reported.
        truncated: bool,
    },
    /// The entry is a header line with one unknown item, which is preserved as this text.
    HeaderKeeps(&'static [u8]),
    /// The entry is a page; the directives for an agent, combined as Google does.
    PageSays {
        /// The agent.
        agent: &'static str,
        /// The directives, as `PageDirectives` displays them.
        holds: &'static str,
        /// Reason that the scan ended before the end of the page.
        stop: Option<&'static str>,
    },
    /// The entry is a robots text whose rule is displayed in a sink.
    Shown(Shown),
    /// The entry is a file name: always an operand, never an option, never a second line of output.
    FileName,
    /// The entry is a file name that a shell may offer as a completion. The program's completion
    /// scripts do not depend on files, and give the shell no name to execute.
    Completion,
    /// The entry is a list of URLs, and the reader closes the output early: the program exits
    /// quietly.
    BrokenPipe,
    /// The entry is a list of URLs, checked with standard output closed: no panic.
    StdoutClosed,
}

/// Meaning of a Crawl-delay value (REP-EXT-4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delay {
    /// No delay; reported.
    Invalid,
    /// This delay, to the millisecond.
    Exactly(Duration),
    /// More than a day, reduced to a day.
    OneDay,
}

/// Meaning of a Request-rate value (REP-EXT-11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// No rate; reported.
    Invalid,
    /// A number of documents in a number of seconds.
    Every {
        /// Number of documents.
        documents: u64,
        /// Number of seconds.
        seconds: u64,
        /// Start and end of the window as `HHMM`, UTC.
        window: Option<(u16, u16)>,
    },
    /// A count that no integer can hold: no rate or a saturated one, never a small wrapped one.
    Huge,
}

/// Values of a file's Sitemap lines, by dialect: distinct values in order of first occurrence.
#[derive(Clone, Debug)]
pub struct Sitemaps {
    /// In dialect `rfc9309`.
    pub rfc9309: Vec<SitemapLine>,
    /// In dialect `google`.
    pub google: Vec<SitemapLine>,
}

/// One Sitemap value: its text, and the URL offered with it.
#[derive(Clone, Debug)]
pub struct SitemapLine {
    /// The value as written, without comment and outer white space.
    pub raw: Recipe,
    /// The URL.
    pub url: SitemapUrl,
}

/// The URL of a Sitemap line. Only an absolute http or https URL is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SitemapUrl {
    /// No URL may be offered.
    Absent,
    /// The value, unchanged.
    AsWritten,
    /// A WHATWG parser changes the value.
    Becomes {
        /// The value after WHATWG parsing.
        parsed: &'static str,
        /// Whether the engine, which has no such parser, offers the unchanged value; otherwise it
        /// offers nothing.
        offered: bool,
    },
    /// The value is an absolute URL by RFC 3986, but its host is invalid for a WHATWG parser. The
    /// engine, which has no such parser, offers the unchanged value (REP-SYNTAX-41).
    NoHost,
    /// The value is longer than [`SITEMAP_MAX`]: it is reported, and no URL is offered.
    TooLong,
}

/// Maximum length of a Sitemap value as a URL, in bytes.
pub const SITEMAP_MAX: usize = 8 * 1024;

/// Expected diagnostics. They do not say which crate reports them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The text is not entirely UTF-8, or it was transcoded.
    Encoding,
    /// A second byte order mark, or one that is not at the start. For a partial mark, a report of
    /// invalid UTF-8 is enough (REP-AMB-39).
    ByteOrderMark,
    /// Unicode white space where only ASCII white space counts.
    Space,
    /// A NUL byte.
    Nul,
    /// A rule before the first User-agent line.
    RuleBeforeAgent,
    /// An unknown key.
    UnknownKey,
    /// The body looks like HTML, not like robots.txt.
    Html,
}

/// A limit for one entry, in addition to the general ones of this module.
#[derive(Clone, Debug)]
pub enum Bound {
    /// A check of this URL, which is expensive to match: its answers agree and its memory is
    /// limited. The benchmark measures its time.
    Check(Recipe),
    /// Maximum number of stored diagnostics; the others are counted.
    Notices(usize),
}

/// Interpretation of a URL text: offline by each dialect, live by the client.
#[derive(Clone, Debug)]
pub struct Target {
    /// Offline in dialect `rfc9309`.
    pub rfc9309: Offline,
    /// Offline in dialect `google`, which accepts any string: the path as its library extracts it.
    pub google: Recipe,
    /// Live, after WHATWG parsing.
    pub live: Live,
}

/// Offline interpretation of a URL text in dialect `rfc9309`.
///
/// A target is in normal form, so `Disallow: TARGET$` is a rule that matches only it.
#[derive(Clone, Debug)]
pub enum Offline {
    /// Compared as this target.
    Target(Recipe),
    /// A scheme without authority has no robots.txt: always allowed (REP-ACCESS-8).
    NoRobots,
    /// Neither scheme and host nor a path: disallowed (REP-AMB-62). A program reports an error.
    NotAUrl,
}

/// Live interpretation of a URL text, by the WHATWG URL standard as implemented by the `url` crate
/// 2.5.8.
#[derive(Clone, Debug)]
pub enum Live {
    /// A request to this origin. Userinfo and fragment are removed from key, request and logs.
    Request {
        /// The scheme.
        scheme: &'static str,
        /// The host: lower-case ASCII, or a canonical address.
        host: &'static str,
        /// The port, explicit even for the default.
        port: u16,
        /// Path and query as sent.
        target: Recipe,
    },
    /// A URL whose scheme has no authority: it has no robots.txt.
    NoRobots,
    /// Not a URL: a typed error.
    Invalid,
    /// The parser may accept it, but no host name is this long: a typed error before any IDNA work
    /// and before DNS.
    HostTooLong,
    /// Not UTF-8, so not text for a URL parser: a typed error, or U+FFFD for the invalid bytes.
    NotText,
}

/// The class of a URL. All members get the same verdict for all rules.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// The common target, which is the name of the class.
    pub name: &'static str,
    /// The answers to each text of [`super::CLASS_ROBOTS`].
    pub allowed: [Answers; 5],
}

/// A list of agents in one question.
#[derive(Clone, Debug)]
pub struct AgentList {
    /// Number of agents.
    pub count: usize,
    /// Whether there are more than the sixteen that one question of the API or the one-shot answer
    /// accepts.
    pub over_limit: bool,
    /// A robots text that names only the last agent.
    pub robots: Recipe,
    /// The answers: for the list as a chain in `rfc9309`, as a union in `google`.
    pub allowed: Answers,
}

/// A rule with hostile text, and the sink that displays it.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// The sink.
    pub sink: Sink,
    /// The pattern as the default dialect reads it.
    pub pattern: &'static [u8],
    /// The pattern as a sink for people may display it.
    pub spelt: &'static str,
}

/// An output of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sink {
    /// Text for people, on a terminal or in a pipe: without any byte that [`super::unescaped`]
    /// finds.
    Terminal,
    /// A log: as for a terminal, and one event is one line.
    Log,
    /// Valid JSON with a string that decodes to the pattern (for bytes that are not UTF-8, see the
    /// documentation).
    Json,
    /// An error message: escaped, with quotations cut to 200 characters.
    Error,
}

/// A row of a table: a path and query under [`ORIGIN`], and the answers for [`AGENT`].
pub(super) type Probe = (&'static [u8], Answers);

/// Returns the URL of a path under [`ORIGIN`].
pub(super) fn url(path: impl Into<Recipe>) -> Recipe {
    text(ORIGIN).then(path)
}

/// Returns the claim that the entry, as robots text, gives these answers for [`AGENT`].
pub(super) fn answers(path: impl Into<Recipe>, allowed: Answers) -> Expect {
    answers_as(AGENT, path, allowed)
}

/// Returns the claim that the entry, as robots text, gives these answers for an agent.
pub(super) fn answers_as(
    agent: impl Into<Recipe>,
    path: impl Into<Recipe>,
    allowed: Answers,
) -> Expect {
    Expect::Verdict(Check {
        robots: Part::Entry,
        agent: Part::Given(agent.into()),
        url: Part::Given(url(path)),
        allowed,
    })
}

/// Returns the claim that the entry, as agent, gets these answers from a robots text.
pub(super) fn robots_answers(
    robots: impl Into<Recipe>,
    path: &'static str,
    allowed: Answers,
) -> Expect {
    Expect::Verdict(Check {
        robots: Part::Given(robots.into()),
        agent: Part::Entry,
        url: Part::Given(url(path)),
        allowed,
    })
}

/// Returns the claims of a row of probes.
pub(super) fn probes(probes: &[Probe]) -> Vec<Expect> {
    probes.iter().map(|&(path, allowed)| answers(path, allowed)).collect()
}
