//! Forms that a case can contain: variations in robots.txt files and URLs.

use super::octet::Octet;

/// Declares [`Form`]. Each text is both documentation and name.
macro_rules! forms {
    ($($(#[$note:meta])* $section:ident { $($form:ident: $name:literal,)* })*) => {
        /// Subject of a [`Form`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum Section {
            $($(#[$note])* $section,)*
        }

        /// A variation that a case can contain.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Form {
            $($(#[doc = $name] $form,)*)*
        }

        impl Form {
            /// Every form, in order of declaration.
            pub const ALL: &[Self] = &[$($(Self::$form,)*)*];

            /// A short description.
            pub const fn name(self) -> &'static str {
                match self {
                    $($(Self::$form => $name,)*)*
                }
            }

            /// Its subject.
            pub(super) const fn section(self) -> Section {
                match self {
                    $($(Self::$form)|* => Section::$section,)*
                }
            }
        }
    };
}

forms! {
    /// Spellings of keys and separators.
    Keys {
        KeyUserAgentJoined: "key `useragent`",
        KeyUserAgentSpaced: "key `user agent`",
        KeyDissallow: "key `dissallow`",
        KeyDissalow: "key `dissalow`",
        KeyDisalow: "key `disalow`",
        KeyDiasllow: "key `diasllow`",
        KeyDisallaw: "key `disallaw`",
        KeyOnlyBegins: "key that only begins like one (`disallowed`)",
        KeyNearMiss: "key no reader knows (`dis-allow`, `alow`)",
        KeyMarkup: "key after markup (`<p>Disallow`)",
        KeyUpperCase: "key in upper case",
        KeyMixedCase: "key in mixed case",
        KeyEmpty: "line without a key",
        ColonMissing: "two words, no colon",
        ColonMissingThreeWords: "three words, no colon",
        ColonMissingInValue: "no colon but one in the value",
        ColonDoubled: "two colons",
    }
    /// White space and comments.
    Space {
        SpaceNone: "no white space after the colon",
        SpaceBeforeColon: "white space before the colon",
        SpaceTab: "tab for a space",
        SpaceVerticalTabOrFormFeed: "vertical tab or form feed for a space",
        SpaceNoBreak: "no-break space for a space",
        SpaceIndented: "white space before the key",
        SpaceTrailing: "white space after the value",
        CommentLine: "line with only a comment",
        CommentIndented: "comment line after white space",
        CommentTrailing: "comment after a value",
        CommentGlued: "comment glued to a value",
        CommentForValue: "comment in place of a value",
        CommentCutsKey: "comment before the colon",
    }
    /// Bytes and line ends.
    Bytes {
        EndsCr: "lines end with CR",
        EndsCrlf: "lines end with CRLF",
        EndsMixed: "line ends of several kinds",
        EndsLfCr: "LF CR: two line ends",
        EndOfLastLineMissing: "no end after the last line",
        NoLineEnd: "U+2028 or U+0085, which end no line",
        Mark: "UTF-8 byte order mark",
        MarkTwice: "second byte order mark",
        MarkPartial: "half a byte order mark",
        MarkLater: "byte order mark inside the file",
        Utf16Little: "UTF-16, little-endian",
        Utf16Big: "UTF-16, big-endian",
        Utf16Broken: "UTF-16 with broken units",
        Utf32Mark: "UTF-32 byte order mark",
        Nul: "NUL in a line",
        LineOverLong: "line longer than 16,663 bytes",
    }
    /// The order of records.
    Groups {
        BlankAmongAgents: "blank line after a user-agent line",
        BlankAmongRules: "blank line among rules",
        BlankOfSpaces: "blank line of white space",
        OtherAmongAgents: "other record after a user-agent line",
        OtherAmongRules: "other record among rules",
        JunkAmongAgents: "junk after a user-agent line",
        RuleBeforeAgent: "rule before any user-agent line",
        RuleEmptyAllow: "empty Allow",
        RuleEmptyDisallow: "empty Disallow",
        RuleRepeated: "repeated rule",
        GroupWithoutRules: "group without rules",
        GroupsForStar: "several groups for `*`",
        GroupsForToken: "several groups for the token",
        GroupForStarAndToken: "group for `*` and the token",
    }
    /// Values of user-agent lines.
    Agents {
        AgentVersion: "agent with a version",
        AgentWords: "agent with more words",
        AgentDigits: "agent with digits",
        AgentCommaList: "agents in a comma list",
        AgentPunctuation: "agent before `;` or `(`",
        AgentStarAfter: "agent with `*` after it",
        AgentOtherCase: "agent in another case",
        AgentBeginsToken: "agent that the token begins with",
        AgentInToken: "agent that is a part of the token",
        AgentLonger: "agent that is longer than the token",
        AgentEmpty: "agent line without a value",
        AgentNotAscii: "agent that is not ASCII",
        StarWithText: "`*` with text after a space",
        StarGlued: "`*` with text glued to it",
        StarInList: "`*` in a comma list",
    }
    /// Names of crawlers.
    Crawlers {
        CrawlerChain: "chain of tokens",
        CrawlerOtherCase: "token in another case",
        CrawlerWithDigits: "token with digits",
        CrawlerWithVersion: "token with a version",
        CrawlerUnnamed: "token that no line names",
        CrawlerEmpty: "empty token, or none",
    }
    /// Rules, except the spelling of their octets.
    Patterns {
        PatternWithoutSlash: "rule without a slash in front",
        PatternOfUrl: "rule that is a whole URL",
        PatternLeadingStar: "rule with a star in front",
        PatternDoubledStar: "rule with a doubled star",
        PatternInnerStar: "rule with a star inside",
        PatternTrailingStar: "rule with a star at its end",
        PatternStarDollar: "rule that ends in `*$`",
        PatternDollar: "rule with `$` at its end",
        PatternInnerDollar: "rule with `$` inside",
        PatternDoubledDollar: "rule that ends in `$$`",
        PatternDollarStar: "rule that ends in `$*`",
        PatternIndexHtml: "rule for an index page",
        PatternRobotsTxt: "rule for robots.txt",
        PatternLong: "rule longer than 1,024 characters",
        PatternTie: "rule as long as one of the other kind",
    }
    /// Octets in rules.
    RuleOctets {
        RuleEscapedUnreserved: "rule: unreserved, escaped",
        RuleEscapedReserved: "rule: reserved, escaped",
        RuleEscapedSlash: "rule: slash, escaped",
        RuleEscapedPercent: "rule: `%25`",
        RuleEscapedStar: "rule: `%2A`",
        RuleEscapedDollar: "rule: `%24`",
        RuleEscapedSpace: "rule: `%20`",
        RuleEscapedUnsafe: "rule: one of `\"<>\\^{|}` and backtick, escaped",
        RuleEscapedControl: "rule: control, escaped",
        RuleEscapedNotAscii: "rule: not ASCII, escaped",
        RuleLowerHex: "rule: escape with lower-case digits",
        RuleMalformed: "rule: `%` that begins no escape",
        RuleReserved: "rule: reserved, raw",
        RuleSpace: "rule: space, raw",
        RuleUnsafe: "rule: one of `\"<>\\^{|}` and backtick, raw",
        RuleControl: "rule: control, raw",
        RuleUtf8: "rule: UTF-8, raw",
        RuleNotUtf8: "rule: byte that is no UTF-8, raw",
        RuleStar: "rule: `*`",
        RuleDollar: "rule: `$`",
    }
    /// Octets in URLs.
    UrlOctets {
        UrlEscapedUnreserved: "URL: unreserved, escaped",
        UrlEscapedReserved: "URL: reserved, escaped",
        UrlEscapedSlash: "URL: slash, escaped",
        UrlEscapedPercent: "URL: `%25`",
        UrlEscapedStar: "URL: `%2A`",
        UrlEscapedDollar: "URL: `%24`",
        UrlEscapedSpace: "URL: `%20`",
        UrlEscapedUnsafe: "URL: one of `\"<>\\^{|}` and backtick, escaped",
        UrlEscapedControl: "URL: control, escaped",
        UrlEscapedNotAscii: "URL: not ASCII, escaped",
        UrlLowerHex: "URL: escape with lower-case digits",
        UrlMalformed: "URL: `%` that begins no escape",
        UrlReserved: "URL: reserved, raw",
        UrlSpace: "URL: space, raw",
        UrlUnsafe: "URL: one of `\"<>\\^{|}` and backtick, raw",
        UrlControl: "URL: control, raw",
        UrlUtf8: "URL: UTF-8, raw",
        UrlNotUtf8: "URL: byte that is no UTF-8, raw",
        UrlStar: "URL: `*`, literal",
        UrlDollar: "URL: `$`, literal",
    }
    /// URLs, except the spelling of their octets.
    Urls {
        UrlWithoutPath: "URL without a path",
        UrlQueryWithoutPath: "URL with a query and no path",
        UrlQuestionOnly: "URL that ends in `?`",
        UrlFragment: "URL with a fragment",
        UrlFragmentWithoutPath: "URL with a fragment and no path",
        UrlUserinfo: "URL with credentials",
        UrlPort: "URL with a port",
        UrlBarePath: "bare path",
        UrlBareQuery: "bare query",
        UrlRelative: "text without scheme and slash",
        UrlEmpty: "empty text",
        UrlRobotsTxt: "robots.txt itself",
        UrlLikeRobotsTxt: "lookalike of robots.txt",
        UrlOtherScheme: "scheme without robots.txt",
        UrlHostedScheme: "another scheme with a host",
        UrlSchemeInUpperCase: "scheme in upper case",
        UrlWithoutAuthority: "http without a host",
        UrlDoubledSlash: "doubled slash",
        UrlDotSegments: "dot segments",
        UrlSemicolon: "`;` after the host",
        UrlBackslashHost: "backslash after the host",
        UrlIpv6: "host in brackets",
        UrlAnotherInside: "URL with another one in its query",
        UrlOtherCase: "path in another case",
    }
}

/// For each form, whether it is in a set.
pub type Forms = [bool; Form::ALL.len()];

impl Form {
    /// The form of an octet in a rule.
    pub fn in_rule(octet: Octet) -> Self {
        Self::of(Section::RuleOctets, octet)
    }

    /// The form of an octet in a URL.
    pub fn in_url(octet: Octet) -> Self {
        Self::of(Section::UrlOctets, octet)
    }

    /// The form of an octet in a section. Both sections name their octets in the order of
    /// [`Octet`].
    fn of(section: Section, octet: Octet) -> Self {
        let first = Self::ALL.iter().position(|form| form.section() == section).unwrap_or(0);
        Self::ALL[first + octet as usize]
    }
}
