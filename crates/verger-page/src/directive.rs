//! The directives that a page can state.

use std::fmt;

use crate::date;
use crate::time::UnixTime;
use crate::value::{ImagePreview, Limit};

/// One directive, as it is stated.
///
/// Which of them a vendor heeds is the vendor's matter: all that are known are read (REP-PAGE-20 to
/// REP-PAGE-22).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Directive {
    /// `all`: no restriction, the same as `index, follow`.
    All,
    /// `none`: the same as `noindex, nofollow`.
    None,
    /// `index`: may be shown in results. Never needed.
    Index,
    /// `noindex`: not shown in results.
    NoIndex,
    /// `follow`: links may be followed. Never needed.
    Follow,
    /// `nofollow`: links of the page are not followed.
    NoFollow,
    /// `archive`: a copy may be kept. Yandex (REP-PAGE-21).
    Archive,
    /// `noarchive`: no copy for readers; for Bing and Amazon, nothing for their models.
    NoArchive,
    /// `nocache`: for Bing, only URL, title and snippet in answers and training (REP-PAGE-20).
    NoCache,
    /// `nosnippet`: no text or video in results.
    NoSnippet,
    /// `indexifembedded`: `noindex` does not hold where the page is embedded in another.
    IndexIfEmbedded,
    /// `max-snippet`: characters of a snippet.
    MaxSnippet(Limit),
    /// `max-image-preview`: size of a preview.
    MaxImagePreview(ImagePreview),
    /// `max-video-preview`: seconds of a preview; 0 is a still image.
    MaxVideoPreview(Limit),
    /// `notranslate`: no translation is offered.
    NoTranslate,
    /// `noimageindex`: images of the page are not indexed.
    NoImageIndex,
    /// `unavailable_after`: not shown in results after this time.
    UnavailableAfter(UnixTime),
    /// `nositelinkssearchbox`: no search box beside the result. Nobody is known to heed it now.
    NoSiteLinksSearchBox,
    /// `noodp`: nothing of a directory that is gone.
    NoOdp,
    /// `noydir`: nothing of a directory that is gone.
    NoYdir,
    /// `noyaca`: nothing of a directory that is gone.
    NoYaca,
    /// `noai`: not for training models. A habit of some sites, no vendor documents it.
    NoAi,
    /// `noimageai`: images are not for training models; as `noai`.
    NoImageAi,
    /// `noml`: not for machine learning; as `noai`.
    NoMl,
}

/// Why an item that names a directive is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Invalid {
    /// Its value is not what the directive takes.
    Value {
        /// What it takes, in words.
        expected: &'static str,
    },
    /// It lacks its value.
    NoValue,
    /// It has a value, and the directive takes none.
    UnwantedValue,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value { expected } => write!(f, "expected {expected}, but found something else"),
            Self::NoValue => f.write_str("expected a value, but found none"),
            Self::UnwantedValue => f.write_str("expected no value, but found one"),
        }
    }
}

/// What an item turns out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParsedDirective {
    /// A directive.
    Directive(Directive),
    /// The name of one with something wrong about its value: it states nothing (REP-PAGE-25).
    Invalid(Invalid),
    /// Nothing we know: it states nothing, and its text is kept.
    Unknown,
}

impl Directive {
    /// The name, as it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::None => "none",
            Self::Index => "index",
            Self::NoIndex => "noindex",
            Self::Follow => "follow",
            Self::NoFollow => "nofollow",
            Self::Archive => "archive",
            Self::NoArchive => "noarchive",
            Self::NoCache => "nocache",
            Self::NoSnippet => "nosnippet",
            Self::IndexIfEmbedded => "indexifembedded",
            Self::MaxSnippet(_) => "max-snippet",
            Self::MaxImagePreview(_) => "max-image-preview",
            Self::MaxVideoPreview(_) => "max-video-preview",
            Self::NoTranslate => "notranslate",
            Self::NoImageIndex => "noimageindex",
            Self::UnavailableAfter(_) => "unavailable_after",
            Self::NoSiteLinksSearchBox => "nositelinkssearchbox",
            Self::NoOdp => "noodp",
            Self::NoYdir => "noydir",
            Self::NoYaca => "noyaca",
            Self::NoAi => "noai",
            Self::NoImageAi => "noimageai",
            Self::NoMl => "noml",
        }
    }

    /// Reads a name and its value, both without white space around them.
    pub(crate) fn read(name: &[u8], value: Option<&[u8]>) -> ParsedDirective {
        let invalid = |expected| ParsedDirective::Invalid(Invalid::Value { expected });
        if let Some(valued) = Valued::named(name) {
            let Some(value) = value.filter(|value| !value.is_empty()) else {
                return ParsedDirective::Invalid(Invalid::NoValue);
            };
            let number = || Limit::read(value);
            let directive = match valued {
                Valued::MaxSnippet => number().map(Self::MaxSnippet),
                Valued::MaxVideoPreview => number().map(Self::MaxVideoPreview),
                Valued::MaxImagePreview => ImagePreview::read(value).map(Self::MaxImagePreview),
                Valued::UnavailableAfter => date::parse(value).map(Self::UnavailableAfter),
                Valued::UnknownLimit => return ParsedDirective::Unknown,
            };
            return directive.map_or_else(|| invalid(valued.takes()), ParsedDirective::Directive);
        }
        let plain = PLAIN.iter().find(|known| name.eq_ignore_ascii_case(known.name().as_bytes()));
        match (plain, value) {
            (None, _) => ParsedDirective::Unknown,
            (Some(_), Some(_)) => ParsedDirective::Invalid(Invalid::UnwantedValue),
            (Some(directive), None) => ParsedDirective::Directive(*directive),
        }
    }
}

