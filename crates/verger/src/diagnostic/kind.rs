//! The kinds of diagnostics: name, severity, message.

use alloc::vec::{self, Vec};
use core::{fmt, slice};

use crate::extension::InvalidValue;
use crate::limits;
use crate::span::Span;

/// How much a diagnostic matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "three degrees, as in editors")]
pub enum Severity {
    /// Good to know.
    Note,
    /// It works here, and other readers may read it otherwise.
    Warning,
    /// Something that was written has no effect, or another one than it seems.
    Error,
}

impl Severity {
    /// `note`, `warning` or `error`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Declares the kinds in one table: variant, code, severity, message.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident, $code:literal, $severity:ident, $message:literal;)*) => {
        /// What was noticed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum DiagnosticKind {
            $($(#[$doc])* $kind,)*
            /// The value of an extension is not what it takes, so the record says nothing.
            InvalidValue(InvalidValue),
            /// A misspelt key that the dialect accepts (REP-SYNTAX-19, REP-AMB-40).
            MisspeltKey {
                /// The usual spelling of the key that it is read as: `Disallow`.
                read_as: &'static str,
            },
        }

        impl DiagnosticKind {
            /// A short name that stays the same.
            pub const fn code(self) -> &'static str {
                match self {
                    $(Self::$kind => $code,)*
                    Self::InvalidValue(_) => "invalid-value",
                    Self::MisspeltKey { .. } => "misspelt-key",
                }
            }

            /// How much it matters.
            pub const fn severity(self) -> Severity {
                match self {
                    $(Self::$kind => Severity::$severity,)*
                    Self::InvalidValue(_) => Severity::Error,
                    Self::MisspeltKey { .. } => Severity::Warning,
                }
            }
        }

        impl fmt::Display for DiagnosticKind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$kind => f.write_str($message),)*
                    Self::InvalidValue(error) => fmt::Display::fmt(error, f),
                    Self::MisspeltKey { read_as } => write!(
                        f,
                        "the key is misspelt; it is read as `{read_as}`, but not by every reader"
                    ),
                }
            }
        }
    };
}

kinds! {
    /// The byte limit cut the file (REP-SYNTAX-8, REP-AMB-22).
    Truncated, "truncated", Error,
        "the file is longer than the limit; what lies behind it, the cut line included, has no effect";
    /// The file is longer than the byte limit of a dialect that takes such a file for none
    /// (REP-SYNTAX-8, REP-AMB-22).
    CountsAsNone, "counts-as-none", Error,
        "the file is longer than the limit; in this dialect it counts as none: everything is allowed";
    /// The file is in UTF-16 (REP-AMB-20).
    Utf16, "utf-16", Warning,
        "the file is in UTF-16; many readers see no rules in it: save it as UTF-8";
    /// The file is in UTF-32 (REP-AMB-20).
    Utf32, "utf-32", Error, "the file is in UTF-32, which is not read: save it as UTF-8";
    /// A tenth of the file or more is NUL, as in UTF-16 without a byte order mark (REP-AMB-21).
    ManyNuls, "many-nuls", Error,
        "the file is full of NUL bytes: it looks like UTF-16 without a byte order mark";
    /// The file begins like a web page (REP-AMB-19).
    LooksLikeHtml, "looks-like-html", Warning,
        "the file looks like a web page; only lines that are records count";

    /// A byte order mark that is not dropped (REP-SYNTAX-3).
    ByteOrderMark, "byte-order-mark", Error,
        "a byte order mark stands here and is part of the key, which nobody knows then";
    /// A NUL (REP-AMB-21).
    Nul, "nul", Warning, "a NUL byte stands here; some readers end the line at it";
    /// Bytes that are not UTF-8 (REP-ACCESS-30, REP-ACCESS-31).
    InvalidUtf8, "invalid-utf-8", Warning,
        "these bytes are not UTF-8; they match only URLs with exactly these bytes";
    /// A space that is no white space, such as U+00A0, at an end of a key or value (REP-AMB-42).
    ForeignSpace, "foreign-space", Warning,
        "a space other than blank and tab stands here and is part of the text";
    /// The dialect cuts the line (REP-SYNTAX-7).
    LineTooLong, "line-too-long", Warning,
        "the line is longer than the dialect reads; it is cut, and what is left is used";

    /// A line that is no record (REP-SYNTAX-14).
    NoRecord, "no-record", Error, "expected a key, a colon and a value, but found none";
    /// A line without a key (REP-SYNTAX-16).
    EmptyKey, "empty-key", Error, "expected a key before the colon, but found none";
    /// White space where the colon belongs (REP-SYNTAX-14, REP-AMB-41).
    MissingColon, "missing-colon", Warning,
        "the colon is missing; some readers skip the line";
    /// A key that looks like one that counts, and does not (REP-SYNTAX-18, REP-AMB-40).
    MistakableKey, "mistakable-key", Error,
        "the key looks like one that counts, but it is not; the line has no effect";
    /// A key that other dialects know, such as `Allow` in `orig1994` (REP-SYNTAX-20).
    ForeignKey, "foreign-key", Error,
        "the key is not part of this dialect; the line has no effect";
    /// A key nobody knows (REP-SYNTAX-20).
    UnknownKey, "unknown-key", Note, "the key is not known; the line has no effect";

    /// A rule outside of every group (REP-AGENT-10, REP-AMB-3, REP-AMB-28).
    RuleOutsideGroup, "rule-outside-group", Error,
        "the rule stands in no group; it has no effect";
    /// A blank line between a group's user-agent lines and its rules (REP-AMB-3).
    BlankLineInGroup, "blank-line-in-group", Warning,
        "a blank line stands between user-agent lines and their rules; some readers end the group \
         at it";
    /// User-agent lines with another record between them share a group (REP-AMB-4, REP-EXT-6).
    AgentsJoined, "agents-joined", Warning,
        "this user-agent line joins the group above, because only rules close a list of agents: the \
         rules below are for all of them";
    /// A user-agent line that names nobody (REP-AGENT-5, REP-AMB-27).
    NamesNobody, "names-nobody", Error, "this user-agent line names no crawler";
    /// A list of names of which only the first counts (REP-AGENT-8, REP-AMB-12).
    AgentList, "agent-list", Error,
        "only the first name counts; give each crawler a user-agent line of its own";
    /// Text behind the name (REP-AGENT-5).
    AgentCut, "agent-cut", Note, "what stands behind the name does not count";
    /// A name outside RFC 9309's alphabet (REP-AGENT-7, REP-AMB-11).
    UnusualAgent, "unusual-agent", Warning,
        "the name has characters other than letters, `-` and `_`; some readers cut it there";

    /// A pattern that never matches (REP-MATCH-19, REP-AMB-9).
    PatternWithoutSlash, "pattern-without-slash", Error,
        "the pattern begins with neither `/` nor `*`, so it matches nothing";
    /// A `%` without two hex digits (REP-AMB-31).
    MalformedPercent, "malformed-percent", Warning,
        "a `%` without two hex digits behind it stands for itself";
    /// A rule longer than the dialect takes (REP-SYNTAX-7).
    OversizedRule, "oversized-rule", Error,
        "the rule is longer than the dialect takes; it has no effect";

    /// A second `Crawl-delay` for the same agent lines (REP-EXT-4, REP-AMB-4, REP-AMB-53).
    RepeatedCrawlDelay, "repeated-crawl-delay", Warning,
        "these crawlers have a valid crawl-delay already; the first one counts";
    /// A sitemap, agentmap or schemamap that is not an absolute URL (REP-SYNTAX-34, REP-SYNTAX-41, REP-AMB-63).
    SitemapNotAbsolute, "sitemap-not-absolute", Warning,
        "expected an absolute http or https URL, but found something else";
    /// A record for a group that stands in none (REP-EXT-2, REP-AMB-55).
    RecordOutsideGroup, "record-outside-group", Warning,
        "the record stands in no group; it is for nobody";
    /// A known use with another value than its two (REP-EXT-30, REP-EXT-36).
    UnknownPreference, "unknown-preference", Error,
        "a use that is known has a value that is not; nothing is stated for it";
    /// A `Content-Usage` with a key outside the vocabulary (REP-EXT-36, REP-AMB-63).
    UnknownCategory, "unknown-category", Note,
        "a category of use is not in the vocabulary; its preference has no effect";
    /// A licence behind a group's rules (REP-EXT-41).
    LicenseInGroup, "license-in-group", Note,
        "the licence is for the crawlers of the group above only; for all others put it before the \
         first user-agent line";
    /// `Noindex` or `Nofollow` (REP-EXT-25).
    NotHonoured, "not-honoured", Note, "nobody honours this record any more";
}

