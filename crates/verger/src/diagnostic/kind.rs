//! Diagnostics: kind, name, severity, message.

use alloc::vec::Vec;
use core::fmt;

use crate::extension::InvalidValue;
use crate::span::Span;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "three degrees, as in editors")]
pub enum Severity {
    /// Information.
    Note,
    /// The file may open or close pages by accident, or other readers may read it differently.
    Warning,
    /// It has no effect, or another effect than it seems.
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
        /// The kind of a diagnostic.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum DiagnosticKind {
            $($(#[$doc])* $kind,)*
            /// The value of an extension does not have the expected form, so the record has no
            /// effect.
            InvalidValue(InvalidValue),
            /// An unknown key that looks like a known one (REP-SYNTAX-18, REP-AMB-40).
            MistakableKey {
                /// The usual spelling of the known key.
                looks_like: &'static str,
            },
            /// A misspelt key that is read (REP-SYNTAX-19, REP-AMB-40, REP-EXT-32).
            MisspeltKey {
                /// The usual spelling of the key that it is read as: `Disallow`.
                read_as: &'static str,
            },
        }

        impl DiagnosticKind {
            /// The names of all kinds.
            pub const CODES: &[&str] =
                &[$($code,)* "invalid-value", "mistakable-key", "misspelt-key"];

            /// A short, stable name.
            pub const fn code(self) -> &'static str {
                match self {
                    $(Self::$kind => $code,)*
                    Self::InvalidValue(_) => "invalid-value",
                    Self::MistakableKey { .. } => "mistakable-key",
                    Self::MisspeltKey { .. } => "misspelt-key",
                }
            }

            /// The severity.
            pub const fn severity(self) -> Severity {
                match self {
                    $(Self::$kind => Severity::$severity,)*
                    Self::InvalidValue(_) | Self::MistakableKey { .. } => Severity::Error,
                    Self::MisspeltKey { .. } => Severity::Warning,
                }
            }
        }