impl fmt::Display for Directive {
    /// As it is written: `noindex`, `max-snippet:20`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name();
        match self {
            Self::MaxSnippet(limit) | Self::MaxVideoPreview(limit) => write!(f, "{name}:{limit}"),
            Self::MaxImagePreview(preview) => write!(f, "{name}:{preview}"),
            Self::UnavailableAfter(time) => write!(f, "{name}:{time}"),
            _ => f.write_str(name),
        }
    }
}

/// A directive that takes a value, so that a colon behind its name makes no agent of it
/// (REP-PAGE-12).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Valued {
    MaxSnippet,
    MaxImagePreview,
    MaxVideoPreview,
    UnavailableAfter,
    /// A `max-…` that is not known yet.
    UnknownLimit,
}

impl Valued {
    pub(crate) fn named(name: &[u8]) -> Option<Self> {
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        match () {
            () if is("max-snippet") => Some(Self::MaxSnippet),
            () if is("max-image-preview") => Some(Self::MaxImagePreview),
            () if is("max-video-preview") => Some(Self::MaxVideoPreview),
            () if is("unavailable_after") => Some(Self::UnavailableAfter),
            () if name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(b"max-")) => {
                Some(Self::UnknownLimit)
            }
            () => None,
        }
    }

    const fn takes(self) -> &'static str {
        match self {
            Self::MaxSnippet | Self::MaxVideoPreview | Self::UnknownLimit => "a number or `-1`",
            Self::MaxImagePreview => "`none`, `standard` or `large`",
            Self::UnavailableAfter => "a date such as `2030-01-31` or `31 Jan 2030 15:00:00 GMT`",
        }
    }
}

/// Those without a value.
const PLAIN: [Directive; 20] = [
    Directive::NoIndex,
    Directive::NoFollow,
    Directive::Index,
    Directive::Follow,
    Directive::All,
    Directive::None,
    Directive::Archive,
    Directive::NoArchive,
    Directive::NoCache,
    Directive::NoSnippet,
    Directive::IndexIfEmbedded,
    Directive::NoTranslate,
    Directive::NoImageIndex,
    Directive::NoSiteLinksSearchBox,
    Directive::NoOdp,
    Directive::NoYdir,
    Directive::NoYaca,
    Directive::NoAi,
    Directive::NoImageAi,
    Directive::NoMl,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, value: Option<&str>, expected: ParsedDirective) {
        assert_eq!(Directive::read(name.as_bytes(), value.map(str::as_bytes)), expected, "{name}");
    }

    #[test]
    fn names_and_words_are_read_in_any_case_and_written_back() {
        for directive in PLAIN {
            check(
                &directive.to_string().to_uppercase(),
                None,
                ParsedDirective::Directive(directive),
            );
        }
        let large = Directive::MaxImagePreview(ImagePreview::Large);
        check("Max-Image-Preview", Some("LARGE"), ParsedDirective::Directive(large));
        assert_eq!(large.to_string(), "max-image-preview:large");
    }

    #[test]
    fn numbers_are_digits_or_minus_one() {
        let limit = |limit| ParsedDirective::Directive(Directive::MaxSnippet(limit));
        check("max-snippet", Some("020"), limit(Limit::AtMost(20)));
        check("max-snippet", Some("-1"), limit(Limit::Unlimited));
        check("max-snippet", Some("99999999999999999999"), limit(Limit::AtMost(u32::MAX)));
        for value in ["-2", "abc", "1e9", "+5", "5 5", "٥"] {
            let ParsedDirective::Invalid(invalid) =
                Directive::read(b"max-snippet", Some(value.as_bytes()))
            else {
                panic!("{value}");
            };
            assert_eq!(invalid.to_string(), "expected a number or `-1`, but found something else");
        }
    }

    #[test]
    fn a_value_is_there_where_one_belongs() {
        check("max-snippet", None, ParsedDirective::Invalid(Invalid::NoValue));
        check("max-snippet", Some(""), ParsedDirective::Invalid(Invalid::NoValue));
        check("noindex", Some(""), ParsedDirective::Invalid(Invalid::UnwantedValue));
        check("max-audio-preview", Some("1"), ParsedDirective::Unknown);
        check("noindexx", None, ParsedDirective::Unknown);
        assert_eq!(Invalid::NoValue.to_string(), "expected a value, but found none");
        assert_eq!(Invalid::UnwantedValue.to_string(), "expected no value, but found one");
    }
}