/// One thing noticed, with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Diagnostic {
    /// What was noticed.
    pub kind: DiagnosticKind,
    /// Where: byte offsets into [`Robots::text`].
    pub span: Span,
}

impl Diagnostic {
    /// How much it matters.
    pub const fn severity(&self) -> Severity {
        self.kind.severity()
    }

    /// A short name that stays the same: `missing-colon`.
    pub const fn code(&self) -> &'static str {
        self.kind.code()
    }
}

impl fmt::Display for Diagnostic {
    /// The message, without the place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.kind, f)
    }
}

/// Takes diagnostics: all of them (`Vec`), the first (`Option`), none (`()`), or by a closure.
pub trait Sink {
    /// Takes one.
    fn report(&mut self, diagnostic: Diagnostic);
}

impl Sink for () {
    fn report(&mut self, _diagnostic: Diagnostic) {}
}

impl Sink for Option<Diagnostic> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.get_or_insert(diagnostic);
    }
}

impl Sink for Vec<Diagnostic> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.push(diagnostic);
    }
}

impl<F: FnMut(Diagnostic)> Sink for F {
    fn report(&mut self, diagnostic: Diagnostic) {
        self(diagnostic);
    }
}

/// Diagnostics up to a limit, and how many there are in all.
///
/// # Examples
///
/// ```
/// use verger::Robots;
/// use verger::diagnostic::Severity;
///
/// let robots = Robots::parse("User-agent: *\nDissalow: /cart\n");
/// let diagnostics = robots.diagnostics();
/// assert_eq!(diagnostics.total, 1);
/// for diagnostic in &diagnostics {
///     assert_eq!(diagnostic.severity(), Severity::Warning);
///     println!("line {}: {diagnostic}", robots.position(diagnostic.span.start).line);
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostics {
    /// The first [`limits::DIAGNOSTICS`] of them, in file order; those about the whole file first.
    pub list: Vec<Diagnostic>,
    /// How many there are.
    pub total: usize,
}

impl Diagnostics {
    /// The diagnostics that are kept, in order.
    pub fn iter(&self) -> slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Sink for Diagnostics {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.total += 1;
        if self.list.len() < limits::DIAGNOSTICS {
            self.list.push(diagnostic);
        }
    }
}
