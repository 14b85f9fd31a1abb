//! The arguments that choose the crawler and the dialect.

use std::ffi::{OsStr, OsString};

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command};
use verger::{Dialect, VENDORS};

use super::published;

/// The crawler.
#[derive(Debug, Args)]
pub(crate) struct CrawlerArgs {
    /// Product token of the crawler, such as `GPTBot`; repeat it for fallbacks, most specific first
    ///
    /// The product token is the name in user-agent lines; upper and lower case are equal. Verger
    /// uses the groups of the first token that appears in a user-agent line. A value with a version
    /// (`GPTBot/1.1`), or a full User-Agent header, is parsed as a header: its product tokens are
    /// tried in order, those in the comment first. Dialect `google` does not parse values, so only
    /// groups for `*` match a value with a version.
    #[arg(long = "agent", value_name = "TOKEN")]
    pub(crate) agents: Vec<OsString>,

    /// Merge the groups of all `--agent` values, as Google's library does
    #[arg(long, requires = "agents", conflicts_with = "crawler")]
    pub(crate) union: bool,

    /// Name of a known crawler, with the fallback tokens that its vendor documents
    ///
    /// `--help` lists the names.
    #[arg(
        long,
        long_help = crawler_help(),
        value_name = "NAME",
        value_parser = CrawlerName,
        hide_possible_values = true,
        conflicts_with = "agents"
    )]
    pub(crate) crawler: Option<String>,
}

/// The name of a known crawler. Any text is accepted, because Clap's error would not suggest
/// similar names. The known names are for completions.
#[derive(Clone, Debug)]
pub(crate) struct CrawlerName;

impl TypedValueParser for CrawlerName {
    type Value = String;

    fn parse_ref(
        &self,
        _command: &Command,
        _argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        // No known name contains the replacement character.
        Ok(value.to_string_lossy().into_owned())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(VENDORS.iter().map(|vendor| PossibleValue::new(vendor.name))))
    }
}

/// The long help of `--crawler`, with every known name.
fn crawler_help() -> String {
    let names: Vec<&str> = VENDORS.iter().map(|vendor| vendor.name).collect();
    format!(
        "Name of a known crawler, with the fallback tokens that its vendor documents\n\n\
         `Googlebot-Image` uses the groups for `Googlebot` if there is none for `Googlebot-Image`. \
         `AdsBot-Google` ignores groups for `*`. A note is shown in three cases: a fallback is not \
         documented (`GoogleOther-Image`); the name is not a crawler and only controls how fetched \
         pages are used, for example for AI training (`Google-Extended`); the crawler may ignore \
         robots.txt (`ChatGPT-User`).\n\nKnown names: {}.",
        names.join(", ")
    )
}

/// The dialect.
#[derive(Debug, Args)]
pub(crate) struct DialectArgs {
    /// Dialect of robots.txt: which specification or parser to follow
    ///
    /// Dialects differ in how they parse lines, select groups and normalise URLs. The longest
    /// matching rule decides; in `koster1996`, `book`, `orig1994` and `baidu`, the first one does.
    /// Failed fetches are the subject of the access profile (`--access`), not of the dialect.
    #[arg(
        long,
        value_name = "NAME",
        value_parser = published(DIALECTS, |row| row.name),
        ignore_case = true,
        default_value = Dialect::default().name
    )]
    pub(crate) dialect: Dialect,
}

/// The published dialects in their order, each with a line of help.
pub(super) const DIALECTS: [(Dialect, &str); Dialect::PUBLISHED.len()] = [
    (Dialect::RFC9309, "RFC 9309 (2022), with Verger's choices where the RFC says nothing"),
    (Dialect::GOOGLE, "Google's open-source library, with identical results"),
    (Dialect::KOSTER1996, "Martijn Koster's Internet-Drafts of November and December 1996"),
    (Dialect::BOOK, "Section 9.4 of the book HTTP: The Definitive Guide (2002)"),
    (
        Dialect::ORIG1994,
        "The original 1994 standard; where it is vague, as implemented by Perl's WWW::RobotRules",
    ),
    (Dialect::REP2019, "The draft of July 2019 that became RFC 9309"),
    (Dialect::YANDEX, "Yandex's documentation"),
    (Dialect::BAIDU, "Baidu's documentation"),
    (Dialect::BING, "Bing's documentation"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_dialect_is_listed_in_order() {
        assert_eq!(DIALECTS.map(|(row, _)| row), Dialect::PUBLISHED);
    }
}