        impl fmt::Display for DiagnosticKind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$kind => f.write_str($message),)*
                    Self::InvalidValue(error) => fmt::Display::fmt(error, f),
                    Self::MistakableKey { .. } => f.write_str(
                        "the key looks like a known one, but is not; the line has no effect"
                    ),
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
        "the file is longer than the limit; the rest, including the cut line, has no effect";
    /// The file is longer than the byte limit of a dialect that ignores such a file (REP-SYNTAX-8,
    /// REP-AMB-22).
    CountsAsNone, "counts-as-none", Error,
        "the file is longer than the limit; this dialect ignores it, so everything is allowed";
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
        "a byte order mark is part of the key, which is therefore unknown";
    /// A NUL (REP-AMB-21).
    Nul, "nul", Warning, "the line contains a NUL byte; some readers end the line there";
    /// Bytes that are not UTF-8 (REP-ACCESS-30, REP-ACCESS-31).
    InvalidUtf8, "invalid-utf-8", Warning,
        "these bytes are not UTF-8; they match only URLs with exactly these bytes";
    /// A space that is not white space, such as U+00A0, at an end of a key or value (REP-AMB-42).
    ForeignSpace, "foreign-space", Warning,
        "a space other than blank and tab is part of the text";
    /// The dialect cuts the line (REP-SYNTAX-7).
    LineTooLong, "line-too-long", Warning,
        "the line is longer than the dialect's limit; it is cut, and the beginning is used";

    /// A line that is not a record (REP-SYNTAX-14).
    NoRecord, "no-record", Error, "expected a key, a colon and a value";
    /// A line without a key (REP-SYNTAX-16).
    EmptyKey, "empty-key", Error, "there is no key before the colon";
    /// White space instead of the colon (REP-SYNTAX-14, REP-AMB-41).
    MissingColon, "missing-colon", Warning,
        "the colon is missing; some readers skip the line";
    /// A key of other dialects, such as `Allow` in `orig1994` (REP-SYNTAX-20).
    ForeignKey, "foreign-key", Error,
        "the key is not part of this dialect; the line has no effect";
    /// An unknown key (REP-SYNTAX-20).
    UnknownKey, "unknown-key", Note, "the key is unknown; the line has no effect";

    /// A rule outside of every group (REP-AGENT-10, REP-AMB-3, REP-AMB-28).
    RuleOutsideGroup, "rule-outside-group", Error,
        "the rule is outside of all groups; it has no effect";
    /// A blank line between a group's user-agent lines and its rules (REP-AMB-3).
    BlankLineInGroup, "blank-line-in-group", Warning,
        "a blank line separates user-agent lines from their rules; some readers end the group \
         there";
    /// User-agent lines with another record between them share a group (REP-AMB-4, REP-EXT-6).
    AgentsJoined, "agents-joined", Warning,
        "this user-agent line joins the group above, because only rules close a list of agents: the \
         rules below are for all of them";
    /// A user-agent line that names no crawler (REP-AGENT-5, REP-AMB-27).
    NamesNobody, "names-nobody", Error, "this user-agent line names no crawler";
    /// A list of names, of which only the first counts (REP-AGENT-8, REP-AMB-12).
    AgentList, "agent-list", Error,
        "only the first name counts; give each crawler a separate user-agent line";
    /// Text after the name (REP-AGENT-5).
    AgentCut, "agent-cut", Note, "the text after the name does not count";
    /// A name outside RFC 9309's alphabet (REP-AGENT-7, REP-AMB-11).
    UnusualAgent, "unusual-agent", Warning,
        "the name has characters other than letters, `-` and `_`; some readers cut it there";

    /// A pattern that never matches (REP-MATCH-19, REP-AMB-9).
    PatternWithoutSlash, "pattern-without-slash", Error,
        "the pattern begins with neither `/` nor `*`, so it matches nothing";
    /// A `%` without two hex digits (REP-AMB-31).
    MalformedPercent, "malformed-percent", Warning,
        "a `%` without two hex digits after it is a literal `%`";
    /// A rule longer than the dialect's limit (REP-SYNTAX-7).
    OversizedRule, "oversized-rule", Error,
        "the rule is longer than the dialect's limit; it has no effect";

    /// A second `Crawl-delay` for the same agent lines (REP-EXT-4, REP-AMB-4, REP-AMB-53).
    RepeatedCrawlDelay, "repeated-crawl-delay", Warning,
        "these crawlers have a valid crawl-delay already; the first one counts";
    /// A sitemap, agentmap or schemamap that is not an absolute URL (REP-SYNTAX-34, REP-SYNTAX-41,
    /// REP-AMB-63).
    SitemapNotAbsolute, "sitemap-not-absolute", Warning,
        "expected an absolute http or https URL";
    /// A record for a group outside of all groups (REP-EXT-2, REP-AMB-55).
    RecordOutsideGroup, "record-outside-group", Warning,
        "the record is outside of all groups; it applies to no crawler";
    /// A known use with an unknown value, or as a parameter of another use (REP-EXT-30,
    /// REP-EXT-36).
    UnknownPreference, "unknown-preference", Error,
        "a known use has an unknown value or is a parameter; no preference is stated for it";
    /// A `Content-Usage` with a key outside the vocabulary (REP-EXT-36, REP-AMB-63).
    UnknownCategory, "unknown-category", Note,
        "a category of use is not in the vocabulary; its preference has no effect";
    /// A licence after a group's rules (REP-EXT-41).
    LicenseInGroup, "license-in-group", Note,
        "the licence applies only to the crawlers of the group above; to apply it to all others, put \
         it before the first user-agent line";
    /// `Noindex` or `Nofollow` (REP-EXT-25).
    NotHonoured, "not-honoured", Note, "no crawler honours this record any more";
}

/// One finding, with its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The kind.
    pub kind: DiagnosticKind,
    /// Byte offsets into [`Robots::text`](crate::Robots::text).
    pub span: Span,
}

impl Diagnostic {
    /// The severity.
    pub const fn severity(&self) -> Severity {
        self.kind.severity()
    }

    /// A short, stable name: `missing-colon`.
    pub const fn code(&self) -> &'static str {
        self.kind.code()
    }
}

impl fmt::Display for Diagnostic {
    /// The message, without the position.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.kind, f)
    }
}

/// Diagnostics up to a limit, and their total number.
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
/// for diagnostic in &diagnostics.list {
///     assert_eq!(diagnostic.severity(), Severity::Warning);
///     println!("line {}: {diagnostic}", robots.position(diagnostic.span.start).line);
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostics {
    /// The first [`DIAGNOSTICS`](crate::limits::DIAGNOSTICS) diagnostics, in file order; those
    /// about the whole file first.
    pub list: Vec<Diagnostic>,
    /// The number of all diagnostics.
    pub total: usize,
}
