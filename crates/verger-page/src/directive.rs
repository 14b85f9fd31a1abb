//! The directives of a page, and their values.

use std::fmt;

use crate::date;
use verger::access::Timestamp;

/// [`Directive`] with its names, and the directives without a value.
macro_rules! directives {
    (
        plain { $($(#[$doc:meta])* $plain:ident $plain_name:literal;)* }
        valued { $($(#[$valued_doc:meta])* $valued:ident($value:ty) $name:literal;)* }
    ) => {
        /// One directive as stated.
        ///
        /// All known directives are read. Each vendor obeys some of them (REP-PAGE-20 to
        /// REP-PAGE-22).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Directive {
            $($(#[$doc])* $plain,)*
            $($(#[$valued_doc])* $valued($value),)*
        }

        impl Directive {
            /// The name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$plain => $plain_name,)*
                    $(Self::$valued(_) => $name,)*
                }
            }
        }

        const PLAIN: &[Directive] = &[$(Directive::$plain,)*];
    };
}

directives! {
    plain {
        /// `noindex`: not shown in results.
        NoIndex "noindex";
        /// `nofollow`: links of the page are not followed.
        NoFollow "nofollow";
        /// `index`: may be shown in results. Never needed.
        Index "index";
        /// `follow`: links may be followed. Never needed.
        Follow "follow";
        /// `all`: no restriction, the same as `index, follow`.
        All "all";
        /// `none`: the same as `noindex, nofollow`.
        None "none";
        /// `archive`: a copy may be stored. Yandex (REP-PAGE-21).
        Archive "archive";
        /// `noarchive`: no copy for readers; for Bing and Amazon, nothing for their models.
        NoArchive "noarchive";
        /// `nocache`: for Bing, only URL, title and snippet in answers and training (REP-PAGE-20).
        NoCache "nocache";
        /// `nosnippet`: no text or video in results.
        NoSnippet "nosnippet";
        /// `indexifembedded`: `noindex` does not apply if the page is embedded in another.
        IndexIfEmbedded "indexifembedded";
        /// `notranslate`: no translation is offered.
        NoTranslate "notranslate";
        /// `noimageindex`: images of the page are not indexed.
        NoImageIndex "noimageindex";
        /// `nositelinkssearchbox`: no search box beside the result. No vendor is known to use it
        /// now.
        NoSiteLinksSearchBox "nositelinkssearchbox";
        /// `noodp`: no text of a directory that no longer exists.
        NoOdp "noodp";
        /// `noydir`: no text of a directory that no longer exists.
        NoYdir "noydir";
        /// `noyaca`: no text of a directory that no longer exists.
        NoYaca "noyaca";
        /// `noai`: not for training models. Used by some sites, documented by no vendor.
        NoAi "noai";
        /// `noimageai`: images are not for training models; as `noai`.
        NoImageAi "noimageai";
        /// `noml`: not for machine learning; as `noai`.
        NoMl "noml";
    }
    valued {
        /// `max-snippet`: characters of a snippet.
        MaxSnippet(Limit) "max-snippet";
        /// `max-image-preview`: size of a preview.
        MaxImagePreview(ImagePreview) "max-image-preview";
        /// `max-video-preview`: seconds of a preview; 0 is a still image.
        MaxVideoPreview(Limit) "max-video-preview";
        /// `unavailable_after`: not shown in results after this time.
        UnavailableAfter(Timestamp) "unavailable_after";
    }
}

/// A parsed item, or the reason that it states nothing (REP-PAGE-25).
pub(crate) type ParsedDirective = Result<Directive, &'static str>;

/// The reason of an item with an unknown name.
pub(crate) const UNKNOWN: &str = "expected a directive";

/// The reason of an item that consists of several directives.
pub(crate) const NO_COMMA: &str = "expected commas between directives";

/// The reason of a directive with a value that it does not take.
pub(crate) const NO_VALUE: &str = "unexpected value";

impl Directive {
    pub(crate) fn read(name: &[u8], value: Option<&[u8]>) -> ParsedDirective {
        const NUMBER: &str = "expected a number or `-1`";

        if has_no_commas(name) {
            return Err(NO_COMMA);
        }
        if takes_value(name) {
            let Some(value) = value.filter(|value| !value.is_empty()) else {
                return Err("missing a value");
            };
            let (directive, expected) = match &*name.to_ascii_lowercase() {
                b"max-snippet" => (Limit::read(value).map(Self::MaxSnippet), NUMBER),
                b"max-video-preview" => (Limit::read(value).map(Self::MaxVideoPreview), NUMBER),
                b"max-image-preview" => (
                    ImagePreview::read(value).map(Self::MaxImagePreview),
                    "expected `none`, `standard` or `large`",
                ),
                UNAVAILABLE_AFTER => (
                    date::parse(value).map(Self::UnavailableAfter),
                    "expected a date such as `2030-01-31` or `31 Jan 2030 15:00:00 GMT`",
                ),
                _ => return Err(UNKNOWN),
            };
            return directive.ok_or(expected);
        }
        match (plain(name), value) {
            (None, _) => Err(UNKNOWN),
            (Some(_), Some(_)) => Err(NO_VALUE),
            (Some(directive), None) => Ok(directive),
        }
    }
}

/// The directive without a value of this name.
pub(crate) fn plain(name: &[u8]) -> Option<Directive> {
    PLAIN.iter().copied().find(|known| name.eq_ignore_ascii_case(known.name().as_bytes()))
}

/// Whether a name consists of several directives, separated by other marks than commas.
pub(crate) fn has_no_commas(name: &[u8]) -> bool {
    let separates = |octet: &u8| b";|/".contains(octet) || octet.is_ascii_whitespace();
    let mut words = name.split(separates).filter(|word| !word.is_empty());
    words.next().is_some_and(|first| first != name && plain(first).is_some())
        && words.all(|word| plain(word).is_some() || takes_value(word))
}

impl fmt::Display for Directive {
    /// In its written form: `noindex`, `max-snippet:20`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name();
        match self {
            Self::MaxSnippet(limit) | Self::MaxVideoPreview(limit) => match limit {
                Limit::AtMost(number) => write!(f, "{name}:{number}"),
                Limit::Unlimited => write!(f, "{name}:-1"),
            },
            Self::MaxImagePreview(preview) => write!(f, "{name}:{}", preview.name()),
            Self::UnavailableAfter(time) => write!(f, "{name}:{time}"),
            _ => f.write_str(name),
        }
    }
}

/// The directive whose value is a date.
pub(crate) const UNAVAILABLE_AFTER: &[u8] = b"unavailable_after";

/// Whether a directive takes a value, so that a colon after its name does not make it an agent
/// (REP-PAGE-12). An unknown `max-…` does.
pub(crate) fn takes_value(name: &[u8]) -> bool {
    let is_limit = name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(b"max-"));
    is_limit || name.eq_ignore_ascii_case(UNAVAILABLE_AFTER)
}

/// A number that limits, or `-1` for no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a limit is a number or none")]
pub enum Limit {
    /// At most this number. Larger numbers than this type holds count as its maximum.
    AtMost(u32),
    /// No limit.
    Unlimited,
}

impl Limit {
    /// A number, or `-1`.
    pub(crate) fn read(value: &[u8]) -> Option<Self> {
        if value == b"-1" {
            return Some(Self::Unlimited);
        }
        let is_number = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
        let add =
            |sum: u32, digit: &u8| sum.saturating_mul(10).saturating_add((digit - b'0').into());
        is_number.then(|| Self::AtMost(value.iter().fold(0, add)))
    }
}

/// Maximum size of an image preview.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ImagePreview {
    /// No preview.
    None,
    /// The usual size.
    Standard,
    /// As wide as the screen.
    Large,
}

impl ImagePreview {
    /// The word in directives.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Standard => "standard",
            Self::Large => "large",
        }
    }

    pub(crate) fn read(value: &[u8]) -> Option<Self> {
        let all = [Self::None, Self::Standard, Self::Large];
        all.into_iter().find(|preview| value.eq_ignore_ascii_case(preview.name().as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, value: Option<&str>, expected: ParsedDirective) {
        assert_eq!(Directive::read(name.as_bytes(), value.map(str::as_bytes)), expected, "{name}");
    }

    #[test]
    fn names_and_words_are_parsed_in_any_case_and_displayed() {
        for &directive in PLAIN {
            check(&directive.to_string().to_uppercase(), None, Ok(directive));
        }
        let large = Directive::MaxImagePreview(ImagePreview::Large);
        check("Max-Image-Preview", Some("LARGE"), Ok(large));
        assert_eq!(large.to_string(), "max-image-preview:large");
    }

    #[test]
    fn numbers_are_digits_or_minus_one() {
        let limit = |limit| Ok(Directive::MaxSnippet(limit));
        check("max-snippet", Some("020"), limit(Limit::AtMost(20)));
        check("max-snippet", Some("-1"), limit(Limit::Unlimited));
        check("max-snippet", Some("99999999999999999999"), limit(Limit::AtMost(u32::MAX)));
        for value in ["-2", "abc", "1e9", "+5", "5 5", "٥"] {
            let invalid = "expected a number or `-1`";
            check("max-snippet", Some(value), Err(invalid));
        }
    }

    #[test]
    fn values_are_required_or_invalid() {
        check("max-snippet", None, Err("missing a value"));
        check("max-snippet", Some(""), Err("missing a value"));
        check("noindex", Some(""), Err("unexpected value"));
        check("max-audio-preview", Some("1"), Err(UNKNOWN));
        check("noindexx", None, Err(UNKNOWN));
    }
}
